package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/report"
	"loadgen/report/chart"
	"loadgen/results"
)

// newBackoff returns the verb that is about retry policies.
func newBackoff(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "backoff",
		Short: "What a retry policy does: its schedule, and a contest of several",
		Long: `Backoff shows when a retry policy tries again, and puts several of them through
the same trouble: an outage of one partition server, or more load than a partition
bears. The policies are the documents', those of clients that are in use, and
published ones:

` + policyList(),
		Example: `  loadgen backoff show documented --z 30s --min 3s --max 90s
  loadgen backoff contest --outage 15s --clients 500`,
		Args: knownVerb,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usageError{fmt.Errorf("there is no verb %q of loadgen backoff; there are show and contest", args[0])}
		}
		return nil
	}
	c.AddCommand(new(showFlags).verb(stdout, stderr), new(contestFlags).verb(stdout, stderr))
	return c
}

// policyList lists the policies with their formulas.
func policyList() string {
	var text strings.Builder
	for _, p := range backoff.Presets() {
		fmt.Fprintf(&text, "  %-20s %s\n", p.Name, p.Formula)
	}
	return strings.TrimRight(text.String(), "\n")
}

// showFlags are what a user typed after `loadgen backoff show`.
type showFlags struct {
	backoffOutput
	base, least, greatest time.Duration
	retries, first        int
}

// backoffOutput says how the verbs of back-off tell what they found.
type backoffOutput struct {
	format string
	out    string
	quiet  bool
}

func (o *backoffOutput) register(c *cobra.Command) {
	c.Flags().StringVar(&o.format, "format", "text", "what to print: text, or json")
	c.Flags().StringVar(&o.out, "out", "", "folder of the charts (default: a new one in results/runs)")
	c.Flags().BoolVar(&o.quiet, "quiet", false, "nothing on standard error")
}

// folder makes the folder of what is drawn.
func (o *backoffOutput) folder(name string) (results.Dir, error) {
	var folder results.Dir
	var err error
	if o.out != "" {
		folder, err = results.UseDir(o.out)
	} else {
		folder, err = results.MakeDir(filepath.Join("results", "runs"), clock.NewReal().Started().UTC(), name)
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", errNoFolder, err)
	}
	return folder, nil
}

// told says on standard error where the charts are.
func (o *backoffOutput) told(stderr io.Writer, folder results.Dir) {
	if !o.quiet {
		fmt.Fprintf(stderr, "the charts are in %s\n", folder)
	}
}

func (o *backoffOutput) check() error {
	if o.format != "text" && o.format != "json" {
		return usageError{fmt.Errorf("--format %s: expected text or json", o.format)}
	}
	return nil
}

