package series

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"loadgen/report/compare/contest"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios/run"
)

// ranked returns the contest of the runs that are over, by the same number of each design that
// has any. Ended is why others were not made.
func (c *contestRun) ranked(ended error) *contest.Contest {
	o := contest.Options{Scenario: c.scenario.Name, Profile: c.scenario.Model.Name(), Other: c.other, Alpha: c.plan.Alpha, Price: c.plan.Price,
		Warnings: c.warnings}
	if c.plan.Run.On == run.Remote {
		o.Profile = ""
	}
	runs, others := c.evenRuns(ownProfile), c.evenRuns(otherProfile)
	var arms []contest.Arm
	var named, idle []string
	done := 0
	for _, one := range c.arms {
		design := &one.scenario.Design
		trials := firstRuns(one.trials[ownProfile], runs)
		arms = append(arms, contest.Arm{Design: one.design, PartitionKey: design.PartitionKey, RowKey: design.RowKey,
			Copies: len(design.Copies), Cannot: one.cannot, Order: one.order, Record: one.first,
			Trials: trials, Others: firstRuns(one.trials[otherProfile], others)})
		if len(c.plan.Designs) > 0 {
			named = append(named, one.design)
		}
		if len(one.cannot) == 0 && len(trials) == 0 {
			idle = append(idle, one.design)
		}
		done += len(trials)
	}
	if c.plan.Repeat != nil {
		o.Repeat = c.plan.Repeat(named)
	}
	ranked := contest.Rank(arms, o)
	if ended != nil {
		able := len(c.able())
		if able-len(idle) > 1 {
			idle = nil // the verdict names them
		}
		ranked.Ended = endedEarly(ended, done, c.plan.Seeds*able, idle)
		ranked.Verdict = ranked.Ended + " " + ranked.Verdict
	}
	return ranked
}

// endedEarly returns why a contest ended early, with the designs that have no run.
func endedEarly(ended error, done, all int, idle []string) string {
	why := results.OneLine(ended)
	if errors.Is(ended, context.Canceled) {
		why = "it was interrupted"
	}
	text := fmt.Sprintf("Ended early after %d of %d runs: %s.", done, all, why)
	if len(idle) > 0 {
		text += fmt.Sprintf(" Not run: %s.", strings.Join(idle, ", "))
	}
	return text
}

// evenRuns returns how many runs of each design count: the minimum of those that have any.
func (c *contestRun) evenRuns(profile int) int {
	least := 0
	for _, one := range c.arms {
		if n := len(firstRuns(one.trials[profile], c.plan.Seeds)); n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// firstRuns returns the first of the runs that are over.
func firstRuns(list []*contest.Trial, limit int) []contest.Trial {
	var runs []contest.Trial
	for _, one := range list {
		if one != nil && len(runs) < limit {
			runs = append(runs, *one)
		}
	}
	return runs
}

// keep writes the contest and its pictures into its folder.
func (c *contestRun) keep(ranked *contest.Contest) error {
	kept := contest.Kept{Contest: ranked, Records: make(map[string]*results.Record)}
	for _, one := range c.arms {
		kept.Records[one.design] = one.first
	}
	return kept.Write(c.folder)
}

// Document reports the contest and what was suggested.
func (c *Contested) Document() *document.Document {
	d := contest.Document(c.Contest)
	if c.Proposal == nil {
		return d
	}
	proposal := c.Proposal.Document()
	d.Screen = slices.Insert(d.Screen, 0, document.Block(document.Facts{Lines: []string{proposal.Answer.Claim}}))
	d.Screen = append(d.Screen, proposal.Screen...)
	d.Sections = append(d.Sections, proposal.Sections...)
	return d
}
