package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"loadgen/report"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/vitals"
)

// newPatterns returns the verb that runs every pattern beside what it replaces.
func newPatterns(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "patterns [name...]",
		Short: "Run the documents' design patterns beside what they replace",
		Long: `Patterns runs each built-in scenario that shows a design pattern of the documents, and
its opposite, on the virtual clock, by three seeds each, and prints as Markdown what the
two came to: what the scenario claims, and the figures in which they differ. It is what
docs/patterns.md shows. With names it does so for those alone.`,
		Example: `  loadgen scenarios patterns                  # all of them
  loadgen scenarios patterns bank-transfer    # one`,
		ValidArgsFunction: someScenarios,
		RunE: func(c *cobra.Command, args []string) error {
			names, rows, err := chosenPatterns(args)
			if err != nil {
				return err
			}
			list, err := contrasted(c.Context(), names, stderr)
			if err != nil {
				return err
			}
			return report.Patterns(stdout, rows, list)
		},
	}
	return c
}

// chosenPatterns returns the patterns of those names, all where none is given, and the
// rows of the documents that they are of: all where none is given.
func chosenPatterns(args []string) (names, rows []string, err error) {
	all := scenarios.PatternRows()
	if len(args) == 0 {
		names, err = patternNames()
		return names, all, err
	}
	var some []string
	for _, name := range args {
		s, err := scenarios.Builtin(name)
		if err != nil {
			return nil, nil, usageError{err}
		}
		if s.Pattern == nil {
			return nil, nil, usageError{fmt.Errorf("the scenario %s shows no pattern of the documents; `loadgen scenarios list` marks those that do", name)}
		}
		if !slices.Contains(names, name) {
			names, some = append(names, name), append(some, s.Pattern.Row)
		}
	}
	return names, slices.DeleteFunc(all, func(row string) bool { return !slices.Contains(some, row) }), nil
}

// patternNames returns the built-in scenarios that show a pattern, sorted.
func patternNames() ([]string, error) {
	var names []string
	for _, name := range scenarios.Library() {
		s, err := scenarios.Builtin(name)
		if err != nil {
			return nil, err
		}
		if s.Pattern != nil {
			names = append(names, name)
		}
	}
	return names, nil
}

// contrasted runs patterns and what they replace, as many at once as there are
// processors, and returns them in the order of their names. On a terminal it tells how
// far it is.
func contrasted(ctx context.Context, names []string, stderr io.Writer) ([]report.Pattern, error) {
	list, faults := make([]report.Pattern, len(names)), make([]error, len(names))
	var done, next atomic.Int64
	var workers sync.WaitGroup
	for range min(len(names), runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(names)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				var c *sideBySide
				if c, faults[i] = newContrast(ctx, names[i]); c != nil {
					list[i] = c.told
				}
				if isTerminal(stderr) {
					fmt.Fprintf(stderr, "\r%d of %d patterns", done.Add(1), len(names))
				}
			}
		})
	}
	workers.Wait()
	if isTerminal(stderr) {
		used, _ := vitals.CPU()
		fmt.Fprintf(stderr, ", %s of processor time\n", used.Round(100*time.Millisecond))
	}
	for _, err := range append([]error{ctx.Err()}, faults...) {
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// sideBySide is a pattern, run beside what it replaces.
type sideBySide struct {
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

// newContrast runs a built-in scenario and its opposite by each of its seeds.
func newContrast(ctx context.Context, name string) (*sideBySide, error) {
	s, err := scenarios.Builtin(name)
	if err != nil {
		return nil, err
	}
	if s.Pattern == nil {
		return nil, fmt.Errorf("the scenario %s shows no pattern", name)
	}
	opposite, contrary, err := opposed(s)
	if err != nil {
		return nil, err
	}
	c := &sideBySide{told: report.Pattern{Row: s.Pattern.Row, Name: name, Says: s.About, Contrary: contrary,
		Buys: s.Pattern.Buys, Costs: s.Pattern.Costs, Seeds: patternSeeds(s.Seed)}}
	for _, o := range s.Model.Overrides {
		c.told.Assumes = append(c.told.Assumes, o.Name+" "+o.Text)
	}
	var figures, naive [][]verdict.Figure
	for _, seed := range c.told.Seeds {
		for _, side := range []struct {
			of        *scenarios.Scenario
			summaries *[]*results.Summary
			figures   *[][]verdict.Figure
		}{{s, &c.as, &figures}, {opposite, &c.instead, &naive}} {
			seeded := *side.of
			seeded.Seed = seed
			record, summary, err := outcomeOf(ctx, &seeded)
			if err != nil {
				return nil, fmt.Errorf("%s, seed %d: %w", name, seed, err)
			}
			*side.summaries = append(*side.summaries, summary)
			*side.figures = append(*side.figures, verdict.Figures(record, summary))
		}
	}
	c.told.Expected, c.told.Denied = c.as[0].Expectations, c.instead[0].Expectations
	c.told.Contrasts = verdict.Contrasts(figures, naive)
	return c, nil
}

// outcomeOf carries a sound scenario out on the virtual clock, keeps its record in
// memory and has it judged. Nothing of it depends on when it runs.
func outcomeOf(ctx context.Context, s *scenarios.Scenario) (*results.Record, *results.Summary, error) {
	sim, err := newSimulation(s, s.Verify || s.Reads(), time.Unix(0, 0), nil, drive.Options{Verify: s.Verify})
	if err != nil {
		return nil, nil, err
	}
	kept, err := sim.remember(ctx)
	if err != nil {
		return nil, nil, err
	}
	return kept.record, kept.summary, nil
}
