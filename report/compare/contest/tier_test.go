//go:build !ci && !long

package contest_test

// How many contests are drawn: of real runs, of drawn ones, of runs of few operations, and of
// designs whose order is known.
// The bounds that they are held to follow from how many there are.
const (
	contests      = 4
	drawnSets     = 100
	fewSets       = 100
	knownContests = 30
)
