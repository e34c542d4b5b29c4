package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"loadgen/engine/clock"
	"loadgen/scenarios/doctor"
	"loadgen/scenarios/run"
)

// calibrateFlags are what a user typed after `loadgen calibrate`.
type calibrateFlags struct {
	options doctor.CalibrationOptions
	service targetFlags
	target  string
	formFlags
	out   string
	quiet bool
}

const calibrateHelp = `Calibrate measures a Table service with small experiments: latencies of four operations
at a low rate, rising rates to one partition until it throttles, a sustained overload,
and bursts after pauses. It writes a profile file for --profile. Simulations with it use
the measured limits and times, and their verdicts say so.

Each value has an interval and its number of samples. Values that could not be measured
are listed with the reason and taken from the documented profile. Sending requires --yes;
at most --budget transactions are billed, and every table is deleted.

--account-limit also raises the load on the account, which throttles its other users.`

func (f *calibrateFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "calibrate",
		Short: "Measure a table service, for a profile of the model",
		Long:  calibrateHelp,
		Example: `  loadgen calibrate --target env:TABLES --budget 100000 --yes
  loadgen calibrate --target file:connection.txt --budget 5000 --yes   # latencies alone
  loadgen simulate my-table.yaml --profile loadgen-profile.yaml`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.heed(c); err != nil {
				return err
			}
			f.options.Progress = stderr
			if f.quiet {
				f.options.Progress = io.Discard
			}
			f.options.Now, f.options.Remains = clock.NewReal().Started(), remainsOf(c.Context(), nil)
			f.options.Consent = f.service.agree(f.quiet, stderr)
			// The file is made first: what cannot be kept is not measured.
			file, err := os.OpenFile(f.out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
			if errors.Is(err, os.ErrExist) {
				return usageError{fmt.Errorf("--out %s: there is one already; expected a new file", f.out)}
			}
			if err != nil {
				return usageError{fmt.Errorf("--out: %w", err)}
			}
			learnt, err := doctor.Calibrate(c.Context(), f.options)
			err = flagged(c.Flags(), err)
			if err != nil || len(learnt.Profile.Values) == 0 {
				err = errors.Join(err, file.Close(), os.Remove(f.out))
			} else {
				_, failed := file.Write(learnt.Profile.Text())
				err = errors.Join(failed, file.Close())
			}
			if learnt == nil {
				return err
			}
			kept := f.out
			if len(learnt.Profile.Values) == 0 {
				kept = ""
			}
			return errors.Join(err, f.show(stdout, learnt.Document(kept)), reported(learnt.Ended, false))
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.target, "target", "", "Table service to measure: a URL, or env:NAME or file:PATH with a connection string")
	flags.StringVar(&f.service.account, "account", "", "account of a --target URL (default: from the URL)")
	flags.StringVar(&f.service.keyFile, "key-file", "", "`file` with the account key of a --target URL, base64")
	flags.BoolVar(&f.service.consent, "yes", false, "send what the forecast says")
	flags.Int64Var(&f.options.Budget, "budget", 0, "make no more than this number of billed transactions")
	flags.Float64Var(&f.options.Rate, "rate", doctor.DefaultRate, "operations per second at which latencies are measured")
	flags.Float64Var(&f.options.MaxRate, "max-rate", doctor.DefaultMaxRate, "highest rate that a partition is offered, in operations per second")
	flags.BoolVar(&f.options.AccountLimit, "account-limit", false, "find the account's limit, too; throttles its other users")
	flags.Float64Var(&f.options.AccountRate, "account-rate", doctor.DefaultAccountRate, "with --account-limit: maximum rate in entities/s")
	flags.IntVar(&f.options.Workers, "workers", 0, "maximum number of concurrent attempts (default: that of a run)")
	flags.StringVar(&f.out, "out", "loadgen-profile.yaml", "new `file` for the profile")
	f.formFlags.register(flags)
	flags.BoolVar(&f.quiet, "quiet", false, "no progress on standard error")
	return c
}

// heed refuses flags that no experiment can follow.
func (f *calibrateFlags) heed(c *cobra.Command) error {
	if err := emptyFlag(c.Flags()); err != nil {
		return err
	}
	switch f.target {
	case "":
		return usageError{errors.New("--target: expected the table service to measure: a URL (with --key-file), env:NAME or file:PATH")}
	case targetEmbedded, targetInProcess:
		return usageError{fmt.Errorf("--target %s: it is a model already; expected a URL, env:NAME or file:PATH", f.target)}
	}
	if c.Flags().Changed("account-rate") && !f.options.AccountLimit {
		return usageError{errors.New("--account-rate belongs to --account-limit, which is missing")}
	}
	if err := named(c.Flags(), f.options.Validate()...); err != nil {
		return err
	}
	f.service.where = []string{f.target}
	var plan run.Plan
	if err := f.service.fill(&plan); err != nil {
		return err
	}
	f.options.On, f.options.Accounts = plan.On, plan.Accounts
	return nil
}
