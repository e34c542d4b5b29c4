//go:build !ci

package main

// tier is how many cases are played: a few, and all of them in the CI.
func tier(few, _ int) int { return few }
