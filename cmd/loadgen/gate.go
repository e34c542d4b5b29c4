package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"loadgen/engine/clock"
	"loadgen/report/compare"
	"loadgen/report/ruling"
	"loadgen/results"
	"loadgen/results/baseline"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
)

// gateFlags are what a user typed after `loadgen gate`.
type gateFlags struct {
	liveGateFlags
	baselines string
	all       bool
	accept    bool
	reason    string
	forms     gateForms
	quiet     bool
	// typed is what the user called each scenario, by its name: a file, or the name.
	typed map[string]string
}

// newGate returns the verb that holds scenarios to their baselines.
func newGate(stdout, stderr io.Writer) *cobra.Command {
	f := new(gateFlags)
	c := &cobra.Command{
		Use:   "gate file|name ...",
		Short: "Hold scenarios to their baselines: has a change of the program changed what they come to?",
		Long: `Gate runs scenarios on the virtual clock, where the same seed gives the same record to
the last count, and holds each to its baseline in results/baselines: what was accepted
the last time. Whatever differs is a change of behaviour. It is listed, value by value,
and the exit code is 11; a baseline that is missing, changed by hand or of another
scenario is 12, never a pass.

A change that is meant is accepted with a reason, which is kept beside the baseline.

` + liveGateHelp,
		ValidArgsFunction: oneScenario,
		Example: `  loadgen gate stress-one-partition
  loadgen gate nightly/*.yaml --format json
  loadgen gate --all --format github --report gate.xml --report gate.md
  loadgen gate stress-one-partition --accept --reason "partitions burst for 200 ms"
  loadgen gate my-table.yaml --against ./loadgen-before`,
		Args: func(c *cobra.Command, args []string) error {
			if f.all && len(args) > 0 {
				return usageError{fmt.Errorf("--all is every built-in scenario with a baseline; expected no %q beside it", args[0])}
			}
			if len(args) == 0 && !f.all {
				return usageError{fmt.Errorf("%s takes scenarios, and there is none; expected files, or names such as stress-one-partition", c.CommandPath())}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.gate(c, args, stdout, stderr) },
	}
	flags := c.Flags()
	flags.StringVar(&f.baselines, "baselines", filepath.Join("results", "baselines"), "`folder` of the baselines")
	flags.BoolVar(&f.all, "all", false, "every built-in scenario that has a baseline")
	flags.BoolVar(&f.accept, "accept", false, "make what the scenarios come to now their baselines")
	flags.StringVar(&f.reason, "reason", "", "with --accept: why, in one line")
	f.forms.flags(flags)
	flags.BoolVar(&f.quiet, "quiet", false, "no progress on standard error")
	f.liveGateFlags.register(flags)
	return c
}

// validate returns what is wrong with the flags.
func (f *gateFlags) validate() error {
	switch {
	case f.accept && strings.TrimSpace(f.reason) == "":
		return usageError{errors.New("--accept needs a reason; expected --reason \"why the behaviour changed\"")}
	case !f.accept && f.reason != "":
		return usageError{errors.New("--reason says why a baseline is accepted; expected --accept beside it")}
	}
	return f.forms.validate()
}

// gate rules on every scenario and prints the rulings. All scenarios are read before
// the first runs.
func (f *gateFlags) gate(c *cobra.Command, names []string, stdout, stderr io.Writer) error {
	if err := f.possible(c.Flags(), len(names)); err != nil {
		return err
	}
	if err := f.validate(); err != nil {
		return err
	}
	if f.against != "" {
		return f.gateLive(c, names[0], stdout, stderr)
	}
	if f.all {
		if names = f.kept(); len(names) == 0 {
			return usageError{fmt.Errorf("--all: no built-in scenario has a baseline in %s; expected scenarios with --accept first", f.baselines)}
		}
	}
	var all []*scenarios.Scenario
	f.typed = make(map[string]string)
	for _, name := range names {
		s, _, err := openScenario(name)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(all, func(other *scenarios.Scenario) bool { return other.Name == s.Name }) {
			return usageError{fmt.Errorf("%s: another scenario is called %s, too; expected names of their own", name, s.Name)}
		}
		all, f.typed[s.Name] = append(all, s), name
	}
	if err := f.forms.begin(); err != nil {
		return err
	}
	var list []ruling.Ruling
	for _, s := range all {
		record, err := f.virtually(c.Context(), s, stderr)
		if err != nil {
			return err
		}
		one, err := f.rule(s, record)
		if err != nil {
			return err
		}
		list = append(list, one)
	}
	if err := f.forms.tell(stdout, list); err != nil {
		return err
	}
	return codeOf(list)
}

// codeOf returns the exit code of rulings as an error, nil where all pass.
func codeOf(list []ruling.Ruling) error {
	if code := ruling.Code(list); code != codeOk {
		return verdictError{code}
	}
	return nil
}

// kept returns the names of the built-in scenarios that have a baseline.
func (f *gateFlags) kept() []string {
	var names []string
	for _, name := range scenarios.Library() {
		if _, err := os.Stat(f.file(name)); err == nil {
			names = append(names, name)
		}
	}
	return names
}

// virtually runs a scenario on the virtual clock and returns its judged record.
func (f *gateFlags) virtually(ctx context.Context, s *scenarios.Scenario, stderr io.Writer) (*results.Record, error) {
	progress := newProgress(stderr, clock.NewReal(), uiOf(f.quiet))
	sim, err := newSimulation(s, s.Verify || s.Reads(), time.Unix(0, 0), nil, drive.Options{Entering: progress.enter, Verify: s.Verify})
	if err != nil {
		return nil, err
	}
	progress.start(start{scenario: s.Name, time: sim.manifest.Time}, progress.Latest)
	kept, err := sim.remember(ctx, progress)
	progress.stop(err)
	if err != nil {
		return nil, err
	}
	return kept.record, nil
}

// rule holds a judged run to its baseline, or makes it the baseline.
func (f *gateFlags) rule(s *scenarios.Scenario, record *results.Record) (ruling.Ruling, error) {
	typed := cmp.Or(f.typed[s.Name], s.Name)
	none := ruling.Ruling{Scenario: s.Name, Virtual: true, Repeat: "loadgen simulate " + typed}
	valid := record.Summary.Validity == results.Valid
	if f.accept && valid {
		return f.take(none, record)
	}
	kept, err := f.read(s.Name)
	if err == nil {
		err = kept.Fits(record.Manifest.Scenario.Name, record.Manifest.Scenario.Text)
	}
	if err != nil && !valid {
		return invalid(none, record), nil
	}
	if err != nil {
		none.Outcome, none.Reason = ruling.NoBaseline, oneLine(err)
		none.Notes = []string{fmt.Sprintf("to make this run the baseline: loadgen gate %s --accept --reason \"why\"", typed)}
		return none, nil
	}
	tree, err := baseline.Of(record)
	if err != nil {
		return none, err
	}
	difference, err := compare.Diff(kept.Tree.JSON(), tree.JSON(), compare.DiffOptions{Most: mostDifferences})
	if err != nil {
		return none, err
	}
	one := ruling.Differs(typed, kept.Named(), difference)
	one.Scenario = s.Name
	if !valid {
		return invalid(one, record), nil
	}
	if one.Outcome == ruling.Same {
		one.Notes = append(one.Notes, unmet(record.Summary)...)
		if len(one.Notes) > 0 {
			one.Outcome, one.Reason = ruling.Failed, "it repeats, and a claim of the scenario is not borne out"
		}
	}
	return one, nil
}

// invalid returns the ruling on a run that is not valid. What differs is listed all the
// same, for it says what has gone wrong.
func invalid(one ruling.Ruling, record *results.Record) ruling.Ruling {
	one.Outcome, one.Reason = ruling.Invalid, "the run is "+record.Summary.Validity
	one.Notes = record.Summary.Reasons
	return one
}

// mostDifferences is how many values that differ are kept of a run.
const mostDifferences = 1000

// unmet returns the claims that a run does not bear out.
func unmet(s *results.Summary) []string {
	var notes []string
	for _, e := range s.Expectations {
		if !e.Pass {
			notes = append(notes, fmt.Sprintf("%s: observed %s", e.Expr, e.Observed))
		}
	}
	return notes
}

// file returns where the baseline of a scenario is, reasons where it is said why it was
// accepted.
func (f *gateFlags) file(name string) string { return filepath.Join(f.baselines, name+".json") }
func (f *gateFlags) reasons(name string) string {
	return filepath.Join(f.baselines, name+".reasons.txt")
}

// mostBaseline bounds the size of a baseline.
const mostBaseline = 16 << 20

// read returns the baseline of a scenario.
func (f *gateFlags) read(name string) (*baseline.Baseline, error) {
	file, err := os.Open(f.file(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s", f.file(name))
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostBaseline))
	if err != nil {
		return nil, err
	}
	kept, err := baseline.Read(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.file(name), err)
	}
	return kept, nil
}

