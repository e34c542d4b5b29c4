//go:build ci

package main

import "testing"

// Those commands of the pages that take seconds are run as well.
func TestLongCommandsOfThePages(t *testing.T) { commandsAreRun(t, true) }
