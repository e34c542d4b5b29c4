package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"loadgen/engine/clock"
	"loadgen/report"
	"loadgen/report/compare/contest"
	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/results"
	"loadgen/results/catalog"
	"loadgen/scenarios/run"
	"loadgen/scenarios/series"
)

// newRuns returns the verb around the runs that are kept.
func newRuns(stdout, stderr io.Writer) *cobra.Command {
	c := newVerb("runs", nil, &cobra.Command{
		RunE: helpOrUnknown, Args: cobra.ArbitraryArgs,
	})
	f := &storeFlags{runsKept()}
	show := newVerb("runs show", f, &cobra.Command{
		Args:              takes(1, 1, "one run, and got %d; expected its folder, its name or latest"),
		ValidArgsFunction: completeRuns,
		RunE: func(c *cobra.Command, args []string) error {
			folder, err := catalog.Find(c.Context(), f.Runs, args[0])
			if err != nil {
				return faultOfRuns(err)
			}
			var d *document.Document
			if catalog.IsContest(folder) {
				kept, err := readContest(folder)
				if err != nil {
					return err
				}
				d = contest.Document(kept.Contest)
			} else {
				one, err := readRun(folder)
				if err != nil {
					return err
				}
				d = one.Document
			}
			if err := report.Screen(stdout, d, text.Look{}); err != nil {
				return err
			}
			return faultOfRuns(report.Files(stdout, folder))
		},
	})
	c.AddCommand(newRunsList(stdout), show, newRunsTag(stdout), newRunsPrune(stdout), newRunsHistory(stdout, stderr), newRunsMerge(stdout, stderr))
	return c
}

// runsListFlags are what a user typed after `loadgen runs list`.
type runsListFlags struct {
	storeFlags
	Selection catalog.Selection
	Since     string `flag:"since"`
	Limit     int    `flag:"limit" default:"50"`
	formFlags `words:"text,json"`
}

func newRunsList(stdout io.Writer) *cobra.Command {
	f := &runsListFlags{storeFlags: storeFlags{runsKept()}}
	return newVerb("runs list", f, &cobra.Command{
		Args: takes(0, 1, oneOfRuns),
		RunE: withRunFaults(func(c *cobra.Command, args []string) error {
			f.Selection.Scenario = strings.Join(args, "")
			switch {
			case f.Limit < 0:
				return usageError{fmt.Errorf("--limit %d: expected a number of runs, or 0 for all", f.Limit)}
			case f.Since != "":
				var err error
				if f.Selection.Since, err = catalog.ParseSince(f.Since, clock.NewReal().Started()); err != nil {
					return usageError{fmt.Errorf("--since %q: expected an age such as 7d or 12h, or a date such as 2026-03-01", f.Since)}
				}
			}
			all, err := catalog.Open(c.Context(), f.Runs)
			if err != nil {
				return err
			}
			chosen, err := all.Select(f.Selection)
			if err != nil {
				return err
			}
			if f.Format == report.FormJSON {
				return report.List(all, chosen, f.Limit).JSON(stdout)
			}
			return report.List(all, chosen, f.Limit).Text(stdout)
		}),
	}, "verbose")
}

// oneOfRuns says that a verb takes the name of a scenario.
const oneOfRuns = "one scenario at most, whose runs it selects, and got %d"

// tagFlags are what a user typed after `loadgen runs tag`.
type tagFlags struct {
	storeFlags
	Remove bool `flag:"remove"`
}

