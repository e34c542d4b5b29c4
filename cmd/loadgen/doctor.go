package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"loadgen/engine/clock"
	"loadgen/report/document"
	"loadgen/scenarios"
	"loadgen/scenarios/doctor"
	"loadgen/scenarios/run"
)

// doctorFlags are what a user typed after `loadgen doctor`.
type doctorFlags struct {
	options doctor.Options
	// service is a service to check as well. Its flags that limit the load are not registered, because a check changes
	// nothing.
	service targetFlags
	target  string
	formFlags
	quiet bool
	// clean looks for what runs have left, in place of the checks.
	clean bool
	left  doctor.CleanOptions
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
			case len(args) == 1 && f.clean:
				return usageError{fmt.Errorf("--clean is of no scenario; expected it without %q", args[0])}
			case len(args) == 1 && f.target == "":
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
				if f.options.Scenario, _, err = scenarios.OpenWhole(args[0]); err != nil {
					return err
				}
			}
			if f.quiet {
				stderr = io.Discard
			}
			f.options.Clock = clock.NewReal()
			if f.clean {
				return f.sweepUp(c.Context(), stdout)
			}
			d := doctor.Diagnose(c.Context(), f.options, stderr)
			return f.print(c.Context(), d.Document(), d.Unavailable, outcome{failed: d.Failed > 0}.end(), stdout)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.target, "target", "", "Table service to check, too: a URL, or "+
		"env:NAME or file:PATH for a connection string")
	flags.StringVar(&f.service.account, "account", "", "account of a --target URL (default: from the URL)")
	flags.StringVar(&f.service.keyFile, "key-file", "", "`file` with the account key of a --target URL, base64")
	f.formFlags.register(flags)
	flags.StringVar(&f.options.Folder, "out", runsKept(), "folder that runs are to be written to")
	flags.IntVar(&f.options.Workers, "workers", 256, "greatest number of attempts at once that runs are to have")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress on standard error")
	flags.BoolVar(&f.clean, "clean", false, "list the tables that killed runs left at --target")
	flags.BoolVar(&f.left.Agreed, "yes", false, "with --clean: drop them")
	flags.DurationVar(&f.left.OlderThan, "older-than", time.Hour, "with --clean: keep tables that were written within this time")
	flags.StringArrayVar(&f.left.Tables, "table", nil, "with --clean: only the table of this `name`, repeatable")
	return c
}

// sweepUp lists what runs have left, and drops it with consent.
func (f *doctorFlags) sweepUp(ctx context.Context, stdout io.Writer) error {
	f.left.Service, f.left.Clock = *f.options.Service, f.options.Clock
	found, err := doctor.Clean(ctx, f.left)
	if err != nil {
		return err
	}
	if found.LeftBehind > 0 {
		err = usageError{errors.New("nothing was dropped: add --yes to drop leftover tables")}
	}
	return f.print(ctx, found.Document(), found.NotDropped > 0, err, stdout)
}

func (f *doctorFlags) heed(c *cobra.Command) error {
	if err := emptyFlag(c.Flags()); err != nil {
		return err
	}
	if err := named(c.Flags(), f.options.Validate()...); err != nil {
		return err
	}
	// Of the flags some belong to the checks, others to what is in their place.
	fault := refuse(c.Flags(), "belongs to --clean, which is missing", "yes", "older-than", "table")
	if f.clean {
		fault = refuse(c.Flags(), "is of the checks, and --clean makes none; expected one of them", "workers", "out")
	}
	if fault != nil {
		return fault
	}
	if f.clean && f.target == "" {
		return usageError{errors.New("--clean needs --target: a URL (with --key-file), env:NAME or file:PATH")}
	}
	if err := named(c.Flags(), f.left.Validate()...); err != nil {
		return err
	}
	switch f.target {
	case "":
		if f.service.keyFile != "" || f.service.account != "" {
			return usageError{errors.New("--key-file and --account belong to a --target URL")}
		}
		return nil
	case targetEmbedded, targetInProcess:
		if f.clean {
			return usageError{fmt.Errorf("--target %s: its tables end with it; expected a URL, env:NAME or file:PATH", f.target)}
		}
		return usageError{fmt.Errorf("--target %s: the other checks are made on the embedded engine anyway; "+
			"expected a URL, env:NAME or file:PATH", f.target)}
	}
	f.service.where = []string{f.target}
	var plan run.Plan
	if err := f.service.fill(&plan); err != nil {
		return err
	}
	f.options.Service = &plan.Accounts[0]
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
