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
	"time"

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

// runFlags are what a user typed after `loadgen run`.
type runFlags struct {
	live  liveFlags
	sweep sweepFlags
	join  joinFlags
}

const runHelp = `Run creates a table, executes the phases of a scenario, reports the result, and deletes
the table. The scenario is a YAML file or the name of a built-in scenario. Paths in a
file are relative to its folder.

By default the target is the embedded engine on a local socket. --target selects another
Table service; sending to it requires --yes. The record goes to a new folder in
results/runs.

If a budget of the scenario (stop_on) is exceeded, the run ends with a report up to then
and exit code 10.

` + sweepHelp + "\n\n" + fleetHelp + "\n\n" + findHelp + "\n\n" + driverHelp

func (f *runFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:               "run file|name",
		Short:             "Run a scenario file, or a built-in scenario, in real time",
		Long:              runHelp,
		ValidArgsFunction: oneScenario,
		Example: `  loadgen run my-table.yaml                       # your own scenario
  loadgen run my-table.yaml --use by-day          # another design
  loadgen run my-table.yaml --sweep use=by-day,by-customer
  loadgen run my-table.yaml --set phases.measure.arrivals.constant=200
  loadgen run stress --retry documented           # a built-in scenario
  loadgen run my-table.yaml --target in-process --format json
  loadgen run my-table.yaml --target env:TABLES --yes
  loadgen run my-table.yaml --processes 4         # four processes, each a quarter of the load
  loadgen run --join nats://host:4222 --token-file token --target env:TABLES`,
		Args: func(c *cobra.Command, args []string) error {
			if f.join.join != "" {
				return takes(0, 0, "no scenario with --join, whose leader has it, and got %d")(c, args)
			}
			return takesOne()(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if f.join.join != "" {
				return f.member(c.Context())
			}
			d, err := f.live.choice.open(args[0], "phases.measure.arrivals.constant=200", stderr)
			if err != nil {
				return err
			}
			command := append(commandOf(c), args[0])
			plan := func(s *scenarios.Scenario, command []string) (run.Plan, error) {
				return f.live.plan(c, s, d.antiPattern, command, stderr)
			}
			defer f.live.fleet.end(stderr)
			if len(f.sweep.axes) > 0 && f.live.record != "" {
				return usageError{errors.New("--record and --sweep are mutually exclusive")}
			}
			return f.sweep.run(c, &f.live.choice, &f.live.tell, d, command, plan, stdout, stderr)
		},
	}
	f.live.register(c.Flags())
	f.sweep.register(c.Flags())
	c.Flags().StringVar(&f.join.join, "join", "", "join a fleet at this `URL` of its leader or NATS server, such as nats://host:4222")
	c.Flags().StringVar(&f.join.name, "name", "", "with --join: name of this member (default: host and process)")
	c.Flags().StringArrayVar(&f.join.labels, "label", nil, "with --join: label of this member, `key=value`, repeatable")
	completeUse(c, "stress")
	return c
}

// sweepHelp is what the help of a verb that sweeps says of it.
const sweepHelp = `--sweep path=v1,v2,… runs the scenario once for each value, and for each combination if
repeated, at most 100 runs; a table compares them. Commas separate values, or semicolons
if there are any, except within brackets, braces and double quotes. With --out each run
has its own folder in that one.`

// sweepFlags have a scenario run once for each of several values.
type sweepFlags struct{ axes []string }

func (f *sweepFlags) register(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.axes, "sweep", nil, "run once for each value: `path=v1,v2,…`, repeatable for all combinations")
}

// planner returns the sound plan of a scenario that a command asks for.
type planner func(s *scenarios.Scenario, command []string) (run.Plan, error)

// run makes the runs, prints the table that compares them, and returns what the exit code
// is to say. Where nothing is swept it is one run, with the report of its own.
func (f *sweepFlags) run(c *cobra.Command, choice *choiceFlags, tell *tellFlags, d *draft, command []string, plan planner, stdout, stderr io.Writer) error {
	draw := func(alter func(*scenarios.Scenario) error) (*scenarios.Scenario, error) {
		return choice.read(c.Flags(), d, alter)
	}
	if len(f.axes) == 0 {
		return tell.runs(c, draw, command, plan, stdout, stderr)
	}
	given := slices.Clone(choice.set)
	for _, flag := range []string{"seed", "retry", "use", "workers"} {
		if c.Flags().Changed(flag) {
			given = append(given, flag+"=")
		}
	}
	for _, sweep := range f.axes {
		path, _, _ := strings.Cut(sweep, "=")
		for _, one := range given {
			if other, _, _ := strings.Cut(one, "="); other == path {
				return usageError{fmt.Errorf("--sweep %s: %s is given a value of its own, too; expected one of them", sweep, path)}
			}
		}
	}
	switch {
	case c.Flags().Changed("count"):
		return usageError{errors.New("--count and --sweep are mutually exclusive (use --sweep seed=1,2,3)")}
	case !slices.Contains(report.PrintForms(), tell.format):
		return usageError{fmt.Errorf("--format %s is of one run; expected %s with --sweep", tell.format, nearest.Choice(report.PrintForms()))}
	}
	return tell.series(c, series.Sweep{Axes: f.axes}, draw, command, plan, stdout, stderr)
}

// drawing returns the sound scenario that flags and an alteration, which may be nil, make.
type drawing func(alter func(*scenarios.Scenario) error) (*scenarios.Scenario, error)

