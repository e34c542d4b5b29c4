package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"loadgen/report/chart"
	"loadgen/report/ranking"
	"loadgen/report/verdict"
	"loadgen/results"
)

// hold carries a contest out and prints what came of it, of what was done until an early
// end. What it finds is no failure.
func (f *designsFlags) hold(ctx context.Context, t *tournament, stdout, stderr io.Writer) error {
	for _, arm := range t.arms {
		arm.trials, arm.others = make([]*ranking.Trial, t.seeds), make([]*ranking.Trial, t.seeds)
	}
	command := f.alone(t)
	run := func() error { return t.virtually(ctx, f.memory, command) }
	if f.live {
		if err := f.foresee(t, stderr); err != nil {
			return err
		}
		run = func() error { return f.inRealTime(ctx, t, command, stderr) }
	} else {
		if _, err := t.atOnce(f.memory, 1); err != nil {
			return err
		}
		if !f.oneProfile {
			t.other = otherProfile(t.scenario.Model.Profile)
		}
	}
	var err error
	if t.folder, err = f.folderOf(t); err != nil {
		return err
	}
	ended := run()
	contest := t.ranked(f, ended)
	if err := f.keep(t, contest, stderr); err != nil {
		return errors.Join(ended, err)
	}
	if err := f.print(stdout, t, contest); err != nil {
		return err
	}
	if ended != nil && ended != errBudget {
		return ended
	}
	return f.strictly(contest)
}

// print writes the contest, and before it what was proposed and why, for people alone.
func (f *designsFlags) print(stdout io.Writer, t *tournament, contest *ranking.Contest) error {
	if f.format == "json" {
		return ranking.JSON(stdout, contest)
	}
	if err := ranking.Text(stdout, contest); err != nil || t.proposal == nil {
		return err
	}
	if _, err := fmt.Fprintln(stdout); err != nil {
		return err
	}
	return t.proposal.Text(stdout)
}

// folderOf makes the folder of the contest.
func (f *designsFlags) folderOf(t *tournament) (results.Dir, error) {
	var folder results.Dir
	var err error
	if f.out != "" {
		folder, err = results.UseDir(f.out)
	} else {
		folder, err = results.MakeDir(filepath.Join("results", "runs"), t.clock.Started().UTC(), "contest-"+t.scenario.Name)
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", errNoFolder, err)
	}
	return folder, nil
}

// alone returns the command that repeats a run by itself, but for its design and seed.
func (f *designsFlags) alone(t *tournament) []string {
	verb := "simulate"
	if f.live {
		verb = "run"
	}
	command := []string{"loadgen", verb, f.file}
	if f.retry != "" {
		command = append(command, "--retry="+f.retry)
	}
	for _, set := range f.set {
		command = append(command, "--set", set)
	}
	return command
}

// ranked returns the contest of what was run, by as many runs of each design as all have
// that have any, and says what was not.
func (t *tournament) ranked(f *designsFlags, ended error) *ranking.Contest {
	o := ranking.Options{Scenario: t.scenario.Name, Repeat: t.repeat, Profile: t.scenario.Model.Profile, Other: t.other,
		Alpha: f.alpha, Price: f.price}
	if f.aim.kind == aimRemote {
		o.Profile = ""
	}
	own := func(arm *contender) []*ranking.Trial { return arm.trials }
	other := func(arm *contender) []*ranking.Trial { return arm.others }
	runs, beside := t.even(own), t.even(other)
	var arms []ranking.Arm
	var left []string
	done := 0
	for _, arm := range t.arms {
		one := ranking.Arm{Design: arm.design, PartitionKey: arm.scenario.Design.PartitionKey, RowKey: arm.scenario.Design.RowKey,
			Copies: len(arm.scenario.Design.Copies), Cannot: arm.cannot, Order: arm.order,
			Trials: firstRuns(arm.trials, runs), Others: firstRuns(arm.others, beside)}
		if arm.first != nil {
			one.Record = arm.first.record
		}
		if len(arm.cannot) == 0 && len(one.Trials) == 0 {
			left = append(left, arm.design)
		}
		done += len(one.Trials)
		arms = append(arms, one)
	}
	contest := ranking.Rank(arms, o)
	if ended != nil {
		if t.able()-len(left) > 1 {
			left = nil // the verdict names them
		}
		contest.Verdict = cutShort(ended, done, t.seeds*t.able(), left) + contest.Verdict
	}
	return contest
}

