package resultstest

import (
	"strings"
	"testing"
)

// CheckWords checks that a text contains each of the words, which are separated by bars, and
// none of those that begin with an exclamation mark.
func CheckWords(t testing.TB, name, text, words string) {
	t.Helper()
	for _, word := range strings.Split(words, "|") {
		absent, not := strings.CutPrefix(word, "!")
		if word != "" && strings.Contains(text, absent) == not {
			t.Errorf("%s: text is\n%.2000s\nwant %q", name, text, word)
		}
	}
}
