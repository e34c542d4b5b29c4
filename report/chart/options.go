package chart

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"loadgen/results"
)

// ErrOptions is wrapped where a chart, a form or an axis is asked for that there is not.
var ErrOptions = errors.New("chart: invalid options")

// Form is how a chart is written, and the ending of its file.
type Form string

// The forms.
const (
	PNG Form = "png"
	SVG Form = "svg"
)

// Axis is how a scale goes.
type Axis string

// The axes.
const (
	Linear      Axis = "linear"
	Logarithmic Axis = "log"
)

// Options choose what is drawn. The zero value draws everything there is to show.
type Options struct {
	// Charts are names of [Names]; empty stands for all of which a record has something
	// to show. A chart that is named is drawn in any case.
	Charts []string
	// Form is the only one that is written; empty stands for both.
	Form Form
	// Axis is that of response and percentiles from bottom to top, the time that
	// operations took, and the colours of heat; empty stands for what suits each: a
	// logarithmic one of time, and a linear one of colour. Other charts are not changed.
	Axis Axis
	// Narrow draws for the room beside an answer. It is of [Inline] alone.
	Narrow bool
}

// Validate returns all faults of the options.
func (o *Options) Validate() []error {
	var faults []error
	for _, name := range o.Charts {
		if !slices.Contains(Names(), name) {
			faults = append(faults, fmt.Errorf("no chart is called %q; there are %s", clean(name, longestName), strings.Join(Names(), ", ")))
		}
	}
	if !slices.Contains([]Form{"", PNG, SVG}, o.Form) {
		faults = append(faults, fmt.Errorf("a chart has no form %q; there are png and svg", clean(string(o.Form), longestName)))
	}
	if !slices.Contains([]Axis{"", Linear, Logarithmic}, o.Axis) {
		faults = append(faults, fmt.Errorf("an axis cannot be %q; it is linear or log", clean(string(o.Axis), longestName)))
	}
	return faults
}

// Names returns the names of all charts of a record, in the order in which they are
// drawn.
func Names() []string {
	var names []string
	for _, c := range charts() {
		names = append(names, c.name)
	}
	return names
}

// Shown returns the names of the charts of which a record has something to show.
func Shown(record *results.Record) []string {
	var names []string
	for _, c := range charts() {
		if c.some(record) {
			names = append(names, c.name)
		}
	}
	return names
}

// chart is a name and what is drawn by it.
type chart struct {
	name   string
	figure func(*results.Record, *Options) *figure
	// some reports whether a record has something to show.
	some func(*results.Record) bool
}

func charts() []chart {
	return []chart{
		{"latency", latencyFigure, func(r *results.Record) bool { return len(LatencyBars(r)) > 0 }},
		{"throttle", throttleFigure, func(r *results.Record) bool { return len(ThrottleBars(r)) > 0 }},
		{"waits", waitsFigure, func(r *results.Record) bool { return r.RetryWaits.Count() > 0 }},
		{"steps", stepsFigure, func(r *results.Record) bool { return len(Steps(r)) > 1 }},
		{"percentiles", percentilesFigure, func(r *results.Record) bool { return len(OperationCurves(r)) > 0 }},
		{"response", responseFigure, func(r *results.Record) bool { return ResponseHeat(r).Columns > 1 }},
		{"heat", heatFigure, func(r *results.Record) bool {
			g := HeatGrid(r)
			return g.Columns > 0 && (len(g.Rows) > 0 || g.MostMissed > 0)
		}},
	}
}
