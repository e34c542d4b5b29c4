package chart

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"loadgen/results"
)

// ErrOptions is wrapped by the errors for an unknown chart, form or axis.
var ErrOptions = errors.New("chart: invalid options")

// Form is the format of a chart, and the extension of its file.
type Form string

// The forms.
const (
	PNG Form = "png"
	SVG Form = "svg"
)

// Axis is the kind of a scale.
type Axis string

// The axes.
const (
	Linear      Axis = "linear"
	Logarithmic Axis = "log"
)

// Options select what is drawn. The zero value draws everything that the record has data for.
type Options struct {
	// Charts are names of [Names]; empty selects all that the record has data for. A named chart is drawn even without
	// data.
	Charts []string
	// Form is the only form to write; empty selects both.
	Form Form
	// Axis is the vertical axis of response and percentiles, and the colours of heat; empty selects the best of each: a
	// logarithmic axis of time, and linear colours. Other charts ignore it.
	Axis Axis
	// Narrow draws for a narrow column. Only [Inline] uses it.
	Narrow bool
}

// Validate returns all faults of the options.
func (o *Options) Validate() []error {
	var faults []error
	for _, name := range o.Charts {
		if !slices.Contains(Names(), name) {
			faults = append(faults, fmt.Errorf("unknown chart %q: use %s", clean(name, maxName), strings.Join(Names(), ", ")))
		}
	}
	if !slices.Contains([]Form{"", PNG, SVG}, o.Form) {
		faults = append(faults, fmt.Errorf("unknown form %q: use png or svg", clean(string(o.Form), maxName)))
	}
	if !slices.Contains([]Axis{"", Linear, Logarithmic}, o.Axis) {
		faults = append(faults, fmt.Errorf("unknown axis %q: use linear or log", clean(string(o.Axis), maxName)))
	}
	return faults
}

// chart is a chart of a record.
type chart struct {
	// name is that of its files, heading its title if the record has no data for a title.
	name, heading string
	figure        func(*results.Record, *Options) *figure
	title         func(*results.Record) string
	// hasData reports whether a record has something to show.
	hasData func(*results.Record) bool
}

func charts() []chart {
	return []chart{
		{"latency", "Response times", latencyFigure, latencyTitle, func(r *results.Record) bool { return len(LatencyBars(r)) > 0 }},
		{"throttle", "Entities served per second", throttleFigure, throttleTitle, func(r *results.Record) bool { return len(ThrottleBars(r)) > 0 }},
		{"waits", "Waits before retries", waitsFigure, waitsTitle, func(r *results.Record) bool { return r.RetryWaits.Count() > 0 }},
		{"steps", "Offered and served, by step", stepsFigure, stepsTitle, func(r *results.Record) bool { return len(Steps(r)) > 1 }},
		{"percentiles", "Response and service times by operation", percentilesFigure, percentilesTitle,
			func(r *results.Record) bool { return len(OperationCurves(r)) > 0 }},
		{"response", "Response times", responseFigure, responseTitle, func(r *results.Record) bool { return ResponseHeat(r).Columns > 1 }},
		{"heat", "Load by partition", heatFigure, heatTitle, func(r *results.Record) bool {
			g, _ := reportedGrid(r)
			return g.hasSeveral()
		}},
	}
}

// titleOf returns the title of the chart of a record.
func (c *chart) titleOf(record *results.Record) string {
	if title := c.title(record); title != "" {
		return title
	}
	return c.heading
}

// Names returns the names of all charts of a record, in the order in which they are drawn.
func Names() []string {
	var names []string
	for _, c := range charts() {
		names = append(names, c.name)
	}
	return names
}

// Shown returns the names of the charts that a record has data for.
func Shown(record *results.Record) []string {
	var names []string
	for _, c := range charts() {
		if c.hasData(record) {
			names = append(names, c.name)
		}
	}
	return names
}
