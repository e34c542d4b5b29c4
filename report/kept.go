package report

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"

	"loadgen/report/chart"
	"loadgen/report/document"
	"loadgen/report/export"
	"loadgen/report/html"
	"loadgen/report/text"
	"loadgen/report/verdict"
	"loadgen/results"
)

// Kept is a stored run.
type Kept struct {
	Record *results.Record
	// Summary is that of the record, or made from it if it has none.
	Summary  *results.Summary
	Document *document.Document
	// Look is the layout of text.
	Look text.Look
	// Axis is the axis of the page's charts, empty for the best of each.
	Axis chart.Axis
}

// Read reads what can be read of a run, and judges it if it was not judged, or if an earlier build judged its peak
// without naming the state. Faults of the record are the first warnings of the document. Its error is that of
// [results.Salvage]: nothing can be read.
func Read(folder results.Folder) (*Kept, error) {
	record, faults, err := results.Salvage(folder)
	if err != nil {
		return nil, err
	}
	k := &Kept{Record: record, Summary: record.Summary}
	if k.Summary == nil || record.Manifest.PeakAsked > 0 && k.Summary.PeakState == "" {
		k.Summary = verdict.Judge(record)
	}
	k.Document = Document(record, k.Summary)
	k.Document.Warnings = append(faults, k.Document.Warnings...)
	return k, nil
}

// Keep returns a run that has just been judged.
func Keep(record *results.Record) *Kept {
	return &Kept{Record: record, Summary: record.Summary, Document: Document(record, record.Summary)}
}

// Form is an output format of the report of a run.
type Form struct {
	// Name is its name for users.
	Name string
	// Words says that it is rendered from the document, with its warnings. Other forms cannot show faults of the
	// record.
	Words bool
	// Write writes it. Its error is the writer's, or that a chart cannot be drawn.
	Write func(io.Writer, *Kept) error
}

// Forms returns every form, that for a terminal first.
func Forms() []Form {
	return []Form{
		{"text", true, func(w io.Writer, k *Kept) error { return Screen(w, k.Document, k.Look) }},
		{"html", true, Page},
		{"md", true, func(w io.Writer, k *Kept) error { return Markdown(w, k.Document) }},
		{"json", false, func(w io.Writer, k *Kept) error { return JSON(w, k.Summary) }},
		{"csv", true, func(w io.Writer, k *Kept) error { return CSV(w, k.Document) }},
		{"seconds", false, exchanged(export.Seconds)},
		{"benchfmt", false, exchanged(export.Benchmarks)},
		{"hlog", false, exchanged(export.HistogramLog)},
		{"junit", false, exchanged(export.TestCases)},
	}
}

// exchanged returns a form for other tools.
func exchanged(write func(io.Writer, *results.Record, *results.Summary) error) func(io.Writer, *Kept) error {
	return func(w io.Writer, k *Kept) error { return write(w, k.Record, k.Summary) }
}

// Page writes the report of a run as one page with the charts of its document. It writes nothing if one of them cannot
// be drawn.
func Page(w io.Writer, k *Kept) error {
	pictures, blocks := make(map[string]template.HTML), slices.Clone(k.Document.Screen)
	for _, section := range k.Document.Sections {
		blocks = append(blocks, section.Blocks...)
	}
	figures := chart.Figures(k.Record, k.Axis)
	for i, block := range blocks {
		one, is := block.(document.Chart)
		if !is || pictures[one.ID] != "" {
			continue
		}
		figure := chart.Find(figures, one.ID)
		if figure == nil {
			return fmt.Errorf("the record has no data for the chart %s", one.ID)
		}
		// The first chart of the screen is next to the answer.
		isNarrow := i < len(k.Document.Screen) && len(pictures) == 0
		picture, err := figure.Inline(isNarrow)
		if err != nil {
			return fmt.Errorf("drawing the chart %s: %w", one.ID, err)
		}
		pictures[one.ID] = picture
	}
	return html.Render(w, k.Document, pictures)
}

// PageFile is the page in the folder of a run.
const PageFile = "report.html"

// Illustrations returns the names of all files that [Illustrate] may write.
func Illustrations() []string {
	var files []string
	for _, name := range chart.Names() {
		files = append(files, name+".png", name+".svg")
	}
	return append(files, PageFile)
}

// Illustrate writes the charts of a judged record and its page into its folder. A chart that cannot be drawn does not
// stop the others.
func Illustrate(folder results.Folder, record *results.Record) error {
	_, err := chart.Save(folder, chart.Figures(record, "")...)
	if err != nil {
		err = fmt.Errorf("drawing the charts: %w", err)
	}
	var page bytes.Buffer
	unwritten := Page(&page, Keep(record))
	if unwritten == nil {
		unwritten = folder.Replace(PageFile, page.Bytes())
	}
	if unwritten != nil {
		err = errors.Join(err, fmt.Errorf("writing the page: %w", unwritten))
	}
	return err
}
