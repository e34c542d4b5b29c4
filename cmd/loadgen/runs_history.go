package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"loadgen/report/chart"
	"loadgen/report/nights"
	"loadgen/results"
	"loadgen/results/expectation"
	"loadgen/scenarios/keys"
)

// historyFlags are what a user typed after `loadgen runs history`.
type historyFlags struct {
	metrics []string
	runs    string
	format  string
	png     string
}

// verb returns the verb with its flags bound to f.
func (f *historyFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "history [scenario|folder ...]",
		Short: "Show the nights of a scenario, and where they step",
		Long: `History puts the runs of a scenario in the order in which they were begun, takes the
medians of those that were begun within six hours (a night), and says where a metric
steps: by windowed E-divisive means and a permutation test (p = 0.001, windows of 30
nights, steps of 5 % at least). It never reads single requests: the unit is the run.

An argument is a folder of runs, or the name or file of a scenario, whose runs are then
looked for in --runs; without one it is all that are there. Runs that are not valid are
counted and left out, and so are those in virtual time unless all are. Where the
scenario's text, target, profile or machine is another, another series begins.

A metric is a figure as in a scenario's expect: p99(get), served(hottest), share_lost.
The exit code is 12 where no two nights can be compared, else 0 whatever is found.`,
		Example: `  loadgen runs history stress
  loadgen runs history stress --metric "p99(get)" --png stress.png
  loadgen runs history nightly-runs --format csv > nights.csv`,
		Args: cobra.ArbitraryArgs, ValidArgsFunction: someScenarios,
		RunE: func(c *cobra.Command, args []string) error { return f.history(c.Context(), args, stdout, stderr) },
	}
	flags := c.Flags()
	flags.StringArrayVar(&f.metrics, "metric", nil, "`figure` to follow, may be repeated (default p99, served, share_lost)")
	flags.StringVar(&f.runs, "runs", filepath.Join("results", "runs"), "`folder` of the runs")
	flags.StringVar(&f.format, "format", "text", "what to print: text, json or csv")
	flags.StringVar(&f.png, "png", "", "draw the nights into a `file`, .png or .svg")
	return c
}

// history reads the runs, finds the steps, draws and prints them.
func (f *historyFlags) history(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	metrics, err := f.validate()
	if err != nil {
		return err
	}
	archive := nights.New(metrics)
	if err := f.gather(ctx, archive, args); err != nil {
		return err
	}
	if name, known, some := archive.Stray(); some {
		return usageError{fmt.Errorf("--metric: %s", keys.Unknown("operation or phase", name, known))}
	}
	document, err := archive.Document()
	if err != nil {
		return err
	}
	if err := f.draw(document); err != nil {
		return err
	}
	if err := f.tell(document, stdout, stderr); err != nil {
		return err
	}
	if document.Outcome() == nights.NoHistory {
		return verdictError{codeInconclusive}
	}
	return nil
}

// mostMetrics bounds how many metrics are followed at once.
const mostMetrics = 24

// validate returns the metrics that are asked for, or what is wrong with the flags.
func (f *historyFlags) validate() ([]nights.Metric, error) {
	switch extension := strings.ToLower(filepath.Ext(f.png)); {
	case !slices.Contains([]string{"text", "json", "csv"}, f.format):
		return nil, usageError{fmt.Errorf("--format %s: expected text, json or csv", f.format)}
	case f.png != "" && extension != ".png" && extension != ".svg":
		return nil, usageError{fmt.Errorf("--png %s: expected a file that ends in .png or .svg", f.png)}
	case len(f.metrics) > mostMetrics:
		return nil, usageError{fmt.Errorf("--metric: %d are more than %d", len(f.metrics), mostMetrics)}
	case len(f.metrics) == 0:
		return nights.Default(), nil
	}
	var metrics []nights.Metric
	for _, text := range f.metrics {
		metric, err := nights.ParseMetric(text)
		var fault *expectation.Fault
		switch {
		case errors.As(err, &fault) && fault.Name != "":
			return nil, usageError{fmt.Errorf("--metric: %s", keys.Unknown("figure", fault.Name, expectation.Names()))}
		case err != nil:
			return nil, usageError{fmt.Errorf("--metric %q: %w", text, err)}
		case slices.ContainsFunc(metrics, func(other nights.Metric) bool { return other.String() == metric.String() }):
			return nil, usageError{fmt.Errorf("--metric: %s is named twice; expected others", metric)}
		}
		metrics = append(metrics, metric)
	}
	return metrics, nil
}

// tell prints the document. A history that is none is told in words, too, where the form
// has no place for them.
func (f *historyFlags) tell(d *nights.Document, stdout, stderr io.Writer) error {
	switch f.format {
	case "json":
		return nights.JSON(stdout, d)
	case "text":
		return nights.Text(stdout, d)
	}
	left, err := nights.CSV(stdout, d)
	if err != nil {
		return err
	}
	for i := range d.Scenarios {
		if s := &d.Scenarios[i]; s.Outcome() == nights.NoHistory {
			left = append(left, s.Sentence())
		}
	}
	for _, u := range d.Unread {
		left = append(left, fmt.Sprintf("%s: %s", u.Name, u.Reason))
	}
	for _, sentence := range left {
		if _, err := fmt.Fprintf(stderr, "left out: %s\n", sentence); err != nil {
			return err
		}
	}
	return nil
}

// draw writes the chart that is asked for, if there is anything to draw.
func (f *historyFlags) draw(d *nights.Document) error {
	switch {
	case f.png == "" || d.Outcome() == nights.NoHistory:
		return nil
	case len(d.Scenarios) > 1:
		var names []string
		for i := range d.Scenarios {
			names = append(names, d.Scenarios[i].Name)
		}
		return usageError{fmt.Errorf("--png draws one scenario, and there are %d; expected one of %s", len(names), keys.Choice(names))}
	}
	folder := results.Dir(filepath.Dir(f.png))
	if err := chart.DrawTrend(folder, filepath.Base(f.png), trendOf(d.Metrics, &d.Scenarios[0])); err != nil {
		return usageError{fmt.Errorf("--png %s cannot be written: %w", f.png, reason(err))}
	}
	return nil
}