func (f *showFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "show [POLICY …]",
		Short: "Show when retry policies try again",
		Long: `Show prints for each policy the least, the mean and the greatest wait before each
retry, and when that is after the first failure; says which of the waits have no
spread, so that clients that failed together come back together; and draws it all
as a fan chart. Without a policy it shows every one.`,
		Example: `  loadgen backoff show documented
  loadgen backoff show documented --z 30s --min 3s --max 90s --retries 5
  loadgen backoff show documented --first 0       # as the storage client 1.x counted
  loadgen backoff show js azcore azure-core-net --format json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return f.show(c, args, stdout, stderr) },
	}
	flags := c.Flags()
	flags.DurationVar(&f.base, "z", 0, "z of the documents' formula, the default back-off")
	flags.DurationVar(&f.least, "min", 0, "zmin of the documents' formula, the least wait")
	flags.DurationVar(&f.greatest, "max", 0, "zmax of the documents' formula, the greatest wait")
	flags.IntVar(&f.retries, "retries", 0, "how many retries (default: the policy's)")
	flags.IntVar(&f.first, "first", 1, "x of the first retry in the documents' formula: 1, or 0 as the storage client 1.x has it")
	f.register(c)
	return c
}

func (f *showFlags) show(c *cobra.Command, args []string, stdout, stderr io.Writer) error {
	if err := f.check(); err != nil {
		return err
	}
	presets, err := chosen(args)
	if err != nil {
		return err
	}
	var schedules []results.RetrySchedule
	for i := range presets {
		if err := f.alter(c, &presets[i]); err != nil {
			return err
		}
		schedules = append(schedules, scheduleOf(&presets[i]))
	}
	folder, err := f.folder("backoff")
	if err != nil {
		return err
	}
	if _, err := chart.DrawSchedules(folder, schedules); err != nil {
		return err
	}
	f.told(stderr, folder)
	if f.format == "json" {
		return report.SchedulesJSON(stdout, schedules)
	}
	return report.Schedules(stdout, schedules)
}

// chosen returns the presets of some names, all where there is none.
func chosen(names []string) ([]backoff.Preset, error) {
	all := backoff.Presets()
	if len(names) == 0 {
		return all, nil
	}
	var picked []backoff.Preset
	var faults []error
	for _, name := range names {
		at := slices.IndexFunc(all, func(p backoff.Preset) bool { return p.Name == name })
		if at < 0 {
			_, err := backoff.ByName(name)
			faults = append(faults, err)
			continue
		}
		picked = append(picked, all[at])
	}
	if len(faults) > 0 {
		return nil, usageError{errors.Join(faults...)}
	}
	return picked, nil
}

// alter gives a policy the values of the flags.
func (f *showFlags) alter(c *cobra.Command, p *backoff.Preset) error {
	if c.Flags().Changed("retries") {
		p.Retries = f.retries
	}
	formula, documented := p.Delay.(backoff.Exponential)
	for _, flag := range []string{"z", "min", "max", "first"} {
		if !c.Flags().Changed(flag) {
			continue
		}
		if !documented {
			return usageError{fmt.Errorf("--%s belongs to the documents' formula, which %s has not; expected documented, short, storage-net or was-1.x", flag, p.Name)}
		}
		switch flag {
		case "z":
			formula.Base = f.base
		case "min":
			formula.Min = f.least
		case "max":
			formula.Max = f.greatest
		default:
			if f.first != 0 && f.first != 1 {
				return usageError{fmt.Errorf("--first %d: x of the first retry is 0 or 1", f.first)}
			}
			formula.FromZero = f.first == 0
		}
		first := 1
		if formula.FromZero {
			first = 0
		}
		p.Delay, p.Source = formula, "the documents' formula, with values of one's own"
		p.Formula = fmt.Sprintf("min(zmin + U(0.8 z, 1.2 z) · (2^x − 1), zmax), z = %v, zmin = %v, zmax = %v, x = %d …",
			formula.Base, formula.Min, formula.Max, first)
	}
	if faults := p.Validate(); len(faults) > 0 {
		return usageError{fmt.Errorf("%s: %w", p.Name, errors.Join(faults...))}
	}
	return nil
}

// mostShownRetries is how many retries of a policy are listed.
const mostShownRetries = 20

// scheduleOf returns what there is to show of a policy.
func scheduleOf(p *backoff.Preset) results.RetrySchedule {
	s := results.RetrySchedule{Policy: p.Name, Retries: p.Retries, Formula: p.Formula, Source: p.Source,
		Codes: codesOf(p.Policy), Waits: []results.RetryWait{}}
	var flat []string
	var sums results.RetryWait
	for x := 1; x <= min(p.Retries, mostShownRetries); x++ {
		least, mean, greatest := p.Bounds(x)
		sums.Retry, sums.LeastS, sums.MeanS, sums.GreatestS = x, least.Seconds(), mean.Seconds(), greatest.Seconds()
		sums.SumLeastS += sums.LeastS
		sums.SumMeanS += sums.MeanS
		sums.SumGreatestS += sums.GreatestS
		s.Waits = append(s.Waits, sums)
		if least == greatest {
			flat = append(flat, fmt.Sprintf("%d (%v)", x, least))
		}
	}
	switch {
	case len(flat) == 0:
	case len(flat) == len(s.Waits):
		s.Flat = "No wait has any spread: clients that failed together come back together each time."
	default:
		s.Flat = fmt.Sprintf("Without any spread are the waits before retry %s: clients that come to one together come back together.",
			strings.Join(flat, ", "))
	}
	return s
}

// codesOf says in words what a policy retries.
func codesOf(p backoff.Policy) string {
	if p.Retries == 0 {
		return "nothing"
	}
	const silent = ", and attempts without a reply, the first of which at once"
	if p.Codes == nil {
		return "5xx except 501 and 505" + silent
	}
	if beside := slices.DeleteFunc(slices.Clone(p.Codes), func(code int) bool {
		return slices.Contains(backoff.DocumentedCodes(), code)
	}); len(p.Codes)-len(beside) == len(backoff.DocumentedCodes()) {
		return strings.Trim(fmt.Sprint(beside), "[]") + " and 5xx except 501 and 505" + silent
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(p.Codes), "[]"), " ", ", ") + silent
}

// seconds returns a duration for a record, rounded to the microsecond.
func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1e6) / 1e6 }
