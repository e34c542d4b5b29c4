package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// runFlags are what a user typed after `loadgen run`.
type runFlags struct {
	live  liveFlags
	sweep sweepFlags
}

func (f *runFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "run file|name",
		Short: "Run a scenario file, or a built-in scenario, in real time",
		Long: `Run creates a table, carries out the phases of a scenario on it, says what came of
them, and drops the table. The scenario is a YAML file, or one of the built-in ones
by its name; paths in a file, such as that of a trace, count from its folder.

It runs against the embedded engine behind a socket of this machine; --target names
another table service, to which nothing is sent without --yes. The record of the
run goes to a folder of its own in results/runs.

A budget of the scenario (stop_on) that is exceeded ends the run: its report is of
what was done until then, and the exit code is 10.

` + sweepHelp + "\n\n" + findHelp + "\n\n" + driverHelp,
		ValidArgsFunction: oneScenario,
		Example: `  loadgen run my-table.yaml                       # a scenario of your own
  loadgen run my-table.yaml --use by-day          # another of its designs
  loadgen run my-table.yaml --sweep use=by-day,by-customer
  loadgen run my-table.yaml --set phases.measure.arrivals.constant=200
  loadgen run stress --retry documented           # a built-in one
  loadgen run my-table.yaml --target in-process --format json
  loadgen run my-table.yaml --target env:TABLES --yes`,
		Args: takesOne(),
		RunE: func(c *cobra.Command, args []string) error {
			d, err := f.live.choice.open(args[0], "phases.measure.arrivals.constant=200", stderr)
			if err != nil {
				return err
			}
			command := append(commandOf(c), args[0])
			plan := func(s *scenarios.Scenario, command []string) (run.Plan, error) {
				return f.live.plan(c, s, d.antiPattern, command, stderr)
			}
			if len(f.sweep.axes) > 0 && f.live.record != "" {
				return usageError{errors.New("--record is of one run, and --sweep makes several; expected one of them")}
			}
			return f.sweep.run(c, &f.live.choice, &f.live.tell, d, command, plan, stdout, stderr)
		},
	}
	f.live.register(c.Flags())
	f.sweep.register(c.Flags())
	completeUse(c, "stress")
	return c
}
