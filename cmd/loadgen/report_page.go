package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"loadgen/report"
	"loadgen/report/chart"
	"loadgen/report/document"
	"loadgen/report/html"
	"loadgen/results"
)

// writePage writes a report as one page with the charts that its document names.
func writePage(w io.Writer, one *retold) error {
	pictures, err := picturesOf(one)
	if err != nil {
		return err
	}
	options := html.Options{Pictures: pictures}
	if faults := options.Validate(); len(faults) > 0 {
		return fmt.Errorf("drawing the page's charts: %w", errors.Join(faults...))
	}
	return html.Render(w, one.document, options)
}

// pageFile is the page that lies beside each run.
const pageFile = "report.html"

// keepPage writes the report of a finished run as a page beside its record.
func keepPage(folder results.Folder, r *finished) error {
	var page bytes.Buffer
	if err := writePage(&page, &retold{record: r.record, summary: r.summary, document: report.Document(r.record, r.summary)}); err != nil {
		return err
	}
	return folder.Replace(pageFile, page.Bytes())
}

// picturesOf draws the charts that the document of a run names.
func picturesOf(of *retold) (map[string][]byte, error) {
	pictures := make(map[string][]byte)
	for _, section := range of.document.Sections {
		for _, block := range section.Blocks {
			one, drawn := block.(document.Chart)
			if !drawn {
				continue
			}
			picture, err := chart.Inline(one.ID, of.record, chart.Options{Axis: of.axis})
			if err != nil {
				return nil, fmt.Errorf("drawing the chart %s: %w", one.ID, err)
			}
			pictures[one.ID] = picture
		}
	}
	return pictures, nil
}
