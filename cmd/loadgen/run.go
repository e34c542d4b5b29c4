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
	Sweep  []string    `flag:"sweep" group:"Scenario" rare:"yes" excludes:"record" help:"run once for each value: *path=v1,v2,…*, repeatable for all combinations"`
	Verify bool        `flag:"verify-writes" group:"Scenario" rare:"yes" help:"verify that no acknowledged write is lost or doubled (exit 10)"`

	Virtual    bool `flag:"virtual" group:"Virtual time" help:"use a virtual clock: minutes take seconds, and nothing is sent"`
	Data       bool `flag:"data" group:"Virtual time" rare:"yes" requires:"virtual" help:"store entities even where the scenario never reads them"`
	OneProfile bool `flag:"one-profile" group:"Virtual time" rare:"yes" requires:"virtual" help:"do not compare the verdict with that of another profile of the model"`
	Memory     size `flag:"memory-limit" group:"Virtual time" rare:"yes" default:"2GiB" requires:"virtual" help:"do not take more memory than this *size*"`

	Target targetFlags `group:"Target" excludes:"virtual"`
	Price  priceFlag   `group:"Target" excludes:"virtual" requires:"target"`
	Sender senderFlags `group:"Target" excludes:"virtual" rare:"yes"`
	Limit  string      `flag:"find-limit" group:"Highest rate" excludes:"rate,peak,duration" help:"find the highest rate that a *partition*, or the account, sustains"`
	Fleet  fleetFlags  `group:"Several processes" excludes:"virtual"`
	Tell   tellFlags   `group:"Output"`
}

// senderFlags say what sends the load, and to which table.
type senderFlags struct {
	Client  string `flag:"client" help:"native (least CPU; default for loadgen serve), net/http (proxies, HTTP/2; default otherwise) or vegeta"`
	Record  string `flag:"record" help:"also write every attempt to this *file* as vegeta results"`
	Table   string `flag:"table" help:"name of the *table*"`
	Reuse   bool   `flag:"reuse" help:"use an existing table that loadgen created"`
	Keep    bool   `flag:"keep" help:"keep the table after the run"`
	NoProbe bool   `flag:"no-probe" help:"skip the test of the generator's maximum rate"`
}

// canonical is the scenario that is simulated where none is named.
const canonical = "simulate"

const runHelp = `Run creates a table, executes the phases of a scenario, reports the result, and deletes
the table. The scenario is a YAML file or the name of a built-in scenario. Paths in a
file are relative to its folder.

By default the target is the embedded engine on a local socket. --target selects another
Table service; sending to it requires --yes. The record goes to a new folder in
results/runs.

If a budget of the scenario (stop_on) is exceeded, the run ends with a report up to then
and exit code 10.

` + loadHelp + "\n\n" + sweepHelp + "\n\n" + fleetHelp + "\n\n" + findHelp + "\n\n" + clientHelp

const simulateHelp = `Simulate runs a scenario, a YAML file or a built-in one, with the session, engine and
record of a real run but on a virtual clock: twenty minutes take seconds, and the same
seed gives the same record except for the start time. It is run --virtual.

Without a name it runs the standard scenario: a new table with 1,000 merges/s on each of
twelve keys. The table is throttled, its ranges split and move, and finally everything is
served. The verdict reports the time, and whether it holds under another profile of the
model, which is simulated as well.

Entities are stored only if the scenario reads its own writes, or with --data. Admission,
counts and times do not depend on it, but 404, 409 and 412 do.

` + loadHelp + "\n\n" + sweepHelp + "\n\n" + findHelp

// sweepHelp is what the help of a verb that sweeps says of it.
const sweepHelp = `--sweep path=v1,v2,… runs the scenario once for each value, and for each combination if
repeated, at most 100 runs; a table compares them. Commas separate values, or semicolons
if there are any, except within brackets, braces and double quotes. With --out each run
has its own folder in that one.`

