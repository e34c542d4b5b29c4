//go:build ci && !long

package series

// tier returns how many of the cases that are drawn, or come from a list, are played.
func tier(_, more, _ int) int { return more }
