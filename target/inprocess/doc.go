// Package inprocess is the target that calls an engine directly, without a
// socket.
//
// Build a [Target] over an engine, one of its accounts and a clock. Do waits on
// that clock until the instant at which the engine says the reply is there;
// Submit leaves the waiting to a simulation. Both faces give the same outcomes
// for the same instants.
//
// The caller owes what package target asks for. The package never retries, and
// its latencies are the model's: nothing is paid for sockets, encoding or
// signatures.
package inprocess
