package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"loadgen/report"
	"loadgen/report/document"
	"loadgen/report/live/page"
	"loadgen/report/live/telemetry"
	"loadgen/report/text"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
)

// keepFlags say what is stored of a run, and where.
type keepFlags struct {
	Out      string `flag:"out"`
	NoCharts bool   `flag:"no-charts" rare:"yes"`
}

// tellFlags say how a run in progress is shown, what is stored of it, and how it is reported.
type tellFlags struct {
	keepFlags
	Live        liveFlag `flag:"live-page" alone:":0"`
	Strict      bool     `flag:"strict" rare:"yes"`
	Quiet       bool     `flag:"quiet" rare:"yes"`
	UI          string   `flag:"ui" words:"auto,plain,none,json" default:"auto" rare:"yes"`
	Count       int      `flag:"count" default:"1" rare:"yes" excludes:"sweep,record,hlog,csv"`
	HLog        string   `flag:"hlog" rare:"yes" excludes:"sweep"`
	CSV         string   `flag:"csv" rare:"yes" excludes:"sweep"`
	Metrics     string   `flag:"metrics-listen" rare:"yes"`
	OTLP        string   `flag:"otlp" rare:"yes"`
	MetricsKeys bool     `flag:"metrics-keys" rare:"yes"`
	formFlags   `words:"text,json,md,csv,html,seconds,benchfmt,hlog,junit"`

	page string
}

// exports opens the exports of a run that were asked for.
func (f *tellFlags) exports(ctx context.Context, stderr io.Writer) (t exports, err error) {
	t.Keys = f.MetricsKeys
	if f.OTLP != "" {
		if t.OTLP, err = telemetry.Open(ctx, f.OTLP, os.Getenv); err != nil {
			return t, usageError{fmt.Errorf("--otlp: %w", err)}
		}
	}
	if f.Metrics != "" {
		if t.Prometheus, err = telemetry.Listen(f.Metrics); err != nil {
			t.Close()
			return t, usageError{fmt.Errorf("--metrics-listen %q: %w", f.Metrics, err)}
		}
		if t.Prometheus.Reachable() && f.progressMode() != progressJSON {
			fmt.Fprintf(stderr, "--metrics-listen %s: other machines can reach it, without access control\n", f.Metrics)
		}
	}
	if f.progressMode() == progressJSON { // which has the address of the page in an event
		t.Page, err = f.Live.open(stopOf(ctx))
	} else {
		t.Page, err = f.Live.show(ctx, stderr)
	}
	if err != nil {
		t.Close()
	}
	return t, err
}

// equip makes a plan show its progress, and draw and report its record.
func (f *tellFlags) equip(ctx context.Context, p *run.Plan, exports exports, stderr io.Writer) {
	shown := newProgress(ctx, stderr, f.progressMode(), exports)
	p.Progress, p.Remains = shown, leftoversOf(ctx, shown)
	p.Kept = func(folder results.Folder, record *results.Record) error { return f.keep(folder, record, stderr) }
}

// keep has a record drawn in its folder, unless that is not wanted, and says where that is.
func (f *tellFlags) keep(folder results.Folder, record *results.Record, stderr io.Writer) error {
	var err error
	if !f.NoCharts {
		err = report.Illustrate(folder, record)
		f.page = filepath.Join(fmt.Sprint(folder), report.PageFile)
	}
	switch f.progressMode() {
	case progressNone:
	case progressJSON:
		_, _ = stderr.Write(eventLine("run_written", record.Duration, "folder", fmt.Sprint(folder)))
	default:
		fmt.Fprintf(stderr, "the run is in %s\n", folder)
	}
	return err
}

// print prints the report of a run, and on a screen where its page is.
func (f *tellFlags) print(stdout io.Writer, record *results.Record) error {
	kept := report.Keep(record)
	kept.Look = f.look(stdout)
	if f.page != "" {
		kept.Document.Screen = append(kept.Document.Screen, whereKept(f.page))
	}
	return formOf(f.Format).Write(text.Unwrap(stdout), kept)
}

// whereKept returns the lines that name a page, and the command that shows its folder again.
func whereKept(page string) document.Facts {
	return document.Facts{Lines: []string{"report  " + page, "again   " + text.CommandLine([]string{"loadgen", "report", filepath.Dir(page)})}}
}

// judge turns what a run found that ended so into an exit code.
func (f *tellFlags) judge(record *results.Record, ended error) error {
	o := outcomeOfRun(record)
	o.strict, o.stopped = f.Strict, errors.Is(ended, drive.ErrStopped)
	if o.stopped {
		return verdictError{o.code(), results.OneLine(ended)}
	}
	return o.end()
}

// outcome decides the exit code of a verb that has printed its results.
type outcome struct {
	// invalid: the results prove nothing, because nothing succeeded or the accounting is not exact. limited: the
	// generator was the limit.
	invalid, limited bool
	// strict makes an answer with reservations a failure.
	strict bool
	// stopped: a budget of the scenario ended the run. failed: what was asked is not so.
	stopped, failed bool
	// untold: there is no answer.
	untold bool
}

// code returns the exit code: of several reasons the gravest decides.
func (o outcome) code() int {
	switch {
	case o.invalid, o.strict && o.limited:
		return codeInvalidRun
	case o.stopped, o.failed:
		return codeExpectation
	case o.untold && o.strict:
		return codeInvalidRun
	case o.untold:
		return codeInconclusive
	default:
		return codeOk
	}
}

// end returns the code as an error, nil where all is well.
func (o outcome) end() error { return endsWith(o.code()) }

func endsWith(code int) error {
	if code == codeOk {
		return nil
	}
	return verdictError{code: code}
}

// outcomeOfRun returns the outcome of a run.
func outcomeOfRun(record *results.Record) outcome {
	s := record.Summary
	asked, ok := verdict.Result(record, s)
	return outcome{invalid: s.Validity == results.Invalid, limited: len(s.ClientLimited) > 0,
		failed: ok != nil && !*ok, untold: ok == nil && asked}
}

// progressMode returns how progress is shown; --quiet means not at all.
func (f *tellFlags) progressMode() string {
	if f.Quiet {
		return progressNone
	}
	return cmp.Or(f.UI, progressAuto)
}

// silent says that only errors go to standard error.
func (f *tellFlags) silent() bool { return f.progressMode() == progressNone }

// standsBy has a live page become the report of a record; there may be none.
func standsBy(shown *page.Server, record *results.Record) error {
	return standsFor(shown, func(w io.Writer) error { return report.Page(w, report.Keep(record)) })
}

// standsFor replaces a live page by a self-contained one, which write makes; shown may be nil.
func standsFor(shown *page.Server, write func(io.Writer) error) error {
	if shown == nil {
		return nil
	}
	var made bytes.Buffer
	err := write(&made)
	if err == nil {
		shown.Report(made.Bytes())
	}
	return err
}
