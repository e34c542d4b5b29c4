package advise

import (
	"fmt"
	"io"
	"loadgen/report/text"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pageWidth is the greatest width of a line in characters, and keyWidth that of a key
// in a table.
const (
	pageWidth = 100
	keyWidth  = 40
)

// page gathers the lines of a text. Everything that goes onto it is made harmless
// first.
type page struct{ text strings.Builder }

// writeTo writes the page. Its error is the writer's, wrapped.
func (p *page) writeTo(w io.Writer) error {
	if _, err := io.WriteString(w, p.text.String()); err != nil {
		return fmt.Errorf("explain: writing the text: %w", err)
	}
	return nil
}

func (p *page) heading(title string) {
	if p.text.Len() > 0 {
		p.text.WriteByte('\n')
	}
	p.paragraph("", "", title)
}

// line adds a paragraph below a heading.
func (p *page) line(text string) { p.paragraph("  ", "  ", text) }

// item adds a paragraph that hangs behind a word.
func (p *page) item(word string, room int, text string) {
	before := "  " + word + strings.Repeat(" ", max(1, room-width(word)+2))
	p.paragraph(before, strings.Repeat(" ", width(before)), text)
}

// paragraph adds a text in as many lines as it needs: first begins the first of them,
// rest the others.
func (p *page) paragraph(first, rest, text string) {
	line, filled := first, width(first)
	empty := true
	for _, word := range words(harmless(text)) {
		if !empty && filled+1+width(word) > pageWidth {
			p.text.WriteString(strings.TrimRight(line, " ") + "\n")
			line, filled, empty = rest, width(rest), true
		}
		if !empty {
			line, filled = line+" ", filled+1
		}
		line, filled, empty = line+word, filled+width(word), false
	}
	p.text.WriteString(strings.TrimRight(line, " ") + "\n")
}

// words parts a text at its spaces, but keeps a unit with its number, and cuts what is
// longer than a line.
func words(text string) []string {
	var list []string
	for _, word := range strings.Fields(text) {
		unit := strings.TrimRight(word, ".,;:)")
		switch {
		case len(list) > 0 && (unit == "%" || unit == "±"):
			list[len(list)-1] += " " + word
		case len(list) > 0 && strings.HasSuffix(list[len(list)-1], " ±"):
			list[len(list)-1] += " " + word
		default:
			list = append(list, short(word, pageWidth-20))
		}
	}
	return list
}

// table adds rows below headings: the first columns of so many are flush left, and
// the last one where it is wordy; the others are flush right.
func (p *page) table(left int, wordy bool, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			row[i] = harmless(cell)
			widths[i] = max(widths[i], width(row[i]))
		}
	}
	between := "  "
	if 2*len(widths)+total(widths) > pageWidth {
		between = " "
	}
	p.text.WriteString(text.Grid(between, between, rows, func(column int) bool {
		return column < left || wordy && column == len(widths)-1
	}))
}

func total(widths []int) int {
	sum := 0
	for _, w := range widths {
		sum += w
	}
	return sum
}

// quoted writes a key as a sentence has it, cut where it is long.
func quoted(key string) string { return strconv.Quote(short(key, keyWidth)) }

// short cuts a text after so many characters.
func short(text string, most int) string {
	if width(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// harmless replaces every character that is not printable by its escape, so that no
// key can move a terminal's cursor or end a line.
func harmless(text string) string {
	if !strings.ContainsFunc(text, func(c rune) bool { return c == utf8.RuneError || !unicode.IsPrint(c) }) {
		return text
	}
	quoted := strconv.QuoteToGraphic(text)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

func width(text string) int { return utf8.RuneCountInString(text) }
