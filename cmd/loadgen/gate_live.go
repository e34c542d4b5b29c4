package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/engine/clock"
	"loadgen/report/compare"
	"loadgen/report/ruling"
	"loadgen/results"
	"loadgen/results/expectation"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
)

// liveGateFlags are those of a gate of live runs.
type liveGateFlags struct {
	against string
	pairs   int
	out     string
}

// mostPairs bounds how many pairs of runs a gate takes.
const mostPairs = 1000

const liveGateHelp = `With --against, the scenario is run live instead, in pairs: A is an older build, a
file, and B this one. The order A B, B A, A B, … cancels what drifts. Each pair gives
a ratio for each metric that the scenario declares (gate), and the exit code is 11
where an exact test over the pairs, corrected for several metrics, and the size of
the change both call B worse. It takes 8 pairs, with a single metric 6; fewer are
inconclusive, 12. A pair with a run that is not valid is repeated twice at most, then
it is 13; where most runs of B, and not of A, fail a claim of the scenario, 10.`

func (f *liveGateFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.against, "against", "", "compare live runs with those of this older `build`, in pairs")
	flags.IntVar(&f.pairs, "pairs", compare.DefaultPairs, "with --against: how many pairs of runs")
	flags.StringVar(&f.out, "out", "", "with --against: folder of the runs (default: a new one in results/runs)")
}

// possible returns what is wrong with the flags beside each other.
func (f *liveGateFlags) possible(flags *pflag.FlagSet, scenarios int) error {
	if err := emptyFlag(flags); err != nil {
		return err
	}
	if !flags.Changed("against") {
		for _, own := range []string{"pairs", "out"} {
			if flags.Changed(own) {
				return usageError{fmt.Errorf("--%s is of live runs; expected --against with an older build beside it", own)}
			}
		}
		return nil
	}
	for _, other := range []string{"baselines", "all", "accept", "reason"} {
		if flags.Changed(other) {
			return usageError{fmt.Errorf("--%s is of baselines, and --against compares live runs; expected one of them", other)}
		}
	}
	if scenarios != 1 {
		return usageError{fmt.Errorf("--against compares the runs of one scenario, and got %d", scenarios)}
	}
	if f.pairs < 1 || f.pairs > mostPairs {
		return usageError{fmt.Errorf("--pairs %d: expected a number from 1 to %d, such as %d", f.pairs, mostPairs, compare.DefaultPairs)}
	}
	return nil
}

// live rules on a scenario by live runs of an older build and this one. Where it was
// ended, it is inconclusive, and the error says so.
func (f *liveGateFlags) live(ctx context.Context, name string, run launch, told io.Writer) (ruling.Ruling, error) {
	none := ruling.Ruling{Scenario: name}
	older, err := executable(f.against)
	if err != nil {
		return none, err
	}
	own, err := os.Executable()
	if err != nil {
		return none, err
	}
	s, most, err := readScenario(name)
	if err != nil {
		return none, err
	}
	p := &pairing{builds: [2]string{older, own}, most: most, clock: clock.NewReal(), launch: run, told: told}
	gate := s.Gated()
	for _, text := range gate.Metrics {
		m, err := expectation.ParseMetric(text)
		if err != nil {
			return none, usageError{err}
		}
		p.metrics = append(p.metrics, m)
	}
	made, err := f.prepare(p, s)
	if err != nil {
		return none, fmt.Errorf("%w: %w", errNoFolder, err)
	}
	ended := p.run(ctx, f.pairs)
	var usage usageError
	if errors.As(ended, &usage) && p.runs == 0 && made {
		// Nothing came of it: what was made for it goes, too.
		return none, errors.Join(ended, os.RemoveAll(p.folder))
	}
	return p.ruling(s, gate.Threshold, f.pairs, ended)
}

// readScenario reads a scenario, and returns how long a run of it may take. The files
// that it names are named so that they are found from anywhere.
func readScenario(name string) (*scenarios.Scenario, time.Duration, error) {
	s, folder, err := openScenario(name)
	if err != nil {
		return nil, 0, err
	}
	folder, err = filepath.Abs(folder)
	if err != nil {
		return nil, 0, err
	}
	if err := readFiles(s, folder); err != nil {
		return nil, 0, err
	}
	absolute := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(folder, filepath.FromSlash(path))
	}
	for i, a := range s.Attributes {
		if set, file := a.Values.(keys.CSV); file {
			set.File = absolute(set.File)
			s.Attributes[i].Values = set
		}
	}
	for i := range s.Phases {
		if t := s.Phases[i].Traffic; t != nil && t.Arrivals != nil && t.Arrivals.Trace != "" {
			t.Arrivals.Trace = absolute(t.Arrivals.Trace)
		}
	}
	return s, longestRun(s), nil
}

// portable returns what of a scenario both builds run: without what is for the gate
// alone, which older builds do not know.
func portable(s *scenarios.Scenario) *scenarios.Scenario {
	own := *s
	own.Gate, own.Opposite = nil, nil
	return &own
}

