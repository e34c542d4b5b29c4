package html

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// words returns a text with control characters, and those that change the direction of
// writing, as escapes: \x1b, \u202e. The text report has the same escapes.
func words(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r == utf8.RuneError || hidden(r) && r != '\n' && r != '\t' }) {
		return text
	}
	var shown strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)):
			fmt.Fprintf(&shown, `\x%02x`, text[i])
		case r == '\n' || r == '\t' || !hidden(r):
			shown.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&shown, `\x%02x`, r)
		default:
			shown.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return shown.String()
}

// hidden reports whether a character is invisible.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co)
}

func escapeEach(texts []string) []string {
	shown := make([]string, len(texts))
	for i, text := range texts {
		shown[i] = words(text)
	}
	return shown
}

// names has the identifiers of a page so far.
type names map[string]bool

// unique returns a new identifier that resembles the wanted one, of a-z, 0-9 and hyphens.
func (n names) unique(wanted string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r + ('a' - 'A')
		}
		return '-'
	}, wanted)
	name = strings.Trim(name[:min(len(name), 40)], "-")
	if name == "" || name[0] < 'a' {
		name = "part-" + name
	}
	id := name
	for i := 2; n[id]; i++ {
		id = fmt.Sprintf("%s-%d", name, i)
	}
	n[id] = true
	return id
}
