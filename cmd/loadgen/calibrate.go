package main

import (
	"errors"
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
	f.Options.Rate, f.Options.MaxRate = doctor.DefaultRate, doctor.DefaultMaxRate
	return newVerb("calibrate", f, &cobra.Command{
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
			file, err := createFile("--file", f.File)
			if err != nil {
				return err
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