// longestRun is twice what the phases of a scenario last, and so much for what has no
// length of its own that only what hangs takes longer.
func longestRun(s *scenarios.Scenario) time.Duration {
	const beside, each = 5 * time.Minute, 10 * time.Millisecond
	sum := beside
	for i := range s.Phases {
		switch p := &s.Phases[i]; {
		case p.Load != nil:
			sum += time.Duration(p.Load.Entities) * each
		case p.Peak != nil:
			sum += 2 * time.Duration(len(p.Peak.Rates)+1) * p.Peak.Each
		case p.Spread != nil:
			sum += 2 * p.Spread.For
		case p.Traffic != nil:
			sum += 2 * p.Traffic.Lasts()
		}
	}
	return sum
}

// prepare makes the folder of the runs with the scenario in it, and reports whether it
// was not there before.
func (f *liveGateFlags) prepare(p *pairing, s *scenarios.Scenario) (made bool, err error) {
	if f.out == "" {
		folder, err := results.MakeDir(filepath.Join("results", "runs"), p.clock.Started(), "gate-"+s.Name)
		if err != nil {
			return false, err
		}
		p.folder, made = string(folder), true
	} else {
		_, missing := os.Stat(f.out)
		p.folder, made = f.out, missing != nil
		if left, err := os.ReadDir(f.out); err == nil && len(left) > 0 {
			return false, fmt.Errorf("%s is not empty; expected a new folder", f.out)
		}
		if err := os.MkdirAll(f.out, 0o755); err != nil {
			return false, err
		}
	}
	p.file = filepath.Join(p.folder, "scenario.yaml")
	return made, os.WriteFile(p.file, portable(s).Text(), 0o644)
}

// ruling returns what the pairs come to.
func (p *pairing) ruling(s *scenarios.Scenario, threshold float64, pairs int, ended error) (ruling.Ruling, error) {
	one := ruling.Ruling{Scenario: s.Name, Outcome: ruling.Inconclusive}
	switch {
	case errors.Is(ended, context.Canceled):
		one.Reason = fmt.Sprintf("ended after %d of %s of runs", p.done, counted(pairs, "pair"))
	case errors.Is(ended, errNotValid):
		one.Outcome, one.Reason = ruling.Invalid, oneLine(ended)
	case errors.Is(ended, errUntold):
		one.Reason = oneLine(ended)
	case ended != nil:
		return one, ended
	default:
		judged, err := compare.Gate{Threshold: threshold}.Judge(p.trials)
		if err != nil {
			return one, err
		}
		one = ruling.Judged(s.Name, "", judged)
		one.Trials = p.trials
		p.hold(&one)
	}
	one.Against, one.Repeat = p.against(), "loadgen run "+p.file
	one.Notes = append(one.Notes, p.notes()...)
	if !errors.Is(ended, context.Canceled) {
		ended = nil
	}
	return one, ended
}

// hold counts the claims of the scenario against B, unless A fails them alike.
func (p *pairing) hold(one *ruling.Ruling) {
	for i := range p.claims {
		c := &p.claims[i]
		if c.broken(p.done) {
			one.Outcome, one.Reason = ruling.Failed, "a claim of the scenario is not borne out any more"
		}
		if c.failed != [2]int{} {
			one.Notes = append(one.Notes, fmt.Sprintf("%s fails in %d of %s of A and in %d of B",
				c.expr, c.failed[compare.A], counted(p.done, "run"), c.failed[compare.B]))
		}
	}
}

// against names the older build.
func (p *pairing) against() string {
	tool := p.tools[compare.A]
	name := strings.TrimSpace(tool.Version + " " + tool.Commit)
	if name == "" {
		return p.builds[compare.A]
	}
	return fmt.Sprintf("%s (%s)", p.builds[compare.A], name)
}

// notes returns what there is to know of the runs beside what they come to.
func (p *pairing) notes() []string {
	var notes []string
	if sameFile(p.builds[compare.A], p.builds[compare.B]) {
		notes = append(notes, "A and B are the same file: whatever differs is chance")
	}
	if p.done > 0 && p.texts[compare.A] != p.texts[compare.B] {
		notes = append(notes, "the builds take the scenario for different ones: hold the scenario of their records against each other")
	}
	for _, reason := range slices.Compact(p.again) {
		notes = append(notes, "repeated: "+reason)
	}
	return append(notes, "the runs are in "+p.folder)
}

// gateLive holds one scenario to an older build, and prints the ruling.
func (f *gateFlags) gateLive(c *cobra.Command, name string, stdout, stderr io.Writer) error {
	if f.quiet {
		stderr = io.Discard
	}
	if err := f.forms.begin(); err != nil {
		return err
	}
	one, ended := f.live(c.Context(), name, launched, stderr)
	if ended != nil && !errors.Is(ended, context.Canceled) {
		f.forms.withdraw()
		return ended
	}
	if err := f.forms.tell(stdout, []ruling.Ruling{one}); err != nil || ended != nil {
		return errors.Join(err, ended)
	}
	return codeOf([]ruling.Ruling{one})
}

// counted writes how many of something there are.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
