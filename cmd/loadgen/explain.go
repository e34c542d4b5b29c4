package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"loadgen/engine/clock"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/catalog"
	explanation "loadgen/scenarios/advise"
	"loadgen/scenarios/advise/keystatistics"
)

// explainFlags are what a user typed after `loadgen explain`.
type explainFlags struct {
	formFlags
	choice choiceFlags
	from   string
	rate   float64
	quiet  bool
	// partitionKeys and rowKeys are templates over the columns of from, time that of the
	// instants.
	partitionKeys, rowKeys []string
	time                   string
	log                    logFlags
}

const explainHelp = `Explain predicts the outcome of a scenario without sending anything: how each design
spreads over partitions, the load of the hottest partition at the peak, whether inserts
go to one place, what each operation reads, what a run costs, and the findings of the
documented performance checklist.

With --from it judges existing keys in a CSV file of any size, plain or gzip: in columns
PartitionKey and optionally RowKey, instant, entities and operation, or formed from
columns by --partition-key and --row-key, like a design. Several --partition-key are
evaluated in one pass and ranked. --time names a column of times, which shows whether keys
only append.

With --log it reports on the log of a table: Storage Analytics 1.0, Azure Monitor's
resource logs, exported StorageTableLogs, or CSV; files, plain or gzip, and folders. It
shows hot partitions and their times, throttling, scanning queries, what the log does not
contain, and what the documents recommend. See docs/your-log.md.

A scenario is rehearsed on the virtual clock, with several seeds if chance could change
the answer; nothing is sent or stored. HOLDS means that the load is sustained over the
whole measured time: no operation is lost, no queue grows, and at most 0.5% of first
attempts are throttled, or a share that does not grow with the rate.
The exit code is 10 if a check of the scenario fails or, without checks, the load is not
sustained, and 12 if that is unknown: seeds disagree, there are more operations than the
rehearsal covers, or keys have no times. With --log both require --strict.`

func (f *explainFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "explain file|name",
		Short: "Predict the outcome of a scenario, or of your own keys, without running it",
		Long:  explainHelp,
		Example: `  loadgen explain my-table.yaml
  loadgen explain my-table.yaml --use by-day
  loadgen explain stress --set model.partition_target=500
  loadgen explain --from keys.csv --rate 3000     # 3,000 entities/s over these keys
  loadgen explain --from results.csv.gz --partition-key "{year}__{division}" --row-key "{bib}" --time finished
  loadgen explain --from - <keys.csv
  loadgen explain --log '$logs/table/2026/11'     # past traffic, by the table's log`,
		ValidArgsFunction: oneScenario,
		Args:              f.arguments,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(f.log.paths) > 0:
				return f.log.explain(c, args, &f.formFlags, newReading(stderr, f.quiet, "lines"), stdout)
			case len(args) == 0:
				return f.keys(c, stdout, stderr)
			}
			d, err := f.choice.open(args[0], "model.partition_target=500", stderr)
			if err != nil {
				return err
			}
			s, err := f.choice.settle(c.Flags(), d, nil)
			if err != nil {
				return err
			}
			if err := d.files.Read(s); err != nil {
				return err
			}
			targets, times, err := explanation.TargetsOf(s)
			if err != nil {
				return usageError{err}
			}
			told, err := explanation.Explain(c.Context(), explanation.Options{Scenario: s, Read: d.files.Read, Targets: targets, Times: times})
			if err != nil {
				return usageError{err}
			}
			return f.finish(told.Document(), outcome{failed: told.Ok != nil && !*told.Ok, untold: told.Ok == nil && told.Why != ""}, stdout)
		},
	}
	flags := c.Flags()
	f.choice.registerForm(flags)
	f.choice.registerSeed(flags)
	flags.Lookup("anti-pattern").Usage = "explain what the scenario warns of, rather than what it teaches"
	completeUse(c, canonical)
	flags.StringVar(&f.from, "from", "", "judge the keys of a CSV `file`, - for standard input")
	flags.Float64Var(&f.rate, "rate", 0, "with --from: `entities` per second over all keys")
	flags.StringArrayVar(&f.partitionKeys, "partition-key", nil, "with --from: a `template` of columns, repeatable")
	flags.StringArrayVar(&f.rowKeys, "row-key", nil, "with --from: template of the RowKey, one for all or for each")
	flags.StringVar(&f.time, "time", "", "with --from: time `column` (default: instant, time or timestamp)")
	flags.StringArrayVar(&f.log.paths, "log", nil, "analyse a table's `log`: files, folders, or - for standard input")
	f.log.registerReading(flags)
	flags.StringVar(&f.log.out, "out", "", "with --log: store the record, with its keys, in this `folder`")
	flags.BoolVar(&f.log.strict, "strict", false, "with --log: exit 10 if its traffic is not sound, 12 if that is unknown")
	f.formFlags.register(flags)
	flags.BoolVar(&f.quiet, "quiet", false, "no progress on standard error")
	return c
}