// take makes a run the baseline of its scenario, and writes down why.
func (f *gateFlags) take(one ruling.Ruling, record *results.Record) (ruling.Ruling, error) {
	made, err := baseline.New(record, clock.NewReal().Started(), f.reason)
	if err != nil {
		return one, usageError{err}
	}
	if was, err := f.read(one.Scenario); err == nil && was.Same(made) {
		one.Reason, one.Against = "it repeats, so that nothing was to be accepted", was.Named()
		return one, nil
	}
	if err := os.MkdirAll(f.baselines, 0o755); err != nil {
		return one, fmt.Errorf("%w: %w", errNoFolder, err)
	}
	log, err := os.OpenFile(f.reasons(one.Scenario), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return one, fmt.Errorf("%w: %w", errNoFolder, err)
	}
	_, err = fmt.Fprintf(log, "%s\n", made.Line())
	if err := errors.Join(err, log.Close()); err != nil {
		return one, fmt.Errorf("%w: %w", errNoFolder, err)
	}
	if err := os.WriteFile(f.file(one.Scenario), made.File(), 0o644); err != nil {
		return one, fmt.Errorf("%w: %w", errNoFolder, err)
	}
	one.Reason, one.Against = "accepted", made.Named()
	one.Notes = []string{"written to " + f.file(one.Scenario)}
	return one, nil
}
