//go:build ci || long

package drive_test

// tier returns how many of the cases that are drawn, or come from a list, are played:
// all of them.
func tier(_, all int) int { return all }
