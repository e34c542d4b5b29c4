package html

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"loadgen/report/document"
)

// The parts that every page is made of.
var (
	//go:embed page.tmpl
	layout string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
	//go:embed uplot/uPlot.iife.min.js
	plotScript string
	//go:embed uplot/uPlot.min.css
	plotStyle string
)

// Options are what a page is made of besides its document. The zero value is a page
// without pictures.
type Options struct {
	// Pictures are the SVG elements that package chart drew, by the ID of the chart in
	// the document. They stand in the page as they are. A chart without one is told in
	// words.
	Pictures map[string]template.HTML
}

// Render writes the document as one page. Its error is that of w. It may be called by
// several goroutines.
func Render(w io.Writer, d *document.Document, o Options) error {
	p := newPage(d, o)
	p.dress()
	t, err := read()
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := t.Execute(&page, p); err != nil {
		return fmt.Errorf("html: laying out the page: %w", err)
	}
	_, err = page.WriteTo(w)
	return err
}

// read reads the layout.
func read() (*template.Template, error) {
	t, err := template.New("page").Parse(layout)
	if err != nil {
		return nil, fmt.Errorf("html: reading the layout: %w", err)
	}
	return t, nil
}
