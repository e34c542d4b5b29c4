//go:build ci

package ranking_test

// More of each.
const (
	contests  = 100
	drawnSets = 800
	fewSets   = 1000
)