// arguments refuses any but one scenario, or keys.
func (f *explainFlags) arguments(c *cobra.Command, args []string) error {
	from := c.Flags().Changed("from")
	if c.Flags().Changed("log") {
		if err := refuse(c.Flags(), "and --log: expected one of them",
			"from", "rate", "partition-key", "row-key", "time", "set", "profile", "use", "seed", "anti-pattern"); err != nil {
			return err
		}
		return f.log.sound()
	}
	if err := refuse(c.Flags(), "is about a log; expected --log with it",
		"table", "hash-keys", "transaction-entities", "entity-bytes", "out", "strict"); err != nil {
		return err
	}
	switch {
	case from && len(args) > 0:
		return usageError{fmt.Errorf("--from judges keys, and %q is a scenario; expected one of them", args[0])}
	case !from && len(args) != 1:
		return usageError{fmt.Errorf("%s takes one scenario, a file or one of `loadgen scenarios list`, "+
			"or --from keys.csv, and got %d", c.CommandPath(), len(args))}
	case !from && c.Flags().Changed("rate"):
		return usageError{errors.New("--rate is that of the keys of --from; a scenario has its own")}
	}
	for _, flag := range []string{"partition-key", "row-key", "time"} {
		if !from && c.Flags().Changed(flag) {
			return usageError{fmt.Errorf("--%s is about the columns of --from; a scenario has its own keys", flag)}
		}
		if flag != "partition-key" && c.Flags().Changed(flag) && len(f.partitionKeys) == 0 {
			return usageError{fmt.Errorf("--%s belongs to --partition-key, and there is none", flag)}
		}
	}
	if !from {
		return nil
	}
	return refuse(c.Flags(), "belongs to a scenario, and --from judges keys; expected one of them", "set", "profile", "use", "seed", "anti-pattern")
}

// keys judges keys that the user has.
func (f *explainFlags) keys(c *cobra.Command, stdout, stderr io.Writer) error {
	if err := emptyFlag(c.Flags()); err != nil {
		return err
	}
	if c.Flags().Changed("rate") && !(f.rate > 0 && f.rate <= mostRate) {
		return usageError{fmt.Errorf("--rate %v: expected entities per second, above 0 and at most %s", f.rate,
			document.Count(mostRate))}
	}
	from, name := c.InOrStdin(), stdinName
	if f.from != standardInput {
		file, err := os.Open(f.from)
		if err != nil {
			return usageError{fmt.Errorf("the keys %s cannot be read: %w", f.from, catalog.Reason(err))}
		}
		defer file.Close()
		from, name = file, f.from
	}
	options := explanation.KeysOptions{File: name, PerSecond: f.rate, Time: f.time, Progress: newReading(stderr, f.quiet, "rows"),
		Targets: explanation.DocumentedTargets()}
	told, state, err := f.judge(from, options)
	var fault *explanation.CandidateFault
	switch {
	case errors.Is(err, keystatistics.ErrKeys), errors.As(err, &fault):
		return usageError{err}
	case err != nil:
		return usageError{fmt.Errorf("the keys %s cannot be read: %w", name, catalog.Reason(err))}
	}
	return f.finish(told, outcome{failed: state == results.DoesNotHold, untold: state == results.CannotTell}, stdout)
}

// judge judges the keys that stand in a file, or those that are formed from its columns.
func (f *explainFlags) judge(from io.Reader, o explanation.KeysOptions) (*document.Document, string, error) {
	if len(f.partitionKeys) == 0 {
		told, err := explanation.FromKeys(from, o)
		if err != nil {
			return nil, "", err
		}
		return told.Document(), told.State, nil
	}
	candidates := make([]explanation.Candidate, len(f.partitionKeys))
	for i, text := range f.partitionKeys {
		candidates[i].PartitionKey = text
		switch len(f.rowKeys) {
		case 0:
		case 1:
			candidates[i].RowKey = f.rowKeys[0]
		case len(f.partitionKeys):
			candidates[i].RowKey = f.rowKeys[i]
		default:
			return nil, "", &explanation.CandidateFault{What: fmt.Sprintf("%d of --row-key for %d of --partition-key; expected one for all or one for each",
				len(f.rowKeys), len(f.partitionKeys))}
		}
	}
	told, err := explanation.FromRows(from, candidates, o)
	if err != nil {
		return nil, "", err
	}
	return told.Document(), told.State, nil
}

// mostRate bounds what keys can be asked to carry.
const mostRate = 1_000_000_000

// finish prints an explanation and returns the exit code of its outcome as an error.
func (f *explainFlags) finish(told *document.Document, outcome outcome, stdout io.Writer) error {
	if err := f.show(stdout, told); err != nil {
		return err
	}
	return outcome.end()
}

// readingEvery is the time between two lines of progress.
const readingEvery = 2 * time.Second

// newReading returns a function that prints from time to time how many rows or lines were read.
func newReading(to io.Writer, quiet bool, what string) func(n int64) {
	if quiet {
		to = io.Discard
	}
	real := clock.NewReal()
	next := real.Now().Add(readingEvery)
	return func(n int64) {
		if now := real.Now(); now >= next {
			next = now.Add(readingEvery)
			fmt.Fprintf(to, "%s %s\n", document.Count(n), what)
		}
	}
}
