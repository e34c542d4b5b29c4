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
	Labels  []string    `flag:"label" group:"Output" rare:"yes" excludes:"virtual"`
	Virtual bool        `flag:"virtual" group:"Virtual time"`
	All     bool        `flag:"all" group:"Virtual time" excludes:"against,target"`
	Form    formFlags   `words:"text,json,md,csv,html,junit,github"`
	Reports []string    `flag:"report" group:"Output"`
	Quiet   bool        `flag:"quiet" group:"Output"`
}

// newGate returns the verb that compares scenarios with their baselines.
func newGate(stdout, stderr io.Writer) *cobra.Command {
	f := new(gateFlags)
	f.Live.Baselines, f.Live.Count = filepath.Join("results", "baselines"), compare.DefaultRuns
	return newVerb("gate", f, &cobra.Command{
		ValidArgsFunction: oneScenario,
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
	})
}

// isLive reports whether flags ask for runs in real time.
func (f *gateFlags) isLive(flags *pflag.FlagSet) bool {
	return !f.Virtual && (len(f.Target.Target) > 0 || f.Live.Against != "" || len(f.Live.FailOn) > 0 || flags.Changed("count") || flags.Changed("out"))
}

// validate returns an error about the flags of a gate with this number of scenarios.
func (f *gateFlags) validate(flags *pflag.FlagSet, number int) error {
	if f.isLive(flags) {
		if f.All || number != 1 {
			return usageError{fmt.Errorf("live runs are of one scenario, and got %d", number)}
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
	if f.Target.Consent {
		g.Arguments = append(g.Arguments, "--yes")
	}
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