// clientHelp is what the help of a verb says of its clients.
const clientHelp = `--client vegeta repeats the measurement with vegeta's attacker and a plain net/http
client; everything else stays the same. Operations are single requests without retries
(--retry none). Response times still begin when an operation is due, unlike vegeta's
latencies.`

// register adds the flags but those in except.
func (f *runFlags) register(flags *pflag.FlagSet, except ...string) {
	bind(flags, f, append(except, "verbose")...)
	f.Tell.register(flags)
}

func (f *runFlags) runVerb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "run file|name",
		Short: "Run a scenario file, or a built-in scenario, in real time",
		Long:  runHelp,
		Example: `  loadgen run my-table.yaml                       # your own scenario
  loadgen run my-table.yaml --use by-day          # another design
  loadgen run my-table.yaml --peak 1500 --virtual # does the design hold it? in seconds
  loadgen run my-table.yaml --expect "p99(get) < 50ms"
  loadgen run my-table.yaml --sweep use=by-day,by-customer
  loadgen run my-table.yaml --set phases.measure.arrivals.constant=200
  loadgen run stress --retry documented           # a built-in scenario
  loadgen run my-table.yaml --target in-process --format json
  loadgen run my-table.yaml --target env:TABLES --yes
  loadgen run my-table.yaml --processes 4         # four processes, each a quarter of the load
  loadgen run --join nats://host:4222 --token-file token --target env:TABLES`,
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
	}
	f.register(c.Flags(), "keys", "partition-key", "row-key")
	completeUse(c, "stress")
	return c
}

func (f *runFlags) simulateVerb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "simulate [file|name]",
		Short: "Run a scenario in virtual time",
		Long:  simulateHelp,
		Example: `  loadgen simulate                                # load balancing of a new table
  loadgen simulate --set start=warm               # the same load on spread ranges
  loadgen simulate --set phases.spread.partitions=1 --set phases.spread.rate=6000
  loadgen simulate --set model.detection=10m --format json
  loadgen simulate stress                         # the stress test, without waiting
  loadgen simulate my-table.yaml                  # your own scenario
  loadgen simulate my-table.yaml --anti-pattern   # its anti-pattern
  loadgen simulate my-table.yaml --sweep use=by-day,by-customer --sweep seed=1,2,3
  loadgen simulate stress --find-limit partition  # highest rate that a partition sustains`,
		Args: takes(0, 1, "one scenario, such as stress, day-key or my-table.yaml, and got %d; see `loadgen scenarios list`"),
		RunE: func(c *cobra.Command, args []string) error {
			return f.scenario(c, append(args, canonical)[0], stdout, stderr)
		},
		ValidArgsFunction: oneScenario,
	}
	f.Virtual = true
	f.register(c.Flags(), "keys", "partition-key", "row-key")
	c.Flags().VisitAll(func(one *pflag.Flag) {
		one.Hidden = one.Name == "virtual" || slices.Contains(one.Annotations[tagExcludes], "virtual")
	})
	completeUse(c, canonical)
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
		if alter == nil && !f.Load.given(c.Flags()) {
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
		return flagged(f.flags, ended)
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
	if url := exports.Page.URL(); url != "" && f.shown() == progressJSON {
		_, _ = stderr.Write(lineOf(pageOpened{head{"live_page", 0}, url}))
	}
	alone := *f
	alone.Quiet = true
	sweep.Out, sweep.Progress, sweep.Exit = f.Out, stderr, f.exit
	if f.silent() || f.shown() == progressJSON {
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

// findHelp is what the help of such a verb says of the search.
const findHelp = `--find-limit searches the highest sustained rate instead of running the scenario's own:
it doubles or halves the rate until one holds and one does not, bisects to 1%, and
repeats both ends. Throttled attempts are not retried unless --retry is set. A rate holds
if at most 0.5% of first attempts are throttled. Options, with example values:
"partition throttled=1% p99=50ms from=500 to=4000 step=4s" are the maximum share and
response p99, the first and maximum rate, and the minimum length of a step.`

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
