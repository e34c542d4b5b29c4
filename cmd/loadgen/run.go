package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/report"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
)

// runFlags are those of every verb that runs load.
type runFlags struct {
	targetFlags
	findFlags
	driverFlags
	format  string
	out     string
	record  string
	table   string
	workers int
	reuse   bool
	keep    bool
	strict  bool
	quiet   bool
	ui      uiFlag
	// metrics is where to listen for scrapes, empty for nowhere.
	metrics string
	noProbe bool
	// noCharts keeps the record alone.
	noCharts bool
	// verify has every measured write carry an id and be read back.
	verify bool
	// contrary is what the scenario does wrong on purpose, empty unless it is the
	// opposite of one.
	contrary string
}

func (f *runFlags) register(flags *pflag.FlagSet) {
	f.targetFlags.register(flags)
	f.driverFlags.register(flags)
	flags.StringVar(&f.format, "format", "text", "what to print: text, or json (the summary of run.json)")
	flags.StringVar(&f.out, "out", "", "folder of the run (default: a new one in results/runs)")
	flags.StringVar(&f.record, "record", "", "also write every attempt to this `file`, as a stream of vegeta results")
	flags.StringVar(&f.table, "table", "", "name of the test table (default: a new one)")
	flags.IntVar(&f.workers, "workers", 0, "greatest number of attempts under way at once (default: the scenario's)")
	flags.BoolVar(&f.reuse, "reuse", false, "take the table if it exists and this tool made it (an embedded engine begins without tables)")
	flags.BoolVar(&f.keep, "keep", false, "leave the table in place after the run (it ends with an embedded engine all the same)")
	flags.BoolVar(&f.strict, "strict", false, "exit 13 where the run is invalid or the generator was its limit")
	flags.BoolVar(&f.verify, "verify-writes", false, "have each write carry an id and read it back: lost replies, lost and doubled writes (exit 10)")
	flags.BoolVar(&f.noProbe, "no-probe", false, "do not try before the run what the generator can send at most")
	f.registerCharts(flags)
	flags.BoolVar(&f.quiet, "quiet", false, "no progress on standard error, as --ui none")
	f.ui.register(flags)
	flags.StringVar(&f.metrics, "metrics-listen", "", "serve Prometheus metrics at /metrics of this `address` during the run: a port of 127.0.0.1, such as :9464, or host:port")
}

// registerCharts adds the flag that leaves the pictures out.
func (f *runFlags) registerCharts(flags *pflag.FlagSet) {
	flags.BoolVar(&f.noCharts, "no-charts", false, "keep the record alone, without charts and page (loadgen report makes the page of a record)")
}

// finished is a run that has been recorded and judged.
type finished struct {
	folder  results.Folder
	record  *results.Record
	summary *results.Summary
}

// carryOut runs a scenario live and returns what came of it, partial where the
// run was ended early. The error says why.
func (f *runFlags) carryOut(ctx context.Context, s *scenarios.Scenario, peak float64, command []string, stderr io.Writer) (*finished, error) {
	clk := clock.NewReal()
	progress := newProgress(stderr, clk, f.shown())
	if err := f.reaches(s); err != nil {
		return nil, err
	}
	campaign, err := f.campaign(s, clk, progress, stderr)
	if err != nil {
		return nil, err
	}
	if err := f.enoughFiles(s); err != nil {
		return nil, err
	}
	scraped, err := listen(f.metrics)
	if err != nil {
		return nil, err
	}
	defer scraped.close()
	ceiling, err := f.probe(ctx, s)
	if err != nil {
		return nil, err
	}
	clk = clock.NewReal() // the run begins after the probe
	d, err := f.open(ctx, s, clk, campaign.Table)
	if err != nil {
		return nil, err
	}
	defer d.close()
	manifest, err := f.manifest(s, campaign, peak, command, clk, d)
	if err != nil {
		return nil, err
	}
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
	now := func() time.Duration { return clk.Now().Offset() }
	scraped.serve(ledger, manifest.Operations, progress.Pulse, now)
	bounded, t, release := f.bound(ctx, d.target)
	defer release()
	live := &drive.Live{Clock: clk, Target: t, Workers: s.Workers, Fine: true}
	look, err := lookAt(live, recorder)
	if err != nil {
		return nil, err
	}
	defer f.easeCollector(campaign)()
	progress.start(start{s.Name, manifest.Time, scraped.address()}, now)
	runner, letGo := f.runner(live, clk, d)
	defer letGo()
	ended := campaign.Run(bounded, runner, ledger)
	progress.stop(errors.Join(ended, spent(bounded)))
	look.end(recorder, ceiling)
	ended = errors.Join(ended, tape.close())
	if errors.Is(context.Cause(bounded), errBudget) {
		ended = becauseOfBudget(ended)
	}
	return f.finish(folder, recorder, clk, d, ended, stderr)
}

// manifest returns what is known of a run in real time before it begins.
func (f *runFlags) manifest(s *scenarios.Scenario, campaign *drive.Campaign, peak float64, command []string,
	clk clock.Real, d *destination) (results.Manifest, error) {
	m, err := manifestOf(s, campaign, peak, command)
	if err != nil {
		return m, err
	}
	m.Started, m.Time = clk.Started().UTC().Round(0), "real"
	m.Opposite = f.contrary
	f.describe(&m, d)
	m.Driver = f.foreignDriver()
	return m, f.enlist(campaign, &m)
}

