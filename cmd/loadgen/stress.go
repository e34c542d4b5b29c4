package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/report/text"
	"loadgen/scenarios"
	"loadgen/scenarios/fleet"
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
		Long: `Stress runs the documented stress test: it creates a table, loads registrations of foot
races, raises the load on one partition step by step, compares GET and PUT throughput
with the partition's target, reports what that means for the PartitionKey, and deletes
the table.

By default the target is the embedded engine on a local socket. It enforces the
documented limits: limits in the result are modelled, not measured. --target selects
another Table service; sending to it requires --yes. The record and its charts (PNG and
SVG) go to a new folder in results/runs.

` + findHelp + "\n\n" + driverHelp,
		Example: `  loadgen stress                                  # where does the partition saturate?
  loadgen stress --peak 1500                      # does it sustain 1,500 operations/s? (exit 10: no, 12: unknown)
  loadgen stress --rate 2500 --duration 10s       # one step at one rate
  loadgen stress --set model.partition_target=500 # another limit
  loadgen stress --retry none --format json
  loadgen stress --count 6 --format benchfmt > a.bench  # six runs, for benchstat a.bench b.bench
  loadgen stress --find-limit partition           # highest rate with at most 0.5% throttled
  loadgen stress --find-limit partition --max-p99 50ms --from 4000
  loadgen stress --driver vegeta --rate 1500      # measure with a second driver
  loadgen stress --target env:TABLES --yes        # a service by its connection string`,
		RunE: func(c *cobra.Command, _ []string) error {
			defer f.live.fleet.end(stderr)
			draw, plan, err := f.open(c, stderr)
			if err != nil {
				return err
			}
			return f.live.tell.runs(c, draw, commandOf(c), plan, stdout, stderr)
		},
	}
	flags := c.Flags()
	flags.Float64Var(&f.rate, "rate", 0, "offer one step at this rate in operations/s")
	flags.DurationVar(&f.duration, "duration", 0, "length of each step, such as 4s")
	flags.Float64Var(&f.peak, "peak", 0, "check that this rate in operations/s holds (exit 10 if not, 12 if unknown)")
	flags.StringVar(&f.key, "partition-key", "", "PartitionKey to aim at, one of those that are loaded")
	f.live.register(flags)
	return c
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

// highestPeak is the highest peak whose double is a rate that a scenario takes,
// shortestJudged the shortest step that shows where a partition saturates.
const (
	highestPeak    = 500_000
	lowestPeak     = 0.01
	shortestJudged = 2 * time.Second
)

