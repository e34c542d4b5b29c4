//go:build ci

package drive_test

// drawn returns how many of the cases that are drawn, or come from a list, are played:
// all of them.
func drawn(_, all int) int { return all }
