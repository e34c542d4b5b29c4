package html

import (
	"cmp"
	"slices"

	"loadgen/report/document"
)

// table is a grid with one or two rows of headings.
type table struct {
	ID, Caption string
	// Known says that the caption is the section's title once more, for the ear alone.
	Known bool
	// Groups stand above the columns; nil where no column has one.
	Groups  []group
	Columns []column
	Rows    [][]cell
	Notes   []string
}

// group is the common heading of Span columns. One without a title has no heading of
// its own: its column's reaches up.
type group struct {
	Title string
	// Unit is what all columns below have in common: it is not repeated there.
	Unit   string
	Span   int
	Column column
}

type column struct {
	Title, Unit string
	Words       bool
	// Alone says that the heading has no group above, though others have.
	Alone bool
}

type cell struct {
	Text string
	// Head says that the cell names its row.
	Head, Words bool
	tone
}

// figures are the few numbers that a reader is to see with the verdict.
type figures struct {
	ID, Caption string
	Items       []figure
	Notes       []string
	// Columns is how many stand beside one another so that rows are even; 0 for as many as
	// fit.
	Columns int
}

// mostFigures is how many numbers stand by themselves; more are a table.
const mostFigures = 8

// figure is a number that stands by itself.
type figure struct {
	Title, Unit, Text string
	tone
}

// newTable returns a table in which every row has a cell for each column, and every
// column a heading.
func newTable(t *document.Table, ids *names) *table {
	shown := &table{ID: ids.take(t.ID), Notes: each(t.Notes)}
	shown.Caption = cmp.Or(words(t.Caption), shown.ID)
	for _, c := range t.Columns {
		shown.Columns = append(shown.Columns, column{Title: heading(c.Title), Unit: words(c.Unit), Words: c.Words})
	}
	for _, row := range t.Rows {
		for len(shown.Columns) < len(row) {
			shown.Columns = append(shown.Columns, column{Title: heading(""), Words: true})
		}
	}
	shown.group(t.Columns)
	for _, row := range t.Rows {
		cells := make([]cell, len(shown.Columns))
		for i := range cells {
			cells[i].Head, cells[i].Words = i == 0, shown.Columns[i].Words
			if i < len(row) {
				cells[i].Text, cells[i].tone = words(row[i].Text), toneOf(row[i].Tone)
			}
		}
		shown.Rows = append(shown.Rows, cells)
	}
	return shown
}

func (t *table) group(columns []document.Column) {
	if !slices.ContainsFunc(columns, func(c document.Column) bool { return c.Group != "" }) {
		return
	}
	for i := range t.Columns {
		title := ""
		if i < len(columns) {
			title = words(columns[i].Group)
		}
		if last := len(t.Groups) - 1; title != "" && last >= 0 && t.Groups[last].Title == title {
			t.Groups[last].Span++
			continue
		}
		t.Columns[i].Alone = title == ""
		t.Groups = append(t.Groups, group{Title: title, Span: 1, Column: t.Columns[i]})
	}
	t.liftUnits()
}

// liftUnits gives each group the unit that all of its columns share.
func (t *table) liftUnits() {
	from := 0
	for g := range t.Groups {
		below := t.Columns[from : from+t.Groups[g].Span]
		from += t.Groups[g].Span
		shared := t.Groups[g].Title != ""
		for i := range below {
			shared = shared && below[i].Unit == below[0].Unit
		}
		if shared {
			t.Groups[g].Unit = below[0].Unit
			for i := range below {
				below[i].Unit = ""
			}
		}
	}
}

// heading returns what stands above a column: never nothing, which a screen reader
// could not say.
func heading(title string) string {
	return words(cmp.Or(title, "–"))
}

// newFigures returns the cells of a table of one row, each by itself.
func newFigures(t *document.Table, ids *names) *figures {
	full := newTable(t, ids)
	shown := &figures{ID: full.ID, Caption: full.Caption, Notes: full.Notes}
	for i, c := range full.Columns {
		title := c.Title
		if i < len(t.Columns) && t.Columns[i].Group != "" {
			title = words(t.Columns[i].Group) + " " + title
		}
		shown.Items = append(shown.Items, figure{title, c.Unit, full.Rows[0][i].Text, full.Rows[0][i].tone})
	}
	if n := len(shown.Items); n > 5 {
		shown.Columns = (n + 1) / 2
	}
	return shown
}
