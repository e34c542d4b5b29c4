package report

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// repeatOf shows the command that repeats the run, broken at its arguments.
func repeatOf(p *page, command []string) {
	if len(command) == 0 {
		return
	}
	p.heading("To repeat it")
	const first, rest, more = "  ", "      ", ` \`
	line := first
	for i, argument := range command {
		word := quoted(argument)
		if i > 0 && width(line)+1+width(word)+len(more) > pageWidth {
			p.text.WriteString(line + more + "\n")
			line = rest + word
			continue
		}
		if i > 0 {
			line += " "
		}
		line += word
	}
	p.text.WriteString(line + "\n")
}

// quoted returns an argument as a shell takes it: as it is where nothing in it
// means anything to a shell, in single quotes where all of it can be shown, and
// else in the quotes $'…', which know escapes.
func quoted(argument string) string {
	plain := func(c rune) bool {
		return c < utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsDigit(c)) || strings.ContainsRune("-_=./,:@%+", c)
	}
	if argument != "" && !strings.ContainsFunc(argument, func(c rune) bool { return !plain(c) }) {
		return argument
	}
	if utf8.ValidString(argument) && !strings.ContainsFunc(argument, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return "'" + strings.ReplaceAll(argument, "'", `'\''`) + "'"
	}
	var text strings.Builder
	for len(argument) > 0 {
		c, size := utf8.DecodeRuneInString(argument)
		switch {
		case c == '\'' || c == '\\':
			text.WriteString(`\` + string(c))
		case unicode.IsPrint(c) && (c != utf8.RuneError || size > 1):
			text.WriteRune(c)
		default:
			// Octal, because its three digits end where they end.
			for _, b := range []byte(argument[:size]) {
				octal := strconv.FormatUint(uint64(b), 8)
				text.WriteString(`\` + strings.Repeat("0", 3-len(octal)) + octal)
			}
		}
		argument = argument[size:]
	}
	return "$'" + text.String() + "'"
}
