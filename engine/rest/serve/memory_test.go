package serve

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Memory is given back once after each peak that was worth it, when it has been quiet
// for a while.
func TestLulls(t *testing.T) {
	const mib = 1 << 20
	for _, row := range []struct {
		sentence string
		// looks are what is held at each, in MiB; gives has a * where memory is given back.
		looks []int64
		gives string
	}{
		{"little is never worth it", []int64{0, 31, 0, 0, 0, 0}, "......"},
		{"a peak, then quiet", []int64{0, 128, 1, 1, 1, 1, 1}, "....*.."},
		{"a peak that falls by half", []int64{100, 50, 50, 50, 50, 50}, "...*.."},
		{"and by half again, above the least", []int64{100, 50, 50, 50, 20, 20, 20}, "...*..*"},
		{"a little less is none", []int64{128, 65, 65, 65, 65, 65}, "......"},
		{"what comes and goes is none", []int64{128, 1, 1, 128, 1, 1, 128, 1, 1, 1}, ".........*"},
		{"another peak", []int64{128, 1, 1, 1, 200, 1, 1, 1}, "...*...*"},
	} {
		var l lull
		got := ""
		for _, now := range row.looks {
			if l.look(now*mib, now*mib) {
				got += "*"
			} else {
				got += "."
			}
		}
		assert.Equalf(t, row.gives, got, "%s: given back", row.sentence)
	}
	var l lull
	for i, want := range []bool{false, false, true} {
		// A peak that came and went between two looks.
		assert.Equalf(t, want, l.look(0, max(0, int64(100*mib*(1-i)))), "look %d", i)
	}
}
