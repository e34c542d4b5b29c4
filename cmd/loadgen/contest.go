package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/report"
	"loadgen/report/compare/contest"
	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
	"loadgen/scenarios/series"
)

// designsFlags are what a user typed after `loadgen contest`.
type designsFlags struct {
	Plan       series.ContestPlan `group:"Designs"`
	Choice     choiceFlags        `group:"Scenario"`
	Price      priceFlag          `group:"Designs"`
	OneProfile bool               `flag:"one-profile" group:"Scenario" rare:"yes"`
	Memory     size               `flag:"memory-limit" group:"Scenario" rare:"yes" default:"2GiB"`
	Target     targetFlags        `group:"Target" requires:"target"`
	NoProbe    bool               `flag:"no-probe" group:"Target" rare:"yes" requires:"target"`
	Fleet      fleetFlags         `group:"Several processes" requires:"target"`
	Page       liveFlag           `flag:"live-page" alone:":0" group:"Output"`
	Form       formFlags          `group:"Output"`
	Out        string             `flag:"out" group:"Output"`
	Strict     bool               `flag:"strict" group:"Output" rare:"yes"`
	Quiet      bool               `flag:"quiet" group:"Output" rare:"yes"`
}

func (f *designsFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	f.Plan.Seeds, f.Plan.Alpha = defaultSeeds, contest.DefaultAlpha
	return newVerb("contest", f, &cobra.Command{
		ValidArgsFunction: oneScenario,
		Args:              takesOne(),
		RunE:              func(c *cobra.Command, args []string) error { return f.contest(c, args[0], stdout, stderr) },
	}, "use", "anti-pattern", "join", "label")
}

// priceFlag has the price of transactions, storage and egress.
type priceFlag struct {
	Price string `flag:"price" rare:"yes"`
}

// fill sets the price that the flag has.
func (f *priceFlag) fill(p *results.Price) error {
	if f.Price == "" {
		return nil
	}
	options := pflag.NewFlagSet("", pflag.ContinueOnError)
	options.Float64Var(&p.PerMillion, "transactions", 0, "")
	options.Float64Var(&p.PerGiBMonth, "stored", 0, "")
	options.Float64Var(&p.PerGBEgress, "egress", 0, "")
	options.BoolVar(&p.BillRefused, "throttled", false, "")
	return setOptions("--price", options, strings.Fields("transactions="+f.Price)...)
}

// forecast returns the price of a forecast, which has transactions and egress alone.
func (f *priceFlag) forecast() (p results.Price, err error) {
	if err = f.fill(&p); err != nil {
		return p, err
	}
	if p.PerGiBMonth != 0 || p.BillRefused {
		return p, usageError{errors.New("--price: stored and throttled do not apply to a forecast; expected a number and egress=NUMBER")}
	}
	if faults := p.Validate(); len(faults) > 0 {
		return p, usageError{fmt.Errorf("--price: %w", faults[0])}
	}
	return p, nil
}

// defaultSeeds is the default number of runs of a design.
const defaultSeeds = 5

// contest compares the designs and prints the result. A result is no failure.
func (f *designsFlags) contest(c *cobra.Command, name string, stdout, stderr io.Writer) error {
	if err := f.check(c); err != nil {
		return err
	}
	s, folder, err := f.contested(c, name)
	if err != nil {
		return err
	}
	f.fill(c, name, stderr)
	f.Plan.Run.Scenario, f.Plan.Source = s, folder
	if err := f.Fleet.fill(c.Flags(), &f.Plan.Run, &f.Target, folder, f.Quiet, stderr); err != nil {
		return err
	}
	defer f.Fleet.end(stderr)
	looked, err := f.Page.show(c.Context(), stderr)
	if err != nil {
		return err
	}
	defer looked.Close()
	if looked != nil {
		f.Plan.Watch = func(compose func() (*document.Document, string)) func() {
			looked.Show(compose)
			return looked.Refresh
		}
	}
	held, ended := series.Contest(c.Context(), f.Plan)
	if held == nil {
		return flagged(c.Flags(), ended)
	}
	if err := standsFor(looked, func(w io.Writer) error { return contestPage(held, w) }); err != nil {
		return err
	}
	if !f.Quiet {
		fmt.Fprintf(stderr, "the contest is in %s\n", held.Folder)
		if held.Written != "" {
			fmt.Fprintf(stderr, "the scenario with the first design in use is %s; next: loadgen run %s\n", held.Written, held.Written)
		}
	}
	if f.Form.Format == report.FormPage {
		err = contestPage(held, stdout)
	} else {
		d := held.Document()
		d.Screen = append(d.Screen, whereKept(filepath.Join(string(held.Folder), contest.PageFile)))
		err = f.Form.show(stdout, d)
	}
	if err != nil {
		return err
	}
	if ended != nil && ended != run.ErrBudget {
		return reported(ended, false)
	}
	return f.judge(held.Contest)
}