// runs makes one run, with the report of its own, or repeats it as often as --count says.
func (f *tellFlags) runs(c *cobra.Command, draw drawing, command []string, plan planner, stdout, stderr io.Writer) error {
	s, err := draw(nil)
	if err != nil {
		return err
	}
	p, err := plan(s, command)
	if err != nil {
		return err
	}
	switch {
	case f.count == 1: // reported below
	case f.count < 1 || f.count > series.MostRuns:
		return usageError{fmt.Errorf("--count %d: expected 1 to %d runs", f.count, series.MostRuns)}
	case p.Attempts != "":
		return usageError{errors.New("--record is of one run, and --count makes several; expected one of them")}
	case f.format != formBenchmarks && !slices.Contains(report.PrintForms(), f.format):
		return usageError{fmt.Errorf("--format %s is of one run; expected %s, %s with --count", f.format, formBenchmarks, nearest.Choice(report.PrintForms()))}
	default:
		command = slices.DeleteFunc(slices.Clone(command), func(word string) bool { return strings.HasPrefix(word, "--seed=") })
		return f.series(c, series.Sweep{Count: f.count, Seed: s.Seed, Live: p.On != run.Simulated}, draw, command, plan, stdout, stderr)
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
	if err := f.ofOneRun(flag); err != nil {
		return err
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
	alone.quiet = true
	sweep.Out, sweep.Told, sweep.Exit = f.out, stderr, f.exit
	if f.silent() || f.shown() == progressJSON {
		sweep.Told = io.Discard
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
		if f.format == formBenchmarks {
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

// findFlags ask for the highest rate that holds.
type findFlags struct {
	limitOf       string
	maxThrottled  string
	maxP99        time.Duration
	step          time.Duration
	from, maxRate float64
}

// findHelp is what the help of such a verb says of the search.
const findHelp = `--find-limit searches the highest sustained rate instead of running the scenario's own:
it doubles or halves the rate until one holds and one does not, bisects to 1 %, and
repeats both ends. A rate holds if at most --max-throttled of first attempts are throttled
and, with --max-p99, the response p99 is within it. Throttled attempts are not retried
unless --retry is set.`

func (f *findFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.limitOf, "find-limit", "", "find the highest rate that a `partition`, or the account, sustains")
	flags.StringVar(&f.maxThrottled, "max-throttled", "0.5%", "with --find-limit: maximum `share` of throttled first attempts")
	flags.DurationVar(&f.maxP99, "max-p99", 0, "with --find-limit: the greatest response p99, such as 50ms (default: any)")
	flags.Float64Var(&f.from, "from", 0, "with --find-limit: the first rate, in operations/s (default: the scenario's first)")
	flags.Float64Var(&f.maxRate, "max-rate", 0, "with --find-limit: maximum rate in operations/s (default: 16 times the first, 8 for an account)")
	flags.DurationVar(&f.step, "step", 0, "with --find-limit: minimum length of a step, 2s or more (default: 100 × the saved allowance)")
}

// find returns the search over a sound scenario that the flags ask for, nil where they
// ask for none.
func (f *findFlags) find(flags *pflag.FlagSet, s *scenarios.Scenario) (*campaign.Find, error) {
	given := flags.Changed
	if !given("find-limit") {
		return nil, refuse(flags, "requires --find-limit partition or account",
			"max-throttled", "max-p99", "from", "max-rate", "step")
	}
	for _, flag := range []string{"rate", "peak", "duration"} {
		if given(flag) {
			return nil, usageError{fmt.Errorf("--find-limit and --%s are mutually exclusive (--from starts a search)", flag)}
		}
	}
	share, err := parseShare(f.maxThrottled)
	if err != nil {
		return nil, usageError{fmt.Errorf("--max-throttled %s: %w", f.maxThrottled, err)}
	}
	if given("max-p99") && f.maxP99 <= 0 {
		return nil, usageError{fmt.Errorf("--max-p99 %v: expected more than 0, such as 50ms", f.maxP99)}
	}
	search, err := run.NewFind(s, f.limitOf)
	if err != nil {
		return nil, err
	}
	search.MaxThrottled, search.MaxP99 = share, f.maxP99
	if given("from") {
		search.From, search.UpTo = f.from, run.HighestTried(f.limitOf, f.from)
	}
	if given("max-rate") {
		search.UpTo = f.maxRate
	}
	if given("step") {
		search.Step = f.step
	}
	return search, nil
}

// joinFlags have the process be a member of a fleet that another leads.
type joinFlags struct {
	join   string
	name   string
	labels []string
}

// member takes part in a run that another process leads.
func (f *runFlags) member(ctx context.Context) error {
	token, local := os.LookupEnv(fleet.TokenVariable)
	o := fleet.JoinOptions{Version: fleet.Version(), Name: f.join.name, Clock: clock.NewReal(), Deadline: f.live.fleet.deadline, Labels: make(map[string]string),
		Bus: fleet.BusOptions{URL: f.join.join, Creds: f.live.fleet.member.creds, CA: f.live.fleet.member.ca, Wait: f.live.fleet.deadline}}
	var err error
	switch {
	case f.live.fleet.member.tokenFile != "":
		o.Bus.Token, err = fleet.ReadToken(f.live.fleet.member.tokenFile)
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
	for _, label := range f.join.labels {
		key, value, ok := strings.Cut(label, "=")
		if !ok || key == "" || value == "" {
			return usageError{fmt.Errorf("--label %s: expected key=value, such as region=westeurope", label)}
		}
		o.Labels[key] = value
	}
	if o.Name == "" {
		host, _ := os.Hostname()
		o.Name = fmt.Sprintf("%s (%d)", host, os.Getpid())
	}
	if faults := o.Bus.Validate(); len(faults) > 0 {
		return ofBus(faults[0], "join")
	}
	var own fleet.Own
	if f.live.target.given {
		if own.Accounts, err = f.live.target.endpoints(); err != nil {
			return err
		}
	}
	o.Carry = own.Carry
	return fleet.Join(ctx, o)
}
