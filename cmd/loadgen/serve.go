package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"loadgen/engine/clock"
	"loadgen/engine/nearest"
	"loadgen/engine/rest/serve"
	"loadgen/report"
	"loadgen/report/live"
	"loadgen/report/live/page"
	"loadgen/report/text"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/capture"
	"loadgen/scenarios/doctor"
	"loadgen/scenarios/run"
)

// serveFlags are what a user typed after `loadgen serve`.
type serveFlags struct {
	serve.Options `group:"Service"`
	KeyFile       string   `flag:"key-file" group:"Connections" requires:"account"`
	FaultFile     string   `flag:"faults" group:"Service" rare:"yes"`
	Examine       bool     `flag:"examine" group:"Output"`
	Out           string   `flag:"out" group:"Output" requires:"examine"`
	Live          liveFlag `flag:"live-page" alone:":0" group:"Output" requires:"examine"`
	formFlags
}

// standardInput is the name of it among files.
const standardInput = "-"

func (f *serveFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	f.Listen, f.Admin, f.Profile = serve.DefaultListen, serve.DefaultAdmin, serve.DefaultProfile
	return newVerb("serve", f, &cobra.Command{
		RunE: func(c *cobra.Command, _ []string) error {
			f.Input, f.Journal = c.InOrStdin(), stderr
			return f.run(c.Context(), commandOf(c), stdout)
		},
	}, "format")
}

// run serves until the context is done.
func (f *serveFlags) run(ctx context.Context, command []string, stdout io.Writer) error {
	told, err := f.prepare()
	if err != nil {
		return err
	}
	f.Clock = clock.NewReal()
	var examination capture.Examination
	var watch *page.Watch // nil without a page
	shown, err := f.Live.open(stopOf(ctx))
	if err != nil {
		return err
	}
	defer shown.Close()
	if f.Examine {
		f.Observe, f.Tick = examination.Saw, examination.Advance
		f.Balanced = func(list []serve.Event) {
			decided := run.Decisions(list)
			examination.Balanced(decided)
			for _, one := range decided {
				watch.Event(one)
			}
		}
	}
	beginWork(ctx)
	s, err := serve.Open(ctx, f.Options)
	if errors.As(err, new(serve.Fault)) {
		return usageError{f.blame(err)}
	}
	if err != nil {
		return err
	}
	defer s.Close() // of what was served to its end nothing is left to go wrong
	if f.Examine {
		plan := capture.Plan{Out: f.Out, Version: run.Version(), Commit: run.Commit(), Command: command,
			Model: s.Model(), Seed: f.Seed, Started: f.Clock.Started(), Start: s.Start(), Faults: told}
		if err := examination.Open(plan); err != nil {
			return fmt.Errorf("%w: %w", run.ErrFolder, err)
		}
	}
	if shown != nil {
		stats := live.New()
		stats.Read(examination.Recorder())
		watch = shown.Begin(page.Run{Scenario: "serve", Stats: stats, Now: func() time.Duration { return f.Clock.Now().Offset() }, Queries: examination.Costliest})
		examination.Touched(watch.Touched)
	}
	if _, err := fmt.Fprintln(stdout, s.ConnectionString()); err != nil {
		return err
	}
	if shown != nil {
		fmt.Fprintf(f.Journal, "live page: %s\n", shown.URL())
	}
	s.Begin()
	select {
	case <-ctx.Done():
	case <-s.Failed():
	}
	ended, saved := s.Drain(), f.blame(s.Save())
	watch.End()
	if f.Examine {
		ended = f.report(stdout, &examination, results.TargetCounts(s.Counts()), shown, ended)
	}
	return errors.Join(s.Close(), ended, saved)
}

// prepare reads the files of the flags, and describes the injected faults.
func (f *serveFlags) prepare() (told []string, err error) {
	if f.KeyFile != "" {
		f.KeyName = f.KeyFile
		if f.Key, err = readSecret(f.KeyFile); err != nil {
			return nil, usageError{fmt.Errorf("--key-file: %w", err)}
		}
	}
	if f.Faults, f.Set, told, err = scenarios.ServiceFaults(f.FaultFile, f.Set); err != nil {
		return nil, usageError{err}
	}
	if slices.Contains(serve.Profiles(), f.Profile) {
		return told, nil
	}
	base, measured, err := doctor.ChooseProfile(f.Profile)
	if err != nil {
		return nil, err
	}
	f.Profile = base
	// What is set goes before what was measured.
	f.Set = append(nearest.NamesOf(measured.Values, func(one scenarios.Override) string { return "model." + one.Name + "=" + one.Text }), f.Set...)
	if !f.Quiet {
		fmt.Fprintf(f.Journal, "limits of profile %s\n", measured)
	}
	return told, nil
}

// blame says a fault of the options by the flag that it came from; any other error stays as it is.
func (f *serveFlags) blame(err error) error {
	var fault serve.Fault
	if !errors.As(err, &fault) {
		return err
	}
	flag := "--" + fault.Field
	switch {
	case fault.Field == "listen" && errors.Is(fault, serve.ErrKnownKey):
		return fmt.Errorf("--listen %s: an address that others reach needs --account and --key-file; "+
			"the emulators' key is for 127.0.0.1 and ::1 alone", fault.Value)
	case fault.Field == "durability" && fault.Known != nil:
		return errors.New(flag + ": " + nearest.Unknown("durability", fault.Value, fault.Known))
	case fault.Known != nil:
		return errors.New(flag + ": " + nearest.Unknown("parameter", fault.Value, fault.Known))
	case fault.Field == "key":
		flag = "--key-file"
	}
	if fault.Value != "" {
		flag += " " + fault.Value
	}
	return fmt.Errorf("%s: %w", flag, fault.Err)
}

// report judges the traffic of a service that has ended, draws its charts and prints the result.
func (f *serveFlags) report(stdout io.Writer, of *capture.Examination, counts results.TargetCounts, shown *page.Server, ended error) error {
	record, ended := of.Conclude(f.Clock.Now(), ended, &counts)
	if record == nil {
		return ended
	}
	drawn := errors.Join(report.Illustrate(of.Folder, record), standsBy(shown, record))
	fmt.Fprintf(f.Journal, "the run is in %s\n", of.Folder)
	if _, err := fmt.Fprintln(stdout); err != nil {
		return errors.Join(ended, drawn, err)
	}
	return errors.Join(ended, drawn, report.Screen(text.Unwrap(stdout), report.Keep(record).Document, f.look(stdout)))
}
