package report

import (
	"strings"

	"loadgen/report/document"
	"loadgen/report/plain"
)

// page is a text report, to which sections of a document go.
type page struct{ plain.Page }

// section adds a section, unless all of it is for the eye.
func (p *page) section(s *document.Section) {
	var blocks []document.Block
	for _, block := range s.Blocks {
		switch block.(type) {
		case document.Chart, document.Series:
		default:
			blocks = append(blocks, block)
		}
	}
	if len(blocks) == 0 && len(s.Blocks) > 0 {
		return
	}
	p.Heading(s.Title)
	for _, block := range blocks {
		switch b := block.(type) {
		case document.Paragraph:
			if b.Verbatim {
				p.command(b.Text)
			} else {
				p.Line(b.Text)
			}
		case document.List:
			for _, item := range b.Items {
				p.Item(item)
			}
		case document.Table:
			p.grid(&b)
			for _, note := range b.Notes {
				p.Line(note)
			}
		}
	}
}

// command adds a command, broken at its arguments where it does not fit.
func (p *page) command(text string) {
	const first, rest, more = "  ", "      ", ` \`
	line := first
	for i, word := range arguments(plain.Harmless(text)) {
		if i > 0 && plain.Columns(line)+1+plain.Columns(word)+len(more) > plain.Width {
			p.Verbatim(line + more)
			line = rest + word
			continue
		}
		if i > 0 {
			line += " "
		}
		line += word
	}
	p.Verbatim(strings.TrimRight(line, " "))
}

// grid adds a table. Units stand with the headings that need them: those of groups, and
// of times; what else a heading means stands below the table.
func (p *page) grid(t *document.Table) {
	grid := new(plain.Table)
	for i, column := range t.Columns {
		heading := column.Title
		if column.Group == "" && isTime(column.Unit) {
			heading += ", " + column.Unit
		}
		grid.Headings = append(grid.Headings, heading)
		grid.FlushLeft = append(grid.FlushLeft, column.Words)
		switch last := len(grid.Titles) - 1; {
		case column.Group == "":
		case i > 0 && t.Columns[i-1].Group == column.Group:
			grid.Titles[last].Columns++
		default:
			group := column.Group
			if isTime(column.Unit) {
				group += ", " + column.Unit
			}
			grid.Titles = append(grid.Titles, plain.Title{From: i, Columns: 1, Text: group})
		}
	}
	for _, row := range t.Rows {
		cells := make([]string, len(t.Columns))
		for i := range cells {
			if i < len(row) {
				cells[i] = strings.TrimSpace(row[i].Text)
			}
		}
		grid.Rows = append(grid.Rows, cells)
	}
	grid.Onto(&p.Page)
}

func isTime(unit string) bool { return unit == "ms" || unit == "s" || unit == "µs" }
