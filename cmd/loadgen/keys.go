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
	Rate         float64  `flag:"rate" help:"offer this rate, in operations/s (keys: entities/s)"`
	PartitionKey []string `flag:"partition-key" help:"*template* of the PartitionKey, over the columns of the file or the parts of a log's keys"`
	RowKey       []string `flag:"row-key" requires:"partition-key" help:"*template* of the RowKey, over the columns of the file or the parts of a log's keys"`
	Time         string   `flag:"time" help:"*column* of times, or two: 'Date Time'; none ignores times (default: instant, time or timestamp)"`
	Suggest      bool     `flag:"suggest" requires:"rate" help:"add designs that are derived from the operations or columns"`
	columnFlags
	formFlags
	Quiet bool `flag:"quiet" help:"no progress on standard error"`
}

// columnFlags say what the columns of a CSV file are.
type columnFlags struct {
	TimeFormat string   `flag:"time-format" help:"*format* of ambiguous times, such as day-first for 03/04/2026 (default: found)"`
	Column     []string `flag:"column" help:"name a column: *NAME=HEADER*, such as 'sex=M/F'; repeatable"`
}

// names returns the columns that are given names, and checks the format of times.
func (f *columnFlags) names() (map[string]string, error) {
	if _, err := clock.NewTimeColumn(f.TimeFormat); err != nil {
		return nil, usageError{fmt.Errorf("--time-format: %w", err)}
	}
	names := make(map[string]string)
	for _, text := range f.Column {
		name, header, some := strings.Cut(text, "=")
		if _, twice := names[name]; !some || name == "" || header == "" || twice {
			return nil, usageError{fmt.Errorf("--column %s: expected a name, = and a column of the file, each name once", nearest.Shown(text))}
		}
		names[name] = header
	}
	return names, nil
}

const encodeHelp = `Encode prints the key that a template forms from values. It rejects text for a padded
number or a time, numbers wider than their padding, which would sort before smaller ones,
and keys that tables reject.`

const decodeHelp = `Decode prints a line for each key: its attributes, separated by tabs. If a placeholder
keeps less than the value, as hash(user,16) and at:hour do, it prints the placeholder's
part. If a key does not match the template, or matches in two ways, decode fails without
output.`

const keysHelp = `Keys judges the keys in a CSV file of any size, plain or gzip: in columns PartitionKey and
optionally RowKey, instant, entities and operation, or formed from columns by
--partition-key and --row-key, like a design. Several --partition-key are evaluated in one
pass and ranked. One row in a hundred may be unreadable: such rows are skipped and counted.
--suggest forms keys of each column and each two columns, in buckets where no other sustains
--rate, and judges them: the simplest of those that leave a fifth of a partition's target free
comes first.

--time names a column of times. The busiest second of all rows then stands for --rate, and
each row for as many entities as that takes. Each PartitionKey, and each place where new
keys follow one another, is judged in its own busiest second, minute or longer time. Of more
than a million rows a part is judged in time. Without times there is no answer.

The exit code is 10 if the keys do not sustain --rate, or if inserts repeat the keys of an
earlier row, of the first million; and 12 if it is unknown whether they sustain the rate.

Encode forms the key of a template, and decode reads keys back: numbers with leading zeros,
ticks that count down so that the latest comes first.`

// newKeys returns the verb that judges keys, forms them, and reads them back.
func newKeys(stdout, stderr io.Writer) *cobra.Command {
	f := new(keysFlags)
	c := &cobra.Command{
		Use:   "keys file.csv",
		Short: "Judge the keys of a CSV file; encode and decode keys",
		Long:  keysHelp,
		Example: `  loadgen keys keys.csv --rate 3000               # 3,000 entities/s over these keys
  loadgen keys results.csv.gz --partition-key "{year}__{division}" --row-key "{bib}" --time finished
  loadgen keys - <keys.csv
  loadgen keys encode '{at:inverted}' at=2026-11-01T15:04:05Z   # ticks to the year 9999, as D19
  loadgen keys decode '{at:inverted}' 2516087553549999999       # back to the time`,
		Args: takes(1, 1, "one CSV file of keys, or - for standard input, or encode, or decode, and got %d"),
		RunE: func(c *cobra.Command, args []string) error { return f.report(c, args[0], stdout, stderr) },
	}
	f.formFlags.bindAll(c.Flags(), f)
	encode := &cobra.Command{
		Use:   "encode TEMPLATE [ATTRIBUTE=VALUE...]",
		Short: "Form a key of values",
		Long:  encodeHelp,
		Example: `  loadgen keys encode '{event}__{bib:05d}' event=paris bib=42   # paris__00042
  loadgen keys encode '{at:inverted}' at=2026-11-01T15:04:05Z`,
		Args: takes(1, mostKeys, "a template and its attributes' values, as in '{event}__{bib:05d}' event=paris bib=42, and got %d"),
		RunE: func(_ *cobra.Command, args []string) error {
			given := map[string]string{}
			for _, arg := range args[1:] {
				name, value, some := strings.Cut(arg, "=")
				if _, twice := given[name]; !some || name == "" || twice {
					return usageError{fmt.Errorf("%s: expected the name of an attribute, = and its value, each once", nearest.Shown(arg))}
				}
				given[name] = value
			}
			key, err := scenarios.EncodeKey(args[0], given)
			if err != nil {
				return usageError{err}
			}
			_, err = fmt.Fprintln(stdout, key)
			return err
		},
	}
	decode := &cobra.Command{
		Use:   "decode TEMPLATE KEY...",
		Short: "Tell what the parts of keys stand for",
		Long:  decodeHelp,
		Example: `  loadgen keys decode '{event}__{bib:05d}' paris__00042
  loadgen keys decode '{at:inverted}' 2516087553549999999`,
		Args: takes(2, mostKeys, "a template and the keys that were formed by it, as in '{event}__{bib:05d}' paris__00042, and got %d"),
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
	}
	c.AddCommand(encode, decode)
	return c
}

// mostRate bounds what keys can be asked to carry.
const mostRate = 1_000_000_000

// keys judges keys that the user has.
func (f *keysFlags) report(c *cobra.Command, file string, stdout, stderr io.Writer) error {
	if c.Flags().Changed("rate") && !(f.Rate > 0 && f.Rate <= mostRate) {
		return usageError{fmt.Errorf("--rate %v: expected entities per second, above 0 and at most %s", f.Rate,
			document.Count(mostRate))}
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

// mostKeys is how many arguments a command line of keys has at most.
const mostKeys = 10_000
