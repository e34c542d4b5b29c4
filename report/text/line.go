package text

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Harmless escapes characters that are not printable, so that no name can move a terminal's
// cursor, change the direction of text or end a line.
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

// wrapped breaks a text at spaces into lines of a width, and splits longer words. It returns
// at least one line. Units stay on the line of their number.
func wrapped(text string, columns int) []string {
	var lines []string
	line, filled := "", 0
	var list []string
	for _, word := range strings.Fields(text) {
		unit := strings.TrimRight(word, ".,;:)")
		if len(list) > 0 && (unit == "%" || unit == "s" || unit == "ms" || unit == "µs") {
			list[len(list)-1] += " " + word
			continue
		}
		list = append(list, word)
	}
	for _, word := range list {
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

// Cut splits a word after a number of columns.
func Cut(word string, columns int) (head, tail string) {
	head = ansi.Truncate(word, columns, "")
	return head, word[len(head):]
}

// Columns returns the width of a printable text.
func Columns(text string) int { return ansi.StringWidth(text) }

// Aligned returns rows as lines of any width: the first left columns are aligned left, the
// others right. Cells are not escaped; empty columns are omitted.
func Aligned(rows [][]string, left int) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Columns(cell))
		}
	}
	var text strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			room := strings.Repeat(" ", widths[i]-Columns(cell))
			switch {
			case widths[i] == 0:
			case i < left:
				line += cell + room + "  "
			default:
				line += room + cell + "  "
			}
		}
		text.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return text.String()
}

// JSON writes a value as indented JSON and a newline, without escaping HTML.
func JSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
