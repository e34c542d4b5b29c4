//go:build ci

package main

import (
	"testing"
)

// Every command of the README and of docs is run: by the test of the page where its output is
// shown, by a script where it is of another program, else here; or it is said to need an
// account. Those that take long are only read here, and run with the tag long. Those that run
// load in real time are run on the virtual clock, for a second of
// each step.
func TestCommandsOfThePages(t *testing.T) {
	leftOutWhenShort(t)
	commandsAreRun(t, false)
}
