package wire

import "strings"

// IsServiceVersion reports whether a text has the form of a service version: a date,
// 2019-02-02. Versions compare as text.
func IsServiceVersion(text string) bool {
	if len(text) != len("2019-02-02") || text[4] != '-' || text[7] != '-' {
		return false
	}
	return !strings.ContainsFunc(text[:4]+text[5:7]+text[8:], func(c rune) bool { return c < '0' || c > '9' })
}
