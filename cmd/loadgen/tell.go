package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"loadgen/report"
	"loadgen/report/live/prometheus"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/run"
)

// tellFlags say how a run is shown while it goes on, what is kept of it, and how it is
// told.
type tellFlags struct {
	format string
	out    string
	strict bool
	quiet  bool
	ui     uiFlag
	// metrics is the address to listen on for scrapes, empty for none.
	metrics string
	// noCharts keeps the record alone.
	noCharts bool
	// flags are those of the verb, to name what is wrong with a plan.
	flags *pflag.FlagSet
}

func (f *tellFlags) register(flags *pflag.FlagSet, strict string) {
	flags.StringVar(&f.format, "format", "text", "what to print: text, or json (the summary of run.json)")
	flags.StringVar(&f.out, "out", "", "folder of the run (default: a new one in results/runs)")
	flags.BoolVar(&f.strict, "strict", false, strict)
	flags.BoolVar(&f.noCharts, "no-charts", false, "keep the record alone, without charts and page (loadgen report makes the page of a record)")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress on standard error, as --ui none")
	f.ui.register(flags)
	f.flags = flags
}

// run carries a sound plan out, prints its report and returns what its exit code is to
// say.
func (f *tellFlags) run(ctx context.Context, p run.Plan, stdout, stderr io.Writer) error {
	server, err := f.listen()
	if err != nil {
		return err
	}
	defer server.Close()
	f.equip(&p, server, stderr)
	record, ended := run.Run(ctx, p)
	if record == nil {
		return flagged(f.flags, ended)
	}
	if err := f.print(stdout, record); err != nil {
		return err
	}
	if ended != nil && ended != run.ErrBudget {
		return ended
	}
	return f.judge(record.Summary)
}

// listen opens the address where a run is scraped, nothing where that was not asked for.
func (f *tellFlags) listen() (*prometheus.Server, error) {
	if f.metrics == "" {
		return nil, nil
	}
	server, err := prometheus.Listen(f.metrics)
	if err != nil {
		return nil, usageError{fmt.Errorf("--metrics-listen %q: %w", f.metrics, err)}
	}
	return server, nil
}

// equip has a plan shown while it is carried out, and its record drawn and told of.
func (f *tellFlags) equip(p *run.Plan, server *prometheus.Server, stderr io.Writer) {
	p.Progress = newProgress(stderr, f.shown(), server)
	p.Kept = func(folder results.Folder, record *results.Record) error {
		var err error
		if !f.noCharts {
			err = report.Illustrate(folder, record)
		}
		f.sayWhere(stderr, folder, record.Duration)
		return err
	}
}

func (f *tellFlags) print(stdout io.Writer, record *results.Record) error {
	if f.format == "json" {
		return report.JSON(stdout, record.Summary)
	}
	return report.Text(stdout, record, record.Summary)
}

// judge turns what a finished run found into an exit code. A run that is not
// valid says so in its report, and fails nothing unless it is to be strict: but
// for acknowledged writes that are lost, which are so in any run.
func (f *tellFlags) judge(s *results.Summary) error {
	switch {
	case s.Validity != results.Valid && f.strict:
		return verdictError{codeInvalidRun}
	case s.Validity == results.Valid && !verdict.Holds(s), !s.Audit.Sound():
		return verdictError{codeExpectation}
	default:
		return nil
	}
}

// shown returns how a run is shown: one that is to be quiet not at all.
func (f *tellFlags) shown() string {
	if f.quiet {
		return uiNone
	}
	return string(cmp.Or(f.ui, uiAuto))
}

// silent says that nothing is to be told on standard error but faults.
func (f *tellFlags) silent() bool { return f.shown() == uiNone }
