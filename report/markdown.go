package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"loadgen/report/document"
	"loadgen/report/text"
)

// Markdown writes a document as Markdown, for a review or the folder of the run, whose charts it refers to by file
// name. Series are described in words, because they have too many numbers. Text of the record is never markup. Its
// error is the writer's, wrapped.
func Markdown(w io.Writer, d *document.Document) error {
	m := new(markdown)
	m.line("# " + text.Markdown(d.Title))
	if d.Subtitle != "" {
		m.paragraph(text.Markdown(d.Subtitle))
	}
	for _, warning := range d.Warnings {
		m.paragraph("> **Warning:** " + text.Markdown(warning))
	}
	if a := &d.Answer; a.Claim != "" {
		claim := "**" + strings.TrimSpace(a.Tone().Sign()+" "+text.Markdown(a.Claim)) + "**"
		if a.Beside != "" {
			claim += " (" + text.Marked(a.Beside) + ")"
		}
		m.paragraph(claim)
		for _, said := range a.Says {
			m.paragraph(text.Markdown(said))
		}
	}
	for _, section := range d.AllSections() {
		m.section(&section)
	}
	return writeReport(w, "Markdown", m.text.Bytes())
}

// markdown gathers lines.
type markdown struct{ text bytes.Buffer }

func (m *markdown) line(text string) { m.text.WriteString(text + "\n") }

// paragraph adds lines after an empty one.
func (m *markdown) paragraph(text string) { m.line("\n" + text) }

func (m *markdown) section(s *document.Section) {
	m.paragraph("## " + text.Markdown(s.Title))
	for _, block := range s.Blocks {
		switch b := block.(type) {
		case document.Paragraph:
			switch prose := text.Markdown(b.Text); {
			case b.Verbatim:
				code := text.Harmless(b.Text)
				// A fence ends at as many backticks as it begins with.
				fence := "```"
				for strings.Contains(code, fence) {
					fence += "`"
				}
				m.paragraph(fence + "sh\n" + code + "\n" + fence)
			case b.Lead && strings.TrimSpace(prose) != "":
				m.paragraph("**" + strings.TrimSpace(prose) + "**")
			default:
				m.paragraph(prose)
			}
		case document.Facts:
			m.line("")
			for _, fact := range b.Lines {
				m.line("- " + text.Markdown(fact))
			}
		case document.List:
			m.line("")
			for _, item := range b.Items {
				m.line("- " + text.Markdown(item))
			}
		case document.Table:
			m.table(&b, s.Title)
		case document.Chart:
			m.paragraph(fmt.Sprintf("![%s](%s.png)", text.Markdown(strings.TrimSuffix(b.Title+": "+b.Says, ": ")), b.ID))
		case document.Series:
			m.paragraph(fmt.Sprintf("%s, %s, %d seconds: %s", text.Markdown(b.Title), text.Markdown(b.Unit), len(b.Seconds), text.Markdown(b.Says)))
		}
	}
}

// table adds a table, with its caption unless the heading above says the same.
func (m *markdown) table(t *document.Table, above string) {
	if t.Caption != "" && t.Caption != above {
		m.paragraph("*" + text.Markdown(t.Caption) + "*")
	}
	var headings, rules []string
	for _, column := range t.Columns {
		name := strings.TrimSpace(column.Group + " " + column.Title)
		if column.Unit != "" && column.Unit != column.Title {
			name += ", " + column.Unit
		}
		headings = append(headings, text.Markdown(name))
		rule := "--:"
		if column.Words {
			rule = "---"
		}
		rules = append(rules, rule)
	}
	m.paragraph("| " + strings.Join(headings, " | ") + " |")
	m.line("|" + strings.Join(rules, "|") + "|")
	for _, row := range t.Rows {
		var cells []string
		for i := range t.Columns {
			prose := ""
			if i < len(row) {
				prose = text.Markdown(row[i].Text)
				if row[i].Tone == document.Bad && prose != "" {
					prose = "**" + prose + "**"
				}
				if i == 0 && row[i].Tone != document.Plain {
					prose = row[i].Tone.Sign() + " " + prose
				}
			}
			cells = append(cells, prose)
		}
		m.line("| " + strings.Join(cells, " | ") + " |")
	}
	for _, note := range t.Notes {
		m.paragraph(text.Markdown(note))
	}
}
