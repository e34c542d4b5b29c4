//go:build !ci && !long

package series

// tier returns how many of the cases that are drawn, or come from a list, are played: a few,
// more with -tags ci, and most with -tags long.
func tier(few, _, _ int) int { return few }
