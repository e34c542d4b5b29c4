//go:build ci || long

package resultstest

// Cases returns the number of drawn cases that a test runs: few by default, all with the
// build tag ci or long.
func Cases(_, all int) int { return all }
