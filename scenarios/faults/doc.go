// Package faults is the grammar in which a user says what goes wrong on purpose: the key
// faults of a scenario, and of the file that a service is started with.
//
// Bind a list of rules with [List], which reads, writes and describes it; then have [Check]
// look at what follows from several of them together.
//
// The caller owes no more than the list: what a rule does is up to loadgen/engine/fault.
// The package injects nothing.
package faults
