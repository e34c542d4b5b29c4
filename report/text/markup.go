package text

import (
	"regexp"
	"strings"
)

// active are the characters that Markdown, or HTML within it, or who reads it for names
// and addresses, could take for more than themselves anywhere in a line. A picture begins
// with a bracket that is one of them.
var active = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "~", `\~`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;",
	"&", "&amp;", "#", `\#`, "|", `\|`, "$", `\$`, "@", `\@`, "://", `:\//`)

// opening is what begins a list, a rule or a heading where a line does.
var opening = regexp.MustCompile(`^([-+=]|[0-9]+[.)](?:$| ))`)

// Markdown returns a text on one line that Markdown shows as it is, wherever it stands:
// what would move a cursor is escaped, and spaces are single.
func Markdown(text string) string {
	text = single(text)
	if at := opening.FindStringIndex(text); at != nil {
		last := len(strings.TrimRight(text[:at[1]], " ")) - 1
		return text[:last] + `\` + text[last:last+1] + active.Replace(text[last+1:])
	}
	return active.Replace(text)
}

// Marked is [Markdown] for a text that stands within a line, as a cell of a table does.
func Marked(text string) string { return active.Replace(single(text)) }

// single returns a text on one line, with single spaces.
func single(text string) string {
	return strings.Join(strings.Fields(Harmless(strings.Join(strings.Fields(text), " "))), " ")
}

// number is what a spreadsheet may take for a number.
var number = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?(e[0-9]+)?$`)

// Inert returns a text that no spreadsheet takes for a formula, without characters that
// are not printable.
func Inert(text string) string {
	safe := Harmless(text)
	if begins := strings.TrimLeft(safe, " "); begins != "" && strings.ContainsRune("=+-@", rune(begins[0])) && !number.MatchString(safe) {
		return "'" + safe
	}
	return safe
}
