package series

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"loadgen/report/compare/contest"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/advise/suggest"
	"loadgen/scenarios/run"
)

// suggest adds candidates to the scenario's own designs, if the plan asks for it, after each was
// tried. They also take part in a contest of named designs.
func (c *contestRun) suggest(ctx context.Context) error {
	if !c.plan.Suggest {
		return nil
	}
	sound, err := soundUnder(c.scenario)
	if err != nil {
		return err
	}
	if err := c.files.Read(sound); err != nil {
		return err
	}
	if _, err := sound.PartitionModel(); err != nil {
		return wrong("", "%v", err)
	}
	fmt.Fprintln(c.plan.Progress, "simulating candidate designs")
	c.proposal, err = suggest.Designs(sound, c.trial(ctx, sound))
	switch {
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return wrong("suggest", "%v", err)
	case len(c.proposal.Candidates) == 0 && len(c.proposal.Own) < 2:
		return wrong("suggest", "%s; a contest needs a second design", c.proposal.Verdict())
	}
	if c.scenario, err = c.proposal.Scenario(); err != nil || len(c.plan.Designs) == 0 {
		return err
	}
	c.plan.Designs = slices.Clone(c.plan.Designs)
	for i := range c.proposal.Candidates {
		if name := c.proposal.Candidates[i].Design.Name; !slices.Contains(c.plan.Designs, name) {
			c.plan.Designs = append(c.plan.Designs, name)
		}
	}
	return nil
}

// maxTried is the maximum number of attempts of a trial, retries included.
const maxTried = 200_000

// trial returns a function that measures a scenario in a short simulation, as runs of the contest
// are measured.
func (c *contestRun) trial(ctx context.Context, sound *scenarios.Scenario) func(*scenarios.Scenario) (suggest.Tried, error) {
	needs := needsOf(sound)
	return func(s *scenarios.Scenario) (suggest.Tried, error) {
		plan := run.Plan{Scenario: s}
		rehearsed, err := plan.Rehearse(ctx, maxTried)
		if err != nil {
			return suggest.Tried{}, err
		}
		trial, all := contest.Measure(rehearsed.Record, rehearsed.Record.Summary, needs), rehearsed.Record.Counts(results.Reported)
		tried := suggest.Tried{Lost: trial.Lost, Requests: trial.Billed, Counted: trial.Counted, Throttled: figure.ShareOf(all.Throttled, all.Attempts)}
		for i := range trial.Expected {
			if trial.Expected[i].Fails() {
				tried.Failed++
			}
		}
		return tried, nil
	}
}

// soundUnder returns the scenario under its own design, or else the first that serves all
// operations.
func soundUnder(s *scenarios.Scenario) (*scenarios.Scenario, error) {
	for _, design := range append([]string{s.Use}, s.Alternatives()...) {
		if len(s.Obstacles(design)) == 0 {
			return s.WithDesign(design)
		}
	}
	return nil, wrong("suggest", "no design serves all operations; expected one that does")
}

// bestDesign returns the best design, and those that share its rank. Of these it is the one that the
// trials prefer, or else one of the scenario's own, one with the fewest copies, and the first of
// the file or of the proposals. The order of the ranking is random between them.
func (c *contestRun) bestDesign(of *contest.Contest) (design string, shared []string) {
	var first []*contest.Ranked
	for i := range of.Ranking {
		if one := &of.Ranking[i]; len(one.Cannot) == 0 && one.Rank != nil && *one.Rank == 1 {
			first = append(first, one)
		}
	}
	if len(first) == 0 {
		return "", nil
	}
	// key has the parts that are compared in turn; proposed is below 0 for the scenario's own.
	key := func(one *contest.Ranked) []int {
		proposed := slices.IndexFunc(c.proposal.Candidates, func(c suggest.Candidate) bool { return c.Design.Name == one.Design })
		rank := min(proposed, 0) + 2
		if one.Design == c.proposal.Keep {
			rank = 0
		}
		return []int{rank, one.Copies, proposed}
	}
	slices.SortStableFunc(first, func(a, b *contest.Ranked) int { return slices.Compare(key(a), key(b)) })
	for _, one := range first[1:] {
		shared = append(shared, one.Design)
	}
	return first[0].Design, shared
}

// writeScenario writes the scenario with the best design in use, and returns the name of the file; empty
// if no design is best.
func (c *contestRun) writeScenario(of *contest.Contest) (string, error) {
	if c.proposal == nil {
		return "", nil
	}
	design, shared := c.bestDesign(of)
	if design == "" {
		return "", nil
	}
	path := cmp.Or(c.plan.Write, filepath.Join(string(c.folder), "suggested.yaml"))
	s, err := c.scenario.WithDesign(design)
	if err != nil {
		return "", err
	}
	// Paths are relative to the folder of the source, and then to that of the written file.
	moved := func(file string) string {
		if filepath.IsAbs(file) {
			return file
		}
		whole, fault := filepath.Abs(filepath.Join(c.plan.Source, filepath.FromSlash(file)))
		folder, fails := filepath.Abs(filepath.Dir(path))
		if near, apart := filepath.Rel(folder, whole); errors.Join(fault, fails, apart) == nil {
			return filepath.ToSlash(near)
		}
		return cmp.Or(whole, file)
	}
	if s, err = s.Moved(moved); err != nil {
		return "", err
	}
	tie := ""
	if len(shared) > 0 {
		tie = "# No shown difference from " + strings.Join(shared, ", ") + ".\n"
	}
	text := fmt.Sprintf("# Scenario %s with design %s in use, from `loadgen contest --suggest`.\n%s"+
		"# The comparison: contest.json in the contest's folder.\n%s", s.Name, s.Use, tie, s.Text())
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return "", wrong("write", "%v", reason(err))
	}
	return path, nil
}
