package report

import "strings"

// table is a grid of cells, set flush right below one row of headings. Over
// some of the columns may stand a common title. The last column of a wordy one
// is text, set flush left.
type table struct {
	wordy    bool
	titles   []title
	headings []string
	rows     [][]string
}

// title stands over a number of columns.
type title struct {
	from, columns int
	text          string
}

// onto writes the table with as much room between its columns as fits.
func (t *table) onto(p *page) {
	widths := t.widths()
	gap := 2
	if total(widths, gap) > pageWidth {
		gap = 1
	}
	if len(t.titles) > 0 {
		t.writeTitles(p, widths, gap)
	}
	for _, row := range append([][]string{t.headings}, t.rows...) {
		for i, cell := range row {
			room := widths[i] - width(cell)
			if t.wordy && i == len(row)-1 {
				room = 0
			}
			p.text.WriteString(strings.Repeat(" ", gap+room))
			p.text.WriteString(cell)
		}
		p.text.WriteByte('\n')
	}
}

// widths returns the width that each column needs.
func (t *table) widths() []int {
	widths := make([]int, len(t.headings))
	for _, row := range append([][]string{t.headings}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], width(cell))
		}
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
func (t *table) writeTitles(p *page, widths []int, gap int) {
	at := 0
	for _, title := range t.titles {
		from := total(widths[:title.from], gap) + gap
		room := total(widths[title.from:title.from+title.columns], gap) - gap
		p.text.WriteString(strings.Repeat(" ", from-at))
		p.text.WriteString(title.text + " " + strings.Repeat("-", max(0, room-width(title.text)-1)))
		at = from + max(room, width(title.text)+1)
	}
	p.text.WriteByte('\n')
}
