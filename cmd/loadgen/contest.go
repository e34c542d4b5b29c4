package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"loadgen/engine/clock"
	"loadgen/report"
	"loadgen/report/ranking"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
)

// designsFlags are what a user typed after `loadgen contest`.
type designsFlags struct {
	runFlags
	scenarioFlags
	designs    []string
	seeds      int
	live       bool
	oneProfile bool
	memory     string
	price      ranking.Price
	alpha      float64
	// file is what the user called the scenario.
	file string
	suggestFlags
}

// newContest returns the verb that holds the designs of a scenario against each other.
func newContest(stdout, stderr io.Writer) *cobra.Command {
	return new(designsFlags).verb(stdout, stderr)
}

const contestHelp = `Contest sends the same stream of events through several designs of a scenario and says
which PartitionKey is best, by how much, and why the others are not: entities/s
sustained within what the scenario expects, share lost, response times, what an event
costs. That no difference is shown is a verdict, too.

By default the designs are those of the file, each is run five times on the virtual
clock, every time with a seed of its own, and all of it once more under the other of the
model's profiles documented and headroom, to say whether the verdict survives it. A
single run (--seeds 1) shows no difference by itself. The seeds are drawn from the
scenario's seed and the name of the design: neither the order of the designs nor which
others take part changes the runs of one.

A design that cannot serve an operation, such as a transaction across its partitions or
a point read without its key, is reported so, with the operation, and comes last.

With --live each run goes to the embedded engine over HTTP in real time, the designs
taking turns; --target names another table service, to which nothing is sent without
--yes, and --budget bounds what all runs together may bill. What a real service keeps
from one run to the next, no model says: nothing is held against another profile.

The folder of the contest has the verdict (contest.json), a picture (heat.png and
heat.svg: partitions by time, served and refused, for each design) and the record of
each design's first run.

` + suggestHelp

// verb returns the verb with its flags bound to f.
func (f *designsFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:               "contest file|name",
		Short:             "Which PartitionKey design wins, by how much, and why",
		Long:              contestHelp,
		ValidArgsFunction: oneScenario,
		Example: `  loadgen contest day-key                              # every design of a scenario
  loadgen contest my-table.yaml --designs by-day,by-customer
  loadgen contest my-table.yaml --retry none --price 0.036 --bill-refused
  loadgen contest my-table.yaml --suggest --write suggested.yaml
  loadgen contest my-table.yaml --live --seeds 3       # in real time, over HTTP
  loadgen contest my-table.yaml --target env:TABLES --seeds 2 --budget 500000 --yes`,
		Args: takesOne,
		RunE: func(c *cobra.Command, args []string) error { return f.contest(c, args[0], stdout, stderr) },
	}
	flags := c.Flags()
	flags.StringSliceVar(&f.designs, "designs", nil, "which, separated by commas (default: all of the scenario)")
	flags.IntVar(&f.seeds, "seeds", defaultSeeds, "how many runs each design has, each with a seed of its own, 1 to 100")
	flags.Uint64Var(&f.seed, "seed", 0, "root of all chance (default: the scenario's)")
	flags.StringVar(&f.retry, "retry", "", "back-off policy of refused attempts: none, documented, short (default: the scenario's)")
	flags.StringArrayVar(&f.set, "set", nil, "give a value of the scenario another one: `path=value`, may be repeated")
	flags.BoolVar(&f.live, "live", false, "run in real time, against what --target names")
	f.targetFlags.register(flags)
	flags.IntVar(&f.workers, "workers", 0, "with --live: greatest number of attempts under way at once (default: the scenario's)")
	flags.BoolVar(&f.noProbe, "no-probe", false, "with --live: do not try before each run what the generator can send at most")
	flags.BoolVar(&f.oneProfile, "one-profile", false, "do not hold the verdict against another profile of the model")
	flags.Float64Var(&f.price.PerMillion, "price", 0, "what a million billed transactions cost, in any currency")
	flags.Float64Var(&f.price.PerGiBMonth, "price-stored", 0, "what a GiB stored for a month costs")
	flags.BoolVar(&f.price.BillRefused, "bill-refused", false, "refused requests are billed, too")
	flags.Float64Var(&f.alpha, "alpha", ranking.DefaultAlpha, "how often a contest of designs that do not differ may tell some difference")
	flags.StringVar(&f.memory, "memory-limit", "2GiB", "take no more memory than this `size`: fewer runs at once, or none")
	flags.StringVar(&f.format, "format", "text", "what to print: text, or json ({verdict, ranking: […]})")
	flags.StringVar(&f.out, "out", "", "folder of the contest (default: a new one in results/runs)")
	flags.BoolVar(&f.strict, "strict", false, "exit 13 where a run is invalid or the generator was its limit")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress on standard error")
	f.suggestFlags.register(flags)
	return c
}

// The bounds of how often a design is run.
const (
	defaultSeeds = 5
	mostSeeds    = 100
)

