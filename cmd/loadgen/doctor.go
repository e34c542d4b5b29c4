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
	Quiet   bool `flag:"quiet" help:"no progress on standard error"`
	// Clean looks for what runs have left, in place of the checks.
	Clean bool `flag:"clean" help:"list the tables that killed runs left at --target"`
	Left  doctor.CleanOptions
}

const doctorHelp = `Doctor checks in less than a minute whether this machine can measure reliably. It prints a
line for each check, with the measured and the required value, and a result. Among others
it freezes the embedded engine for 2 s under load and compares the report with arithmetic.

With --target it also checks the way to a Table service: address, port, proxy, DNS,
connection, TLS, credentials, round trip, distance, clock, keep-alive, and whether the
bandwidth suffices for a scenario, by default the stress test. It sends eleven requests
that list one table, and at most 17 writes of up to half a megabyte to a table that does
not exist, which the service rejects. It creates and writes nothing.

With --clean it checks nothing: it lists the tables at --target that killed runs left
behind, and with --yes deletes them and their other resources. It deletes only tables
whose name begins with loadgen and that have loadgen's marker, and only if nothing wrote
to them for --older-than or --table names them.

A warning does not prevent runs. The exit code is 10 if a check failed, and 3, within
seconds, if the service denies access; inconclusive checks do not fail. With --clean it is
2 if --yes is missing, and 3 if a table could not be deleted.`

// newDoctor returns the verb that proves the tool on this machine.
func newDoctor(stdout, stderr io.Writer) *cobra.Command {
	f := new(doctorFlags)
	c := &cobra.Command{
		Use:   "doctor [file|name]",
		Short: "Check that this machine can produce reliable measurements",
		Long:  doctorHelp,
		Example: `  loadgen doctor
  loadgen doctor --target env:TABLES              # with a service by its connection string
  loadgen doctor my-table.yaml --target env:TABLES    # enough bandwidth for this scenario?
  loadgen doctor --workers 2000 --format json     # enough for 2,000 workers?
  loadgen doctor --clean --target env:TABLES      # leftover tables of killed runs
  loadgen doctor --clean --target env:TABLES --yes`,
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
	}
	f.Options.Folder = runsKept()
	f.formFlags.bindAll(c.Flags(), f)
	return c
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
	if f.Clean && len(f.Service.Target) == 0 {
		return usageError{errors.New("--clean needs --target: a URL (with --key-file), env:NAME or file:PATH")}
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
