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

// PatternsOf returns the built-in scenarios of some names that show a pattern of the documents,
// each once, and the rows of the documents that they cover; all without names. The error is a
// [loadgen/scenarios/fields.Fault], or wraps [scenarios.ErrUnknown].
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

// Patterns runs built-in scenarios that show patterns, and their anti-patterns, in virtual time
// with three seeds, and returns the results in the order of the names. It calls done after each,
// concurrently.
func Patterns(ctx context.Context, names []string, done func()) ([]report.Pattern, error) {
	list := make([]report.Pattern, len(names))
	err := runConcurrently(ctx, len(names), runtime.GOMAXPROCS(0), func(ctx context.Context, i int) (err error) {
		list[i], _, _, err = comparePattern(ctx, names[i])
		done()
		return err
	})
	return list, err
}

// patternSeeds returns three seeds: the scenario's own and two others.
func patternSeeds(own uint64) []uint64 {
	return append([]uint64{own}, slices.DeleteFunc([]uint64{1, 2, 3}, func(seed uint64) bool { return seed == own })[:2]...)
}

// comparePattern runs a built-in scenario and its anti-pattern with each seed. It also returns the
// summaries of both.
func comparePattern(ctx context.Context, name string) (p report.Pattern, with, without []*results.Summary, err error) {
	s, err := scenarios.Builtin(name)
	if err != nil {
		return p, nil, nil, err
	}
	if s.Pattern == nil || s.AntiPattern == nil {
		return p, nil, nil, fmt.Errorf("series: scenario %s has no pattern with an opposite", name)
	}
	antiPattern, err := s.Opposed()
	if err != nil {
		return p, nil, nil, err
	}
	p = report.Pattern{Row: s.Pattern.Row, Name: name, Says: s.About,
		Contrary: strings.Join(strings.Fields(s.AntiPattern.About+" "+s.AntiPattern.Why), " "),
		Buys:     s.Pattern.Buys, Costs: s.Pattern.Costs, Seeds: patternSeeds(s.Seed)}
	for _, o := range s.Model.Overrides {
		p.Assumes = append(p.Assumes, o.Name+" "+o.Text)
	}
	with, better, err := runSeeds(ctx, s, p.Seeds)
	if err != nil {
		return p, nil, nil, err
	}
	without, worse, err := runSeeds(ctx, antiPattern, p.Seeds)
	if err != nil {
		return p, nil, nil, err
	}
	p.Expected, p.Denied, p.Comparisons = with[0].Checks, without[0].Checks, verdict.Comparisons(better, worse)
	return p, with, without, nil
}

// runSeeds runs a scenario with each seed and returns the summaries and the figures.
func runSeeds(ctx context.Context, s *scenarios.Scenario, seeds []uint64) (summaries []*results.Summary, figures [][]verdict.Figure, err error) {
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
