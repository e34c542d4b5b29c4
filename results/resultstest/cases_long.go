//go:build long

package resultstest

// Cases returns the number of drawn cases that a test runs: few by default, the first of more with the build tag ci,
// the last with the build tag long.
func Cases(_ int, more ...int) int { return more[len(more)-1] }
