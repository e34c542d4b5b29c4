package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"loadgen/report/chart"
	"loadgen/results"
	"loadgen/scenarios/keys"
)

// chartFlags say whether charts of a kept run are to be drawn as files, and by which axis.
type chartFlags struct {
	charts string
	axis   string
}

// anyAxis leaves the axis of each chart to the chart.
const anyAxis = "usual"

func (f *chartFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.charts, "charts", "", "draw the charts into this `folder`, as PNG and SVG, in place of a report")
	flags.StringVar(&f.axis, "axis", anyAxis, "with --charts or --format html: how times and heat are scaled, linear or log (default: what suits each chart)")
}

// scale returns the axis that is asked for, for a report in a form.
func (f *chartFlags) scale(flags *pflag.FlagSet, format string) (chart.Axis, error) {
	switch {
	case f.charts != "" && (flags.Changed("format") || flags.Changed("output")):
		return "", usageError{errors.New("--charts draws in place of a report; expected it without --format and --output")}
	case !flags.Changed("axis") || f.axis == anyAxis:
		return "", nil
	case f.charts == "" && format != "html":
		return "", usageError{errors.New("--axis is one of charts, and there are none; expected --charts FOLDER, or --format html")}
	}
	axes := []string{string(chart.Linear), string(chart.Logarithmic), anyAxis}
	for _, axis := range axes {
		if f.axis == axis {
			return chart.Axis(axis), nil
		}
	}
	return "", usageError{fmt.Errorf("--axis: %s", keys.Unknown("axis", f.axis, axes))}
}

// draw draws the charts of a run into the folder and says which files they are.
func (f *chartFlags) draw(stdout io.Writer, record *results.Record, axis chart.Axis) error {
	if err := os.MkdirAll(f.charts, 0o777); err != nil {
		return usageError{fmt.Errorf("--charts %s cannot be made: %w", f.charts, reason(err))}
	}
	names, err := chart.DrawAs(results.Dir(f.charts), record, chart.Options{Axis: axis})
	if err != nil {
		return usageError{fmt.Errorf("--charts: %w", err)}
	}
	for _, name := range names {
		if _, err := fmt.Fprintln(stdout, filepath.Join(f.charts, name)); err != nil {
			return err
		}
	}
	return nil
}
