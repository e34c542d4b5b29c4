package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// stressFlags are what a user typed after `loadgen stress`.
type stressFlags struct {
	live     liveFlags
	rate     float64
	duration time.Duration
	key      string
	peak     float64
}

func (f *stressFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "stress",
		Short: "Run the documented stress test of one partition",
		Long: `Stress creates a table, loads it with registrations of foot races, offers a
rising load to a single partition, examines the throughput of GET and PUT
against the target of a partition, says what that means for the PartitionKey,
and drops the table.

It runs against the embedded engine behind a socket of this machine, whose limits
are those of the documents: what it says of the limits is modelled, not measured.
--target names another table service, to which nothing is sent without --yes. The
record of the run, its charts as PNG and SVG among it, goes to a folder of its own
in results/runs.

` + findHelp + "\n\n" + driverHelp,
		Example: `  loadgen stress                                  # where does the partition saturate?
  loadgen stress --peak 1500                      # does it hold 1,500 operations/s? (exit 10 if not, 12 if it cannot tell)
  loadgen stress --rate 2500 --duration 10s       # one step at one rate
  loadgen stress --set model.partition_target=500 # what if the limit were another?
  loadgen stress --retry none --format json
  loadgen stress --count 6 --format benchfmt > a.bench  # six runs, for benchstat a.bench b.bench
  loadgen stress --find-limit partition           # the highest rate with at most 0.5% throttled
  loadgen stress --find-limit partition --max-p99 50ms --from 4000
  loadgen stress --driver vegeta --rate 1500      # a second opinion on the times
  loadgen stress --target env:TABLES --yes        # a service by its connection string`,
		RunE: func(c *cobra.Command, _ []string) error {
			draw, plan, err := f.open(c, stderr)
			if err != nil {
				return err
			}
			return f.live.tell.runs(c, draw, commandOf(c), plan, stdout, stderr)
		},
	}
	f.register(c.Flags())
	return c
}

func (f *stressFlags) register(flags *pflag.FlagSet) {
	flags.Float64Var(&f.rate, "rate", 0, "offer one step at this rate, in operations/s, instead of the ladder")
	flags.DurationVar(&f.duration, "duration", 0, "length of each step, such as 4s")
	flags.Float64Var(&f.peak, "peak", 0, "ask whether this rate, in operations/s, is held: steps around it, exit 10 if not, 12 if it cannot be told")
	flags.StringVar(&f.key, "partition-key", "", "PartitionKey to aim at, one of those that are loaded")
	f.live.register(flags)
}

// open returns what draws the stress test and what makes a plan of it, as the flags ask for.
func (f *stressFlags) open(c *cobra.Command, stderr io.Writer) (drawing, planner, error) {
	d, err := f.live.choice.open("stress", "model.partition_target=500", stderr)
	if err != nil {
		return nil, nil, err
	}
	draw := func(alter func(*scenarios.Scenario) error) (*scenarios.Scenario, error) {
		return f.scenario(c.Flags(), d, alter)
	}
	return draw, func(s *scenarios.Scenario, command []string) (run.Plan, error) {
		p, err := f.live.plan(c, s, d.antiPattern, command, stderr)
		p.Peak = f.peak
		return p, err
	}, nil
}

// scenario returns the built-in stress test with every override applied, and altered, unless
// alter is nil.
func (f *stressFlags) scenario(flags *pflag.FlagSet, d *draft, alter func(*scenarios.Scenario) error) (*scenarios.Scenario, error) {
	if flags.Changed("rate") && flags.Changed("peak") {
		return nil, usageError{errors.New("--rate and --peak each choose the steps; expected one of them")}
	}
	for _, flag := range []string{"rate", "peak", "duration"} {
		if err := f.impossible(flags.Changed, flag); err != nil {
			return nil, err
		}
	}
	// Rates have three decimals; the step that is judged is the one asked for.
	f.peak = thousandth(f.peak)
	return f.live.choice.read(flags, d, func(s *scenarios.Scenario) error {
		err := f.aim(flags, s)
		if err == nil && alter != nil {
			err = alter(s)
		}
		return err
	})
}

// aim fills the scenario's first peak with what the flags say of it.
func (f *stressFlags) aim(flags *pflag.FlagSet, s *scenarios.Scenario) error {
	for i := range s.Phases {
		if s.Phases[i].Kind() != scenarios.FormPeak {
			continue
		}
		peak, arrivals, steps := *s.Phases[i].Traffic, *s.Phases[i].Traffic.Arrivals, *s.Phases[i].Traffic.Arrivals.Steps
		peak.Arrivals, arrivals.Steps = &arrivals, &steps
		for _, one := range []struct {
			flag, field string
			fill        func()
		}{
			{"rate", "rates", func() { steps.Rates = []float64{f.rate} }},
			{"peak", "rates", func() { steps.Rates = around(f.peak) }},
			{"duration", "each", func() { steps.Each = f.duration }},
			{"partition-key", "partition_key", func() { peak.Keys = []string{f.key} }},
		} {
			if flags.Changed(one.flag) {
				one.fill()
				s.Credit(fmt.Sprintf("phases.%d.peak.%s", i, one.field), "--"+one.flag)
			}
		}
		s.Phases = slices.Clone(s.Phases)
		s.Phases[i].Traffic = &peak
		return nil
	}
	for _, flag := range []string{"rate", "peak", "duration", "partition-key"} {
		if flags.Changed(flag) {
			return usageError{fmt.Errorf("--%s is of a peak, and the scenario has none any more; expected a phase with a peak", flag)}
		}
	}
	return nil
}

// highestPeak is the highest peak whose double is a rate that a scenario takes,
// shortestJudged the shortest step that shows where a partition saturates.
const (
	highestPeak    = 500_000
	lowestPeak     = 0.01
	shortestJudged = 2 * time.Second
)

// impossible returns what is wrong with the value of a flag in its own terms,
// rather than in those of the scenario's field that it sets.
func (f *stressFlags) impossible(given func(string) bool, flag string) error {
	switch {
	case !given(flag):
		return nil
	case flag == "rate" && !(f.rate > 0):
		return usageError{fmt.Errorf("--rate %v: expected operations/s above 0", f.rate)}
	case flag == "peak" && !(f.peak >= lowestPeak && f.peak <= highestPeak):
		return usageError{fmt.Errorf("--peak %v: expected operations/s from %v to %v", f.peak, lowestPeak, highestPeak)}
	case flag == "duration" && f.duration <= 0:
		return usageError{fmt.Errorf("--duration %v: expected more than 0, such as 4s", f.duration)}
	case flag == "duration" && given("peak") && f.duration < shortestJudged:
		return usageError{fmt.Errorf("--duration %v: a peak is judged by steps of %v or more, in which what an idle partition saved up runs out",
			f.duration, shortestJudged)}
	default:
		return nil
	}
}

// around returns the rates by which a peak is judged: half of it and three
// quarters, itself, and up to twice as much for the headroom.
func around(peak float64) []float64 {
	var rates []float64
	for _, factor := range []float64{.5, .75, 1, 1.25, 1.5, 2} {
		rates = append(rates, thousandth(peak*factor))
	}
	return rates
}

// thousandth rounds to three decimals.
func thousandth(x float64) float64 { return math.Round(x*1000) / 1000 }
