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
	c := &cobra.Command{
		Use:   "runs",
		Short: "Manage stored runs: list, show, tag, prune, merge, history",
		Long: `Every run stores its record in its own folder in results/runs. These verbs list and
manage stored runs.`,
		Example: `  loadgen runs list --since 7d
  loadgen runs show latest
  loadgen runs tag latest baseline         # protects it from prune
  loadgen runs prune --older-than 30d      # list only
  loadgen runs history stress              # steps over the nights
  loadgen runs merge A B --out both        # one record of concurrent runs`,
		RunE: helpOrUnknown, Args: cobra.ArbitraryArgs,
	}
	f := &storeFlags{runsKept()}
	show := &cobra.Command{
		Use:   "show RUN",
		Short: "Show the report of a run, and where its files lie",
		Long:  `Show prints the report of a run that is kept, then its tags and its files. ` + aboutRun,
		Example: `  loadgen runs show latest
  loadgen runs show 20260301T0200`,
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
	}
	bind(show.Flags(), f)
	c.AddCommand(newRunsList(stdout), show, newRunsTag(stdout), newRunsPrune(stdout), newRunsHistory(stdout, stderr), newRunsMerge(stdout, stderr))
	return c
}

// runsListFlags are what a user typed after `loadgen runs list`.
type runsListFlags struct {
	storeFlags
	Selection catalog.Selection
	Since     string `flag:"since" help:"only runs since an *age* (7d, 12h) or a date (2026-03-01)"`
	Limit     int    `flag:"limit" default:"50" help:"maximum number of runs, 0 for all"`
	format    string
}

func newRunsList(stdout io.Writer) *cobra.Command {
	f := new(runsListFlags)
	c := &cobra.Command{
		Use:   "list [SCENARIO]",
		Short: "List the runs that are kept, the newest first",
		Long: `List prints the runs of a folder, the latest first, with their results. served is the
maximum of entities per second of a reported phase, p99 the response time of all its
operations, throttled the share of its attempts, without preparation of the table.
Contests show their winner. Unreadable folders, and folders without run or contest, are
counted below.`,
		Example: `  loadgen runs list
  loadgen runs list stress --since 7d
  loadgen runs list --tag baseline --format json`,
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
			if f.format == report.FormJSON {
				return report.List(all, chosen, f.Limit).JSON(stdout)
			}
			return report.List(all, chosen, f.Limit).Text(stdout)
		}),
	}
	f.Runs, f.format = runsKept(), report.FormText
	c.Flags().VarP(&wordValue{&f.format, "form", []string{report.FormText, report.FormJSON}}, "format", "o", "what to print: text, json")
	bind(c.Flags(), f)
	return c
}

// oneOfRuns says that a verb takes the name of a scenario.
const oneOfRuns = "one scenario at most, whose runs it selects, and got %d"

// aboutRun explains RUN in the help of a verb.
const aboutRun = `RUN is the folder
of a run, its name in --runs, a unique prefix of the name, latest, or latest~1 for the run before it.`

// tagFlags are what a user typed after `loadgen runs tag`.
type tagFlags struct {
	storeFlags
	Remove bool `flag:"remove" help:"take the tags away"`
}

func newRunsTag(stdout io.Writer) *cobra.Command {
	f := &tagFlags{storeFlags: storeFlags{runsKept()}}
	c := &cobra.Command{
		Use:   "tag RUN NAME...",
		Short: "Tag a run, which keeps it from being pruned",
		Long: `Tag gives a run names of your own, by which ` + "`runs list --tag`" + ` finds it, and
` + "`runs prune`" + ` never deletes a run that has one. They lie in a file beside the record,
which is never altered. ` + aboutRun,
		Example: `  loadgen runs tag latest baseline
  loadgen runs tag 20260301T0200 before-the-move --remove`,
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
			_, err = fmt.Fprintf(stdout, "%s: %s\n", catalog.Shown(folder), strings.Join(tags, ", "))
			return err
		}),
	}
	bind(c.Flags(), f)
	return c
}

// runsPruneFlags are what a user typed after `loadgen runs prune`.
type runsPruneFlags struct {
	storeFlags
	OlderThan string `flag:"older-than" help:"only what is older than this *age*, such as 12h"`
	By        catalog.Pruning
	Yes       bool `flag:"yes" help:"agree: send load to a service, or delete what is listed"`
}

const runsPruneHelp = `Prune lists the runs to delete, and deletes them with --yes. --older-than selects runs
that started earlier, --keep-last all but the newest N of each scenario, not counting
protected runs; with both, a run must match both.

Prune deletes only files that loadgen wrote, of readable runs directly below --runs. It
does not follow links. It keeps runs with tags, unfinished runs written to within the
last hour, contests, and folders that contain other files.`

func newRunsPrune(stdout io.Writer) *cobra.Command {
	f := new(runsPruneFlags)
	c := &cobra.Command{
		Use:   "prune [SCENARIO]",
		Short: "Delete runs that are old, once it was said which",
		Long:  runsPruneHelp,
		Example: `  loadgen runs prune --older-than 30d              # list only
  loadgen runs prune --older-than 30d --yes
  loadgen runs prune stress --keep-last 20 --yes`,
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
	}
	f.Runs = runsKept()
	bind(c.Flags(), f)
	return c
}

// runsMergeFlags are what a user typed after `loadgen runs merge`.
type runsMergeFlags struct {
	Tell tellFlags
	storeFlags
}

const runsMergeHelp = `Merge lays runs upon each other that went on side by side, as from several machines:
second on second since each began, phase on phase. Counts are summed and histograms
merged bucket by bucket, so that the record is the one that a single run of all of it
would have; then it is judged like any other, and kept in --out.

What is not exact says so: p50 to p99.9 of single seconds are upper bounds, the busiest
second of a partition a lower one. Scenario, target, kind of time, limits, checks, faults,
operations and phases have to be the same, and each phase to begin within a second;
otherwise nothing is written, and the field that differs is named (exit 2). Builds, texts
of the scenario, seeds and machines may differ, which the report says. A search for a
limit, what ` + "`serve`" + ` captured, and a run that was killed cannot be merged. ` + aboutRun

func newRunsMerge(stdout, stderr io.Writer) *cobra.Command {
	f := new(runsMergeFlags)
	c := &cobra.Command{
		Use:   "merge RUN RUN...",
		Short: "Merge several runs into one",
		Long:  runsMergeHelp,
		Example: `  loadgen runs merge machine-a machine-b --out both
  loadgen runs merge 20260301T0200 20260301T0201 --format json`,
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
	}
	f.Runs = runsKept()
	f.Tell.formFlags.register(c.Flags(), runForms()...)
	bind(c.Flags(), &f.Tell.keepFlags)
	bind(c.Flags(), &f.storeFlags)
	return c
}
