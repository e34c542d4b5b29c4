//go:build !ci && !long

package durable_test

// tier returns how many of the cases that are drawn are played: a few, more with -tags
// ci, and all of them with -tags long.
func tier(few, _, _ int) int { return few }