// cutShort says in a sentence or two that a contest did not come to its end.
func cutShort(ended error, done, all int, left []string) string {
	why := oneLine(ended)
	if errors.Is(ended, context.Canceled) {
		why = "it was interrupted"
	}
	text := fmt.Sprintf("Ended early, by %d of %d runs: %s. ", done, all, why)
	if len(left) > 0 {
		text += fmt.Sprintf("Not run: %s. ", strings.Join(left, ", "))
	}
	return text
}

// even returns how many runs count of each design: as many as each has that has any.
func (t *tournament) even(of func(*contender) []*ranking.Trial) int {
	least := 0
	for _, arm := range t.arms {
		if n := len(firstRuns(of(arm), t.seeds)); n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// firstRuns returns the first of the runs that came to their end.
func firstRuns(list []*ranking.Trial, most int) []ranking.Trial {
	var runs []ranking.Trial
	for _, one := range list {
		if one != nil && len(runs) < most {
			runs = append(runs, *one)
		}
	}
	return runs
}

// keep writes the contest, its picture and the records of the designs' first runs.
func (f *designsFlags) keep(t *tournament, contest *ranking.Contest, stderr io.Writer) error {
	var text bytes.Buffer
	if err := ranking.JSON(&text, contest); err != nil {
		return err
	}
	if err := t.folder.Replace("contest.json", text.Bytes()); err != nil {
		return fmt.Errorf("%w: %w", results.ErrWrite, err)
	}
	for _, arm := range t.arms {
		if arm.first == nil || f.live {
			continue // a run in real time has left its record itself
		}
		folder, err := results.UseDir(filepath.Join(string(t.folder), arm.design))
		if err != nil {
			return fmt.Errorf("%w: %w", results.ErrWrite, err)
		}
		if err := recordsOf(arm.first, folder); err != nil {
			return err
		}
	}
	if err := t.draw(contest); err != nil {
		return err
	}
	written, err := f.winner(t, contest)
	if err != nil {
		return err
	}
	if !f.quiet {
		fmt.Fprintf(stderr, "the contest is in %s\n", t.folder)
	}
	if !f.quiet && written != "" {
		fmt.Fprintf(stderr, "the scenario with the first design in use is %s; next: loadgen run %s\n", written, written)
	}
	return nil
}

// draw draws where the load of each design went, best first.
func (t *tournament) draw(contest *ranking.Contest) error {
	var arms []chart.HeatArm
	for i := range contest.Ranking {
		one := &contest.Ranking[i]
		at := slices.IndexFunc(t.arms, func(arm *contender) bool { return arm.design == one.Design })
		if at < 0 || t.arms[at].first == nil {
			continue
		}
		arms = append(arms, chart.HeatArm{Name: one.Design, Keys: "PartitionKey " + one.PartitionKey + ", RowKey " + one.RowKey,
			Says: inAGlance(one), Record: t.arms[at].first.record})
	}
	if len(arms) == 0 {
		return nil
	}
	_, err := chart.DrawContest(t.folder, arms)
	return err
}

// inAGlance says in a line what a design came to.
func inAGlance(one *ranking.Ranked) string {
	var words []string
	if one.Sustained != nil {
		words = append(words, fmt.Sprintf("sustains %s entities/s", thousands(int64(one.Sustained.Mean+.5))))
	}
	if one.Lost != nil {
		words = append(words, verdict.Share(one.Lost.Mean)+" lost")
	}
	return strings.Join(words, "; ")
}

// strictly returns what the exit code says of runs that are not valid, where that was
// asked for.
func (f *designsFlags) strictly(contest *ranking.Contest) error {
	for i := range contest.Ranking {
		if f.strict && contest.Ranking[i].Doubtful > 0 {
			return verdictError{codeInvalidRun}
		}
	}
	return nil
}
