//go:build ci

package main

// drawnEnds is how many runs are ended at a request that is drawn, frozenEnds at how many
// moments by a service that freezes.
const (
	drawnEnds  = 24
	frozenEnds = 4
)
