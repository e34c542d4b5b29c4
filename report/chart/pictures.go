package chart

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"loadgen/results"
)

// Axis is the kind of a scale. It selects the vertical axis of response and percentiles, and the colours of heat; empty
// selects the best of each: a logarithmic axis of time, and linear colours. Other charts ignore it.
type Axis string

// The axes.
const (
	Linear      Axis = "linear"
	Logarithmic Axis = "log"
)

// picture is a chart of a record.
type picture struct {
	// name is that of its files, heading its title if the record has no data for a title.
	name, heading string
	figure        func(*results.Record, Axis) *figure
	title         func(*results.Record) string
	// hasData reports whether a record has something to show.
	hasData func(*results.Record) bool
}

func pictures() []picture {
	return []picture{
		{"latency", "Response times", latencyFigure, latencyTitle, func(r *results.Record) bool { return len(LatencyBars(r)) > 0 }},
		{"throttle", "Entities served per second", throttleFigure, throttleTitle, func(r *results.Record) bool { return len(ThrottleBars(r)) > 0 }},
		{"waits", "Waits before retries", waitsFigure, waitsTitle, func(r *results.Record) bool { return r.RetryWaits.Count() > 0 }},
		{"steps", "Offered and served, by step", stepsFigure, stepsTitle, func(r *results.Record) bool { return len(Steps(r)) > 1 }},
		{"percentiles", "Response and service times by operation", percentilesFigure, percentilesTitle,
			func(r *results.Record) bool { return len(OperationCurves(r)) > 0 }},
		{"response", "Response times", responseFigure, responseTitle, func(r *results.Record) bool { return ResponseHeat(r).count > 1 }},
		{"heat", "Load by partition", heatFigure, heatTitle, func(r *results.Record) bool {
			g, _ := reportedGrid(r)
			return g.hasSeveral()
		}},
	}
}

// names returns the names of the pictures that a filter selects.
func names(want func(*picture) bool) []string {
	var list []string
	for _, p := range pictures() {
		if want(&p) {
			list = append(list, p.name)
		}
	}
	return list
}

// Names returns the names of all charts of a record, in the order in which they are drawn.
func Names() []string { return names(func(*picture) bool { return true }) }

// Shown returns the names of the charts that a record has data for.
func Shown(record *results.Record) []string {
	return names(func(p *picture) bool { return p.hasData(record) })
}

// find returns the picture of a name. Its error names those that there are.
func find(name string) (*picture, error) {
	list := pictures()
	if at := slices.IndexFunc(list, func(p picture) bool { return p.name == name }); at >= 0 {
		return &list[at], nil
	}
	return nil, fmt.Errorf("chart: unknown chart %q: use %s", clean(name, maxName), strings.Join(Names(), ", "))
}

// Title returns the title of one of the charts of [Names], empty if there is no such chart.
func Title(name string, record *results.Record) string {
	p, err := find(name)
	if err != nil {
		return ""
	}
	if title := p.title(record); title != "" {
		return title
	}
	return p.heading
}

// drawNamed returns the figure of a chart.
func drawNamed(name string, record *results.Record, axis Axis) (*figure, error) {
	p, err := find(name)
	if err != nil {
		return nil, err
	}
	f := p.figure(record, axis)
	f.title = Title(name, record)
	return f, nil
}

// Draw writes the charts that a record has data for into the folder, as PNG and SVG, and returns the names of the
// files. Its error wraps results.ErrWrite, and comes with the names written before.
func Draw(folder results.Folder, record *results.Record, axis Axis) ([]string, error) {
	var files []string
	for _, name := range Shown(record) {
		f, err := drawNamed(name, record, axis)
		if err != nil {
			return files, err
		}
		written, err := save(folder, name, f)
		if files = append(files, written...); err != nil {
			return files, err
		}
	}
	return files, nil
}

// Inline returns one of the charts of [Names] as an SVG element for a page, with inks that the page may set as custom
// properties such as --ink-text. It has no style attribute, which a strict content policy rejects, and no identifier,
// so that a page may contain several. Its title is [Title], which the page writes. Narrow draws for a narrow column.
// Its error is that there is no such chart, or that of drawing.
func Inline(name string, record *results.Record, axis Axis, narrow bool) (template.HTML, error) {
	f, err := drawNamed(name, record, axis)
	if err != nil {
		return "", err
	}
	if narrow {
		f.width, f.height = narrowWidth, narrowWidth*(.4+.2*vg.Length(max(2, len(f.panels))))+titleRoom
	}
	return encodeInline(f)
}
