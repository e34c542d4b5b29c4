package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"loadgen/report/document"
	"loadgen/report/text"
)

// CSV writes a document for a spreadsheet or a script: a line for each cell of each
// table and for each second of each series, below the headings
//
//	section,table,row,column,value,unit
//
// Rows are counted from 1; those of a series are seconds of the run, and its columns are lines. Sentences are in a
// table called text. A number has neither separators nor a unit; an unknown one is empty. Text that a spreadsheet
// would take for a formula begins with an apostrophe. Its error is the writer's, wrapped.
func CSV(w io.Writer, d *document.Document) error {
	var text bytes.Buffer
	s := &sheet{to: csv.NewWriter(&text)}
	s.write("section", "table", "row", "column", "value", "unit")
	s.sentences("warnings", d.Warnings)
	if a := &d.Answer; a.Claim != "" {
		s.write("answer", "answer", "1", "state", a.State, "")
		value, _ := bare(a.Number)
		s.write("answer", "answer", "1", "number", value, a.Unit)
		s.sentences("answer", append([]string{a.Claim}, a.Says...))
	}
	for _, section := range d.AllSections() {
		s.said = 0
		for _, block := range section.Blocks {
			switch b := block.(type) {
			case document.Paragraph:
				s.sentences(section.ID, []string{b.Text})
			case document.List:
				s.sentences(section.ID, b.Items)
			case document.Facts:
				s.sentences(section.ID, b.Lines)
			case document.Table:
				s.table(section.ID, &b)
			case document.Series:
				s.series(section.ID, &b)
			}
		}
	}
	s.to.Flush()
	if err := s.to.Error(); err != nil {
		return fmt.Errorf("report: encoding the CSV: %w", err)
	}
	return writeReport(w, "CSV", text.Bytes())
}

// sheet writes lines; the writer keeps its first error.
type sheet struct {
	to *csv.Writer
	// said counts the sentences of a section.
	said int
}

func (s *sheet) write(fields ...string) {
	for i := range fields {
		fields[i] = text.Inert(fields[i])
	}
	// The error stays with the writer until the end.
	_ = s.to.Write(fields)
}

func (s *sheet) sentences(section string, list []string) {
	for _, sentence := range list {
		s.said++
		s.write(section, "text", strconv.Itoa(s.said), "sentence", sentence, "")
	}
}

func (s *sheet) table(section string, t *document.Table) {
	for r, row := range t.Rows {
		for i := range min(len(row), len(t.Columns)) {
			column := &t.Columns[i]
			value, unit := row[i].Text, ""
			if !column.Words || row[i].Source != "" {
				value, unit = bare(row[i].Text)
			}
			unit = cmp.Or(unit, column.Unit)
			if value == "" {
				unit = ""
			}
			s.write(section, t.ID, strconv.Itoa(r+1), strings.TrimSpace(column.Group+" "+column.Title), value, unit)
		}
	}
}

func (s *sheet) series(section string, of *document.Series) {
	for i, second := range of.Seconds {
		for l := range of.Lines {
			line := &of.Lines[l]
			if i < len(line.Values) && line.Values[i] != nil {
				s.write(section, of.ID, document.Plainly(second), line.Name, document.Plainly(*line.Values[i]), of.Unit)
			}
		}
	}
}

// shownNumber is a number as a cell shows it: with separators of thousands, in
// millions, and with its unit.
var shownNumber = regexp.MustCompile(`^([≥<>]?)(-?[0-9][0-9,]*(?:\.[0-9]+)?)(M?)(%| (?:s|ms|min))?$`)

// bare returns a number as scripts read it, and its unit; other text is returned unchanged.
func bare(text string) (value, unit string) {
	if text == document.Untold {
		return "", ""
	}
	parts := shownNumber.FindStringSubmatch(text)
	if parts == nil {
		return text, ""
	}
	number := parts[1] + strings.ReplaceAll(parts[2], ",", "")
	if parts[3] != "" {
		number += "e6"
	}
	return number, strings.TrimSpace(parts[4])
}
