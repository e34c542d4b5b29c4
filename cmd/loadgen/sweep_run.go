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

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/drive"
)

// sweep carries the runs of a sweep out, one after another, and prints the table
// that compares them.
func (f *fileFlags) sweep(c *cobra.Command, d *draft, command []string, stdout, stderr io.Writer) error {
	trials, err := f.trials(c, d, &f.findFlags, command)
	if err != nil {
		return err
	}
	if f.record != "" {
		return usageError{errors.New("--record is of one run, and --sweep makes several; expected one of them")}
	}
	if err := f.take(); err != nil {
		return err
	}
	own := make(map[*trial]*runFlags)
	for i := range trials {
		t := &trials[i]
		own[t] = f.alone(t)
		if err := own[t].ready(c, t); err != nil {
			return err
		}
	}
	return f.runFlags.sweepOver(c.Context(), trials, stdout, stderr, func(ctx context.Context, t *trial) (*finished, error) {
		own[t].out = t.out
		return own[t].carryOut(ctx, t.scenario, 0, t.command, stderr)
	})
}

// alone returns the flags of one run of a sweep.
func (f *runFlags) alone(t *trial) *runFlags {
	one := *f
	one.findFlags, one.out, one.quiet = t.find, t.out, true
	return &one
}

// ready returns what keeps a run of a sweep from being made, as far as that is known
// before.
func (f *runFlags) ready(c *cobra.Command, t *trial) error {
	if err := f.chooseDriver(c, t.scenario); err != nil {
		return err
	}
	if err := f.reaches(t.scenario); err != nil {
		return err
	}
	return f.enoughFiles(t.scenario)
}

// sweep does so on the virtual clock. The table shows no verdict, so that none is
// held against another profile of the model unless that is asked for.
func (f *simulateFlags) sweep(c *cobra.Command, d *draft, command []string, stdout, stderr io.Writer) error {
	trials, err := f.trials(c, d, &f.findFlags, command)
	if err != nil {
		return err
	}
	one := *f
	if !c.Flags().Changed("one-profile") {
		one.oneProfile = true
	}
	for i := range trials {
		if err := one.possible(&trials[i]); err != nil {
			return err
		}
	}
	return f.runFlags.sweepOver(c.Context(), trials, stdout, stderr, func(ctx context.Context, t *trial) (*finished, error) {
		own := one
		own.runFlags = *f.alone(t)
		return own.carryOut(ctx, t.scenario, t.command, stderr)
	})
}

// possible returns what keeps a run of a sweep from being simulated, as far as that
// is known before.
func (f *simulateFlags) possible(t *trial) error {
	s := t.scenario
	data := f.data || f.verify || s.Verify || s.Reads()
	campaign, err := drive.NewCampaign(drive.Options{Scenario: s, Table: tablePrefix + s.Table, NewName: true, Verify: f.verify || s.Verify})
	if err != nil {
		return usageError{err}
	}
	own := *f
	own.runFlags = *f.alone(t)
	manifest, err := manifestOf(s, campaign, 0, nil)
	if err != nil {
		return err
	}
	if err := own.enlist(campaign, &manifest); err != nil {
		return err
	}
	return own.fits(campaign, data, own.rivalOf(s) != nil)
}

// tried is a run of a sweep that was made.
type tried struct {
	*trial
	*finished
	// code is the exit code that the run would have by itself.
	code int
}

// sweepOver makes the runs of a sweep and prints what came of those that were made,
// whatever ended it. Its error says what did, or which exit code comes first.
func (f *runFlags) sweepOver(ctx context.Context, trials []trial, stdout, stderr io.Writer,
	carry func(context.Context, *trial) (*finished, error)) error {
	if f.format != "text" && f.format != "json" {
		return usageError{fmt.Errorf("--format %s: expected text or json", f.format)}
	}
	if err := f.foldersFor(trials); err != nil {
		return err
	}
	told := stderr
	if f.silent() || f.shown() == uiJSON {
		told = io.Discard
	}
	start := clock.NewReal()
	var made []tried
	var ended error
	for i := range trials {
		if ended = ctx.Err(); ended != nil {
			break
		}
		fmt.Fprintf(told, "%d of %d: %s%s\n", i+1, len(trials), inWords(trials[i].set), remaining(start, i, len(trials)))
		result, err := carry(ctx, &trials[i])
		if result != nil && result.summary != nil {
			made = append(made, tried{&trials[i], result, f.codeOf(result, err)})
			fmt.Fprintf(told, "%d of %d: the run is in %s\n", i+1, len(trials), result.folder)
		}
		if ended = fatal(err); ended != nil {
			break
		}
		if err != nil {
			fmt.Fprintf(told, "%d of %d: %s\n", i+1, len(trials), oneLine(err))
		}
	}
	if len(made) > 0 || ended == nil {
		if err := f.compare(stdout, made, len(trials)); err != nil {
			return err
		}
	}
	return errors.Join(ended, worst(made, ended))
}

// fatal returns the error of a run after which no other is worth its while: a
// budget that was exceeded or spent is the run's own.
func fatal(err error) error {
	if err == errBudget || errors.Is(err, drive.ErrStopped) {
		return nil
	}
	return err
}

// codeOf returns the exit code that a run would have by itself.
func (f *runFlags) codeOf(r *finished, ended error) int {
	if errors.Is(ended, drive.ErrStopped) {
		return codeExpectation
	}
	var told verdictError
	if errors.As(f.judge(r), &told) {
		return told.code
	}
	return codeOk
}

// worst returns the exit code that comes first among those of the runs, nil where
// all is well or something else ended the sweep.
func worst(made []tried, ended error) error {
	if ended != nil {
		return nil
	}
	for _, code := range []int{codeInvalidRun, codeExpectation} {
		if slices.ContainsFunc(made, func(t tried) bool { return t.code == code }) {
			return verdictError{code}
		}
	}
	return nil
}

// foldersFor gives each run a folder in the one that was asked for, and refuses one
// that holds a run.
func (f *runFlags) foldersFor(trials []trial) error {
	if f.out == "" {
		return nil
	}
	if info, err := os.Stat(f.out); err == nil && !info.IsDir() {
		return usageError{fmt.Errorf("--out %s: it is a file; expected a folder", f.out)}
	}
	digits := len(fmt.Sprint(len(trials)))
	for i := range trials {
		trials[i].out = filepath.Join(f.out, fmt.Sprintf("%0*d", digits, i+1))
		if _, err := os.Stat(filepath.Join(trials[i].out, results.RunFile)); err == nil {
			return usageError{fmt.Errorf("--out %s: %s already holds a run; expected another folder", f.out, trials[i].out)}
		}
	}
	return nil
}

// inWords lists the values of one run.
func inWords(set []setting) string {
	words := make([]string, len(set))
	for i, s := range set {
		words[i] = s.String()
	}
	return strings.Join(words, ", ")
}

// remaining says how long the rest of a sweep may take, once one run is over.
func remaining(start clock.Real, done, all int) string {
	if done == 0 {
		return ""
	}
	passed := start.Now().Offset()
	left := passed / time.Duration(done) * time.Duration(all-done)
	return fmt.Sprintf(" (about %s left)", left.Round(time.Second))
}
