package text

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"github.com/charmbracelet/x/ansi"

	"loadgen/report/document"
)

// grid is a table that is being laid out.
type grid struct {
	brush
	columns []document.Column
	rows    [][]document.Cell
	// marked rows begin with the sign of their first cell.
	marked bool
	gap    int
	widths []int
}

// The widths of columns of bars, and of text that wraps.
const (
	minBar  = 10
	maxBar  = 32
	minText = 24
)

// markWidth is the left margin of marked rows, indent of others.
const (
	markWidth = 3
	indent    = 1
)

// widthRange returns the minimum and maximum width of a column.
func (g *grid) widthRange(i int) (minWidth, maxWidth int) {
	maxWidth = ansi.StringWidth(g.heading(i))
	for _, row := range g.rows {
		if row[i].Bar != nil {
			return minBar, maxBar
		}
		maxWidth = max(maxWidth, ansi.StringWidth(g.safe(row[i].Text)))
	}
	if g.columns[i].Words && i == len(g.columns)-1 {
		return min(maxWidth, minText), maxWidth
	}
	return maxWidth, maxWidth
}

// heading returns the title of a column. The last of several neighbors in one unit of time
// shows the unit.
func (g *grid) heading(i int) string {
	c := g.columns[i]
	title := g.safe(c.Title)
	if last := i == len(g.columns)-1 || g.columns[i+1].Unit != c.Unit; last && c.Group == "" && isTime(c.Unit) {
		title += ", " + c.Unit
	}
	return title
}

func isTime(unit string) bool { return unit == "ms" || unit == "s" || unit == "µs" }

func (g *grid) margin() int {
	if g.marked {
		return markWidth
	}
	return g.right()
}

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
		padding := g.gap
		if column == 0 && !g.marked {
			padding = g.right()
		} else if column == 0 {
			padding = 0
		}
		style = style.PaddingLeft(padding).Width(padding + g.widths[column])
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
		list = append(list, " "+g.tone(row[0].Tone, true, row[0].Tone.Sign()))
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

// groups returns the line of common headings above the headings, or "" if there are none.
func (g *grid) groups() string {
	var line strings.Builder
	at, from := 0, g.margin()
	for i := 0; i < len(g.columns); {
		to, width := i+1, g.widths[i]
		for to < len(g.columns) && g.columns[to].Group == g.columns[i].Group {
			width += g.gap + g.widths[to]
			to++
		}
		if group := g.columns[i].Group; group != "" {
			title := g.safe(group)
			if isTime(g.columns[i].Unit) {
				title += ", " + g.columns[i].Unit
			}
			title = ansi.Truncate(title, width, "…")
			if rule := width - ansi.StringWidth(title) - 1; rule > 0 {
				title += " " + strings.Repeat("-", rule)
			}
			line.WriteString(strings.Repeat(" ", max(0, from-at)) + g.faint(title))
			at = from + width
		}
		i, from = to, from+width+g.gap
	}
	return line.String()
}
