//go:build ci

package main

// tier is how many cases are played: a few, and all of them in the CI.
func tier(_, all int) int { return all }
