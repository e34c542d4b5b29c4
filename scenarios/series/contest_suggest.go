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

// suggest puts candidates behind the scenario's own designs, where that was asked for, once
// each was tried. Beside designs that were named all of them take part.
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
	c.proposal, err = suggest.Designs(sound, suggest.Options{Beside: true, Try: c.trial(ctx, sound)})
	switch {
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return wrong("suggest", "%v", err)
	case len(c.proposal.Candidates) == 0 && len(c.proposal.Own) < 2:
		return wrong("suggest", "%s; a contest needs a second design", c.proposal.Verdict())
	}
	if c.scenario, err = c.proposal.Scenario(); err != nil {
		return err
	}
	if len(c.plan.Designs) == 0 {
		return nil
	}
	c.plan.Designs = slices.Clone(c.plan.Designs)
	for i := range c.proposal.Candidates {
		if name := c.proposal.Candidates[i].Design.Name; !slices.Contains(c.plan.Designs, name) {
			c.plan.Designs = append(c.plan.Designs, name)
		}
	}
	return nil
}

// maxTried is how many attempts a trial has at most, retries included.
const maxTried = 200_000

// trial returns what plays a scenario in a short simulation, in memory, and measures it as a
// run of the contest is.
func (c *contestRun) trial(ctx context.Context, sound *scenarios.Scenario) func(*scenarios.Scenario) (suggest.Tried, error) {
	needs := needsOf(sound)
	return func(s *scenarios.Scenario) (suggest.Tried, error) {
		plan := run.Plan{Scenario: s}
		rehearsed, err := plan.Rehearse(ctx, maxTried)
		if err != nil {
			return suggest.Tried{}, err
		}
		record := rehearsed.Record
		told := contest.Measure(record, record.Summary, needs)
		tried := suggest.Tried{Lost: told.Lost, Requests: told.Billed, Counted: told.Counted}
		all := record.Counts(results.Reported)
		tried.Throttled = figure.ShareOf(all.Throttled, all.Attempts)
		for i := range told.Expected {
			if told.Expected[i].Fails() {
				tried.Failed++
			}
		}
		return tried, nil
	}
}

// soundUnder returns the scenario with a design in use that can serve it: its own, or
// else the first that can.
func soundUnder(s *scenarios.Scenario) (*scenarios.Scenario, error) {
	for _, design := range append([]string{s.Use}, s.Alternatives()...) {
		if len(s.Obstacles(design)) == 0 {
			return s.Under(design)
		}
	}
	return nil, wrong("suggest", "no design serves all operations; "+
		"expected one that does")
}

// best returns the design that came first, and those that share its place. Of designs
// between which no difference is shown it is one of the scenario's own, of several the one
// that the trials would keep, then the one with the fewest copies, and of those the first of
// the file or of the proposals: what comes first by chance is none to go by.
func (c *contestRun) best(of *contest.Contest) (design string, shared []string) {
	var first []*contest.Ranked
	for i := range of.Ranking {
		if one := &of.Ranking[i]; len(one.Cannot) == 0 && one.Rank != nil && *one.Rank == 1 {
			first = append(first, one)
		}
	}
	if len(first) == 0 {
		return "", nil
	}
	// place is that among the proposals, below 0 for the scenario's own.
	place := func(name string) int {
		return slices.IndexFunc(c.proposal.Candidates, func(c suggest.Candidate) bool { return c.Design.Name == name })
	}
	rank := func(one *contest.Ranked) int {
		switch {
		case one.Design == c.proposal.Keep:
			return 0
		case place(one.Design) < 0:
			return 1
		default:
			return 2
		}
	}
	slices.SortStableFunc(first, func(a, b *contest.Ranked) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Copies, b.Copies), cmp.Compare(place(a.Design), place(b.Design)))
	})
	for _, one := range first[1:] {
		shared = append(shared, one.Design)
	}
	return first[0].Design, shared
}

// write writes the scenario with the design that came first in use: ready to be run where
// it stands. It returns the name of the file, empty where nobody came first.
func (c *contestRun) write(of *contest.Contest) (string, error) {
	if c.proposal == nil {
		return "", nil
	}
	design, shared := c.best(of)
	if design == "" {
		return "", nil
	}
	path := cmp.Or(c.plan.Write, filepath.Join(string(c.folder), "suggested.yaml"))
	s, err := c.scenario.Under(design)
	if err != nil {
		return "", err
	}
	// The path of a file counts from the folder of the source, and then from that of what is written.
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
