package series

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"loadgen/report"
	"loadgen/report/compare/contest"
	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/results"
	"loadgen/scenarios/run"
)

// ranked returns the contest of what was run, by as many runs of each design as all have
// that have any, and says what was not.
func (c *contestRun) ranked(ended error) *contest.Contest {
	o := contest.Options{Scenario: c.scenario.Name, Profile: c.scenario.Model.Name(), Other: c.other, Alpha: c.plan.Alpha, Price: c.plan.Price}
	if c.plan.Repeat != nil {
		var named []string
		for _, one := range c.arms {
			if len(c.plan.Designs) > 0 {
				named = append(named, one.design)
			}
		}
		o.Repeat = c.plan.Repeat(named)
	}
	if c.plan.Run.On == run.Remote {
		o.Profile = ""
	}
	runs := c.even(func(one *arm) []*contest.Trial { return one.trials })
	beside := c.even(func(one *arm) []*contest.Trial { return one.others })
	var arms []contest.Arm
	var left []string
	done := 0
	for _, one := range c.arms {
		design := &one.scenario.Design
		arms = append(arms, contest.Arm{Design: one.design, PartitionKey: design.PartitionKey, RowKey: design.RowKey,
			Copies: len(design.Copies), Cannot: one.cannot, Order: one.order, Record: one.first,
			Trials: firstRuns(one.trials, runs), Others: firstRuns(one.others, beside)})
		made := len(arms[len(arms)-1].Trials)
		if len(one.cannot) == 0 && made == 0 {
			left = append(left, one.design)
		}
		done += made
	}
	told := contest.Rank(arms, o)
	if ended != nil {
		able := len(c.able())
		if able-len(left) > 1 {
			left = nil // the verdict names them
		}
		told.Ended = cutShort(ended, done, c.plan.Seeds*able, left)
		told.Verdict = told.Ended + " " + told.Verdict
	}
	return told
}

// cutShort says in a sentence or two that a contest did not come to its end.
func cutShort(ended error, done, all int, left []string) string {
	why := results.OneLine(ended)
	if errors.Is(ended, context.Canceled) {
		why = "it was interrupted"
	}
	text := fmt.Sprintf("Ended early after %d of %d runs: %s.", done, all, why)
	if len(left) > 0 {
		text += fmt.Sprintf(" Not run: %s.", strings.Join(left, ", "))
	}
	return text
}

// even returns how many runs count of each design: as many as each has that has any.
func (c *contestRun) even(of func(*arm) []*contest.Trial) int {
	least := 0
	for _, one := range c.arms {
		if n := len(firstRuns(of(one), c.plan.Seeds)); n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// firstRuns returns the first of the runs that came to their end.
func firstRuns(list []*contest.Trial, most int) []contest.Trial {
	var runs []contest.Trial
	for _, one := range list {
		if one != nil && len(runs) < most {
			runs = append(runs, *one)
		}
	}
	return runs
}

// keep writes the contest, its pictures and the records of the designs' first runs, unless
// they are there.
func (c *contestRun) keep(told *contest.Contest) error {
	var file bytes.Buffer
	if err := report.Print(&file, contest.Document(told), report.FormJSON, text.Look{}); err != nil {
		return err
	}
	if err := c.folder.Replace(contest.File, file.Bytes()); err != nil {
		return fmt.Errorf("%w: %w", results.ErrWrite, err)
	}
	for _, one := range c.arms {
		if one.memory == nil {
			continue
		}
		folder, err := results.UseDir(filepath.Join(string(c.folder), one.design))
		for _, name := range []string{results.IntervalsFile, results.EventsFile, results.RunFile} {
			if err == nil {
				err = folder.Replace(name, one.memory.Bytes(name))
			}
		}
		if err != nil {
			return fmt.Errorf("%w: %w", results.ErrWrite, err)
		}
	}
	records := make(map[string]*results.Record)
	for _, one := range c.arms {
		records[one.design] = one.first
	}
	return (&contest.Kept{Contest: told, Records: records}).Illustrate(c.folder)
}

// Document is that of the contest, and of what was proposed.
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
