package report

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pageWidth is the greatest width of a line in columns.
const pageWidth = 110

// page gathers the lines of a text report. Everything that goes onto it is made
// harmless first.
type page struct {
	text bytes.Buffer
}

// heading begins a section.
func (p *page) heading(title string) {
	if p.text.Len() > 0 {
		p.text.WriteByte('\n')
	}
	p.paragraph("", "", title)
}

// item adds a sentence of a list.
func (p *page) item(sentence string) { p.paragraph("  - ", "    ", sentence) }

// line adds a paragraph below a heading.
func (p *page) line(text string) { p.paragraph("  ", "  ", text) }

// paragraph adds a text in as many lines as it needs: first begins the first of
// them, rest the others.
func (p *page) paragraph(first, rest, text string) {
	for i, line := range wrapped(harmless(text), pageWidth-max(width(first), width(rest))) {
		before := rest
		if i == 0 {
			before = first
		}
		p.text.WriteString(strings.TrimRight(before+line, " ") + "\n")
	}
}

// harmless replaces every character that is not printable by its escape, so
// that no name can move a terminal's cursor, turn its text around or end a line.
func harmless(text string) string {
	var safe strings.Builder
	for len(text) > 0 {
		c, size := utf8.DecodeRuneInString(text)
		switch {
		case c == utf8.RuneError && size == 1:
			safe.WriteString(`\x` + strconv.FormatUint(uint64(text[0]), 16))
		case unicode.IsPrint(c):
			safe.WriteRune(c)
		default:
			safe.WriteString(strings.Trim(strconv.QuoteRuneToASCII(c), "'"))
		}
		text = text[size:]
	}
	return safe.String()
}

// wrapped breaks a text into lines of so many columns at its spaces, and a word
// that is longer than a line where the line ends. There is one line at least.
func wrapped(text string, columns int) []string {
	var lines []string
	line, filled := "", 0
	for _, word := range words(text) {
		gap := min(filled, 1)
		if filled > 0 && filled+gap+width(word) > columns {
			lines = append(lines, line)
			line, filled, gap = "", 0, 0
		}
		for width(word) > columns {
			var head string
			head, word = split(word, columns)
			lines = append(lines, head)
		}
		line += strings.Repeat(" ", gap) + word
		filled += gap + width(word)
	}
	return append(lines, line)
}

// words splits a text at its spaces, but keeps a unit with its number.
func words(text string) []string {
	var list []string
	for _, word := range strings.Fields(text) {
		unit := strings.TrimRight(word, ".,;:)")
		if len(list) > 0 && (unit == "%" || unit == "s" || unit == "ms" || unit == "µs") {
			list[len(list)-1] += " " + word
			continue
		}
		list = append(list, word)
	}
	return list
}

// split cuts a word after so many columns.
func split(word string, columns int) (head, tail string) {
	filled := 0
	for i, c := range word {
		if filled += runeWidth(c); filled > columns {
			return word[:i], word[i:]
		}
	}
	return word, ""
}

// width returns how many columns a printable text fills.
func width(text string) int {
	columns := 0
	for _, c := range text {
		columns += runeWidth(c)
	}
	return columns
}

// runeWidth returns 2 for the characters of scripts that fill two columns.
func runeWidth(c rune) int {
	switch {
	case c < 0x1100, 0x115f < c && c < 0x2e80, 0xa4cf < c && c < 0xac00, 0xd7a3 < c && c < 0xf900,
		0xfaff < c && c < 0xfe30, 0xfe6f < c && c < 0xff00, 0xff60 < c && c < 0xffe0, 0xffe6 < c && c < 0x1f300:
		return 1
	default:
		return 2
	}
}
