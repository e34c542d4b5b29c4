package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/engine/clock"
	"loadgen/engine/nearest"
	"loadgen/report"
	"loadgen/report/text"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/fleet"
	"loadgen/scenarios/run"
	"loadgen/scenarios/series"
)

// runFlags are what a user typed after `loadgen run`, after simulate, which is run --virtual, or after stress.
type runFlags struct {
	Load   loadFlags   `group:"Load"`
	Choice choiceFlags `group:"Scenario"`
	Sweep  []string    `flag:"sweep" group:"Scenario" rare:"yes" excludes:"record"`
	Verify bool        `flag:"verify-writes" group:"Scenario" rare:"yes"`

	Virtual    bool `flag:"virtual" group:"Virtual time"`
	Data       bool `flag:"data" group:"Virtual time" rare:"yes" requires:"virtual"`
	OneProfile bool `flag:"one-profile" group:"Virtual time" rare:"yes" requires:"virtual"`
	Memory     size `flag:"memory-limit" group:"Virtual time" rare:"yes" default:"2GiB" requires:"virtual"`

	Target targetFlags `group:"Target" excludes:"virtual"`
	Price  priceFlag   `group:"Target" excludes:"virtual" requires:"target"`
	Sender senderFlags `group:"Target" excludes:"virtual" rare:"yes"`
	Limit  string      `flag:"find-limit" group:"Highest rate" excludes:"rate,peak,duration"`
	Fleet  fleetFlags  `group:"Several processes" excludes:"virtual"`
	Tell   tellFlags   `group:"Output"`
}

// senderFlags say what sends the load, and to which table.
type senderFlags struct {
	Client  string `flag:"client"`
	Record  string `flag:"record"`
	Table   string `flag:"table"`
	Reuse   bool   `flag:"reuse"`
	Keep    bool   `flag:"keep"`
	NoProbe bool   `flag:"no-probe"`
}

// canonical is the scenario that is simulated where none is named.
const canonical = "simulate"

