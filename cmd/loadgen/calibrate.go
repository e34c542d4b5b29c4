package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/doctor"
	"loadgen/scenarios/run"
)

// calibrateFlags are what a user typed after `loadgen calibrate`.
type calibrateFlags struct {
	Service endpointFlags
	Consent bool `flag:"yes"`
	Options doctor.CalibrationOptions
	File    string `flag:"file" default:"loadgen-profile.yaml"`
	formFlags
	Quiet bool `flag:"quiet"`
}

func (f *calibrateFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	c := describeVerb("calibrate", &cobra.Command{
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.heed(c); err != nil {
				return err
			}
			f.Options.Progress = stderr
			if f.Quiet {
				f.Options.Progress = io.Discard
			}
			f.Options.Now, f.Options.Remains = clock.NewReal().Started(), leftoversOf(c.Context(), nil)
			f.Options.Consent = agree(f.Consent, f.Quiet, results.Price{}, stderr)
			// The file is made first: what cannot be kept is not measured.
			file, err := os.OpenFile(f.File, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
			if errors.Is(err, os.ErrExist) {
				return usageError{fmt.Errorf("--file %s: there is one already; expected a new file", f.File)}
			}
			if err != nil {
				return usageError{fmt.Errorf("--file: %w", err)}
			}
			learnt, err := doctor.Calibrate(c.Context(), f.Options)
			err = flagged(c.Flags(), err)
			if err != nil || len(learnt.Profile.Values) == 0 {
				err = errors.Join(err, file.Close(), os.Remove(f.File))
			} else {
				_, failed := file.Write(learnt.Profile.Text())
				err = errors.Join(failed, file.Close())
			}
			if learnt == nil {
				return err
			}
			kept := f.File
			if len(learnt.Profile.Values) == 0 {
				kept = ""
			}
			return errors.Join(err, f.show(stdout, learnt.Document(kept)), reported(learnt.Ended, false))
		},
	})
	f.Options.Rate, f.Options.MaxRate = doctor.DefaultRate, doctor.DefaultMaxRate
	f.formFlags.bindAll(c.Flags(), f)
	return c
}

// heed refuses flags that no experiment can follow.
func (f *calibrateFlags) heed(c *cobra.Command) error {
	if len(f.Service.Target) == 0 {
		return usageError{errors.New("--target: expected the table service to measure: a URL (with --key-file), env:NAME or file:PATH")}
	}
	if err := named(c.Flags(), f.Options.Validate()...); err != nil {
		return err
	}
	service, err := f.Service.remote()
	if err != nil {
		return err
	}
	f.Options.On, f.Options.Accounts = run.Remote, []run.Endpoint{*service}
	return nil
}
