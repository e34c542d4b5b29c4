//go:build long

package main

import "testing"

// Those commands of the pages that take seconds are run as well: minutes of CPU time.
func TestLongCommandsOfThePages(t *testing.T) { commandsAreRun(t, true) }
