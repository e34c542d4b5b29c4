package resultstest

import (
	"strings"
	"testing"
)

// CheckWords checks that each of the words, which bars part, is in a text, and none of those
// behind an exclamation mark.
func CheckWords(t testing.TB, name, text, words string) {
	t.Helper()
	for _, word := range strings.Split(words, "|") {
		absent, not := strings.CutPrefix(word, "!")
		if word != "" && strings.Contains(text, absent) == not {
			t.Errorf("%s: it says\n%.2000s\nwant %q", name, text, word)
		}
	}
}
