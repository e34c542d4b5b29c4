//go:build ci

package main

import "testing"

// The tutorial's commands are run, in its order, and print what it shows.
func TestOwnTablePageShowsWhatTheCommandsPrint(t *testing.T) {
	leftOutWhenShort(t)
	checkPage(t, "your-own-table.md", "race.csv.gz", "race.yaml", "fleet.yaml")
}