// check returns what is wrong with the flags, and works out what they aim at.
func (f *designsFlags) check(c *cobra.Command) error {
	f.Plan.Run.MemoryLimit = int64(f.Memory)
	if err := f.Price.fill(&f.Plan.Price); err != nil {
		return err
	}
	if f.Plan.Price.PerGBEgress != 0 {
		return usageError{errors.New("--price: egress does not apply to a contest; expected a number, stored=NUMBER or throttled")}
	}
	if err := named(c.Flags(), f.Plan.Validate()...); err != nil || len(f.Target.Target) == 0 {
		return err
	}
	return f.Target.fill(&f.Plan.Run)
}

// contested returns the scenario with the overrides of the flags, which is sound under
// one of its designs at least, and the folder that paths in it count from.
func (f *designsFlags) contested(c *cobra.Command, name string) (*scenarios.Scenario, string, error) {
	opened, folder, err := scenarios.OpenContested(name)
	if err != nil {
		return nil, "", err
	}
	s, err := f.Choice.apply(c.Flags(), &draft{scenario: opened, example: "model.partition_target=500"})
	if err != nil {
		return nil, "", err
	}
	return s, folder, s.Shared()
}

// fill has the flags fill the plan, but for the scenario.
func (f *designsFlags) fill(c *cobra.Command, name string, stderr io.Writer) {
	p := &f.Plan.Run
	p.Out, p.Runs, p.Rival, p.NoProbe = f.Out, runsKept(), !f.OneProfile, f.NoProbe
	// It repeats the contest, whatever the order in which its designs were named.
	f.Plan.Repeat = func(designs []string) string {
		command := commandOf(c, "designs", "write", "yes", "verbose")
		if len(designs) > 0 {
			command = append(command, "--designs="+strings.Join(designs, ","))
		}
		return text.CommandLine(append(command, name))
	}
	// It repeats a single run.
	f.Plan.Alone = func(design string, seed uint64) []string {
		verb := "simulate"
		if len(f.Target.Target) > 0 {
			verb = "run"
		}
		command := []string{"loadgen", verb, name}
		if f.Choice.Retry != "" {
			command = append(command, "--retry="+f.Choice.Retry)
		}
		for _, set := range f.Choice.Set {
			command = append(command, "--set", set)
		}
		if f.Fleet.Processes > 0 {
			command = append(command, "--processes="+strconv.Itoa(f.Fleet.Processes))
		}
		return append(command, "--use="+design, "--seed="+strconv.FormatUint(seed, 10))
	}
	if !f.Quiet {
		f.Plan.Progress = stderr
	}
	if len(f.Target.Target) == 0 {
		return
	}
	p.Consent = agree(f.Target.Consent, f.Quiet, results.Price{PerMillion: f.Plan.Price.PerMillion}, stderr)
	p.Kept, p.Remains = report.Illustrate, leftoversOf(c.Context(), nil)
}

// contestPage writes the page of a contest that is kept.
func contestPage(held *series.Contested, to io.Writer) error {
	kept, err := contest.Open(held.Folder)
	if err != nil {
		return err
	}
	return kept.Page(to)
}

// judge returns what the exit code says of a contest: of its runs, and what contest.json
// says of the winner's checks, or of all where none holds them. That other designs fail is
// what a contest is for.
func (f *designsFlags) judge(contest *contest.Contest) error {
	o := outcome{strict: f.Strict, failed: contest.Ok != nil && !*contest.Ok}
	// It is an answer that no design wins.
	o.untold = contest.Winner != nil && contest.State == results.CannotTell
	for i := range contest.Ranking {
		o.invalid = o.invalid || contest.Ranking[i].Invalid > 0
		o.limited = o.limited || contest.Ranking[i].Limited > 0
	}
	return o.end()
}
