package series

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"loadgen/report"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// PatternsOf returns the built-in scenarios of those names that show a pattern of the
// documents, each once, all of them where none is given, and the rows of the documents that
// they are of: all where none is given. The error is a [loadgen/scenarios/fields.Fault], or wraps
// [scenarios.ErrUnknown].
func PatternsOf(asked []string) (names, rows []string, err error) {
	list := asked
	if len(asked) == 0 {
		list = scenarios.Library()
	}
	shown := make(map[string]bool)
	for _, name := range list {
		s, err := scenarios.Builtin(name)
		switch {
		case err != nil:
			return nil, nil, err
		case s.Pattern != nil && !slices.Contains(names, name):
			names, shown[s.Pattern.Row] = append(names, name), true
		case s.Pattern == nil && len(asked) > 0:
			return nil, nil, wrong("", "scenario %s has no pattern; see `loadgen scenarios list`", name)
		}
	}
	rows = slices.DeleteFunc(scenarios.PatternRows(), func(row string) bool { return len(asked) > 0 && !shown[row] })
	return names, rows, nil
}

// Patterns runs built-in scenarios that show patterns, and what each replaces, on the
// virtual clock by three seeds, as many at once as there are processors, and returns what
// they came to in the order of their names. It calls told after each, concurrently. The
// error is that of one that could not be run.
func Patterns(ctx context.Context, names []string, told func()) ([]report.Pattern, error) {
	list := make([]report.Pattern, len(names))
	err := together(ctx, len(names), runtime.GOMAXPROCS(0), func(ctx context.Context, i int) error {
		c, err := newComparison(ctx, names[i])
		if err == nil {
			list[i] = c.told
		}
		told()
		return err
	})
	return list, err
}

// contrast is a pattern, run beside what it replaces.
type comparison struct {
	told report.Pattern
	// as and instead are what the runs came to, by seed.
	as, instead []*results.Summary
}

// patternSeeds are those that a pattern is run by: its own first, then two others.
func patternSeeds(own uint64) []uint64 {
	seeds := []uint64{own}
	for seed := uint64(1); len(seeds) < 3; seed++ {
		if seed != own {
			seeds = append(seeds, seed)
		}
	}
	return seeds
}

// newComparison runs a built-in scenario and its anti-pattern by each of its seeds.
func newComparison(ctx context.Context, name string) (*comparison, error) {
	s, err := scenarios.Builtin(name)
	if err != nil {
		return nil, err
	}
	if s.Pattern == nil || s.AntiPattern == nil {
		return nil, fmt.Errorf("series: scenario %s has no pattern with an opposite", name)
	}
	antiPattern, err := s.Opposed()
	if err != nil {
		return nil, err
	}
	c := &comparison{told: report.Pattern{Row: s.Pattern.Row, Name: name, Says: s.About,
		Contrary: strings.Join(strings.Fields(s.AntiPattern.About+" "+s.AntiPattern.Why), " "),
		Buys:     s.Pattern.Buys, Costs: s.Pattern.Costs, Seeds: patternSeeds(s.Seed)}}
	for _, o := range s.Model.Overrides {
		c.told.Assumes = append(c.told.Assumes, o.Name+" "+o.Text)
	}
	var figures, naive [][]verdict.Figure
	if c.as, figures, err = bySeeds(ctx, s, c.told.Seeds); err != nil {
		return nil, err
	}
	if c.instead, naive, err = bySeeds(ctx, antiPattern, c.told.Seeds); err != nil {
		return nil, err
	}
	c.told.Expected, c.told.Denied = c.as[0].Checks, c.instead[0].Checks
	c.told.Comparisons = verdict.Comparisons(figures, naive)
	return c, nil
}

func bySeeds(ctx context.Context, s *scenarios.Scenario, seeds []uint64) (summaries []*results.Summary, figures [][]verdict.Figure, err error) {
	for _, seed := range seeds {
		seeded := *s
		seeded.Seed = seed
		record, err := run.Run(ctx, run.Plan{Scenario: &seeded})
		if err != nil {
			return nil, nil, fmt.Errorf("%s, seed %d: %w", s.Name, seed, err)
		}
		summaries, figures = append(summaries, record.Summary), append(figures, verdict.Figures(record, record.Summary))
	}
	return summaries, figures, nil
}
