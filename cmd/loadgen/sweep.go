package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
	"loadgen/scenarios/series"
)

// sweepHelp is what the help of a verb that sweeps says of it.
const sweepHelp = `--sweep path=v1,v2,… runs the scenario once for each of the values, and once for each
combination where it is given several times, at most 100 in all; one table compares
them at the end. Values are parted by commas, or by semicolons where there are any;
within brackets, braces and double quotes neither parts. With --out each run has a
folder of its own in that one.`

// sweepFlags have a scenario run once for each of several values.
type sweepFlags struct{ axes []string }

func (f *sweepFlags) register(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.axes, "sweep", nil, "run once for each of these values: `path=v1,v2,…`, may be repeated for all combinations")
}

// planner returns the sound plan of a scenario that a command asks for.
type planner func(s *scenarios.Scenario, command []string) (run.Plan, error)

// run makes the runs, prints the table that compares them, and returns what the exit code
// is to say.
func (f *sweepFlags) run(c *cobra.Command, choice *choiceFlags, tell *tellFlags, d *draft, command []string, plan planner, stdout, stderr io.Writer) error {
	if err := f.once(c.Flags(), choice.set); err != nil {
		return err
	}
	if err := tell.check(); err != nil {
		return err
	}
	server, err := tell.listen()
	if err != nil {
		return err
	}
	defer server.Close()
	alone, told := *tell, stderr
	alone.quiet = true
	if tell.silent() || tell.shown() == uiJSON {
		told = io.Discard
	}
	sweep := series.Sweep{Axes: f.axes, Out: tell.out, Told: told, Exit: tell.exit,
		Plan: func(set []scenarios.Setting) (run.Plan, error) {
			own := slices.Clone(command)
			s, err := choice.read(c.Flags(), d, func(s *scenarios.Scenario) error {
				for _, one := range set {
					own = append(own, "--set", one.String())
					if err := s.SetFrom("--sweep "+one.String(), one.Path, one.Value); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return run.Plan{}, err
			}
			p, err := plan(s, own)
			alone.equip(&p, server, stderr)
			return p, err
		}}
	swept, ended := sweep.Run(c.Context())
	if len(swept.Made) > 0 || ended == nil {
		print := swept.Table
		if tell.format == "json" {
			print = swept.JSON
		}
		if err := print(stdout); err != nil {
			return err
		}
	}
	var fault scenarios.Fault
	switch {
	case errors.As(ended, &fault) && fault.Path == "sweep":
		// It names the one of several that is meant.
		return usageError{fmt.Errorf("--sweep %s", fault.What)}
	case ended != nil:
		return flagged(c.Flags(), ended)
	default:
		return exitWith(swept.Exit())
	}
}

// once refuses a value that is given to what is swept.
func (f *sweepFlags) once(flags *pflag.FlagSet, set []string) error {
	set = slices.Clone(set)
	for _, flag := range []string{"seed", "retry", "use", "workers"} {
		if flags.Changed(flag) {
			set = append(set, flag+"=")
		}
	}
	for _, sweep := range f.axes {
		path, _, _ := strings.Cut(sweep, "=")
		for _, one := range set {
			if other, _, _ := strings.Cut(one, "="); other == path {
				return usageError{fmt.Errorf("--sweep %s: %s is given a value of its own, too; expected one of them", sweep, path)}
			}
		}
	}
	return nil
}

// exit returns the exit code that a run which ended so has by itself.
func (f *tellFlags) exit(record *results.Record, ended error) int {
	if errors.Is(ended, run.ErrStopped) {
		return codeExpectation
	}
	var told verdictError
	if errors.As(f.judge(record.Summary), &told) {
		return told.code
	}
	return codeOk
}
