//go:build ci

package contest_test

// More of each.
const (
	contests  = 100
	drawnSets = 800
	fewSets   = 1000
)
