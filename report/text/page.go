package text

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Width is the greatest width of a line in columns.
const Width = 110

// Page gathers the lines of a text. Everything that goes onto it is made harmless first.
// It belongs to one goroutine; the zero value is empty.
type Page struct {
	text bytes.Buffer
}

// Bytes returns what the page holds, as UTF-8. It is the page's own memory.
func (p *Page) Bytes() []byte { return p.text.Bytes() }

// String returns what the page holds.
func (p *Page) String() string { return p.text.String() }

// Verbatim adds a line that is not to be broken, such as one of a shell's.
func (p *Page) Verbatim(line string) { p.text.WriteString(Harmless(line) + "\n") }

// Heading begins a section.
func (p *Page) Heading(title string) {
	if p.text.Len() > 0 {
		p.text.WriteByte('\n')
	}
	p.Paragraph("", "", title)
}

// Item adds a sentence of a list.
func (p *Page) Item(sentence string) { p.Paragraph("  - ", "    ", sentence) }

// Line adds a paragraph below a heading.
func (p *Page) Line(text string) { p.Paragraph("  ", "  ", text) }

// Paragraph adds a text in as many lines as it needs: first begins the first of
// them, rest the others.
func (p *Page) Paragraph(first, rest, text string) {
	for i, line := range Wrapped(Harmless(text), Width-max(Columns(first), Columns(rest))) {
		before := rest
		if i == 0 {
			before = first
		}
		p.text.WriteString(strings.TrimRight(before+line, " ") + "\n")
	}
}

// Harmless replaces every character that is not printable by its escape, so
// that no name can move a terminal's cursor, turn its text around or end a line.
func Harmless(text string) string {
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

// Wrapped breaks a text into lines of so many columns at its spaces, and a word
// that is longer than a line where the line ends. There is one line at least.
func Wrapped(text string, columns int) []string {
	var lines []string
	line, filled := "", 0
	for _, word := range wordsOf(text) {
		gap := min(filled, 1)
		if filled > 0 && filled+gap+Columns(word) > columns {
			lines = append(lines, line)
			line, filled, gap = "", 0, 0
		}
		for Columns(word) > columns {
			var head string
			head, word = Cut(word, columns)
			lines = append(lines, head)
		}
		line += strings.Repeat(" ", gap) + word
		filled += gap + Columns(word)
	}
	return append(lines, line)
}

// wordsOf splits a text at its spaces, but keeps a unit with its number.
func wordsOf(text string) []string {
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

// Cut cuts a word after so many columns.
func Cut(word string, columns int) (head, tail string) {
	filled := 0
	for i, c := range word {
		if filled += RuneColumns(c); filled > columns {
			return word[:i], word[i:]
		}
	}
	return word, ""
}

// Columns returns how many columns a printable text fills.
func Columns(text string) int {
	columns := 0
	for _, c := range text {
		columns += RuneColumns(c)
	}
	return columns
}

// RuneColumns returns 2 for the characters of scripts that fill two columns.
func RuneColumns(c rune) int {
	switch {
	case c < 0x1100, 0x115f < c && c < 0x2e80, 0xa4cf < c && c < 0xac00, 0xd7a3 < c && c < 0xf900,
		0xfaff < c && c < 0xfe30, 0xfe6f < c && c < 0xff00, 0xff60 < c && c < 0xffe0, 0xffe6 < c && c < 0x1f300:
		return 1
	default:
		return 2
	}
}
