// Package terminal shows on standard error how a run fares while it goes on: a bar on a
// terminal, plain lines elsewhere, JSON events for a program.
//
// [New] returns a progress for a plan of a run, which begins and ends it; nothing has to be
// closed. No name of a table or a key reaches a terminal as anything but text. It never
// makes a run wait for whoever reads.
package terminal
