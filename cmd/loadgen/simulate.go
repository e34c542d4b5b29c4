package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"

	"github.com/spf13/cobra"

	"loadgen/engine/clock"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// simulateFlags are what a user typed after `loadgen simulate`.
type simulateFlags struct {
	choice choiceFlags
	find   findFlags
	tell   tellFlags
	sweep  sweepFlags

	verify     bool
	data       bool
	oneProfile bool
	memory     string
}

// canonical is the scenario that is simulated where none is named.
const canonical = "simulate"

const simulateHelp = `Simulate runs a scenario, a YAML file or a built-in one, with the session, engine and
record of a real run but on a virtual clock: twenty minutes take seconds, and the same
seed gives the same record except for the start time.

Without a name it runs the standard scenario: a new table with 1,000 merges/s on each of
twelve keys. The table is throttled, its ranges split and move, and finally everything is
served. The verdict reports the time, and whether it holds under another profile of the
model, which is simulated as well.

Entities are stored only if the scenario reads its own writes, or with --data. Admission,
counts and times do not depend on it, but 404, 409 and 412 do.

` + sweepHelp + "\n\n" + findHelp

func (f *simulateFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:               "simulate [file|name]",
		Short:             "Run a scenario in virtual time",
		Long:              simulateHelp,
		ValidArgsFunction: oneScenario,
		Example: `  loadgen simulate                                # load balancing of a new table
  loadgen simulate --set start=warm               # the same load on spread ranges
  loadgen simulate --set phases.spread.partitions=1 --set phases.spread.rate=6000
  loadgen simulate --set model.detection=10m --format json
  loadgen simulate stress                         # the stress test, without waiting
  loadgen simulate my-table.yaml                  # your own scenario
  loadgen simulate my-table.yaml --anti-pattern       # its anti-pattern
  loadgen simulate my-table.yaml --sweep use=by-day,by-customer --sweep seed=1,2,3
  loadgen simulate stress --find-limit partition  # highest rate that a partition sustains`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("%s takes one scenario, and %q is another", c.CommandPath(), args[1])}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			name := canonical
			if len(args) > 0 {
				name = args[0]
			}
			d, err := f.choice.open(name, "model.detection=10m", stderr)
			if err != nil {
				return err
			}
			command := append(commandOf(c), args...)
			plan := func(s *scenarios.Scenario, command []string) (run.Plan, error) {
				p := run.Plan{Scenario: s, AntiPattern: d.antiPattern, Command: command, RetryChosen: f.choice.retryChosen(c), Epoch: clock.NewReal().Started(),
					Verify: f.verify, Data: f.data, Rival: !f.oneProfile, Out: f.tell.out, Runs: runsKept(), HistogramLog: f.tell.hlog, SecondsTable: f.tell.csv}
				var err error
				if p.Find, err = f.find.find(c.Flags(), s); err != nil {
					return p, err
				}
				if p.MemoryLimit, err = parseSize(f.memory); err != nil || p.MemoryLimit == 0 {
					return p, usageError{fmt.Errorf("--memory-limit %s: %w", f.memory, errSize)}
				}
				return p, named(c.Flags(), p.Validate()...)
			}
			if len(f.sweep.axes) > 0 {
				// The table shows no verdict, so that another profile of the model is not compared by default.
				f.oneProfile = f.oneProfile || !c.Flags().Changed("one-profile")
			}
			return f.sweep.run(c, &f.choice, &f.tell, d, command, plan, stdout, stderr)
		},
	}
	flags := c.Flags()
	f.choice.register(flags)
	f.find.register(flags)
	f.sweep.register(flags)
	flags.BoolVar(&f.verify, "verify-writes", false, "verify that no acknowledged write is lost or doubled (exit 10)")
	flags.BoolVar(&f.data, "data", false, "store entities even where the scenario never reads them")
	flags.BoolVar(&f.oneProfile, "one-profile", false, "do not hold the verdict against another profile of the model")
	flags.StringVar(&f.memory, "memory-limit", "2GiB", "refuse a scenario that would take more memory than this `size`")
	f.tell.register(flags, "exit 13 if there is no answer")
	completeUse(c, canonical)
	return c
}

// errSize is wrapped by errors about a size that is none.
var errSize = errors.New("expected a size such as 512MiB or 2GiB")

var sizeText = regexp.MustCompile(`^([0-9]{1,15}) ?(KiB|MiB|GiB|TiB|B)?$`)

// parseSize reads a size in bytes: a whole number, and a unit unless it is bytes.
func parseSize(text string) (int64, error) {
	match := sizeText.FindStringSubmatch(text)
	if match == nil {
		return 0, errSize
	}
	number, err := strconv.ParseInt(match[1], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errSize, err)
	}
	shift := map[string]int{"KiB": 10, "MiB": 20, "GiB": 30, "TiB": 40}[match[2]]
	if number > math.MaxInt64>>shift {
		return 0, errSize
	}
	return number << shift, nil
}