// contest holds the designs against each other and prints what came of it.
func (f *designsFlags) contest(c *cobra.Command, name string, stdout, stderr io.Writer) error {
	f.live = f.live || c.Flags().Changed("target")
	if err := f.check(c); err != nil {
		return err
	}
	s, folder, err := f.contested(c, name)
	if err != nil {
		return err
	}
	t := &tournament{seeds: f.seeds, root: s.Seed, source: folder, told: stderr, clock: clock.NewReal()}
	if f.quiet {
		t.told = io.Discard
	}
	if s, err = f.suggestion(s, t, folder); err != nil {
		return err
	}
	names, err := f.chosen(s)
	if err != nil {
		return err
	}
	if err := t.enrol(s, names, func(s *scenarios.Scenario) error { return readFiles(s, folder) }); err != nil {
		return err
	}
	f.file, t.repeat = name, f.repeated(c, name, names)
	return f.hold(c.Context(), t, stdout, stderr)
}

// check returns what is wrong with the flags.
func (f *designsFlags) check(c *cobra.Command) error {
	var faults []error
	add := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if f.format != "text" && f.format != "json" {
		add("--format %s: expected text or json", f.format)
	}
	if f.seeds < 1 || f.seeds > mostSeeds {
		add("--seeds %d: expected 1 to %d", f.seeds, mostSeeds)
	}
	if !(f.alpha > 0) {
		add("--alpha %v: expected more than 0 and less than 0.5", f.alpha)
	}
	for _, err := range (ranking.Options{Alpha: f.alpha, Price: f.price}).Validate() {
		add("%s", strings.TrimPrefix(err.Error(), ranking.ErrOptions.Error()+": "))
	}
	if _, err := parseSize(f.memory); err != nil || f.memory == "0" {
		add("--memory-limit %s: %w", f.memory, errSize)
	}
	for _, flag := range []string{"workers", "no-probe", "yes", "budget", "account", "key-file"} {
		if c.Flags().Changed(flag) && !f.live {
			add("--%s belongs to runs in real time; expected --live or --target beside it", flag)
		}
	}
	if c.Flags().Changed("designs") && len(f.designs) == 0 {
		add("--designs is empty; expected two designs of the scenario or more")
	}
	faults = append(faults, f.suggestFlags.validate()...)
	if len(faults) > 0 {
		return usageError{errors.Join(faults...)}
	}
	if err := f.take(); err != nil {
		return err
	}
	return emptyFlag(c.Flags())
}

// contested returns the scenario with the overrides of the flags, which is sound under
// one of its designs at least, and the folder that paths in it count from.
func (f *designsFlags) contested(c *cobra.Command, name string) (*scenarios.Scenario, string, error) {
	opened, folder, err := openContested(name)
	if err != nil {
		return nil, "", err
	}
	d := &draft{scenario: opened, folder: folder, example: "model.partition_target=500", others: map[string]string{"workers": strconv.Itoa(f.workers)}}
	s, flagOf, err := f.overridden(c, d, nil)
	if err != nil {
		return nil, "", err
	}
	if err := s.Shared(); err != nil {
		return nil, "", blame(err, flagOf)
	}
	return s, folder, nil
}

// chosen returns the designs that take part, in the order of the scenario.
func (f *designsFlags) chosen(s *scenarios.Scenario) ([]string, error) {
	all := s.Alternatives()
	if len(f.designs) == 0 {
		if len(all) < 2 {
			return nil, usageError{fmt.Errorf("the scenario %s has one design; a contest needs two or more: "+
				"list them under designs, or let --suggest propose some", s.Name)}
		}
		return all, nil
	}
	var faults []error
	var names []string
	for _, name := range f.designs {
		switch {
		case !slices.Contains(all, name):
			faults = append(faults, fmt.Errorf("--designs: %s", keys.Unknown("design", name, all)))
		case slices.Contains(names, name):
			faults = append(faults, fmt.Errorf("--designs: %s occurs twice; expected each once", name))
		default:
			names = append(names, name)
		}
	}
	if len(faults) == 0 && len(names) < 2 {
		faults = append(faults, fmt.Errorf("--designs %s: one design alone; a contest needs two or more, of %s",
			names[0], keys.Choice(all)))
	}
	if len(faults) > 0 {
		return nil, usageError{errors.Join(faults...)}
	}
	// In which order they were named changes nothing, the command to repeat it included.
	return slices.DeleteFunc(all, func(name string) bool { return !slices.Contains(names, name) }), nil
}

// repeated returns the command that repeats the contest, whatever the order in which
// its designs were named.
func (f *designsFlags) repeated(c *cobra.Command, name string, names []string) string {
	command := []string{}
	skip := false
	for _, word := range commandOf(c) {
		switch {
		case skip:
			skip = false
		case word == "--designs":
			skip = true
		case strings.HasPrefix(word, "--write="), strings.HasPrefix(word, "--yes="):
		default:
			command = append(command, word)
		}
	}
	if len(f.designs) > 0 {
		command = append(command, "--designs="+strings.Join(names, ","))
	}
	return report.CommandLine(append(command, name))
}
