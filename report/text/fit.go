package text

import (
	"slices"

	"loadgen/report/document"
)

// grids returns a table as what fits so many columns: one grid, without its spare columns
// where there is no room for them; several, each with the first column, where nothing may
// be left out.
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
	for !whole && !g.fits(columns) && g.spared() {
	}
	for _, most := range []int{40, 24, 17, 12} {
		if g.fits(columns) {
			break
		}
		g.gap = 1
		if !g.fits(columns) {
			g.narrow(most)
		}
	}
	if !whole || g.fits(columns) || len(g.columns) < 3 {
		g.measure(columns)
		return []*grid{g}
	}
	return g.split(columns)
}

// spared leaves the column out that can be spared most, and reports whether one could.
func (g *grid) spared() bool {
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

// split divides a grid before the column that does not fit any more.
func (g *grid) split(columns int) []*grid {
	var list []*grid
	for from := 1; from < len(g.columns); {
		part := g.part(from, from+1)
		to := from + 1
		for to < len(g.columns) && g.part(from, to+1).fits(columns) {
			to++
			part = g.part(from, to)
		}
		part.measure(columns)
		list = append(list, part)
		from = to
	}
	return list
}

// part returns the first column and those from one to before another.
func (g *grid) part(from, to int) *grid {
	p := &grid{brush: g.brush, marked: g.marked, gap: g.gap}
	p.columns = append(slices.Clone(g.columns[:1]), g.columns[from:to]...)
	for _, row := range g.rows {
		p.rows = append(p.rows, append(slices.Clone(row[:1]), row[from:to]...))
	}
	return p
}

// narrow cuts the words of all columns but the last to so many columns at most: what is too long
// loses its middle, since names that begin alike often end otherwise.
func (g *grid) narrow(most int) {
	for i, column := range g.columns {
		if !column.Words || i == len(g.columns)-1 {
			continue
		}
		for _, row := range g.rows {
			row[i].Text = g.safe(row[i].Text)
			if Columns(row[i].Text) <= most {
				continue
			}
			safe := []rune(row[i].Text)
			// What is left has one column fewer, for the mark.
			room := most - 1
			head, tail, from, to := 0, 0, 0, len(safe)
			for from < to && head+Columns(string(safe[from])) <= (room+1)/2 {
				head += Columns(string(safe[from]))
				from++
			}
			for to > from && head+tail+Columns(string(safe[to-1])) <= room {
				tail += Columns(string(safe[to-1]))
				to--
			}
			row[i].Text = string(safe[:from]) + "…" + string(safe[to:])
		}
	}
}

func (g *grid) fits(columns int) bool {
	sum := g.before()
	for i := range g.columns {
		least, _ := g.need(i)
		sum += least + g.gap
	}
	return sum-g.gap <= columns
}

// measure gives each column its width: what is left over goes to bars and to text that can
// go on below itself.
func (g *grid) measure(columns int) {
	left := columns - g.before() + g.gap
	g.widths = make([]int, len(g.columns))
	for i := range g.columns {
		g.widths[i], _ = g.need(i)
		left -= g.widths[i] + g.gap
	}
	for i := range g.columns {
		least, most := g.need(i)
		more := max(0, min(left, most-least))
		g.widths[i] += more
		left -= more
	}
	// The widest columns then give what they have more than there is room for: names that are
	// nobody's leave no other way.
	sum := g.before() - g.gap
	for _, width := range g.widths {
		sum += width + g.gap
	}
	for ; sum > columns; sum-- {
		widest := 0
		for i, width := range g.widths {
			if width > g.widths[widest] {
				widest = i
			}
		}
		if g.widths[widest] <= 1 {
			return
		}
		g.widths[widest]--
	}
}
