package html

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"

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
	// Pictures are SVG files by the ID of the chart that they draw. They are to hold
	// shapes, texts and embedded PNG alone. Colours may be var(--name, #rrggbb), which a
	// page replaces in the dark. Pictures of charts that the document does not name are
	// left out.
	Pictures map[string][]byte
}

// Validate returns what is wrong with each of the pictures; each error wraps
// [ErrPicture].
func (o Options) Validate() []error {
	var faults []error
	for _, id := range slices.Sorted(maps.Keys(o.Pictures)) {
		if _, err := inline(o.Pictures[id], "x"); err != nil {
			faults = append(faults, fmt.Errorf("%w: %q: %w", ErrPicture, id, err))
		}
	}
	return faults
}

// Render writes the document as one page. Its error wraps [ErrPicture] where a picture
// cannot be shown, and nothing has been written then, or is that of w. It may be called
// by several goroutines.
func Render(w io.Writer, d *document.Document, o Options) error {
	p, err := newPage(d, o)
	if err != nil {
		return err
	}
	t, err := template.New("page").Parse(layout)
	if err != nil {
		return fmt.Errorf("html: reading the layout: %w", err)
	}
	var page bytes.Buffer
	if err := t.Execute(&page, p); err != nil {
		return fmt.Errorf("html: laying out the page: %w", err)
	}
	_, err = page.WriteTo(w)
	return err
}

// pictures returns the pictures that the document names, ready for a page.
func pictures(o Options, named map[string]string) (map[string]template.HTML, error) {
	ready := make(map[string]template.HTML, len(named))
	var faults []error
	for _, id := range slices.Sorted(maps.Keys(named)) {
		file, drawn := o.Pictures[id]
		if !drawn {
			continue
		}
		svg, err := inline(file, named[id])
		if err != nil {
			faults = append(faults, fmt.Errorf("%w: %q: %w", ErrPicture, id, err))
			continue
		}
		ready[id] = template.HTML(svg)
	}
	return ready, errors.Join(faults...)
}
