package html

import (
	"cmp"
	"math"
	"slices"

	"loadgen/report/document"
)

// table is a grid with one or two rows of headings.
type table struct {
	ID, Caption string
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
	// Spare says that the column goes where a narrow screen has no room for it.
	Spare bool
	// Alone says that the heading has no group above, though others have.
	Alone bool
}

type cell struct {
	Text string
	// Head says that the cell names its row.
	Head, Words, Spare bool
	tone
	// Bar or Strip is drawn in place of the text, which is then for the ear alone.
	Bar   *bar
	Strip *strip
}

// bar is a length of a column, in hundredths of its longest.
type bar struct{ Solid, Hollow, Mark float64 }

func newBar(b *document.Bar) *bar {
	if b == nil {
		return nil
	}
	part := func(of float64) float64 {
		if share := of / b.Full; share > 0 {
			return math.Round(1000*min(share, 1)) / 10
		}
		return 0
	}
	shown := &bar{Solid: part(b.Solid), Mark: part(b.Mark)}
	shown.Hollow = min(part(b.Hollow), 100-shown.Solid)
	return shown
}

// newTable returns a table in which every row has a cell for each column, and every
// column a heading.
func newTable(t *document.Table, ids *names) *table {
	shown := &table{ID: ids.take(t.ID), Notes: escapeEach(t.Notes)}
	shown.Caption = cmp.Or(words(t.Caption), shown.ID)
	for _, c := range t.Columns {
		shown.Columns = append(shown.Columns, column{Title: words(c.Title), Unit: words(c.Unit), Words: c.Words, Spare: c.Spare > 0})
	}
	for _, row := range t.Rows {
		for len(shown.Columns) < len(row) {
			shown.Columns = append(shown.Columns, column{Words: true})
		}
	}
	shown.group(t.Columns)
	for _, row := range t.Rows {
		cells := make([]cell, len(shown.Columns))
		for i := range cells {
			cells[i].Head, cells[i].Words, cells[i].Spare = i == 0, shown.Columns[i].Words, shown.Columns[i].Spare
			if i < len(row) {
				cells[i].Text, cells[i].tone = words(row[i].Text), toneOf(row[i].Tone)
				cells[i].Bar, cells[i].Strip = newBar(row[i].Bar), newStrip(row[i].Strip)
				shown.Columns[i].Words = shown.Columns[i].Words || cells[i].Bar != nil || cells[i].Strip != nil
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
	// The unit that all columns of a group share is the group's.
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
