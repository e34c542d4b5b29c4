package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// simulateFlags are what a user typed after `loadgen simulate`.
type simulateFlags struct {
	// runFlags has what a run in real time and a simulated one have in common;
	// only its output flags are registered.
	runFlags
	scenarioFlags
	data       bool
	oneProfile bool
	memory     string
}

// canonical is the scenario that is simulated where none is named.
const canonical = "simulate"

// newSimulate returns the verb that runs a scenario on the virtual clock.
func newSimulate(stdout, stderr io.Writer) *cobra.Command {
	return new(simulateFlags).verb(stdout, stderr)
}

// verb returns the verb with its flags bound to f.
func (f *simulateFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "simulate [file|name]",
		Short: "Run a scenario on the virtual clock: minutes of load balancing in seconds",
		Long: `Simulate runs a scenario, a YAML file or a built-in one by its name, through the
same session, engine and record as a run in real time, but on a virtual clock: what
takes the service twenty minutes takes seconds, and the same seed gives the same
record, byte for byte.

Without a name it runs the canonical scenario, a new table that twelve keys load
with 1,000 merges/s each: the table is throttled, its ranges are split and moved,
and in the end all is served. The verdict says when, and whether it survives
another profile of the model, which is simulated beside it.

Entities are stored only where the scenario reads what it wrote, or with --data:
admission, counts and times do not depend on them, but 404, 409 and 412 do.

` + sweepHelp + "\n\n" + findHelp,
		ValidArgsFunction: oneScenario,
		Example: `  loadgen simulate                                # a cold table learns its load
  loadgen simulate --set start=warm               # the same load on spread ranges
  loadgen simulate --set phases.spread.partitions=1 --set phases.spread.rate=6000
  loadgen simulate --set model.detection=10m --format json
  loadgen simulate stress                         # the stress test, without waiting
  loadgen simulate my-table.yaml                  # a scenario of your own
  loadgen simulate my-table.yaml --opposite       # what it warns of
  loadgen simulate my-table.yaml --sweep use=by-day,by-customer --sweep seed=1,2,3
  loadgen simulate stress --find-limit partition  # the highest rate that a partition holds`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("%s takes one scenario, and %q is another", c.CommandPath(), args[1])}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			found, err := f.opened(args, stderr)
			if err != nil {
				return err
			}
			command := append(commandOf(c), args...)
			if len(f.sweeps) > 0 {
				return f.sweep(c, found, command, stdout, stderr)
			}
			scenario, err := f.read(c, found, &f.findFlags, nil)
			if err != nil {
				return err
			}
			return f.simulate(c.Context(), scenario, command, stdout, stderr)
		},
	}
	flags := c.Flags()
	f.scenarioFlags.register(flags)
	completeUse(c, canonical)
	f.findFlags.register(flags)
	flags.BoolVar(&f.verify, "verify-writes", false, "have each write carry an id and read it back: lost and doubled writes (exit 10)")
	flags.BoolVar(&f.data, "data", false, "store entities even where the scenario never reads them")
	flags.BoolVar(&f.oneProfile, "one-profile", false, "do not hold the verdict against another profile of the model")
	flags.StringVar(&f.memory, "memory-limit", "2GiB", "refuse a scenario that would take more memory than this `size`")
	flags.StringVar(&f.format, "format", "text", "what to print: text, or json (the summary of run.json)")
	flags.StringVar(&f.out, "out", "", "folder of the run (default: a new one in results/runs)")
	flags.BoolVar(&f.strict, "strict", false, "exit 13 where the run is invalid")
	f.registerCharts(flags)
	flags.BoolVar(&f.quiet, "quiet", false, "no progress on standard error, as --ui none")
	f.ui.register(flags)
	return c
}

// opened returns the scenario that was named, before any override but that of its
// opposite.
func (f *simulateFlags) opened(args []string, stderr io.Writer) (*draft, error) {
	name := canonical
	if len(args) > 0 {
		name = args[0]
	}
	found, err := f.draft(name, "model.detection=10m", stderr)
	if err != nil {
		return nil, err
	}
	f.contrary = found.contrary
	return found, nil
}
