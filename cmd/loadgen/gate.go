package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/report/compare"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
	"loadgen/scenarios/series"
)

// gateFlags are what a user typed after `loadgen gate`.
type gateFlags struct {
	Live    series.Live `group:"Comparison"`
	Target  targetFlags `group:"Target" excludes:"virtual"`
	Labels  []string    `flag:"label" group:"Output" rare:"yes" excludes:"virtual" help:"label of the run, *key=value*, repeatable; with --join of this member, whose name is name=NAME"`
	Virtual bool        `flag:"virtual" group:"Virtual time" help:"use a virtual clock: minutes take seconds, and nothing is sent"`
	All     bool        `flag:"all" group:"Virtual time" excludes:"against,target" help:"everything: of help each flag, of gate each built-in scenario with a baseline"`
	Form    formFlags
	Reports []string `flag:"report" group:"Output" help:"also write results to this *file*: .xml (JUnit), .md, .html, .json, .csv, .txt or .github; repeatable"`
	Quiet   bool     `flag:"quiet" group:"Output" help:"no progress on standard error"`
}

// newGate returns the verb that compares scenarios with their baselines.
func newGate(stdout, stderr io.Writer) *cobra.Command {
	f := new(gateFlags)
	c := &cobra.Command{
		Use:   "gate file|name ...",
		Short: "Fail if a scenario became worse than its baseline",
		Long: `With --target, gate runs a scenario 10 times and compares the runs with the baseline of the
same scenario, target and machine in results/baselines. The first time stores the runs as
the baseline and ends with 12. Later the code is 11 if a metric is worse, beyond its
threshold and beyond chance, 10 if most runs fail a check of the scenario, 13 if runs stay
invalid, and 12 if it cannot tell after as many runs again; otherwise 0. Metrics and
thresholds are those of --fail-on, or of the scenario (gate): by default p99, served and
share_lost by 5%. --accept "why" makes the runs the baseline.

With --against FOLDER the runs are compared with those of a folder. With --against BUILD
an older build (A) and this one (B) run in turn: A B, B A, A B, …

With --virtual, or without these flags, gate runs scenarios on the virtual clock, where the
same seed gives the same record, and compares each value with its baseline. Any difference
is a change of behaviour, with code 11.`,
		ValidArgsFunction: oneScenario,
		Example: `  loadgen gate my-table.yaml --target env:TABLES --yes
  loadgen gate my-table.yaml --target env:TABLES --yes --fail-on 'p99(get) > +10%' --report gate.xml
  loadgen gate my-table.yaml --target env:TABLES --yes --accept "new SKU"
  loadgen gate my-table.yaml --against ./loadgen-before
  loadgen gate stress-one-partition --virtual
  loadgen gate --all --format github --report gate.md`,
		Args: func(c *cobra.Command, args []string) error {
			if f.All && len(args) > 0 {
				return usageError{fmt.Errorf("--all is every built-in scenario with a baseline; expected no %q with it", args[0])}
			}
			if len(args) == 0 && !f.All {
				return usageError{fmt.Errorf("%s requires scenarios: files, or names such as stress-one-partition", c.CommandPath())}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.gate(c, args, stdout, stderr) },
	}
	f.Live.Baselines, f.Live.Count = filepath.Join("results", "baselines"), compare.DefaultRuns
	bind(c.Flags(), f, "verbose")
	f.Form.register(c.Flags(), compare.ResultForms()...)
	return c
}

// isLive reports whether flags ask for runs in real time.
func (f *gateFlags) isLive(flags *pflag.FlagSet) bool {
	return !f.Virtual && (len(f.Target.Target) > 0 || f.Live.Against != "" || len(f.Live.FailOn) > 0 || flags.Changed("count") || flags.Changed("out"))
}

// validate returns an error about the flags of a gate with this number of scenarios.
func (f *gateFlags) validate(flags *pflag.FlagSet, number int) error {
	if f.Virtual {
		for _, name := range []string{"against", "fail-on", "count", "out"} {
			if flags.Changed(name) {
				return usageError{fmt.Errorf("--%s and --virtual are mutually exclusive", name)}
			}
		}
	}
	if f.isLive(flags) {
		switch {
		case f.All || number != 1:
			return usageError{fmt.Errorf("live runs are of one scenario, and got %d", number)}
		case f.Live.Against != "" && f.Live.Reason != "":
			return usageError{errors.New("--accept and --against are mutually exclusive")}
		}
		if err := named(flags, f.Live.Validate()...); err != nil {
			return err
		}
	}
	err := f.Live.Gate.Validate()
	if reason := f.Live.Reason; strings.HasPrefix(reason, "--") {
		err = fmt.Errorf("%s is a flag; expected a reason, such as \"partitions burst for 200 ms\"", reason)
	}
	if err != nil {
		return usageError{fmt.Errorf("--accept: %w", err)}
	}
	if err := compare.Files(f.Reports).Validate(); err != nil {
		return usageError{fmt.Errorf("--report %w", err)}
	}
	return nil
}

// gate judges every scenario and prints the results.
func (f *gateFlags) gate(c *cobra.Command, names []string, stdout, stderr io.Writer) error {
	if err := f.validate(c.Flags(), len(names)); err != nil {
		return err
	}
	if f.isLive(c.Flags()) {
		return f.gateLive(c, names[0], stdout, stderr)
	}
	if f.Quiet {
		stderr = io.Discard
	}
	if f.All {
		if names = f.Live.Stored(); len(names) == 0 {
			return usageError{fmt.Errorf("--all: no built-in scenario has a baseline in %s; expected scenarios with --accept first", f.Live.Baselines)}
		}
	}
	var all []*scenarios.Scenario
	for _, name := range names {
		s, _, err := scenarios.OpenWhole(name)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(all, func(other *scenarios.Scenario) bool { return other.Name == s.Name }) {
			return usageError{fmt.Errorf("%s: another scenario is called %s, too; expected names of their own", name, s.Name)}
		}
		all = append(all, s)
	}
	if err := f.begin(); err != nil {
		return err
	}
	var list []compare.Result
	for i, s := range all {
		record, err := run.Run(c.Context(), run.Plan{Scenario: s, Progress: newProgress(c.Context(), stderr, progressAuto, exports{})})
		if err != nil {
			return err
		}
		one, err := f.Live.Rule(record, names[i])
		if err != nil {
			return usageOf(c.Flags(), err)
		}
		list = append(list, one)
	}
	if err := f.writeResults(stdout, list); err != nil {
		return err
	}
	return endsWith(compare.ExitCode(list))
}

// gateLive compares live runs of one scenario, and prints the result.
func (f *gateFlags) gateLive(c *cobra.Command, name string, stdout, stderr io.Writer) error {
	g := &f.Live
	g.Runs, g.Log = runsKept(), stderr
	if f.Quiet {
		g.Log = io.Discard
	}
	var err error
	if g.Scenario, g.Folder, err = scenarios.OpenWhole(name); err != nil {
		return err
	}
	if g.Build, err = os.Executable(); err != nil {
		return err
	}
	if g.Make, err = f.maker(c, stderr); err != nil {
		return err
	}
	g.Arguments = f.Target.arguments()
	if err := f.begin(); err != nil {
		return err
	}
	one, ended := g.Run(c.Context())
	if ended != nil && !errors.Is(ended, context.Canceled) {
		return errors.Join(usageOf(c.Flags(), ended), compare.Files(f.Reports).Withdraw())
	}
	list := []compare.Result{one}
	if err := errors.Join(f.writeResults(stdout, list), reported(ended, false)); err != nil {
		return err
	}
	return endsWith(compare.ExitCode(list))
}

// maker returns what makes a run of the scenario at the target. It asks for consent once.
func (f *gateFlags) maker(c *cobra.Command, stderr io.Writer) (func(context.Context, string) (*results.Record, error), error) {
	labels, err := labelsOf(f.Labels)
	if err != nil {
		return nil, err
	}
	p := run.Plan{Scenario: f.Live.Scenario, Command: commandOf(c), Labels: labels, Runs: runsKept()}
	if err := f.Target.fill(&p); err != nil {
		return nil, err
	}
	if err := named(c.Flags(), p.Validate()...); err != nil {
		return nil, err
	}
	p.Consent = func(ask run.Ask) error {
		if !f.Quiet {
			fmt.Fprintf(stderr, "%d runs, at most %d if they are inconclusive; each:\n", f.Live.Count, f.Live.MaxRuns())
		}
		return agree(f.Target.Consent, f.Quiet, results.Price{}, stderr)(ask)
	}
	left := p.Budget
	return func(ctx context.Context, folder string) (*results.Record, error) {
		if f.Target.Budget > 0 && left <= 0 {
			return nil, run.ErrBudget
		}
		own := p
		own.Out, own.Budget = folder, left
		record, err := run.Run(ctx, own)
		if err != nil {
			return nil, flagged(c.Flags(), err)
		}
		left -= record.Summary.Attempts
		p.Consent = func(run.Ask) error { return nil }
		return record, nil
	}, nil
}

// begin empties the files of the results.
func (f *gateFlags) begin() error {
	if err := compare.Files(f.Reports).Begin(); err != nil {
		return usageError{fmt.Errorf("--report: %w", err)}
	}
	return nil
}

// writeResults writes results to the files first, then prints them, so that the files exist when the output does.
func (f *gateFlags) writeResults(stdout io.Writer, list []compare.Result) error {
	if err := compare.Files(f.Reports).Write(list); err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	if done, err := compare.PrintResults(stdout, list, f.Form.Format); done {
		return err
	}
	return f.Form.show(stdout, compare.ResultsDocument(list))
}

// usageOf names the flags in an error that is what a user typed wrongly.
func usageOf(flags *pflag.FlagSet, err error) error {
	var fault fields.Fault
	switch {
	case errors.As(err, new(fields.Faults)), !errors.As(err, &fault) && !errors.Is(err, run.ErrFolder):
		return err
	case fault.Path != "":
		return named(flags, fault)
	default:
		return usageError{err}
	}
}
