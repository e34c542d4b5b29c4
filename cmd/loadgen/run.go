package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/report"
	"loadgen/report/chart"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/target/inprocess"
)

// runFlags are those of every verb that runs load.
type runFlags struct {
	format  string
	out     string
	record  string
	table   string
	workers int
	reuse   bool
	keep    bool
	strict  bool
	quiet   bool
}

func (f *runFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.format, "format", "text", "what to print: text, or json (the summary of run.json)")
	flags.StringVar(&f.out, "out", "", "folder of the run (default: a new one in results/runs)")
	flags.StringVar(&f.record, "record", "", "also write every attempt to this `file`, as a stream of vegeta results")
	flags.StringVar(&f.table, "table", "", "name of the test table (default: a new one)")
	flags.IntVar(&f.workers, "workers", 0, "greatest number of attempts under way at once (default: the scenario's)")
	flags.BoolVar(&f.reuse, "reuse", false, "take the table if it exists and this tool made it (an embedded engine begins without tables)")
	flags.BoolVar(&f.keep, "keep", false, "leave the table in place after the run (it ends with an embedded engine all the same)")
	flags.BoolVar(&f.strict, "strict", false, "exit 13 where the run is invalid or the generator was its limit")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress on standard error")
}

// finished is a run that has been recorded and judged.
type finished struct {
	folder  results.Folder
	record  *results.Record
	summary *results.Summary
}

// account is the embedded engine's only one.
const account = "loadgen"

// carryOut runs a scenario against the embedded engine, live, and returns what
// came of it, partial where the run was ended early. The error says why.
func (f *runFlags) carryOut(ctx context.Context, s *scenarios.Scenario, peak float64, command []string, stderr io.Writer) (*finished, error) {
	partitions, err := modelOf(s)
	if err != nil {
		return nil, err
	}
	clk := clock.NewReal()
	table := f.table
	if table == "" {
		table = s.Table + strconv.FormatInt(clk.Started().UnixNano()/int64(time.Millisecond), 36)
	}
	if code, detail := entity.ValidateTableName(table); code != entity.OK {
		return nil, usageError{fmt.Errorf("--table %s: %s", table, detail)}
	}
	progress := newProgress(stderr, clk, f.quiet)
	campaign, err := drive.NewCampaign(drive.Options{
		Scenario: s, Table: table, Reuse: f.reuse, Keep: f.keep, Entering: progress.enter})
	if err != nil {
		return nil, usageError{err}
	}
	manifest := manifestOf(s, partitions, campaign, peak, command)
	manifest.Started, manifest.Time = clk.Started().UTC().Round(0), "real"
	tape, err := f.tape(s.Name, clk, campaign)
	if err != nil {
		return nil, usageError{fmt.Errorf("--record: %w", err)}
	}
	folder, recorder, err := f.recorder(manifest)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", errNoFolder, err), tape.discard())
	}
	if err := tape.begin(); err != nil {
		return nil, fmt.Errorf("%w: %w", results.ErrWrite, err)
	}
	ledger := &drive.Ledger{Recorder: recorder, Observers: []drive.Observer{progress}}
	if tape != nil {
		ledger.Observers = append(ledger.Observers, tape)
	}

	embedded := engine.New(engine.Options{Model: partitions, Accounts: []string{account},
		Epoch: entity.TicksOf(clk.Started()), Seed: s.Seed})
	t := inprocess.New(embedded, account, clk)
	progress.start()
	ended := campaign.Run(ctx, &drive.Live{Clock: clk, Target: t, Workers: s.Workers}, ledger)
	progress.stop()
	ended = errors.Join(ended, tape.close())

	counts := t.Counts()
	validity, reasons := endOf(ended)
	if err := recorder.Finish(clk.Now().Offset(), validity, reasons, (*results.TargetCounts)(&counts)); err != nil {
		// A write that failed in mid-run is what ended it, too: said once.
		return nil, fmt.Errorf("%w; what was written until then is in %s", err, folder)
	}
	result, err := conclude(folder, recorder)
	if err != nil {
		return nil, errors.Join(ended, err)
	}
	if _, err := chart.Draw(folder, result.record); err != nil {
		ended = errors.Join(ended, fmt.Errorf("drawing the charts: %w", err))
	}
	if !f.quiet {
		fmt.Fprintf(stderr, "the run is in %s\n", folder)
	}
	return result, ended
}

// endOf returns the validity of a run by how it ended.
func endOf(ended error) (validity string, reasons []string) {
	switch {
	case ended == nil:
		return results.Valid, []string{}
	case errors.Is(ended, context.Canceled):
		return results.Partial, []string{"the run was interrupted"}
	default:
		return results.Partial, []string{"the run was ended by an error: " + oneLine(ended)}
	}
}

// conclude reads a finished record back, judges it and seals it.
func conclude(folder results.Folder, recorder *results.Recorder) (*finished, error) {
	record, err := results.Read(folder)
	if err != nil {
		return nil, err
	}
	summary := verdict.Judge(record)
	recorder.Event(results.Event{At: int64(record.Duration), What: results.VerdictTold, Text: summary.Verdict})
	if err := recorder.Seal(summary); err != nil {
		return nil, err
	}
	record.Summary = summary
	record.Validity, record.Reasons = summary.Validity, summary.Reasons
	return &finished{folder, record, summary}, nil
}

// judge turns what a finished run found into an exit code. A run that is not
// valid says so in its report, and fails nothing unless it is to be strict.
func (f *runFlags) judge(r *finished) error {
	if r.summary.Validity != results.Valid {
		if f.strict {
			return verdictError{codeInvalidRun}
		}
		return nil
	}
	for _, e := range r.summary.Expectations {
		if !e.Pass {
			return verdictError{codeExpectation}
		}
	}
	return nil
}

// print writes the report of a finished run.
func (f *runFlags) print(stdout io.Writer, r *finished) error {
	if f.format == "json" {
		return report.JSON(stdout, r.summary)
	}
	return report.Text(stdout, r.record, r.summary)
}

// run carries the scenario out and prints its report.
func (f *runFlags) run(ctx context.Context, s *scenarios.Scenario, peak float64, command []string, stdout, stderr io.Writer) error {
	if f.format != "text" && f.format != "json" {
		return usageError{fmt.Errorf("--format %s: expected text or json", f.format)}
	}
	result, ended := f.carryOut(ctx, s, peak, command, stderr)
	if result != nil && result.summary != nil {
		if err := f.print(stdout, result); err != nil {
			return err
		}
	}
	if ended != nil {
		return ended
	}
	return f.judge(result)
}
