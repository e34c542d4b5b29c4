//go:build !ci

package contest_test

// How many contests are drawn: of real runs, of drawn ones, and of runs of few operations.
// The bounds that they are held to follow from how many there are.
const (
	contests  = 20
	drawnSets = 200
	fewSets   = 250
)