// campaign returns the run of a scenario against what the flags aim at, once it
// has been agreed to.
func (f *runFlags) campaign(s *scenarios.Scenario, clk clock.Real, progress *progress, stderr io.Writer) (*drive.Campaign, error) {
	table := f.table
	if table == "" {
		table = tablePrefix + s.Table + strconv.FormatInt(clk.Started().UnixNano()/int64(time.Millisecond), 36)
	}
	if code, detail := entity.ValidateTableName(table); code != entity.OK {
		return nil, usageError{fmt.Errorf("--table %s: %s", table, detail)}
	}
	if err := f.ownTable(table); err != nil {
		return nil, err
	}
	if made := drive.Tables(s); f.table != "" && len(made) > 0 {
		return nil, usageError{fmt.Errorf("--table %s: the scenario %s makes and drops tables such as %s, which could be somebody else's; expected no --table", table, s.Name, table+made[0])}
	}
	campaign, err := drive.NewCampaign(drive.Options{
		Scenario: s, Table: table, NewName: f.table == "", Reuse: f.reuse, Keep: f.keep, Find: f.searchAsked, Entering: progress.enter,
		RetryCodes: f.aim.retryCodes(), Verify: f.verify || s.Verify, RunMark: strconv.FormatInt(clk.Started().UnixNano(), 36)})
	if err != nil {
		return nil, usageError{err}
	}
	return campaign, f.agree(campaign.Forecast(), table, f.storesAt(s), stderr)
}

// finish closes the record of a run that ended so, judges it and draws it.
func (f *runFlags) finish(folder results.Dir, recorder *results.Recorder, clk clock.Real, d *destination, ended error, stderr io.Writer) (*finished, error) {
	var counts *results.TargetCounts
	if d.counter != nil {
		own := results.TargetCounts(d.counter.Counts())
		counts = &own
	}
	recorder.Connections(connectionsOf(d.wires))
	validity, reasons := endOf(ended)
	if err := recorder.Finish(clk.Now().Offset(), validity, reasons, counts); err != nil {
		// A write that failed in mid-run is what ended it, too: said once.
		return nil, fmt.Errorf("%w; what was written until then is in %s", err, folder)
	}
	return f.present(folder, recorder, ended, stderr)
}

// present judges and draws a run whose record is finished.
func (f *runFlags) present(folder results.Dir, recorder *results.Recorder, ended error, stderr io.Writer) (*finished, error) {
	result, err := conclude(folder, recorder)
	if err != nil {
		return nil, errors.Join(ended, err)
	}
	if !f.noCharts {
		if err := report.Illustrate(folder, result.record); err != nil {
			ended = errors.Join(ended, err)
		}
	}
	f.sayWhere(stderr, folder, result.record.Duration)
	return result, ended
}

// becauseOfBudget returns how a run ended whose budget was spent: that its
// context was done is no fault, what else went wrong is.
func becauseOfBudget(ended error) error {
	if rest := beside(ended, context.Canceled); rest != nil {
		return errors.Join(errBudget, rest)
	}
	return errBudget
}

// beside returns what is left of joined errors without those of a kind.
func beside(err, kind error) error {
	joined, many := err.(interface{ Unwrap() []error })
	switch {
	case many:
		var rest []error
		for _, one := range joined.Unwrap() {
			rest = append(rest, beside(one, kind))
		}
		return errors.Join(rest...)
	case errors.Is(err, kind):
		return nil
	default:
		return err
	}
}

// endOf returns the validity of a run by how it ended.
func endOf(ended error) (validity string, reasons []string) {
	switch {
	case ended == nil:
		return results.Valid, []string{}
	case errors.Is(ended, context.Canceled):
		return results.Partial, []string{"the run was interrupted"}
	case ended == errBudget:
		return results.Partial, []string{errBudget.Error()}
	case errors.Is(ended, drive.ErrStopped):
		return results.Partial, []string{"the run was " + strings.TrimPrefix(oneLine(ended), "drive: ")}
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
// valid says so in its report, and fails nothing unless it is to be strict: but
// for acknowledged writes that are lost, which are so in any run.
func (f *runFlags) judge(r *finished) error {
	if r.summary.Validity != results.Valid {
		if f.strict {
			return verdictError{codeInvalidRun}
		}
		return broken(r.summary.Audit)
	}
	for _, e := range r.summary.Expectations {
		if !e.Pass {
			return verdictError{codeExpectation}
		}
	}
	return broken(r.summary.Audit)
}

// broken returns what the exit code says of a table that did not keep what it
// acknowledged.
func broken(audit *results.Audit) error {
	if audit.Sound() {
		return nil
	}
	return verdictError{codeExpectation}
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
	if err := f.take(); err != nil {
		return err
	}
	result, ended := f.carryOut(ctx, s, peak, command, stderr)
	return f.tell(stdout, result, ended)
}

// tell prints the report of a run that ended so, and returns what its exit code
// is to say.
func (f *runFlags) tell(stdout io.Writer, result *finished, ended error) error {
	if result != nil && result.summary != nil {
		if err := f.print(stdout, result); err != nil {
			return err
		}
	}
	if ended != nil && ended != errBudget {
		return ended
	}
	return f.judge(result)
}
