//go:build ci

package doctor_test

// tier returns how many of the cases that are drawn are played: all of them.
func tier(_, all int) int { return all }
