// Package model holds the parameters of the partition model: each with its
// value, unit, bounds and provenance.
//
// Take a profile with [New], change single parameters with [Model.Set], check
// the whole with [Model.Validate], and hand the model to the engine, which
// reads its fields. [Model.ParametersOf] lists, for a report, those that a run
// rests on, so that every assumption can be shown as one.
//
// The caller owes nothing further; a Model is a plain value to be copied before
// it is shared.
//
// The package never decides anything: it knows numbers, not behaviour.
package model
