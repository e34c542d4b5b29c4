package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/report/text"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/fleet"
	"loadgen/scenarios/run"
)

func (f *runFlags) stressVerb(stdout, stderr io.Writer) *cobra.Command {
	return newVerb("stress", f, &cobra.Command{
		RunE: func(c *cobra.Command, _ []string) error {
			if f.Load.Keys == "" {
				return f.scenario(c, "stress", stdout, stderr)
			}
			d, err := f.Load.draft()
			if err != nil {
				return err
			}
			return f.run(c, f.drawing(c, d), commandOf(c), f.planner(c, d, stderr), stdout, stderr)
		},
	}, "sweep", "use", "anti-pattern", "join", "label")
}

// loadFlags replace the load that a scenario offers, and add to what is checked.
type loadFlags struct {
	Peak         float64       `flag:"peak" excludes:"rate"`
	Rate         float64       `flag:"rate"`
	Duration     time.Duration `flag:"duration" rare:"yes"`
	Keys         string        `flag:"keys"`
	PartitionKey string        `flag:"partition-key" requires:"keys"`
	RowKey       string        `flag:"row-key" rare:"yes" requires:"keys"`
	Expect       []string      `flag:"expect"`
}

// The bounds of a peak, whose double is a rate that a scenario takes, and the shortest step that shows where a
// partition saturates; defaultStep is the length of a step where nothing says another.
const (
	highestPeak    = 500_000
	lowestPeak     = 0.01
	shortestJudged = 2 * time.Second
	defaultStep    = 4 * time.Second
)

// judged are the rates by which a peak is judged, as parts of it: half of it and three quarters,
// itself, and up to twice as much for the headroom. Checks cover the whole run: with them the peak is the
// highest rate.
var judged = [...]float64{.5, .75, 1, 1.25, 1.5, 2}

// draft returns the stress test of the user's own keys.
func (f *loadFlags) draft() (*draft, error) {
	if f.PartitionKey == "" {
		return nil, usageError{errors.New("--keys requires --partition-key: a template over its columns, such as {device}")}
	}
	s, folder, err := scenarios.OfKeys(f.Keys, f.PartitionKey, f.RowKey)
	if err != nil {
		return nil, usageError{fmt.Errorf("--partition-key: %w", err)}
	}
	// Faults concern what was typed, not the text that was made of it.
	s.Credit("rows", "--keys "+f.Keys)
	s.Credit("design.partition_key", "--partition-key")
	s.Credit("design.row_key", "--row-key")
	return &draft{scenario: s, name: f.Keys, folder: folder, files: scenarios.FilesIn(folder), example: "entity.size=300"}, nil
}

// isGiven reports whether a flag of the load is given.
func (f *loadFlags) isGiven(flags *pflag.FlagSet) bool {
	return slices.ContainsFunc([]string{"peak", "rate", "duration", "expect"}, flags.Changed)
}

// validate returns what is wrong with the flags by themselves.
func (f *loadFlags) validate(flags *pflag.FlagSet) error {
	switch given := flags.Changed; {
	case given("rate") && !(f.Rate > 0):
		return usageError{fmt.Errorf("--rate %v: expected operations/s above 0", f.Rate)}
	case given("peak") && !(f.Peak >= lowestPeak && f.Peak <= highestPeak):
		return usageError{fmt.Errorf("--peak %v: expected operations/s from %v to %v", f.Peak, lowestPeak, highestPeak)}
	case given("duration") && f.Duration <= 0:
		return usageError{fmt.Errorf("--duration %v: expected more than 0, such as 4s", f.Duration)}
	case given("duration") && given("peak") && f.Duration < shortestJudged:
		return usageError{fmt.Errorf("--duration %v: judging a peak requires steps of %v or more, which use up the burst allowance",
			f.Duration, shortestJudged)}
	}
	return nil
}

// rates returns the rates of the flags, nil for those of the scenario. Checked is whether the run has checks.
func (f *loadFlags) rates(checked bool) []float64 {
	switch {
	case f.Peak > 0:
		// Rates have three decimals; the step that is judged is the one asked for.
		f.Peak = thousandth(f.Peak)
		var rates []float64
		for _, part := range judged {
			if part > 1 && checked {
				break
			}
			rates = append(rates, thousandth(f.Peak*part))
		}
		return rates
	case f.Rate > 0:
		return []float64{f.Rate}
	}
	return nil
}

