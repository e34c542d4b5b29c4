package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"loadgen/scenarios/drive"
)

// rounds returns the runs of a contest in real time: in each round every design that can
// be run once, in every other the other way round, so that a machine or a service that
// grows slower favours none. The order of the names counts, not that of the file.
func (t *tournament) rounds() []bout {
	order := slices.Clone(t.arms)
	slices.SortFunc(order, func(a, b *contender) int { return cmp.Compare(a.design, b.design) })
	order = slices.DeleteFunc(order, func(arm *contender) bool { return len(arm.cannot) > 0 })
	var list []bout
	for run := range t.seeds {
		for _, arm := range order {
			list = append(list, bout{arm: arm, run: run})
		}
		slices.Reverse(order)
	}
	return list
}

// foresee shows what all runs will ask of a target that is not embedded, and refuses to
// go on without consent. What keeps a run from being made is told before the first.
func (f *designsFlags) foresee(t *tournament, stderr io.Writer) error {
	var sum drive.Forecast
	for _, arm := range t.arms {
		if len(arm.cannot) > 0 {
			continue
		}
		s := arm.scenario
		if err := errors.Join(f.reaches(s), f.enoughFiles(s)); err != nil {
			return err
		}
		campaign, err := drive.NewCampaign(drive.Options{Scenario: s, Table: tablePrefix + s.Table, NewName: true,
			RetryCodes: f.aim.retryCodes(), Verify: s.Verify, RunMark: "contest"})
		if err != nil {
			return usageError{fmt.Errorf("design %s: %w", arm.design, err)}
		}
		one := campaign.Forecast()
		times := int64(t.seeds)
		sum.Requests, sum.AtMost, sum.Beside = sum.Requests+times*one.Requests, sum.AtMost+times*one.AtMost, sum.Beside+times*one.Beside
		sum.Entities, sum.Sent, sum.Received = sum.Entities+times*one.Entities, sum.Sent+times*one.Sent, sum.Received+times*one.Received
		sum.Lasts += one.Lasts * time.Duration(t.seeds)
	}
	return f.agree(sum, tablePrefix+t.scenario.Table+"…, a new one for each run", f.storesAt(t.scenario), stderr)
}

// inRealTime carries the runs out one after another, each into a folder of its own. Its
// error is what ended it early.
func (f *designsFlags) inRealTime(ctx context.Context, t *tournament, command []string, stderr io.Writer) error {
	list := t.rounds()
	fmt.Fprintf(t.told, "%d designs, %d of them to be run, each %d times in real time: %d runs, in turns\n",
		len(t.arms), t.able(), t.seeds, len(list))
	left := f.budget
	for i := range list {
		b := &list[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		one := f.runFlags
		one.quiet, one.budget, one.out = true, left, filepath.Join(string(t.folder), b.folder())
		s := b.scenario(t.root)
		alone := append(append([]string{}, command...), "--use="+b.arm.design, "--seed="+strconv.FormatUint(s.Seed, 10))
		kept, ended := one.carryOut(ctx, s, 0, alone, stderr)
		if fatal(ended) != nil {
			return fmt.Errorf("design %s: %w", b.arm.design, ended)
		}
		if kept == nil || kept.summary == nil {
			return fmt.Errorf("design %s: %w", b.arm.design, ended)
		}
		if ended != errBudget {
			t.enter(b, kept)
		}
		left -= kept.summary.Attempts
		t.tell(b, len(list))
		if ended == errBudget || f.budget > 0 && left <= 0 {
			if i == len(list)-1 && ended == nil {
				break
			}
			return errBudget
		}
	}
	return nil
}

// folder returns the name of the folder of a run in real time: the design's, and for
// all but the first the number of the run.
func (b *bout) folder() string {
	if b.run == 0 {
		return b.arm.design
	}
	return fmt.Sprintf("%s-%d", b.arm.design, b.run+1)
}
