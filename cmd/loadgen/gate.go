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
	"loadgen/report/compare/gate"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
	"loadgen/scenarios/series"
)

// gateFlags are what a user typed after `loadgen gate`.
type gateFlags struct {
	Baselines series.Gate
	All       bool `flag:"all" excludes:"against" help:"everything: of help each flag, of gate each built-in scenario with a baseline"`
	Form      formFlags
	Reports   []string `flag:"report" help:"also write results to this *file*: .xml (JUnit), .md, .html, .json, .csv, .txt, .github or .bench; repeatable"`
	Quiet     bool     `flag:"quiet" help:"no progress on standard error"`
	Pairs     series.Pairs
}

// newGate returns the verb that holds scenarios to their baselines.
func newGate(stdout, stderr io.Writer) *cobra.Command {
	f := new(gateFlags)
	c := &cobra.Command{
		Use:   "gate file|name ...",
		Short: "Compare the results of scenarios with their baselines",
		Long: `Gate runs scenarios on the virtual clock, where the same seed gives the same record, and
compares each with its baseline in results/baselines. Every difference is a change of
behaviour: it is listed, and the exit code is 11. A baseline that is missing, edited or
of another scenario gives 12, never a pass.

Accept an intended change with --accept and a reason, which is stored in the baseline.

With --against the scenario runs live in pairs: A is an older build, a file, and B this
build. The order A B, B A, A B, … cancels drift. Each pair gives a ratio for each metric
that the scenario declares (gate). The exit code is 11 if both an exact test over the
pairs, corrected for several metrics, and the size of the change call B worse. It needs 8
pairs, 6 for a single metric; fewer are inconclusive (12). A pair with an invalid run, or
sent too late for a metric, is repeated at most twice, then the code is 13. It is 10 if
most runs of B, but not of A, fail a check of the scenario, and 12 if a check is
inconclusive in most runs of B.`,
		ValidArgsFunction: oneScenario,
		Example: `  loadgen gate stress-one-partition
  loadgen gate nightly/*.yaml --format json
  loadgen gate --all --format github --report gate.xml --report gate.md
  loadgen gate stress-one-partition --accept "partitions burst for 200 ms"
  loadgen gate my-table.yaml --against ./loadgen-before`,
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
	f.Baselines.Baselines, f.Pairs.Number = filepath.Join("results", "baselines"), compare.DefaultPairs
	bind(c.Flags(), f, "verbose")
	f.Form.register(c.Flags(), gate.Own()...)
	return c
}

// validate returns an error about the flags of a gate with this number of scenarios.
func (f *gateFlags) validate(flags *pflag.FlagSet, number int) error {
	if f.Pairs.Against != "" {
		if number != 1 {
			return usageError{fmt.Errorf("--against compares the runs of one scenario, and got %d", number)}
		}
		if err := named(flags, f.Pairs.Validate()...); err != nil {
			return err
		}
	}
	err := f.Baselines.Validate()
	if reason := f.Baselines.Reason; strings.HasPrefix(reason, "--") {
		err = fmt.Errorf("%s is a flag; expected a reason, such as \"partitions burst for 200 ms\"", reason)
	}
	if err != nil {
		return usageError{fmt.Errorf("--accept: %w", err)}
	}
	if err := gate.Files(f.Reports).Validate(); err != nil {
		return usageError{fmt.Errorf("--report %w", err)}
	}
	return nil
}

// gate rules on every scenario and prints the results.
func (f *gateFlags) gate(c *cobra.Command, names []string, stdout, stderr io.Writer) error {
	if err := f.validate(c.Flags(), len(names)); err != nil {
		return err
	}
	if f.Quiet {
		stderr = io.Discard
	}
	if f.Pairs.Against != "" {
		return f.gateLive(c, names[0], stdout, stderr)
	}
	if f.All {
		if names = f.Baselines.Kept(); len(names) == 0 {
			return usageError{fmt.Errorf("--all: no built-in scenario has a baseline in %s; expected scenarios with --accept first", f.Baselines.Baselines)}
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
	var list []gate.Result
	for i, s := range all {
		record, err := run.Run(c.Context(), run.Plan{Scenario: s, Progress: newProgress(c.Context(), stderr, progressAuto, exports{})})
		if err != nil {
			return err
		}
		one, err := f.Baselines.Rule(record, names[i])
		if err != nil {
			return usageOf(c.Flags(), err)
		}
		list = append(list, one)
	}
	if err := f.tell(stdout, list); err != nil {
		return err
	}
	return endsWith(gate.Code(list))
}

// gateLive holds one scenario to an older build by live runs of both, and prints the result.
func (f *gateFlags) gateLive(c *cobra.Command, name string, stdout, stderr io.Writer) error {
	if err := f.begin(); err != nil {
		return err
	}
	p := &f.Pairs
	p.Runs, p.Told = runsKept(), stderr
	var one gate.Result
	var ended error
	if p.Build, ended = os.Executable(); ended == nil {
		p.Scenario, p.Folder, ended = scenarios.OpenWhole(name)
	}
	if ended == nil {
		one, ended = p.Run(c.Context())
	}
	if ended != nil && !errors.Is(ended, context.Canceled) {
		return errors.Join(usageOf(c.Flags(), ended), gate.Files(f.Reports).Withdraw())
	}
	list := []gate.Result{one}
	if err := errors.Join(f.tell(stdout, list), reported(ended, false)); err != nil {
		return err
	}
	return endsWith(gate.Code(list))
}

// begin empties the files of the results.
func (f *gateFlags) begin() error {
	if err := gate.Files(f.Reports).Begin(); err != nil {
		return usageError{fmt.Errorf("--report: %w", err)}
	}
	return nil
}

// tell writes results to the files first, then prints them, so that the files exist when the output does.
func (f *gateFlags) tell(stdout io.Writer, list []gate.Result) error {
	if err := gate.Files(f.Reports).Write(list); err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	if done, err := gate.Print(stdout, list, f.Form.Format); done {
		return err
	}
	return f.Form.show(stdout, gate.Document(list))
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