func (f *runFlags) runVerb(stdout, stderr io.Writer) *cobra.Command {
	return newVerb("run", f, &cobra.Command{
		Args: func(c *cobra.Command, args []string) error {
			if f.Fleet.Join != "" {
				return takes(0, 0, "no scenario with --join, whose leader has it, and got %d")(c, args)
			}
			return takesOne()(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if f.Fleet.Join != "" {
				return f.member(c.Context())
			}
			return f.scenario(c, args[0], stdout, stderr)
		},
		ValidArgsFunction: oneScenario,
	}, "keys", "partition-key", "row-key")
}

func (f *runFlags) simulateVerb(stdout, stderr io.Writer) *cobra.Command {
	f.Virtual = true
	c := newVerb("simulate", f, &cobra.Command{
		Args: takes(0, 1, "one scenario, such as stress, day-key or my-table.yaml, and got %d; see `loadgen scenarios list`"),
		RunE: func(c *cobra.Command, args []string) error {
			return f.scenario(c, append(args, canonical)[0], stdout, stderr)
		},
		ValidArgsFunction: oneScenario,
	}, "keys", "partition-key", "row-key")
	c.Flags().VisitAll(func(one *pflag.Flag) {
		one.Hidden = one.Name == "virtual" || slices.Contains(one.Annotations[tagExcludes], "virtual")
	})
	return c
}

// scenario runs a scenario in real or in virtual time.
func (f *runFlags) scenario(c *cobra.Command, name string, stdout, stderr io.Writer) error {
	d, err := f.Choice.open(name, "phases.measure.arrivals.constant=200", stderr)
	if err != nil {
		return err
	}
	command := commandOf(c)
	if c.Flags().NArg() > 0 {
		command = append(command, name)
	}
	return f.run(c, f.drawing(c, d), command, f.planner(c, d, stderr), stdout, stderr)
}

// drawing returns what makes the sound scenario of a draft, as the flags have it.
func (f *runFlags) drawing(c *cobra.Command, d *draft) drawing {
	return func(alter func(*scenarios.Scenario) error) (*scenarios.Scenario, error) {
		if alter == nil && !f.Load.isGiven(c.Flags()) {
			return f.Choice.read(c.Flags(), d, nil)
		}
		return f.Choice.read(c.Flags(), d, func(s *scenarios.Scenario) error {
			err := f.Load.replace(c.Flags(), s)
			if err == nil && alter != nil {
				err = alter(s)
			}
			return err
		})
	}
}

// planner returns what makes the sound plan of a scenario, as the flags have it.
func (f *runFlags) planner(c *cobra.Command, d *draft, stderr io.Writer) planner {
	return func(s *scenarios.Scenario, command []string) (run.Plan, error) {
		p := run.Plan{Scenario: s, AntiPattern: d.antiPattern, Command: command, RetryChosen: f.Choice.retryChosen(c), Peak: f.Load.Peak,
			Verify: f.Verify, HistogramLog: f.Tell.HLog, SecondsTable: f.Tell.CSV, Out: f.Tell.Out, Runs: runsKept()}
		var err error
		if p.Find, err = f.find(s); err != nil {
			return p, err
		}
		if f.Virtual {
			p.Epoch, p.Data, p.MemoryLimit = clock.NewReal().Started(), f.Data, int64(f.Memory)
			// The table of a sweep shows no verdict, so that another profile of the model is not compared by default.
			p.Rival = !f.OneProfile && (len(f.Sweep) == 0 || c.Flags().Changed("one-profile"))
			return p, named(c.Flags(), p.Validate()...)
		}
		if p.Client, p.Attempts = f.Sender.Client, f.Sender.Record; p.Client == run.Vegeta {
			p.Client, p.Driver = "", run.Vegeta
		}
		p.Table, p.Reuse, p.Keep, p.NoProbe = f.Sender.Table, f.Sender.Reuse, f.Sender.Keep, f.Sender.NoProbe
		price, err := f.Price.forecast()
		if err != nil {
			return p, err
		}
		p.Consent = agree(f.Target.Consent, f.Tell.silent(), price, stderr)
		if p.Labels, err = labelsOf(f.Fleet.Labels); err != nil {
			return p, err
		}
		if err := f.Target.fill(&p); err != nil {
			return p, err
		}
		if err := f.Fleet.fill(c.Flags(), &p, &f.Target, f.Choice.folder, f.Tell.silent(), stderr); err != nil {
			return p, err
		}
		return p, named(c.Flags(), p.Validate()...)
	}
}

// planner returns the sound plan of a scenario that a command asks for.
type planner func(s *scenarios.Scenario, command []string) (run.Plan, error)

// run makes the run of a scenario, or those of a sweep, and returns what the exit code is to say.
func (f *runFlags) run(c *cobra.Command, draw drawing, command []string, plan planner, stdout, stderr io.Writer) error {
	defer f.Fleet.end(stderr)
	if len(f.Sweep) == 0 {
		return f.Tell.runs(c, draw, command, plan, stdout, stderr)
	}
	given := slices.Clone(f.Choice.Set)
	for _, flag := range []string{"seed", "retry", "use", "workers"} {
		if c.Flags().Changed(flag) {
			given = append(given, flag+"=")
		}
	}
	for _, sweep := range f.Sweep {
		path, _, _ := strings.Cut(sweep, "=")
		for _, one := range given {
			if other, _, _ := strings.Cut(one, "="); other == path {
				return usageError{fmt.Errorf("--sweep %s: %s is given a value of its own, too; expected one of them", sweep, path)}
			}
		}
	}
	if !slices.Contains(report.PrintForms(), f.Tell.Format) {
		return usageError{fmt.Errorf("--format %s is of one run; expected %s with --sweep", f.Tell.Format, nearest.Choice(report.PrintForms()))}
	}
	return f.Tell.series(c, series.Sweep{Axes: f.Sweep}, draw, command, plan, stdout, stderr)
}

// drawing returns the sound scenario that flags and an alteration, which may be nil, make.
type drawing func(alter func(*scenarios.Scenario) error) (*scenarios.Scenario, error)

// runs makes one run, with the report of its own, or repeats it as often as --count says.
func (f *tellFlags) runs(c *cobra.Command, draw drawing, command []string, plan planner, stdout, stderr io.Writer) error {
	s, err := draw(nil)
	if err != nil {
		return err
	}
	command = slices.DeleteFunc(command, func(word string) bool { return strings.HasPrefix(word, "--count=") })
	p, err := plan(s, command)
	if err != nil {
		return err
	}
	switch {
	case f.Count == 1: // reported below
	case f.Count < 1 || f.Count > series.MaxRuns:
		return usageError{fmt.Errorf("--count %d: expected 1 to %d runs", f.Count, series.MaxRuns)}
	case f.Format != formBenchmarks && !slices.Contains(report.PrintForms(), f.Format):
		return usageError{fmt.Errorf("--format %s is of one run; expected %s, %s with --count", f.Format, formBenchmarks, nearest.Choice(report.PrintForms()))}
	default:
		command = slices.DeleteFunc(slices.Clone(command), func(word string) bool { return strings.HasPrefix(word, "--seed=") })
		return f.series(c, series.Sweep{Count: f.Count, Seed: s.Seed, Live: p.On != run.Simulated}, draw, command, plan, stdout, stderr)
	}
	exports, err := f.exports(c.Context(), stderr)
	if err != nil {
		return err
	}
	defer exports.Close()
	f.equip(c.Context(), &p, exports, stderr)
	record, ended := run.Run(c.Context(), p)
	if record == nil {
		return flagged(c.Flags(), ended)
	}
	if err := errors.Join(standsBy(exports.Page, record), f.print(stdout, record)); err != nil {
		return err
	}
	if ended != nil && ended != run.ErrBudget && !errors.Is(ended, drive.ErrStopped) {
		return reported(ended, record.Validity != results.Partial)
	}
	return f.judge(record, ended)
}

// formBenchmarks is the form that benchstat reads.
const formBenchmarks = "benchfmt"

// series makes the runs of a sweep, reports on them together, and returns the error of the exit code.
func (f *tellFlags) series(c *cobra.Command, sweep series.Sweep, draw drawing, command []string, plan planner, stdout, stderr io.Writer) error {
	flag := "--sweep"
	if sweep.Count > 0 {
		flag = "--count"
	}
	exports, err := f.exports(c.Context(), stderr)
	if err != nil {
		return err
	}
	defer exports.Close()
	if url := exports.Page.URL(); url != "" && f.progressMode() == progressJSON {
		_, _ = stderr.Write(eventLine("live_page", 0, "url", url))
	}
	alone := *f
	alone.Quiet = true
	sweep.Out, sweep.Progress, sweep.Exit = f.Out, stderr, f.exit
	if f.silent() || f.progressMode() == progressJSON {
		sweep.Progress = io.Discard
	}
	sweep.Plan = func(set []scenarios.Setting) (run.Plan, error) {
		own := slices.Clone(command)
		s, err := draw(func(s *scenarios.Scenario) error {
			for _, one := range set {
				own = append(own, "--set", one.String())
				if err := s.SetFrom(flag+" "+one.String(), one.Path, one.Value); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return run.Plan{}, err
		}
		p, err := plan(s, own)
		alone.equip(c.Context(), &p, exports, stderr)
		return p, err
	}
	swept, ended := sweep.Run(c.Context())
	if len(swept.Made) > 0 || ended == nil {
		if f.Format == formBenchmarks {
			err = swept.Benchmarks(stdout)
		} else {
			err = f.show(stdout, swept.Document())
		}
		looked := standsFor(exports.Page, func(w io.Writer) error {
			return report.Print(w, swept.Document(), report.FormPage, text.Look{})
		})
		if err := errors.Join(err, looked); err != nil {
			return err
		}
		ended = reported(ended, false)
	}
	var fault fields.Fault
	switch {
	case errors.As(ended, &fault) && fault.Path == "sweep":
		// It names the one of several that is meant.
		return usageError{fmt.Errorf("--sweep %s", fault.What)}
	case ended != nil:
		return flagged(c.Flags(), ended)
	default:
		return endsWith(swept.Exit())
	}
}

// exit returns the error of the exit code of a single run.
func (f *tellFlags) exit(record *results.Record, ended error) int {
	var told verdictError
	if errors.As(f.judge(record, ended), &told) {
		return told.code
	}
	return codeOk
}

// find returns the search over a sound scenario that the flag asks for, nil without the flag.
func (f *runFlags) find(s *scenarios.Scenario) (*campaign.Find, error) {
	words := strings.Fields(f.Limit)
	if len(words) == 0 {
		return nil, nil
	}
	search, err := run.NewFind(s, words[0])
	if err != nil {
		return nil, err
	}
	throttled := share(search.MaxThrottled)
	options := pflag.NewFlagSet("", pflag.ContinueOnError)
	options.Var(&throttled, "throttled", "")
	options.DurationVar(&search.MaxP99, "p99", 0, "")
	options.Float64Var(&search.From, "from", search.From, "")
	options.Float64Var(&search.UpTo, "to", 0, "")
	options.DurationVar(&search.Step, "step", search.Step, "")
	if err := setOptions("--find-limit", options, words[1:]...); err != nil {
		return nil, err
	}
	search.MaxThrottled = float64(throttled)
	if !options.Changed("to") {
		search.UpTo = run.HighestTried(words[0], search.From)
	}
	return search, nil
}

// labelsOf parses labels of the form key=value.
func labelsOf(texts []string) (map[string]string, error) {
	labels := make(map[string]string)
	for _, text := range texts {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" || value == "" {
			return nil, usageError{fmt.Errorf("--label %s: expected key=value, such as commit=1a2b3c4", text)}
		}
		labels[key] = value
	}
	return labels, nil
}

// member takes part in a run that another process leads.
func (f *runFlags) member(ctx context.Context) error {
	token, local := os.LookupEnv(fleet.TokenVariable)
	o := fleet.JoinOptions{Clock: clock.NewReal(), Bus: fleet.BusOptions{URL: f.Fleet.Join, Creds: f.Fleet.Creds, CA: f.Fleet.CA, Wait: f.Fleet.Deadline}}
	o.Version, o.Deadline = fleet.Version(), f.Fleet.Deadline
	var err error
	switch {
	case f.Fleet.TokenFile != "":
		o.Bus.Token, err = fleet.ReadToken(f.Fleet.TokenFile)
	case local:
		// Ctrl-C is for who leads, and ends its members.
		signal.Ignore(os.Interrupt)
		o.Bus.Token, err = fleet.NewTokenOf(token)
	default:
		err = usageError{errors.New("--join needs --token-file; expected the file that the leader has")}
	}
	if err != nil {
		return err
	}
	if o.Labels, err = labelsOf(f.Fleet.Labels); err != nil {
		return err
	}
	o.Name = o.Labels["name"]
	delete(o.Labels, "name")
	if o.Name == "" {
		host, _ := os.Hostname()
		o.Name = fmt.Sprintf("%s (%d)", host, os.Getpid())
	}
	if err := busFault(o.Bus.Validate("join")); err != nil {
		return err
	}
	var accounts []run.Endpoint
	if len(f.Target.Target) > 0 {
		if accounts, err = f.Target.endpoints(); err != nil {
			return err
		}
	}
	o.Carry = fleet.SendTo(accounts)
	beginWork(ctx)
	return fleet.Join(ctx, o)
}
