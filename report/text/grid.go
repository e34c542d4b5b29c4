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

// need is the width that a column needs, the least where it can do with less.
func (g *grid) need(i int) (least, most int) {
	most = ansi.StringWidth(g.heading(i))
	least = most
	for _, row := range g.rows {
		if row[i].Bar != nil {
			return leastBar, mostBar
		}
		most = max(most, ansi.StringWidth(g.safe(row[i].Text)))
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
	title := g.safe(c.Title)
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

// lines draws the grid.
func (g *grid) lines() []string {
	var headings []string
	if g.marked {
		headings = append(headings, "")
	}
	for i := range g.columns {
		title := g.heading(i)
		for _, row := range g.rows {
			if row[i].Bar != nil {
				title = scale(row[i].Bar, g.widths[i])
			}
		}
		headings = append(headings, g.faint(ansi.Truncate(title, g.widths[i], "…")))
	}
	drawn := table.New().BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).
		BorderColumn(false).BorderHeader(false).BorderRow(false).Headers(headings...)
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
		if !g.columns[column].Words && !slices.ContainsFunc(g.rows, func(row []document.Cell) bool { return row[column].Bar != nil }) {
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
		words := g.safe(strings.TrimSpace(cell.Text))
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
	any, at, from := false, 0, g.before()
	for i := 0; i < len(g.columns); {
		to, width := i+1, g.widths[i]
		for to < len(g.columns) && g.columns[to].Group == g.columns[i].Group {
			width += g.gap + g.widths[to]
			to++
		}
		if group := g.columns[i].Group; group != "" {
			any = true
			title := g.safe(group)
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
		i, from = to, from+width+g.gap
	}
	if !any {
		return ""
	}
	return line.String()
}
