package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"loadgen/report"
	"loadgen/report/chart"
	"loadgen/report/document"
	"loadgen/report/exchange"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/keys"
)

// reportFlags are what a user typed after `loadgen report`.
type reportFlags struct {
	chartFlags
	format string
	output string
	runs   string
}

// newReport returns the verb that renders the report of a run that is kept.
func newReport(stdout, stderr io.Writer) *cobra.Command {
	f := new(reportFlags)
	c := &cobra.Command{
		Use:   "report RUN",
		Short: "Render the report of a run that is kept: as text, a page, tables, or for other tools",
		Long: `Report renders the record of a run once more. RUN is the folder of a run, its name in
results/runs or the beginning of it, or "latest".

    text       what the run printed at its end
    html       one page that needs nothing else, with its charts
    md         Markdown, which names the charts that lie beside the run
    json       the summary, for scripts
    csv        every table cell by cell, and every second
    benchfmt   benchmark lines, for benchstat
    hlog       histograms, for the tools of HdrHistogram
    junit      what was claimed of the run, as test cases

Of a record that was cut off, is of a newer version or of an invalid run it says so first,
shows what can be read and invents nothing.`,
		Example: `  loadgen report latest
  loadgen report latest --format html --output report.html
  loadgen report latest --charts slides --axis log
  loadgen report results/runs/20260301T020000Z-stress --format md >> "$GITHUB_STEP_SUMMARY"`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("%s takes one run, and got %d; expected a folder, a name in %s, or latest", c.CommandPath(), len(args), runsKept())}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			axis, err := f.scale(c.Flags(), f.format)
			if err != nil {
				return err
			}
			return f.report(c.Context(), args[0], axis, stdout, stderr)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.format, "format", "text", "what to write: text, html, md, json, csv, benchfmt, hlog or junit")
	flags.StringVar(&f.output, "output", "", "write to a `file` instead, replacing it in one step")
	f.register(flags)
	flags.StringVar(&f.runs, "runs", runsKept(), "`folder` in which names of runs are looked for")
	return c
}

// report reads a run and writes its report.
func (f *reportFlags) report(ctx context.Context, name string, axis chart.Axis, stdout, stderr io.Writer) error {
	render, err := renderer(f.format)
	if err != nil {
		return err
	}
	folder, err := findRun(ctx, f.runs, name)
	if err != nil {
		return err
	}
	one, err := readReport(folder)
	if err != nil {
		return err
	}
	if f.charts != "" {
		return f.draw(stdout, one.record, axis)
	}
	one.axis = axis
	var text bytes.Buffer
	if err := render(&text, one); err != nil {
		return err
	}
	if !slices.Contains(worded(), f.format) {
		// These forms have no place for what is wrong with the record.
		for _, warning := range one.document.Warnings {
			if _, err := fmt.Fprintf(stderr, "warning: %s\n", shownName(warning)); err != nil {
				return err
			}
		}
	}
	if f.output == "" {
		_, err := stdout.Write(text.Bytes())
		return err
	}
	if err := results.Dir(filepath.Dir(f.output)).Replace(filepath.Base(f.output), text.Bytes()); err != nil {
		return usageError{fmt.Errorf("--output %s cannot be written: %w", f.output, reason(err))}
	}
	return nil
}

// retold is a run that is to be reported on.
type retold struct {
	record   *results.Record
	summary  *results.Summary
	document *document.Document
	// axis is that of the page's charts, empty for what suits each.
	axis chart.Axis
}

// readReport reads what can be read of a run, and judges it where nobody has.
func readReport(folder string) (*retold, error) {
	record, faults, err := results.Salvage(results.Dir(folder))
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usageError{fmt.Errorf("%s holds no run; expected a folder with a %s", folder, results.RunFile)}
	case errors.As(err, &path):
		return nil, usageError{fmt.Errorf("the run %s cannot be read: %w", folder, reason(err))}
	case err != nil:
		return nil, fmt.Errorf("the run %s cannot be read: %w", folder, err)
	}
	one := &retold{record: record, summary: record.Summary}
	if one.summary == nil {
		one.summary = verdict.Judge(record)
	}
	one.document = report.Document(record, one.summary)
	one.document.Warnings = append(faults, one.document.Warnings...)
	return one, nil
}

// form is a way to write a report.
type form struct {
	name string
	// words says that it is rendered from the document, warnings included.
	words bool
	write func(io.Writer, *retold) error
}

func forms() []form {
	return []form{
		{"text", true, func(w io.Writer, one *retold) error { return report.Plain(w, one.document) }},
		{"html", true, writePage},
		{"md", true, func(w io.Writer, one *retold) error { return report.Markdown(w, one.document) }},
		{"json", false, func(w io.Writer, one *retold) error { return report.JSON(w, one.summary) }},
		{"csv", true, func(w io.Writer, one *retold) error { return report.CSV(w, one.document) }},
		{"benchfmt", false, exchanged(exchange.Benchmarks)},
		{"hlog", false, exchanged(exchange.HistogramLog)},
		{"junit", false, exchanged(exchange.TestCases)},
	}
}

// exchanged writes a form for other tools.
func exchanged(write func(io.Writer, *results.Record, *results.Summary) error) func(io.Writer, *retold) error {
	return func(w io.Writer, one *retold) error { return write(w, one.record, one.summary) }
}

// renderer returns the way to write a form, or that there is none of that name.
func renderer(name string) (func(io.Writer, *retold) error, error) {
	var names []string
	for _, one := range forms() {
		if one.name == name {
			return one.write, nil
		}
		names = append(names, one.name)
	}
	if name == "vegeta" {
		return nil, usageError{fmt.Errorf("--format vegeta: %s", exchange.NoAttempts)}
	}
	return nil, usageError{fmt.Errorf("--format: %s", keys.Unknown("form", name, names))}
}

// worded returns the forms that show the warnings themselves.
func worded() []string {
	var names []string
	for _, one := range forms() {
		if one.words {
			names = append(names, one.name)
		}
	}
	return names
}
