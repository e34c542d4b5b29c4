package text

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"github.com/charmbracelet/x/ansi"

	"loadgen/report/document"
)

// grid is a table of a document on its way to the screen.
type grid struct {
	brush
	columns []document.Column
	rows    [][]document.Cell
	// marked says that rows have a mark before them, which tells what their first cell
	// amounts to.
	marked bool
	gap    int
	widths []int
}

// The least that a column of bars takes, the most, and what is left at least to text that
// goes on below itself.
const (
	leastBar  = 10
	mostBar   = 32
	leastTold = 24
)

// markWidth is the room before a row for its mark, indent that before one without.
const (
	markWidth = 3
	indent    = 1
)

// grids returns a table as what fits so many columns: one grid, without its spare columns
// where there is no room for them; several, each with the first column, where nothing may
// be left out.
func (b brush) grids(t *document.Table, columns int, whole bool) []*grid {
	g := &grid{brush: b, columns: t.Columns, gap: 2}
	for _, row := range t.Rows {
		g.rows = append(g.rows, append(slices.Clone(row), make([]document.Cell, max(0, len(t.Columns)-len(row)))...))
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

func (g *grid) narrow(most int) {
	for i, column := range g.columns {
		if !column.Words || i == len(g.columns)-1 {
			continue
		}
		for _, row := range g.rows {
			row[i].Text = narrow(Harmless(row[i].Text), most)
		}
	}
}

// need is the width that a column needs, the least where it can do with less.
func (g *grid) need(i int) (least, most int) {
	most = ansi.StringWidth(g.heading(i))
	least = most
	for _, row := range g.rows {
		if row[i].Bar != nil {
			return leastBar, mostBar
		}
		most = max(most, ansi.StringWidth(Harmless(row[i].Text)))
	}
	if g.columns[i].Words && i == len(g.columns)-1 {
		return min(most, leastTold), most
	}
	return most, most
}

// heading is what stands over a column: of times that stand side by side the last says the
// unit, what else there is says so elsewhere.
func (g *grid) heading(i int) string {
	c := g.columns[i]
	title := Harmless(c.Title)
	if last := i == len(g.columns)-1 || g.columns[i+1].Unit != c.Unit; last && c.Group == "" && isTime(c.Unit) {
		title += ", " + c.Unit
	}
	return title
}

func isTime(unit string) bool { return unit == "ms" || unit == "s" || unit == "µs" }

func (g *grid) before() int {
	if g.marked {
		return markWidth
	}
	return g.right()
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
	g.squeeze(columns)
}

// squeeze takes from the widest columns what they have more than there is room for: names
// that are nobody's leave no other way.
func (g *grid) squeeze(columns int) {
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

// lines draws the grid.
func (g *grid) lines() []string {
	drawn := table.New().BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).
		BorderColumn(false).BorderHeader(false).BorderRow(false).Headers(g.headings()...)
	for _, row := range g.rows {
		drawn.Row(g.cells(row)...)
	}
	drawn.StyleFunc(func(_, column int) lipgloss.Style {
		style := lipgloss.NewStyle()
		if g.marked {
			column--
		}
		if column < 0 {
			return style.Width(markWidth)
		}
		before := g.gap
		if column == 0 && !g.marked {
			before = g.right()
		} else if column == 0 {
			before = 0
		}
		style = style.PaddingLeft(before).Width(before + g.widths[column])
		if !g.columns[column].Words && !g.bars(column) {
			style = style.Align(lipgloss.Right)
		}
		return style
	})
	lines := strings.Split(drawn.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	if groups := g.groups(); groups != "" {
		lines = append([]string{groups}, lines...)
	}
	return lines
}

func (g *grid) bars(column int) bool {
	return slices.ContainsFunc(g.rows, func(row []document.Cell) bool { return row[column].Bar != nil })
}

func (g *grid) headings() []string {
	var list []string
	if g.marked {
		list = append(list, "")
	}
	for i := range g.columns {
		title := g.heading(i)
		for _, row := range g.rows {
			if row[i].Bar != nil {
				title = scale(row[i].Bar, g.widths[i])
			}
		}
		list = append(list, g.faint(ansi.Truncate(title, g.widths[i], "…")))
	}
	return list
}

func (g *grid) cells(row []document.Cell) []string {
	var list []string
	if g.marked {
		mark := row[0].Tone.Sign()
		list = append(list, " "+g.tone(row[0].Tone, true, mark))
	}
	for i, cell := range row {
		if cell.Bar != nil {
			list = append(list, g.bar(cell.Bar, g.widths[i]))
			continue
		}
		words := Harmless(strings.TrimSpace(cell.Text))
		if i < len(row)-1 || !g.columns[i].Words || !g.look.Verbose {
			words = ansi.Truncate(words, g.widths[i], "…")
		}
		list = append(list, g.tone(cell.Tone, false, words))
	}
	return list
}

// groups is the line over the headings that names what several columns are of, with rules
// to the end of each; empty where there are none.
func (g *grid) groups() string {
	var line strings.Builder
	any, at := false, 0
	for i := 0; i < len(g.columns); {
		to := i + 1
		for to < len(g.columns) && g.columns[to].Group == g.columns[i].Group {
			to++
		}
		from, width := g.span(i, to)
		if group := g.columns[i].Group; group != "" {
			any = true
			title := Harmless(group)
			if isTime(g.columns[i].Unit) {
				title += ", " + g.columns[i].Unit
			}
			title = ansi.Truncate(title, width, "…")
			if rest := width - ansi.StringWidth(title) - 1; rest > 0 {
				title += " " + strings.Repeat("-", rest)
			}
			line.WriteString(strings.Repeat(" ", max(0, from-at)) + g.faint(title))
			at = from + width
		}
		i = to
	}
	if !any {
		return ""
	}
	return line.String()
}

// span is where the columns from one to before another begin, and how wide they are.
func (g *grid) span(from, to int) (begin, width int) {
	begin = g.before()
	for i := range from {
		begin += g.widths[i] + g.gap
	}
	for i := from; i < to; i++ {
		width += g.widths[i] + g.gap
	}
	return begin, width - g.gap
}
