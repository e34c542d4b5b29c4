package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	explanation "loadgen/scenarios/explain"
	"loadgen/scenarios/survey"
)

// keysFlags say which keys are judged, and what they are to carry.
type keysFlags struct {
	from string
	rate float64
}

func (f *keysFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.from, "from", "", "judge the keys of a CSV `file`, - for standard input")
	flags.Float64Var(&f.rate, "rate", 0, "with --from: how many `entities` a second the keys are to carry in all")
}

// keys judges keys that the user has.
func (f *explainFlags) keys(c *cobra.Command, stdout, stderr io.Writer) error {
	if err := emptyFlag(c.Flags()); err != nil {
		return err
	}
	if c.Flags().Changed("rate") && !(f.rate > 0 && f.rate <= mostRate) {
		return usageError{fmt.Errorf("--rate %v: expected entities per second, above 0 and at most %s", f.rate,
			thousands(mostRate))}
	}
	m, err := model.New(model.Documented)
	if err != nil {
		return err
	}
	from, name, err := f.open(c.InOrStdin())
	if err != nil {
		return err
	}
	defer from.Close()
	progress := newReading(stderr, f.quiet)
	told, err := explanation.FromKeys(from, explanation.KeysOptions{File: name, PerSecond: f.rate,
		Progress: progress.rows,
		Targets:  explanation.Targets{Partition: m.PartitionTarget, Account: m.AccountTarget, Accounts: 1}})
	switch {
	case errors.Is(err, survey.ErrKeys):
		return usageError{err}
	case err != nil:
		return usageError{fmt.Errorf("the keys %s cannot be read: %w", name, reason(err))}
	}
	return f.tell(told, stdout)
}

// mostRate bounds what keys can be asked to carry.
const mostRate = 1_000_000_000

// open opens the file of keys.
func (f *keysFlags) open(stdin io.Reader) (file io.ReadCloser, name string, err error) {
	if f.from == standardInput {
		return io.NopCloser(stdin), stdinName, nil
	}
	opened, err := os.Open(f.from)
	if err != nil {
		return nil, "", usageError{fmt.Errorf("the keys %s cannot be read: %w", f.from, reason(err))}
	}
	return opened, f.from, nil
}

// reading tells a person now and again how many rows were read.
type reading struct {
	to    io.Writer
	clock clock.Real
	next  clock.Instant
}

func newReading(to io.Writer, quiet bool) *reading {
	if quiet {
		to = io.Discard
	}
	r := &reading{to: to, clock: clock.NewReal()}
	r.next = r.clock.Now().Add(readingEvery)
	return r
}

// readingEvery is the time between two lines of progress.
const readingEvery = 2 * time.Second

func (r *reading) rows(n int64) {
	if now := r.clock.Now(); now >= r.next {
		r.next = now.Add(readingEvery)
		fmt.Fprintf(r.to, "%s rows\n", thousands(n))
	}
}
