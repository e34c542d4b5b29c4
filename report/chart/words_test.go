package chart_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"loadgen/report/chart"

	"github.com/stretchr/testify/assert"
)

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"", "2011 New York City Marathon__Full", "<script>", "a\x00\x1b[31m\u202eb", "\xff\xfe",
		"line\nbreak\tand\u2028more", strings.Repeat("長", 1024)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, word string) {
		got := chart.Clean(word, chart.LongestKey)
		length := utf8.RuneCountInString(got)
		assert.Truef(t, length <= chart.LongestKey+1, "Clean(%q) has %d characters", word, length)
		for _, r := range got {
			assert.Truef(t, unicode.IsPrint(r) && r != unicode.ReplacementChar,
				"Clean(%q) = %q, with %U; want what can be printed", word, got, r)
		}
		assert.Equalf(t, got, chart.Clean(got, chart.LongestKey+1), "Clean(%q)", got)
	})
}
