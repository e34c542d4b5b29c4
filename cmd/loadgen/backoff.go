package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"loadgen/backoff"
	"loadgen/backoff/trial"
	"loadgen/engine/clock"
	"loadgen/report/chart"
	"loadgen/results"
	"loadgen/scenarios/run"
)

// newBackoff returns the verb that is about retry policies.
func newBackoff(stdout, stderr io.Writer) *cobra.Command {
	var lines []string
	for _, p := range backoff.Presets() {
		lines = append(lines, fmt.Sprintf("  %-20s %s", p.Name, p.Formula))
	}
	c := &cobra.Command{
		Use:   "backoff",
		Short: "Show and compare retry policies",
		Long: `Backoff shows when retry policies retry, and compares several under the same conditions:
an outage of one partition server, or an overload of one partition. The policies are the
documented ones, those of current clients, and published ones; or a formula of your own,
such as "exponential base=1s multiplier=1.6 jitter=20% max=2m" or "waits 1s 5s 30s":

` + strings.Join(lines, "\n"),
		Example: `  loadgen backoff show "exponential z=30s min=3s max=90s tries=6"
  loadgen backoff contest --outage 15s --clients 500`,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("there is no verb %q of loadgen backoff; there are show and contest", args[0])}
			}
			return nil
		},
	}
	c.AddCommand(new(backoffOutput).showVerb(stdout, stderr), new(contestFlags).verb(stdout, stderr))
	return c
}

// backoffOutput says how the verbs of back-off tell what they found.
type backoffOutput struct {
	formFlags
	Out   string `flag:"out" help:"*folder* of the result (default: a new one in results/runs)"`
	Quiet bool   `flag:"quiet" help:"no progress on standard error"`
}

func (o *backoffOutput) folder(name string) (results.Dir, error) {
	folder, err := results.NewDir(o.Out, runsKept(), clock.NewReal().Started().UTC(), name)
	if err != nil {
		return "", fmt.Errorf("%w: %w", run.ErrFolder, err)
	}
	return folder, nil
}

// nameCharts prints the folder of the charts on standard error.
func (o *backoffOutput) nameCharts(stderr io.Writer, folder results.Dir) {
	if !o.Quiet {
		fmt.Fprintf(stderr, "the charts are in %s\n", folder)
	}
}

func (o *backoffOutput) showVerb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "show [POLICY …]",
		Short: "Show when retry policies try again",
		Long: `Show prints for each policy the minimum, mean and maximum wait before each retry, and its
time after the first failure. It names waits without jitter, after which failed clients
return together, and draws a fan chart. The default is all policies.`,
		Example: `  loadgen backoff show documented
  loadgen backoff show "exponential z=30s min=3s max=90s tries=6"
  loadgen backoff show "exponential z=30s min=3s max=90s first=0"   # counts like storage client 1.x
  loadgen backoff show js azcore azure-core-net --format json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			presets, err := backoff.Choose(args...)
			if err != nil {
				return usageError{err}
			}
			var schedules []results.RetrySchedule
			for _, p := range presets {
				schedules = append(schedules, trial.Schedule(&p))
			}
			folder, err := o.folder("backoff")
			if err != nil {
				return err
			}
			if _, err := chart.Save(folder, chart.Schedules(schedules)); err != nil {
				return err
			}
			o.nameCharts(stderr, folder)
			return o.formFlags.show(stdout, trial.Schedules(schedules))
		},
	}
	o.formFlags.bindAll(c.Flags(), o)
	return c
}

// contestFlags are what a user typed after `loadgen backoff contest`.
type contestFlags struct {
	backoffOutput
	Outage   time.Duration `flag:"outage" default:"15s" excludes:"overload" help:"refuse everything for so long"`
	Overload string        `flag:"overload" help:"offered load as a multiple of a partition's target, such as 2x"`
	Contest  trial.Contest
	Lost     string `flag:"lost-replies" default:"0%" help:"share of replies that are lost after the request was carried out"`
}

// contestants are tried where none is named.
const contestants = "none documented was-1.x storage-net azcore azure-core-net js botocore-standard full-jitter equal-jitter decorrelated-jitter ladder fixed-1s"

var backoffContestHelp = `Contest lets clients insert entities on the virtual clock, with one retry policy after
another under the same conditions: an outage in which every attempt is throttled at once
(503), as while a partition moves to another server; or an overload of one partition. It
reports how many operations due in that time each policy loses, the cost in attempts and
time, and whether retries synchronise.

A plus sign adds a limiter to a policy: ` + strings.Join(backoff.Limiters(), ", ") + `.
Each client has one of its own.`

func (f *contestFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "contest [POLICY[+LIMITER] ...]",
		Short: "Put retry policies through the same trouble",
		Long:  backoffContestHelp,
		Example: `  loadgen backoff contest --outage 15s --clients 500
  loadgen backoff contest --overload 2x
  loadgen backoff contest --outage 15s --together   # all fail at the same time
  loadgen backoff contest azcore azcore+adaptive documented`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = strings.Fields(contestants)
			}
			var faults []error
			f.Contest.Contestants, faults = trial.Named(args...)
			if len(faults) > 0 {
				return usageError{errors.Join(faults...)}
			}
			if err := f.trouble(c); err != nil {
				return err
			}
			if faults := f.Contest.Validate(); len(faults) > 0 {
				return usageError{errors.Join(faults...)}
			}
			folder, err := f.folder("backoff-contest")
			if err != nil {
				return err
			}
			contest, ended := f.Contest.Run(c.Context())
			if err := trial.Keep(folder, contest, f.Contest.Schedules()); err != nil {
				return err
			}
			f.nameCharts(stderr, folder)
			return errors.Join(ended, f.formFlags.show(stdout, trial.Document(contest)))
		},
	}
	f.formFlags.bindAll(c.Flags(), f)
	return c
}

// trouble reads the flags that are texts and settles what goes together.
func (f *contestFlags) trouble(c *cobra.Command) error {
	var err error
	if c.Flags().Changed("overload") {
		times, err := strconv.ParseFloat(strings.TrimSuffix(f.Overload, "x"), 64)
		if err != nil || !(times > 0 && times <= 1000) {
			return usageError{fmt.Errorf("--overload %s: expected a multiple of a partition's target, such as 2x", f.Overload)}
		}
		f.Contest.Overload = times
	} else {
		f.Contest.Length = f.Outage
	}
	f.Contest.LostReplies, err = strconv.ParseFloat(strings.TrimSuffix(f.Lost, "%"), 64)
	if err != nil || !(f.Contest.LostReplies >= 0 && f.Contest.LostReplies <= 100) || !strings.HasSuffix(f.Lost, "%") {
		return usageError{fmt.Errorf("--lost-replies %s: expected a share from 0%% to 100%%", f.Lost)}
	}
	return nil
}
