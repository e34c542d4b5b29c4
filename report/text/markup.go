package text

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// active escapes the characters that Markdown, HTML in it, or links and mentions give a
// meaning anywhere in a line.
var active = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "~", `\~`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;",
	"&", "&amp;", "#", `\#`, "|", `\|`, "$", `\$`, "@", `\@`, "://", `:\//`)

// opening matches what begins a list, a rule or a heading at the start of a line.
var opening = regexp.MustCompile(`^([-+=]|[0-9]+[.)](?:$| ))`)

// Markdown returns a text that Markdown shows literally, on one line with single spaces.
// Unprintable characters are escaped.
func Markdown(text string) string {
	text = single(text)
	if at := opening.FindStringIndex(text); at != nil {
		last := len(strings.TrimRight(text[:at[1]], " ")) - 1
		return text[:last] + `\` + text[last:last+1] + active.Replace(text[last+1:])
	}
	return active.Replace(text)
}

// Marked is [Markdown] for text inside a line, such as a table cell.
func Marked(text string) string { return active.Replace(single(text)) }

func single(text string) string {
	return strings.Join(strings.Fields(Harmless(strings.Join(strings.Fields(text), " "))), " ")
}

// number matches a text that a spreadsheet parses as a number.
var number = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?(e[0-9]+)?$`)

// Inert returns a text that no spreadsheet evaluates as a formula. Unprintable characters are escaped.
func Inert(text string) string {
	safe := Harmless(text)
	if begins := strings.TrimLeft(safe, " "); begins != "" && strings.ContainsRune("=+-@", rune(begins[0])) && !number.MatchString(safe) {
		return "'" + safe
	}
	return safe
}

// argument matches an argument of a command, with the quotes of [quoted]. The last quote may be open.
var argument = regexp.MustCompile(`(?:\$'(?:\\.|[^'\\])*'?|'[^']*'?|\\.|[^ '])+`)

// CommandLine returns a command as one line of shell.
func CommandLine(command []string) string {
	words := make([]string, len(command))
	for i, argument := range command {
		words[i] = quoted(argument)
	}
	return strings.Join(words, " ")
}

// quoted quotes an argument for a shell, if necessary: in single quotes if it is printable,
// else in $'…' with escapes.
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
			// Octal escapes have exactly three digits.
			for _, b := range []byte(argument[:size]) {
				octal := strconv.FormatUint(uint64(b), 8)
				text.WriteString(`\` + strings.Repeat("0", 3-len(octal)) + octal)
			}
		}
		argument = argument[size:]
	}
	return "$'" + text.String() + "'"
}
