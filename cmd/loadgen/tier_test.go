//go:build !ci

package main

// drawnEnds is how many runs are ended at a request that is drawn; with everyEnd each signal ends one
// at each moment.
const (
	drawnEnds = 2
	everyEnd  = false
)