// scenario returns the built-in stress test with every override applied, and altered, unless
// alter is nil.
func (f *stressFlags) scenario(flags *pflag.FlagSet, d *draft, alter func(*scenarios.Scenario) error) (*scenarios.Scenario, error) {
	switch given := flags.Changed; {
	case given("rate") && given("peak"):
		return nil, usageError{errors.New("--rate and --peak each choose the steps; expected one of them")}
	case given("rate") && !(f.rate > 0):
		return nil, usageError{fmt.Errorf("--rate %v: expected operations/s above 0", f.rate)}
	case given("peak") && !(f.peak >= lowestPeak && f.peak <= highestPeak):
		return nil, usageError{fmt.Errorf("--peak %v: expected operations/s from %v to %v", f.peak, lowestPeak, highestPeak)}
	case given("duration") && f.duration <= 0:
		return nil, usageError{fmt.Errorf("--duration %v: expected more than 0, such as 4s", f.duration)}
	case given("duration") && given("peak") && f.duration < shortestJudged:
		return nil, usageError{fmt.Errorf("--duration %v: judging a peak requires steps of %v or more, which use up the burst allowance",
			f.duration, shortestJudged)}
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

// judged are the rates by which a peak is judged, as parts of it: half of it and three quarters,
// itself, and up to twice as much for the headroom.
var judged = [...]float64{.5, .75, 1, 1.25, 1.5, 2}

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
			{"peak", "rates", func() {
				steps.Rates = nil
				for _, part := range judged {
					steps.Rates = append(steps.Rates, thousandth(f.peak*part))
				}
			}},
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
	return refuse(flags, "is of a peak, and the scenario has none any more; expected a phase with a peak", "rate", "peak", "duration", "partition-key")
}

// thousandth rounds to three decimals.
func thousandth(x float64) float64 { return math.Round(x*1000) / 1000 }

// fleetHelp is what the help of a verb says of several processes.
const fleetHelp = `--processes N lets N processes share the load: process k mod N sends operation k, all
start at the same time, and one report covers them (docs/fleet.md). By default it starts
them on this machine. With --lead address they run elsewhere, each started by
loadgen run --join nats://address --token-file file --target service.
They stay for a search and for all runs of --sweep, --count and a contest.`

// fleetFlags have several processes offer a load together.
type fleetFlags struct {
	processes int
	lead      string
	onLoss    string
	deadline  time.Duration
	member    memberFlags
	// offering are the processes, the same for all runs of the command; nil without any.
	offering *fleet.Offering
}

// memberFlags are what both ends of a fleet need.
type memberFlags struct {
	tokenFile, creds, ca string
	// url is an existing NATS server, which members join by --join.
	url string
}

func (f *fleetFlags) register(flags *pflag.FlagSet) {
	flags.IntVar(&f.processes, "processes", 0, "number of processes that offer the load together, each its share")
	flags.StringVar(&f.lead, "lead", "", "with --processes: wait for members at this `address`, such as :4222")
	flags.StringVar(&f.onLoss, "on-loss", lossFails, "with --processes: if a member is lost: fail ends the run, finish continues (exit 13)")
	flags.DurationVar(&f.deadline, "join-within", time.Minute, "with --processes: how long they have to join")
	flags.StringVar(&f.member.url, "nats-url", "", "with --processes: use your own NATS server")
	flags.StringVar(&f.member.tokenFile, "token-file", "", "`file` with the token of the fleet (openssl rand -hex 32)")
	flags.StringVar(&f.member.creds, "nats-creds", "", "`file` with the credentials for a NATS server of your own")
	flags.StringVar(&f.member.ca, "nats-ca", "", "`file` with the certificates that are trusted for it")
}

// What is done where a member is lost.
const (
	lossFails    = "fail"
	lossFinishes = "finish"
)

// fill has a plan's load be offered by several processes, where that was asked for: none of them
// is begun yet. The folder is what the paths in the scenario count from.
func (f *fleetFlags) fill(flags *pflag.FlagSet, p *run.Plan, target *targetFlags, folder string, quiet bool, stderr io.Writer) error {
	if f.processes == 0 && !flags.Changed("processes") {
		return refuse(flags, "belongs to --processes, which is missing; expected the number of processes",
			"lead", "on-loss", "join-within", "nats-url", "nats-creds", "nats-ca", "token-file")
	}
	if f.offering != nil {
		return flagged(flags, f.offering.Fill(p))
	}
	if f.onLoss != lossFails && f.onLoss != lossFinishes {
		return usageError{fmt.Errorf("--on-loss %s: expected %s or %s", f.onLoss, lossFails, lossFinishes)}
	}
	offering := &fleet.Offering{Members: f.processes, Deadline: f.deadline, FinishOnLoss: f.onLoss == lossFinishes, Folder: folder, Said: stderr,
		Bus: fleet.BusOptions{URL: f.member.url, Listen: f.lead, Creds: f.member.creds, CA: f.member.ca}}
	offering.Say = func(line string) {
		if !quiet {
			fmt.Fprintln(stderr, text.Harmless(line)) // members choose their names
		}
	}
	var err error
	switch {
	case f.lead == "" && f.member.url == "":
		if offering.Local, err = target.member(); err == nil {
			offering.Bus.Token, err = fleet.NewToken()
		}
	case f.member.tokenFile == "":
		err = usageError{errors.New("--lead and --nats-url require --token-file with the same token for all members (openssl rand -hex 32 > token; chmod 600 token)")}
	default:
		offering.Bus.Token, err = fleet.ReadToken(f.member.tokenFile)
	}
	if err != nil {
		return err
	}
	if faults := offering.Bus.Validate(); len(faults) > 0 {
		return ofBus(faults[0], "nats-url")
	}
	f.offering = offering
	return flagged(flags, offering.Fill(p))
}

// end has the processes end with the command.
func (f *fleetFlags) end(stderr io.Writer) {
	if f.offering == nil {
		return
	}
	if err := f.offering.Close(); err != nil {
		fmt.Fprintln(stderr, err)
	}
}

// ofBus names the flag in an error about the options of a bus, whose address is url.
func ofBus(fault error, url string) error {
	of := new(fleet.FieldError)
	if !errors.As(fault, &of) {
		return usageError{fault}
	}
	flag := map[string]string{"url": url, "listen": "lead", "creds": "nats-creds", "ca": "nats-ca", "token": "token-file"}[of.Field]
	return usageError{fmt.Errorf("--%s: %w", flag, of.Err)}
}

// member is the command by which a member on this machine is begun: it sends to the same target.
func (f *targetFlags) member() ([]string, error) {
	program, err := os.Executable()
	words := []string{program, "run"}
	if f.where[0] == targetEmbedded || f.where[0] == targetInProcess {
		return words, err
	}
	for _, where := range f.where {
		words = append(words, "--target", where)
	}
	if f.keyFile != "" {
		words = append(words, "--key-file", f.keyFile)
	}
	if f.account != "" {
		words = append(words, "--account", f.account)
	}
	return words, err
}
