//go:build ci || long

package resultstest

// Cases returns how many of the cases that are drawn, or cut from one record, a test plays:
// all of them.
func Cases(_, all int) int { return all }
