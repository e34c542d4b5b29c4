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
	c := newVerb("backoff", nil, &cobra.Command{
		RunE: helpOrUnknown, Args: cobra.ArbitraryArgs,
	})
	c.Long += "\n"
	for _, p := range backoff.Presets() {
		c.Long += fmt.Sprintf("\n  %-20s %s", p.Name, p.Formula)
	}
	c.AddCommand(new(backoffOutput).showVerb(stdout, stderr), new(contestFlags).verb(stdout, stderr))
	return c
}

// backoffOutput says how the verbs of back-off tell what they found.
type backoffOutput struct {
	formFlags
	Out   string `flag:"out"`
	Quiet bool   `flag:"quiet"`
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
	return newVerb("backoff show", o, &cobra.Command{
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
	})
}

// contestFlags are what a user typed after `loadgen backoff contest`.
type contestFlags struct {
	backoffOutput
	Outage   time.Duration `flag:"outage" default:"15s" excludes:"overload"`
	Overload string        `flag:"overload"`
	Contest  trial.Contest
	Lost     string `flag:"lost-replies" default:"0%"`
}

// contestants are tried where none is named.
const contestants = "none documented was-1.x storage-net azcore azure-core-net js botocore-standard full-jitter equal-jitter decorrelated-jitter ladder fixed-1s"

func (f *contestFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	return newVerb("backoff contest", f, &cobra.Command{
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
	})
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
