package text

import (
	"strings"
	"unicode/utf8"
)

// Table is a grid of cells below one row of headings: numbers set flush right, text
// flush left. Over some of the columns may stand a common title. Text in the last column
// goes on below itself where there is no room, and a table that is wider than a page has
// its longest texts shortened. No row has more cells than there are headings. What a cell
// holds is made harmless.
type Table struct {
	Titles   []Title
	Headings []string
	// FlushLeft says which columns are text; those beyond it are not.
	FlushLeft []bool
	Rows      [][]string
}

// Title stands over a number of columns, the first of which is From, counted from 0.
type Title struct {
	From, Columns int
	Text          string
}

// The widths to which columns of text are cut where a table is too wide, but for the
// last, and what is left to that at least.
var textWidths = [...]int{40, 24, 17, 12, 8, 5}

const leastText = 24

// Onto writes the table with as much room between its columns as fits. It changes
// nothing of the table.
func (t *Table) Onto(p *Page) { t.harmless().onto(p) }

// harmless returns a copy of which nothing can move a cursor.
func (t *Table) harmless() *Table {
	safe := &Table{FlushLeft: t.FlushLeft, Headings: harmlessAll(t.Headings)}
	for _, title := range t.Titles {
		title.Text = Harmless(title.Text)
		safe.Titles = append(safe.Titles, title)
	}
	for _, row := range t.Rows {
		safe.Rows = append(safe.Rows, harmlessAll(row))
	}
	return safe
}

func harmlessAll(cells []string) []string {
	safe := make([]string, len(cells))
	for i, cell := range cells {
		safe[i] = Harmless(cell)
	}
	return safe
}

func (t *Table) onto(p *Page) {
	t.fit()
	widths := t.widths()
	gap := 2
	if total(widths, gap) > Width {
		gap = 1
	}
	if len(t.Titles) > 0 {
		t.writeTitles(p, widths, gap)
	}
	last := len(t.Headings) - 1
	for _, row := range append([][]string{t.Headings}, t.Rows...) {
		for l, line := range t.lines(row, widths[last]) {
			var text strings.Builder
			for i, cell := range line {
				room := strings.Repeat(" ", max(0, widths[i]-Columns(cell)))
				text.WriteString(strings.Repeat(" ", gap))
				if t.left(i) {
					text.WriteString(cell + room)
				} else {
					text.WriteString(room + cell)
				}
			}
			// A line that goes on with nothing is none.
			if line := strings.TrimRight(text.String(), " "); l == 0 || line != "" {
				p.text.WriteString(line + "\n")
			}
		}
	}
}

func (t *Table) left(column int) bool { return column < len(t.FlushLeft) && t.FlushLeft[column] }

// lines returns a row as the lines that it takes: more than one where the text of its
// last column does not fit.
func (t *Table) lines(row []string, columns int) [][]string {
	last := len(row) - 1
	if !t.left(last) || Columns(row[last]) <= columns {
		return [][]string{row}
	}
	var lines [][]string
	for i, text := range Wrapped(row[last], columns) {
		line := make([]string, len(row))
		if i == 0 {
			copy(line, row)
		}
		line[last] = text
		lines = append(lines, line)
	}
	return lines
}

// fit shortens cells until the table is no wider than a page: text before the last
// column first, and anything only where names that are nobody's leave no other way.
func (t *Table) fit() {
	last := len(t.Headings) - 1
	for _, most := range textWidths {
		if t.fits() {
			return
		}
		for i := range t.Headings {
			if t.left(i) && i != last {
				t.narrow(i, most)
			}
		}
	}
	if t.fits() {
		return
	}
	for i := range t.Headings {
		if i != last || !t.left(i) {
			t.narrow(i, max(1, (Width-leastText)/len(t.Headings)-1))
		}
	}
}

// fits reports whether the table fits the page, where its last column is text with
// that going on below itself.
func (t *Table) fits() bool {
	widths := t.need()
	if last := len(widths) - 1; t.left(last) {
		widths[last] = min(widths[last], leastText)
	}
	return total(widths, 1) <= Width
}

func (t *Table) narrow(column, columns int) {
	for _, row := range append([][]string{t.Headings}, t.Rows...) {
		row[column] = narrow(row[column], columns)
	}
}

// need returns the width that each column needs.
func (t *Table) need() []int {
	widths := make([]int, len(t.Headings))
	for _, row := range append([][]string{t.Headings}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], Columns(cell))
		}
	}
	return widths
}

// widths returns the width that each column has: the last one, if it is text, no more
// than there is room for.
func (t *Table) widths() []int {
	widths := t.need()
	if last := len(widths) - 1; t.left(last) {
		gap := 2
		if total(widths[:last], gap)+gap+min(widths[last], leastText) > Width {
			gap = 1
		}
		widths[last] = min(widths[last], Width-total(widths[:last], gap)-gap)
	}
	return widths
}

// total is the width of columns, each with its gap before it.
func total(widths []int, gap int) int {
	sum := 0
	for _, w := range widths {
		sum += gap + w
	}
	return sum
}

// writeTitles writes each common title flush left over its first column, with
// a line to the end of its last.
func (t *Table) writeTitles(p *Page, widths []int, gap int) {
	at := 0
	for _, title := range t.Titles {
		from := total(widths[:title.From], gap) + gap
		room := total(widths[title.From:title.From+title.Columns], gap) - gap
		p.text.WriteString(strings.Repeat(" ", max(0, from-at)))
		p.text.WriteString(title.Text + " " + strings.Repeat("-", max(0, room-Columns(title.Text)-1)))
		at = from + max(room, Columns(title.Text)+1)
	}
	p.text.WriteByte('\n')
}

// narrow returns a text in so many columns at most: what is too long loses its middle,
// since names that begin alike often end otherwise. Nothing but printable characters
// may be in it.
func narrow(text string, columns int) string {
	safe := []rune(text)
	if Columns(text) <= columns {
		return text
	}
	// What is left has one column fewer, for the mark.
	room := columns - 1
	head, tail, from, to := 0, 0, 0, len(safe)
	for from < to && head+RuneColumns(safe[from]) <= (room+1)/2 {
		head += RuneColumns(safe[from])
		from++
	}
	for to > from && head+tail+RuneColumns(safe[to-1]) <= room {
		tail += RuneColumns(safe[to-1])
		to--
	}
	return string(safe[:from]) + "…" + string(safe[to:])
}

// Aligned returns rows of cells as lines of whatever width: the first columns flush left,
// the others flush right. The cells are taken as they are, each for as many columns as it
// has characters.
func Aligned(rows [][]string, left int) string {
	return Grid("", "  ", rows, func(column int) bool { return column < left })
}

// Grid is [Aligned] with an indent, a gap between columns, and whichever columns flush left. A
// column without a word in any row is left out.
func Grid(indent, gap string, rows [][]string, left func(column int) bool) string {
	var text strings.Builder
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		line := indent
		for i, cell := range row {
			room := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			switch {
			case widths[i] == 0:
			case left(i):
				line += cell + room + gap
			default:
				line += room + cell + gap
			}
		}
		text.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return text.String()
}