func newRunsTag(stdout io.Writer) *cobra.Command {
	f := &tagFlags{storeFlags: storeFlags{runsKept()}}
	return newVerb("runs tag", f, &cobra.Command{
		Args:              takes(2, math.MaxInt, "a run and one tag or more, and got %d arguments; expected such as latest keep"),
		ValidArgsFunction: completeRuns,
		RunE: withRunFaults(func(c *cobra.Command, args []string) error {
			for _, tag := range args[1:] {
				if err := catalog.CheckTag(tag); err != nil {
					return err
				}
			}
			folder, err := catalog.Find(c.Context(), f.Runs, args[0])
			if err != nil {
				return err
			}
			tags, err := catalog.ChangeTags(folder, args[1:], f.Remove)
			switch {
			case errors.Is(err, results.ErrWrite):
				return fmt.Errorf("%w: %w", run.ErrFolder, err)
			case err != nil:
				return err
			case len(tags) == 0:
				tags = []string{"no tag"}
			}
			_, err = fmt.Fprintf(stdout, "%s: %s\n", catalog.Quote(folder), strings.Join(tags, ", "))
			return err
		}),
	})
}

// runsPruneFlags are what a user typed after `loadgen runs prune`.
type runsPruneFlags struct {
	storeFlags
	OlderThan string `flag:"older-than"`
	By        catalog.Pruning
	Yes       bool `flag:"yes"`
}

func newRunsPrune(stdout io.Writer) *cobra.Command {
	f := &runsPruneFlags{storeFlags: storeFlags{runsKept()}}
	return newVerb("runs prune", f, &cobra.Command{
		Args: takes(0, 1, oneOfRuns),
		RunE: withRunFaults(func(c *cobra.Command, args []string) error {
			f.By.Scenario = strings.Join(args, "")
			keepLast := c.Flags().Changed("keep-last")
			f.By.Now, f.By.Own = clock.NewReal().Started(), report.Illustrations()
			switch {
			case keepLast && f.By.KeepLast < 1:
				return usageError{fmt.Errorf("--keep-last %d: expected 1 or more", f.By.KeepLast)}
			case f.OlderThan != "":
				var err error
				if f.By.OlderThan, err = catalog.ParseAge(f.OlderThan); err != nil {
					return usageError{fmt.Errorf("--older-than %q: %w", f.OlderThan, err)}
				}
			case !keepLast:
				return usageError{errors.New("runs prune: expected --older-than 30d or --keep-last 20")}
			}
			all, err := catalog.Open(c.Context(), f.Runs)
			if err != nil {
				return err
			}
			plan, err := all.Plan(f.By)
			if err != nil {
				return err
			}
			if !f.Yes {
				return report.Pruning(stdout, plan)
			}
			done, err := plan.Delete(c.Context())
			if done == nil {
				return err
			}
			return errors.Join(err, report.Pruned(stdout, plan, done))
		}),
	})
}

// runsMergeFlags are what a user typed after `loadgen runs merge`.
type runsMergeFlags struct {
	Tell tellFlags
	storeFlags
}

func newRunsMerge(stdout, stderr io.Writer) *cobra.Command {
	f := &runsMergeFlags{storeFlags: storeFlags{runsKept()}}
	return newVerb("runs merge", f, &cobra.Command{
		Args:              takes(2, math.MaxInt, "two runs or more, and got %d; expected their folders or names"),
		ValidArgsFunction: completeRuns,
		RunE: withRunFaults(func(c *cobra.Command, args []string) error {
			m := series.Merge{Out: f.Tell.Out, Runs: f.Runs, Command: append(commandOf(c), args...)}
			for _, name := range args {
				folder, err := catalog.Find(c.Context(), f.Runs, name)
				if err != nil {
					return err
				}
				m.Folders = append(m.Folders, folder)
			}
			folder, record, err := m.Run()
			switch {
			case errors.Is(err, results.ErrMergeMismatch):
				return usageError{err}
			case errors.Is(err, results.ErrWrite):
				return fmt.Errorf("%w: %w", run.ErrFolder, err)
			case err != nil:
				return err
			}
			if err := f.Tell.keep(folder, record, stderr); err != nil {
				return err
			}
			if err := f.Tell.print(stdout, record); err != nil {
				return err
			}
			return outcomeOfRun(record).end()
		}),
	}, strings.Fields("live-page strict quiet ui count hlog csv metrics-listen otlp metrics-keys")...)
}