// replace has a scenario offer the load, and check the figures, that the flags ask for.
func (f *loadFlags) replace(flags *pflag.FlagSet, s *scenarios.Scenario) error {
	if err := f.validate(flags); err != nil {
		return err
	}
	for _, check := range f.Expect {
		s.Expect = append(slices.Clip(s.Expect), check)
		s.Credit(fmt.Sprintf("expect.%d", len(s.Expect)-1), "--expect "+check)
	}
	at := slices.IndexFunc([]string{"peak", "rate", "duration"}, flags.Changed)
	if at < 0 {
		return nil
	}
	flag := []string{"peak", "rate", "duration"}[at]
	phase, err := offering(s, flag)
	if err != nil {
		return err
	}
	s.Phases = slices.Clone(s.Phases)
	p := &s.Phases[phase]
	traffic, arrivals := *p.Traffic, *p.Traffic.Arrivals
	traffic.Arrivals, p.Traffic = &arrivals, &traffic
	path := fmt.Sprintf("phases.%d.%s", phase, p.Kind())
	rates, length := f.rates(len(s.Expect) > 0), "for"
	switch {
	case rates == nil:
	case p.Form == scenarios.FormSpread && f.Peak > 0:
		return usageError{fmt.Errorf("--peak: phase %s offers one rate to each partition; expected --rate, or traffic with arrivals", p.Name)}
	case p.Form == scenarios.FormSpread:
		arrivals.Constant = thousandth(f.Rate / float64(max(1, traffic.Partitions, len(traffic.Keys))))
		s.Credit(path+".rate", "--rate")
	case p.Form == scenarios.FormPeak:
		steps := *arrivals.Steps
		steps.Rates, arrivals.Steps = rates, &steps
		s.Credit(path+".rates", "--"+flag)
	case f.Peak > 0:
		arrivals = scenarios.Arrivals{Steps: &scenarios.Steps{Rates: rates, Each: defaultStep, Hold: true}}
		traffic.For, traffic.WarmUp, traffic.StopWhenStable, traffic.Unit = 0, 0, 0, scenarios.UnitOperations
		s.Credit(path+".arrivals", "--peak")
	default:
		traffic.For = traffic.Lasts()
		arrivals, traffic.Unit = scenarios.Arrivals{Constant: f.Rate}, scenarios.UnitOperations
		s.Credit(path+".arrivals", "--rate")
	}
	if !flags.Changed("duration") {
		return nil
	}
	if arrivals.Steps == nil {
		traffic.For = f.Duration
	} else {
		steps := *arrivals.Steps
		steps.Each, arrivals.Steps, length = f.Duration, &steps, "each"
		if p.Form == "" {
			length = "arrivals.steps.each"
		}
	}
	s.Credit(path+"."+length, "--duration")
	return nil
}

// offering returns the position of the only phase of a scenario with arrivals, whose load a flag replaces.
func offering(s *scenarios.Scenario, flag string) (int, error) {
	var at []int
	var names []string
	for i := range s.Phases {
		if t := s.Phases[i].Traffic; t != nil && t.Arrivals != nil {
			at, names = append(at, i), append(names, s.Phases[i].Name)
		}
	}
	switch len(at) {
	case 1:
		return at[0], nil
	case 0:
		return 0, usageError{fmt.Errorf("--%s is of a rate, and no phase of %s has arrivals; expected --set phases.NAME.…", flag, s.Name)}
	}
	return 0, usageError{fmt.Errorf("--%s replaces the load of one phase, and %s has several with arrivals: %s; expected --set phases.NAME.…",
		flag, s.Name, strings.Join(names, ", "))}
}

// thousandth rounds to three decimals.
func thousandth(x float64) float64 { return math.Round(x*1000) / 1000 }

// fleetFlags have several processes offer a load together, or this one join those that another leads.
type fleetFlags struct {
	Processes int           `flag:"processes" rare:"yes"`
	Lead      string        `flag:"lead" rare:"yes" requires:"processes"`
	OnLoss    string        `flag:"on-loss" rare:"yes" words:"fail,finish" default:"fail" requires:"processes"`
	Join      string        `flag:"join" rare:"yes" excludes:"processes"`
	Deadline  time.Duration `flag:"join-within" rare:"yes" default:"1m" requires:"processes|join"`
	Labels    []string      `flag:"label" rare:"yes"`
	TokenFile string        `flag:"token-file" rare:"yes" requires:"processes|join"`
	Creds     string        `flag:"nats-creds" rare:"yes" requires:"processes|join"`
	CA        string        `flag:"nats-ca" rare:"yes" requires:"processes|join"`
	// offering are the processes, the same for all runs of the command; nil without any.
	offering *fleet.Offering
}

// fill has a plan's load be offered by several processes, where that was asked for: none of them
// is begun yet. The folder is what the paths in the scenario count from.
func (f *fleetFlags) fill(flags *pflag.FlagSet, p *run.Plan, target *targetFlags, folder string, quiet bool, stderr io.Writer) error {
	if f.Processes == 0 && !flags.Changed("processes") {
		return nil
	}
	if f.offering != nil {
		return flagged(flags, f.offering.Fill(p))
	}
	offering := &fleet.Offering{Members: f.Processes, Deadline: f.Deadline, FinishOnLoss: f.OnLoss == "finish", Folder: folder, MemberErrors: stderr,
		Bus: fleet.BusOptions{Listen: f.Lead, Creds: f.Creds, CA: f.CA}}
	if strings.Contains(f.Lead, "://") {
		offering.Bus.URL, offering.Bus.Listen = f.Lead, ""
	}
	offering.Notify = func(line string) {
		if !quiet {
			fmt.Fprintln(stderr, text.Harmless(line)) // members choose their names
		}
	}
	var err error
	switch {
	case f.Lead == "":
		if offering.Local, err = target.member(); err == nil {
			offering.Bus.Token, err = fleet.NewToken()
		}
	case f.TokenFile == "":
		err = usageError{errors.New("--lead requires --token-file with the same token for all members (openssl rand -hex 32 > token; chmod 600 token)")}
	default:
		offering.Bus.Token, err = fleet.ReadToken(f.TokenFile)
	}
	if err != nil {
		return err
	}
	if err := busFault(offering.Bus.Validate("lead")); err != nil {
		return err
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

// busFault names the flag of an invalid option of a bus.
func busFault(err error) error {
	var fault fields.Fault
	if !errors.As(err, &fault) {
		return err
	}
	return usageError{fmt.Errorf("--%s: %s", fault.Path, fault.What)}
}

// member returns the command that starts a member on this machine, which sends to the same target.
func (f *endpointFlags) member() ([]string, error) {
	program, err := os.Executable()
	words := []string{program, "run"}
	if first := f.Target.firstTarget(); first == targetEmbedded || first == targetInProcess {
		return words, err
	}
	return append(words, f.arguments()...), err
}
