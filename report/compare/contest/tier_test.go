//go:build !ci && !long

package contest_test

// How many contests are drawn: of drawn runs, of runs of few operations, and of
// designs whose order is known.
// The bounds that they are held to follow from how many there are.
const (
	drawnSets     = 100
	fewSets       = 100
	knownContests = 30
)
