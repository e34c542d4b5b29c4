package html

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"loadgen/report/document"
)

// table is a grid with one or two rows of headings.
type table struct {
	ID, Caption string
	// Groups are common headings above the columns; nil if no column has one.
	Groups  []group
	Columns []column
	Rows    [][]cell
	Notes   []string
}

// group is the common heading of Span columns. Without a title, the column's heading spans both rows.
type group struct {
	Title string
	// Unit is common to all columns of the group, which do not repeat it.
	Unit   string
	Span   int
	Column column
}

type column struct {
	Title, Unit string
	Words       bool
	// Spare columns are hidden on narrow screens.
	Spare bool
	// Alone columns have no group although others have.
	Alone bool
}

type cell struct {
	Text string
	// Head cells name their row.
	Head, Words, Spare bool
	tone
	// Bar or Strip replaces the text, which only screen readers then read.
	Bar   *bar
	Strip *strip
}

// bar is a bar of a table, in percent of the column's maximum.
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

// newTable returns a table whose rows all have one cell per column.
func newTable(t *document.Table, ids names) *table {
	shown := &table{ID: ids.unique(t.ID), Notes: escapeEach(t.Notes)}
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
	// A unit common to all columns of a group moves to the group.
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

// strip is a row of a heat map: one path per colour depth, in which equal neighbors share a
// rectangle, and one path for throttling on top.
type strip struct {
	Length    int
	Depths    [depths]string
	Throttled string
}

const (
	// depths is the number of colour depths in page.css; rowHeight is in units of the paths.
	depths    = 5
	rowHeight = 10
)

func newStrip(shades []document.Shade) *strip {
	if shades == nil {
		return nil
	}
	s := &strip{Length: max(1, len(shades))}
	for from := 0; from < len(shades); {
		depth, throttled := depthOf(shades[from])
		to := from + 1
		for to < len(shades) {
			if d, t := depthOf(shades[to]); d != depth || t != throttled {
				break
			}
			to++
		}
		if depth > 0 {
			s.Depths[depth-1] += rectangle(from, to-from, 0, rowHeight)
			if throttled > 0 {
				s.Throttled += rectangle(from, to-from, rowHeight-throttled, throttled)
			}
		}
		from = to
	}
	return s
}

// depthOf returns the colour depth of a shade, 0 for none, and the height of its throttled
// part. Both round up, so that small values are visible.
func depthOf(s document.Shade) (depth, throttled int) {
	if !(s.Heat > 0) {
		return 0, 0
	}
	return min(depths, int(math.Ceil(s.Heat*depths))), min(rowHeight, int(math.Ceil(max(0, s.Throttled)*rowHeight)))
}

// rectangle returns an SVG path.
func rectangle(x, width, y, height int) string {
	return fmt.Sprintf("M%d %dh%dv%dh-%dz", x, y, width, height, width)
}
