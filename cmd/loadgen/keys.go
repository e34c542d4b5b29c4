package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"loadgen/engine/clock"
	"loadgen/engine/nearest"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/catalog"
	"loadgen/scenarios"
	explanation "loadgen/scenarios/advise"
	"loadgen/scenarios/advise/keystatistics"
	"loadgen/scenarios/advise/suggest"
)

// keysFlags are what a user typed after `loadgen keys`.
type keysFlags struct {
	Rate         float64  `flag:"rate"`
	PartitionKey []string `flag:"partition-key"`
	RowKey       []string `flag:"row-key" requires:"partition-key"`
	Time         string   `flag:"time"`
	Suggest      bool     `flag:"suggest" requires:"rate"`
	columnFlags
	formFlags
	Quiet bool `flag:"quiet"`
}

// columnFlags say what the columns of a CSV file are.
type columnFlags struct {
	TimeFormat string   `flag:"time-format"`
	Column     []string `flag:"column"`
}

// names returns the columns that are given names, and checks the format of times.
func (f *columnFlags) names() (map[string]string, error) {
	if _, err := clock.NewTimeColumn(f.TimeFormat); err != nil {
		return nil, usageError{fmt.Errorf("--time-format: %w", err)}
	}
	return parsePairs(f.Column, true, func(text string) error {
		return fmt.Errorf("--column %s: expected a name, = and a column of the file, each name once", nearest.Quote(text))
	})
}

// newKeys returns the verb that judges keys, forms them, and reads them back.
func newKeys(stdout, stderr io.Writer) *cobra.Command {
	f := new(keysFlags)
	c := newVerb("keys", f, &cobra.Command{
		Args: takes(1, 1, "one CSV file of keys, or - for standard input, or encode, or decode, and got %d"),
		RunE: func(c *cobra.Command, args []string) error { return f.report(c, args[0], stdout, stderr) },
	})
	encode := newVerb("keys encode", nil, &cobra.Command{
		Args: takes(1, maxKeyArgs, "a template and its attributes' values, as in '{event}__{bib:05d}' event=paris bib=42, and got %d"),
		RunE: func(_ *cobra.Command, args []string) error {
			given, err := parsePairs(args[1:], false, func(text string) error {
				return fmt.Errorf("%s: expected the name of an attribute, = and its value, each once", nearest.Quote(text))
			})
			if err != nil {
				return err
			}
			key, err := scenarios.EncodeKey(args[0], given)
			if err != nil {
				return usageError{err}
			}
			_, err = fmt.Fprintln(stdout, key)
			return err
		},
	})
	decode := newVerb("keys decode", nil, &cobra.Command{
		Args: takes(2, maxKeyArgs, "a template and the keys that were formed by it, as in '{event}__{bib:05d}' paris__00042, and got %d"),
		RunE: func(_ *cobra.Command, args []string) error {
			var lines strings.Builder
			for _, key := range args[1:] {
				values, err := scenarios.DecodeKey(args[0], key)
				if err != nil {
					return usageError{err}
				}
				lines.WriteString(strings.Join(values, "\t") + "\n")
			}
			_, err := io.WriteString(stdout, lines.String())
			return err
		},
	})
	c.AddCommand(encode, decode)
	return c
}

// maxRate bounds what keys can be asked to carry.
const maxRate = 1_000_000_000

// keys judges keys that the user has.
func (f *keysFlags) report(c *cobra.Command, file string, stdout, stderr io.Writer) error {
	if c.Flags().Changed("rate") && !(f.Rate > 0 && f.Rate <= maxRate) {
		return usageError{fmt.Errorf("--rate %v: expected entities per second, above 0 and at most %s", f.Rate,
			document.Count(maxRate))}
	}
	names, err := f.names()
	if err != nil {
		return err
	}
	if f.Suggest && (file == standardInput || len(f.PartitionKey) > 0) {
		return usageError{errors.New("--suggest reads a file several times and proposes all keys; expected the name of a file, and no --partition-key")}
	}
	from, name := c.InOrStdin(), stdinName
	if file != standardInput {
		opened, err := os.Open(file)
		if err != nil {
			return usageError{fmt.Errorf("the keys %s cannot be read: %w", file, catalog.Reason(err))}
		}
		defer opened.Close()
		from, name = opened, file
	}
	options := explanation.KeysOptions{File: name, PerSecond: f.Rate, Time: f.Time, TimeFormat: f.TimeFormat, Names: names, Progress: newReading(stderr, f.Quiet, "rows"),
		Targets: explanation.DocumentedTargets()}
	told, state, err := f.judge(from, options)
	var fault *explanation.CandidateFault
	switch {
	case errors.Is(err, keystatistics.ErrKeys), errors.Is(err, suggest.ErrUnsuited), errors.As(err, &fault):
		return usageError{err}
	case err != nil:
		return usageError{fmt.Errorf("the keys %s cannot be read: %w", name, catalog.Reason(err))}
	}
	return f.finish(told, outcome{failed: state == results.DoesNotHold, untold: state == results.CannotTell}, stdout)
}

// judge judges the keys that stand in a file, or those that are formed from its columns.
func (f *keysFlags) judge(from io.Reader, o explanation.KeysOptions) (*document.Document, string, error) {
	if f.Suggest {
		told, err := suggest.Columns(func() (io.ReadCloser, error) { return os.Open(o.File) }, o)
		if err != nil {
			return nil, "", err
		}
		return told.Document(), told.State, nil
	}
	if len(f.PartitionKey) == 0 {
		told, err := explanation.FromKeys(from, o)
		if err != nil {
			return nil, "", err
		}
		return told.Document(), told.State, nil
	}
	candidates := make([]explanation.Candidate, len(f.PartitionKey))
	for i, text := range f.PartitionKey {
		candidates[i].PartitionKey = text
		switch len(f.RowKey) {
		case 0:
		case 1:
			candidates[i].RowKey = f.RowKey[0]
		case len(f.PartitionKey):
			candidates[i].RowKey = f.RowKey[i]
		default:
			return nil, "", &explanation.CandidateFault{What: fmt.Sprintf("%d of --row-key for %d of --partition-key; expected one for all or one for each",
				len(f.RowKey), len(f.PartitionKey))}
		}
	}
	told, err := explanation.FromRows(from, candidates, o)
	if err != nil {
		return nil, "", err
	}
	return told.Document(), told.State, nil
}

// finish prints a document and returns the exit code of its outcome as an error.
func (f *formFlags) finish(told *document.Document, outcome outcome, stdout io.Writer) error {
	if err := f.show(stdout, told); err != nil {
		return err
	}
	return outcome.end()
}

// maxKeyArgs is how many arguments a command line of keys has at most.
const maxKeyArgs = 10_000
