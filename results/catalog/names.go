package catalog

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shown returns a name as it may be printed: quoted where it holds what a terminal would
// take for a command.
func Shown(name string) string {
	if strings.ContainsFunc(name, unprintable) {
		return strconv.QuoteToGraphic(name)
	}
	return name
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// Cell returns a text as a cell of a table may hold it: on one line, without what a
// terminal would take for a command, and of so many characters at most.
func Cell(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if unprintable(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, text)
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}
