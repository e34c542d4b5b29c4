package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"loadgen/engine/clock"
)

// doctorFlags are what a user typed after `loadgen doctor`.
type doctorFlags struct {
	// targetFlags say which service to visit besides; those that bound what is sent
	// are not registered, since a visit changes nothing.
	targetFlags
	format  string
	out     string
	workers int
	quiet   bool
}

// newDoctor returns the verb that proves the tool on this machine.
func newDoctor(stdout, stderr io.Writer) *cobra.Command {
	return new(doctorFlags).verb(stdout, stderr)
}

// verb returns the verb with its flags bound to f.
func (f *doctorFlags) verb(stdout, stderr io.Writer) *cobra.Command {
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
			if err := emptyFlag(c.Flags()); err != nil {
				return err
			}
			return f.run(c.Context(), stdout, stderr)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.where, "target", "", "table service to visit besides: a URL (with --key-file),\n"+
		"env:NAME or file:PATH for a connection string")
	flags.StringVar(&f.account, "account", "", "account that signs for a --target URL (default: the one in the URL)")
	flags.StringVar(&f.keyFile, "key-file", "", "`file` with the account key of a --target URL, base64")
	flags.StringVar(&f.format, "format", "text", "what to print: text, or json")
	flags.StringVar(&f.out, "out", filepath.Join("results", "runs"), "folder that runs are to be written to")
	flags.IntVar(&f.workers, "workers", defaultWorkers, "greatest number of attempts at once that runs are to have")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress on standard error")
	return c
}

// The workers that a scenario has where it does not say, and that it may have at
// most.
const (
	defaultWorkers = 256
	mostWorkers    = 100_000
)

// run makes the checks and prints what they found.
func (f *doctorFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	if f.format != "text" && f.format != "json" {
		return usageError{fmt.Errorf("--format %s: expected text or json", f.format)}
	}
	if f.workers < 1 || f.workers > mostWorkers {
		return usageError{fmt.Errorf("--workers %d: expected 1 to %s", f.workers, thousands(mostWorkers))}
	}
	if err := f.heed(); err != nil {
		return err
	}
	if f.quiet {
		stderr = io.Discard
	}
	clk := clock.NewReal()
	v := newVisit(f.aim.endpoint, clk, nil)
	defer v.close()
	checks := f.machineChecks(clk)
	if f.where != "" {
		checks = append(checks, v.checks()...)
	}
	d := diagnose(ctx, append(checks, trials{clk, true}.checks()...), stderr)
	if err := d.print(stdout, f.format); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.judge()
}

// heed works out which service is to be visited, if any.
func (f *doctorFlags) heed() error {
	switch f.where {
	case "":
		if f.keyFile != "" || f.account != "" {
			return usageError{errors.New("--key-file and --account belong to a --target URL")}
		}
		return nil
	case targetEmbedded, targetInProcess:
		return usageError{fmt.Errorf("--target %s: the other checks are made on the embedded engine anyway; "+
			"expected a URL, env:NAME or file:PATH", f.where)}
	default:
		return f.take()
	}
}

// checks are those that have the tool do its work, the longest last.
func (r trials) checks() []check {
	return []check{
		{name: "pacing", lasts: "3 s of 2,000 operations/s that nothing answers to",
			examine: func(ctx context.Context) finding {
				figures, err := r.measurePacing(ctx)
				return told(err, figures.finding)
			}},
		{name: "ceiling", lasts: "as many operations as there can be, for a second or two",
			examine: func(ctx context.Context) finding {
				figures, err := r.measureCeiling(ctx)
				return told(err, figures.finding)
			}},
		{name: "books", lasts: "a short run whose replies are lost or refused",
			examine: func(ctx context.Context) finding {
				figures, err := r.measureBooks(ctx)
				return told(err, figures.finding)
			}},
		{name: "stall", lasts: "20 s of 1,000 operations/s, in 2 s of which the engine stands still",
			examine: func(ctx context.Context) finding {
				figures, err := r.measureStall(ctx)
				return told(err, figures.finding)
			}},
	}
}
