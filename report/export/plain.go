package export

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// colours are what terminals take for commands: names and reasons come from files, and
// must not colour, move or erase what stands beside them.
var colours = regexp.MustCompile("\x1b(\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)?|[@-Z\\\\^_])")

// Plain returns a text on one line, without what controls a terminal or the direction
// of writing. Whatever no encoding holds becomes U+FFFD.
func Plain(text string) string {
	text = colours.ReplaceAllString(strings.ToValidUTF8(text, string(utf8.RuneError)), "")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\u2028' || r == '\u2029':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return -1
		case r == '\ufffe' || r == '\uffff':
			return utf8.RuneError
		}
		return r
	}, text))
}
