package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/scenarios"
)

// stressFlags are what a user typed after `loadgen stress`.
type stressFlags struct {
	runFlags
	rate     float64
	duration time.Duration
	seed     uint64
	key      string
	retry    string
	peak     float64
	use      string
	opposite bool
	set      []string
}

// newStress returns the verb that runs the documented stress test.
func newStress(stdout, stderr io.Writer) *cobra.Command {
	return new(stressFlags).verb(stdout, stderr)
}

// verb returns the verb with its flags bound to f.
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

` + findHelp + "\n\n" + driverHelp + "\n\n" + eventsHelp,
		Example: `  loadgen stress                                  # where does the partition saturate?
  loadgen stress --peak 1500                      # does it hold 1,500 operations/s? (exit 10 if not)
  loadgen stress --rate 2500 --duration 10s       # one step at one rate
  loadgen stress --set model.partition_target=500 # what if the limit were another?
  loadgen stress --retry none --format json
  loadgen stress --find-limit partition           # the highest rate with at most 0.5% refused
  loadgen stress --find-limit partition --max-p99 50ms --from 4000
  loadgen stress --driver vegeta --rate 1500      # a second opinion on the times
  loadgen stress --target env:TABLES --yes        # a service by its connection string`,
		RunE: func(c *cobra.Command, _ []string) error {
			scenario, err := f.scenario(c)
			if err != nil {
				return err
			}
			if f.contrary != "" {
				fmt.Fprintf(stderr, "this is the opposite of %s: %s\n", scenario.Name, f.contrary)
			}
			if err := f.chooseDriver(c, scenario); err != nil {
				return err
			}
			return f.run(c.Context(), scenario, f.peak, commandOf(c), stdout, stderr)
		},
	}
	flags := c.Flags()
	flags.Float64Var(&f.rate, "rate", 0, "offer one step at this rate, in operations/s, instead of the ladder")
	flags.DurationVar(&f.duration, "duration", 0, "length of each step, such as 4s")
	flags.Float64Var(&f.peak, "peak", 0, "ask whether this rate, in operations/s, is held: steps around it, exit 10 if not")
	flags.Uint64Var(&f.seed, "seed", 0, "root of all chance (default: the scenario's)")
	flags.StringVar(&f.key, "partition-key", "", "PartitionKey to aim at, one of those that are loaded")
	flags.StringVar(&f.retry, "retry", "", "back-off policy of refused attempts: none, documented, short (default: the scenario's)")
	registerChoice(flags, &f.use, &f.opposite, &f.set)
	f.register(flags)
	f.findFlags.register(flags)
	return c
}

// scenario returns the built-in stress test with every override applied.
func (f *stressFlags) scenario(c *cobra.Command) (*scenarios.Scenario, error) {
	s, err := scenarios.Builtin("stress")
	if err != nil {
		return nil, err
	}
	if f.opposite {
		if s, f.contrary, err = opposed(s); err != nil {
			return nil, err
		}
	}
	if err := override(s, f.set, "model.partition_target=500"); err != nil {
		return nil, err
	}
	if err := emptyFlag(c.Flags()); err != nil {
		return nil, err
	}
	if c.Flags().Changed("rate") && c.Flags().Changed("peak") {
		return nil, usageError{errors.New("--rate and --peak each choose the steps; expected one of them")}
	}
	for _, flag := range []string{"rate", "peak", "duration"} {
		if err := f.impossible(c, flag); err != nil {
			return nil, err
		}
	}
	// Rates have three decimals; the step that is judged is the one asked for.
	f.peak = math.Round(f.peak*1000) / 1000
	peak := peakOf(s)
	flagOf := make(map[string]string)
	for _, o := range []struct {
		flag, path, value string
	}{
		{"rate", peak + ".rates", "[" + number(f.rate) + "]"},
		{"peak", peak + ".rates", around(f.peak)},
		{"duration", peak + ".each", f.duration.String()},
		{"partition-key", peak + ".partition_key", f.key},
		{"seed", "seed", strconv.FormatUint(f.seed, 10)},
		{"retry", "retry", f.retry},
		{"use", "use", f.use},
		{"workers", "workers", strconv.Itoa(f.workers)},
	} {
		if !c.Flags().Changed(o.flag) {
			continue
		}
		flagOf["--set "+o.path] = "--" + o.flag
		if err := s.Set(o.path, o.value); err != nil {
			return nil, blame(err, flagOf)
		}
	}
	if err := sound(s, flagOf); err != nil {
		return nil, err
	}
	return s, f.search(c, s)
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
func (f *stressFlags) impossible(c *cobra.Command, flag string) error {
	given := c.Flags().Changed
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

// peakOf returns the path of the scenario's first peak.
func peakOf(s *scenarios.Scenario) string {
	for _, phase := range s.Phases {
		if phase.Peak != nil {
			return "phases." + phase.Name
		}
	}
	return "phases.peak"
}

// around returns the rates by which a peak is judged: half of it and three
// quarters, itself, and up to twice as much for the headroom.
func around(peak float64) string {
	var rates []string
	for _, factor := range []float64{.5, .75, 1, 1.25, 1.5, 2} {
		rates = append(rates, number(math.Round(peak*factor*1000)/1000))
	}
	return "[" + strings.Join(rates, ", ") + "]"
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// commandOf returns the command as it can be typed again.
func commandOf(c *cobra.Command) []string {
	command := strings.Fields(c.CommandPath())
	c.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "out", "format", "quiet", "no-charts", "sweep", "ui", "metrics-listen":
			// They change where and how it is told, not what is run; which of a sweep's
			// runs it is, --set says.
			return
		}
		if list, many := f.Value.(interface{ GetSlice() []string }); many {
			for _, value := range list.GetSlice() {
				command = append(command, "--"+f.Name, value)
			}
			return
		}
		if list, some := f.Value.(targetsValue); some {
			for _, value := range list.every() {
				command = append(command, "--"+f.Name+"="+value)
			}
			return
		}
		command = append(command, "--"+f.Name+"="+f.Value.String())
	})
	return command
}
