package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"loadgen/engine/clock"
	"loadgen/scenarios/doctor"
	"loadgen/scenarios/run"
)

// doctorFlags are what a user typed after `loadgen doctor`.
type doctorFlags struct {
	options doctor.Options
	// service says what to visit besides; of its flags those that bound what is sent
	// are not registered, since a visit changes nothing.
	service targetFlags
	target  string
	formFlags
	quiet bool
}

// newDoctor returns the verb that proves the tool on this machine.
func newDoctor(stdout, stderr io.Writer) *cobra.Command {
	f := new(doctorFlags)
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Prove this tool on this machine: what may its figures be trusted with?",
		Long: `Doctor puts the tool to the proof on the machine that it stands on, in less than a
minute: one line for each check, with what was measured and what was wanted, and
one line in the end. Among others it freezes the embedded engine for 2 s under
load, and holds what is reported of that against arithmetic.

With --target it visits a table service besides: look-up, connection, TLS, key,
round trip, clock, and whether connections are kept. It sends eleven requests that
list one table; nothing is created or written there.

It exits with 10 where a check failed; what could not be told fails nothing.`,
		Example: `  loadgen doctor
  loadgen doctor --target env:TABLES              # and a service by its connection string
  loadgen doctor --workers 2000 --format json     # would 2,000 workers find what they need?`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.heed(c); err != nil {
				return err
			}
			if f.quiet {
				stderr = io.Discard
			}
			f.options.Clock = clock.NewReal()
			return f.tell(c.Context(), doctor.Diagnose(c.Context(), f.options, stderr), stdout)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.target, "target", "", "table service to visit besides: a URL (with --key-file), "+
		"env:NAME or file:PATH for a connection string")
	flags.StringVar(&f.service.account, "account", "", "account that signs for a --target URL (default: the one in the URL)")
	flags.StringVar(&f.service.keyFile, "key-file", "", "`file` with the account key of a --target URL, base64")
	f.formFlags.register(flags)
	flags.StringVar(&f.options.Folder, "out", runsKept(), "folder that runs are to be written to")
	flags.IntVar(&f.options.Workers, "workers", 256, "greatest number of attempts at once that runs are to have")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress on standard error")
	return c
}

func (f *doctorFlags) heed(c *cobra.Command) error {
	if err := emptyFlag(c.Flags()); err != nil {
		return err
	}
	if err := named(c.Flags(), f.options.Validate()...); err != nil {
		return err
	}
	switch f.target {
	case "":
		if f.service.keyFile != "" || f.service.account != "" {
			return usageError{errors.New("--key-file and --account belong to a --target URL")}
		}
		return nil
	case targetEmbedded, targetInProcess:
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

// tell prints a diagnosis, and turns a failed check into the exit code.
func (f *doctorFlags) tell(ctx context.Context, d *doctor.Diagnosis, stdout io.Writer) error {
	if err := f.show(stdout, d.Document()); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return reported(ctx.Err(), false)
	}
	return outcome{failed: d.Failed > 0}.end()
}
