package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"loadgen/scenarios"
)

// simulateFlags are what a user typed after `loadgen simulate`.
type simulateFlags struct {
	// runFlags has what a run in real time and a simulated one have in common;
	// only its output flags are registered.
	runFlags
	seed       uint64
	retry      string
	set        []string
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
		Use:   "simulate [scenario]",
		Short: "Run a scenario on the virtual clock: minutes of load balancing in seconds",
		Long: `Simulate runs a built-in scenario through the same session, engine and record as
a run in real time, but on a virtual clock: what takes the service twenty minutes
takes seconds, and the same seed gives the same record, byte for byte.

Without a name it runs the canonical scenario, a new table that twelve keys load
with 1,000 merges/s each: the table is throttled, its ranges are split and moved,
and in the end all is served. The verdict says when, and whether it survives
another profile of the model, which is simulated beside it.

Entities are stored only where the scenario reads what it wrote, or with --data:
admission, counts and times do not depend on them, but 404, 409 and 412 do.`,
		Example: `  loadgen simulate                                # a cold table learns its load
  loadgen simulate --set start=warm               # the same load on spread ranges
  loadgen simulate --set phases.spread.partitions=1 --set phases.spread.rate=6000
  loadgen simulate --set model.detection=10m --format json
  loadgen simulate stress                         # the stress test, without waiting`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("%s takes one scenario, and %q is another", c.CommandPath(), args[1])}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			scenario, err := f.scenario(c, args)
			if err != nil {
				return err
			}
			command := append(commandOf(c), args...)
			return f.simulate(c.Context(), scenario, command, stdout, stderr)
		},
	}
	flags := c.Flags()
	flags.Uint64Var(&f.seed, "seed", 0, "root of all chance (default: the scenario's)")
	flags.StringVar(&f.retry, "retry", "", "back-off policy of refused attempts: none, documented, short (default: the scenario's)")
	flags.StringArrayVar(&f.set, "set", nil, "give a value of the scenario another one: `path=value`, may be repeated")
	flags.BoolVar(&f.data, "data", false, "store entities even where the scenario never reads them")
	flags.BoolVar(&f.oneProfile, "one-profile", false, "do not hold the verdict against another profile of the model")
	flags.StringVar(&f.memory, "memory-limit", "2GiB", "refuse a scenario that would take more memory than this `size`")
	flags.StringVar(&f.format, "format", "text", "what to print: text, or json (the summary of run.json)")
	flags.StringVar(&f.out, "out", "", "folder of the run (default: a new one in results/runs)")
	flags.BoolVar(&f.strict, "strict", false, "exit 13 where the run is invalid")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress on standard error")
	return c
}

// scenario returns the scenario that was named, with every override applied.
func (f *simulateFlags) scenario(c *cobra.Command, args []string) (*scenarios.Scenario, error) {
	name := canonical
	if len(args) > 0 {
		name = args[0]
	}
	s, err := scenarios.Builtin(name)
	if err != nil {
		return nil, usageError{err}
	}
	if err := override(s, f.set, "model.detection=10m"); err != nil {
		return nil, err
	}
	if err := emptyFlag(c.Flags()); err != nil {
		return nil, err
	}
	flagOf := make(map[string]string)
	for _, o := range []struct{ flag, value string }{{"seed", strconv.FormatUint(f.seed, 10)}, {"retry", f.retry}} {
		if !c.Flags().Changed(o.flag) {
			continue
		}
		flagOf["--set "+o.flag] = "--" + o.flag
		if err := s.Set(o.flag, o.value); err != nil {
			return nil, blame(err, flagOf)
		}
	}
	return s, sound(s, flagOf)
}
