// Package size is the grammar in which a scenario says how large its entities are.
//
// Bind the field with [Of]; have a curve that waits for its file read it with [Read].
//
// The caller owes no more than where to put what is read: sizes are drawn by
// loadgen/scenarios/keys/values.
package size
