package text

import (
	"slices"

	"github.com/charmbracelet/x/ansi"

	"loadgen/report/document"
)

// grids fits a table into a number of columns. It drops spare columns as needed or, if the
// whole table is wanted, splits it into several grids, each with the first column.
func (b brush) grids(t *document.Table, columns int, whole bool) []*grid {
	g := &grid{brush: b, columns: t.Columns, gap: 2}
	for _, row := range t.Rows {
		row = append(slices.Clone(row), make([]document.Cell, max(0, len(t.Columns)-len(row)))...)
		for i, column := range t.Columns {
			if column.Cut > 0 && !whole {
				row[i].Text = document.Cut(row[i].Text, column.Cut)
			}
		}
		g.rows = append(g.rows, row)
		g.marked = g.marked || len(row) > 0 && row[0].Tone != document.Plain
	}
	for !whole && !g.fits(columns) && g.dropSpare() {
	}
	for _, width := range []int{40, 24, 17, 12} {
		if g.fits(columns) {
			break
		}
		g.gap = 1
		if !g.fits(columns) {
			g.narrow(width)
		}
	}
	if !whole || g.fits(columns) || len(g.columns) < 3 {
		g.measure(columns)
		return []*grid{g}
	}
	return g.split(columns)
}

// dropSpare removes the most expendable column, and reports whether there was one.
func (g *grid) dropSpare() bool {
	at := 0
	for i, column := range g.columns {
		if column.Spare > 0 && column.Spare >= g.columns[at].Spare {
			at = i
		}
	}
	if g.columns[at].Spare == 0 {
		return false
	}
	g.columns = slices.Delete(slices.Clone(g.columns), at, at+1)
	for i, row := range g.rows {
		g.rows[i] = slices.Delete(row, at, at+1)
	}
	return true
}

// split divides a grid before the first column that does not fit.
func (g *grid) split(columns int) []*grid {
	var list []*grid
	for from := 1; from < len(g.columns); {
		to := from + 1
		for to < len(g.columns) && g.part(from, to+1).fits(columns) {
			to++
		}
		part := g.part(from, to)
		part.measure(columns)
		list = append(list, part)
		from = to
	}
	return list
}

// part returns the first column and the columns [from, to).
func (g *grid) part(from, to int) *grid {
	p := &grid{brush: g.brush, marked: g.marked, gap: g.gap}
	p.columns = append(slices.Clone(g.columns[:1]), g.columns[from:to]...)
	for _, row := range g.rows {
		p.rows = append(p.rows, append(slices.Clone(row[:1]), row[from:to]...))
	}
	return p
}

// narrow shortens texts of all columns but the last to a width. Their middle is removed, since
// names with a common prefix often differ at the end.
func (g *grid) narrow(width int) {
	for i, column := range g.columns {
		if !column.Words || i == len(g.columns)-1 {
			continue
		}
		for _, row := range g.rows {
			row[i].Text = g.safe(row[i].Text)
			if omitted := Columns(row[i].Text) - width; omitted > 0 {
				head, tail := Cut(row[i].Text, width/2)
				row[i].Text = head + "…" + ansi.TruncateLeft(tail, omitted+1, "")
			}
		}
	}
}

func (g *grid) fits(columns int) bool {
	sum := g.margin()
	for i := range g.columns {
		minWidth, _ := g.widthRange(i)
		sum += minWidth + g.gap
	}
	return sum-g.gap <= columns
}

// measure sets the width of each column. Bars and texts that can wrap get the spare room.
func (g *grid) measure(columns int) {
	left := columns - g.margin() + g.gap
	g.widths = make([]int, len(g.columns))
	for i := range g.columns {
		g.widths[i], _ = g.widthRange(i)
		left -= g.widths[i] + g.gap
	}
	for i := range g.columns {
		minWidth, maxWidth := g.widthRange(i)
		more := max(0, min(left, maxWidth-minWidth))
		g.widths[i] += more
		left -= more
	}
	// Arbitrarily long names may still be too wide: shrink the widest columns.
	for ; left < 0 && slices.Max(g.widths) > 1; left++ {
		g.widths[slices.Index(g.widths, slices.Max(g.widths))]--
	}
}
