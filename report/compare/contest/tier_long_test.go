//go:build long

package contest_test

// More of each.
const (
	contests      = 100
	drawnSets     = 800
	fewSets       = 1000
	knownContests = 3000
)
