package report

import (
	"fmt"
	"io"

	"loadgen/report/document"
	"loadgen/results"
)

// Text writes the report of a record for a person at a terminal: the verdict first,
// then what it rests on. The summary is the one that [verdict.Judge] made of the
// record. Its error is the writer's, wrapped.
func Text(w io.Writer, record *results.Record, summary *results.Summary) error {
	return Plain(w, Document(record, summary))
}

// Plain writes a document as [Text] does: what it has as words and tables. Series and
// pictures are left out, as a terminal has no place for them. Its error is the writer's,
// wrapped.
func Plain(w io.Writer, d *document.Document) error {
	p := new(page)
	for _, warning := range d.Warnings {
		p.Paragraph("Warning: ", "  ", warning)
	}
	for i := range d.Sections {
		p.section(&d.Sections[i])
	}
	if _, err := w.Write(p.Bytes()); err != nil {
		return fmt.Errorf("report: writing the text: %w", err)
	}
	return nil
}
