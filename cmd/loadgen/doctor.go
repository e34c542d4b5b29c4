package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"loadgen/engine/clock"
	"loadgen/report/document"
	"loadgen/scenarios"
	"loadgen/scenarios/doctor"
)

// doctorFlags are what a user typed after `loadgen doctor`.
type doctorFlags struct {
	// Service is a service to check as well.
	Service endpointFlags
	formFlags
	Options doctor.Options
	Quiet   bool `flag:"quiet"`
	// Clean looks for what runs have left, in place of the checks.
	Clean bool `flag:"clean" requires:"target"`
	Left  doctor.CleanOptions
}

// newDoctor returns the verb that proves the tool on this machine.
func newDoctor(stdout, stderr io.Writer) *cobra.Command {
	f := new(doctorFlags)
	f.Options.Folder = runsKept()
	return newVerb("doctor", f, &cobra.Command{
		ValidArgsFunction: oneScenario,
		Args: func(c *cobra.Command, args []string) error {
			// A scenario is refused if nothing is compared with it.
			switch {
			case len(args) > 1:
				return takesOne()(c, args)
			case len(args) == 1 && f.Clean:
				return usageError{fmt.Errorf("--clean is of no scenario; expected it without %q", args[0])}
			case len(args) == 1 && len(f.Service.Target) == 0:
				return usageError{fmt.Errorf("%q: a scenario is compared with the connection to a service; expected --target, too", args[0])}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.heed(c); err != nil {
				return err
			}
			if len(args) > 0 {
				var err error
				if f.Options.Scenario, _, err = scenarios.OpenWhole(args[0]); err != nil {
					return err
				}
			}
			if f.Quiet {
				stderr = io.Discard
			}
			f.Options.Clock = clock.NewReal()
			beginWork(c.Context())
			if f.Clean {
				return f.sweepUp(c.Context(), stdout)
			}
			d := doctor.Diagnose(c.Context(), f.Options, stderr)
			return f.print(c.Context(), d.Document(), d.Unavailable, outcome{failed: d.Failed > 0}.end(), stdout)
		},
	})
}

// sweepUp lists what runs have left, and drops it with consent.
func (f *doctorFlags) sweepUp(ctx context.Context, stdout io.Writer) error {
	f.Left.Service, f.Left.Clock = *f.Options.Service, f.Options.Clock
	found, err := doctor.Clean(ctx, f.Left)
	if err != nil {
		return err
	}
	if found.LeftBehind > 0 {
		err = usageError{errors.New("nothing was dropped: add --yes to drop leftover tables")}
	}
	return f.print(ctx, found.Document(), found.NotDropped > 0, err, stdout)
}

func (f *doctorFlags) heed(c *cobra.Command) error {
	if err := named(c.Flags(), f.Options.Validate()...); err != nil {
		return err
	}
	if err := named(c.Flags(), f.Left.Validate()...); err != nil {
		return err
	}
	service, err := f.Service.remote()
	if err != nil || service == nil {
		return err
	}
	f.Options.Service = service
	return nil
}

// print writes what was found, and returns what the exit code says: that it was ended early, that
// the service did not do its part, or else what was found.
func (f *doctorFlags) print(ctx context.Context, d *document.Document, unavailable bool, found error, stdout io.Writer) error {
	switch err := f.show(stdout, d); {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return reported(ctx.Err(), false)
	case unavailable:
		return verdictError{code: codeTarget}
	}
	return found
}
