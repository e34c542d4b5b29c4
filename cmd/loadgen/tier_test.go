//go:build !ci

package main

// drawnEnds is how many runs are ended at a request that is drawn.
const drawnEnds = 6
