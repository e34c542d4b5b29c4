package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/bench"
	"loadgen/scenarios/run"
)

// benchFlags are what a user typed after `loadgen bench`.
type benchFlags struct {
	bench.Options
	formFlags
	against, out string
	quiet, bare  bool
}

func (f *benchFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "bench [GROUP …]",
		Short: "What does this tool cost, beside others that do the same?",
		Long: `Bench measures what this tool costs on this machine beside others that do the same,
in rounds that take turns, and tells ratios with their intervals. Its unit is CPU: a
machine that others use as well is now fast and now slow, what an operation costs
hardly changes; how much others took of the machine meanwhile is told.

The groups, of which all but the last are measured unless some are named:

  server     serve, in a process of its own, beside a bare net/http handler that gives
             the same replies: insert, get, transaction of 100, page of 1,000, filter
             scan, over 1, 8 and 32 connections; with --peers beside Azurite, too
  driver     the client beside a bare net/http client and vegeta: flat out, and how
             exactly 2,000 to 20,000 operations/s are sent
  simulator  an attempt in virtual time, by ranges, servers and clients
  engine     the engine in process, by goroutines and by size, and its memory: 3 GiB
  record     recorder, merge, the page of an hour, --help
  commands   stress, simulate and contest as a whole, and the program's size: minutes

--peers takes what is installed: Azurite where azurite-table is on the path, or node
and what npm has put below this folder; nothing is fetched. All load stays on this
machine.

--against holds ratios and allocations to those of a report that was kept, and exits
with 11 where a ratio is above 1.15 of it and the two intervals lie apart, or something
allocates more. It exits with 12 where the system does not tell what a process uses, as
Windows does not.`,
		Example: `  loadgen bench                                   # all but whole commands, in three to five minutes
  loadgen bench server --peers                    # the server beside a bare handler and Azurite
  loadgen bench engine simulator --quick          # an impression, in seconds
  loadgen bench engine --large                    # ten million entities as well
  loadgen bench commands                          # stress, simulate, contest
  loadgen bench --verbose --out bench             # every figure; bench/bench.png, .svg and .json
  loadgen bench server driver --rounds 10 --against docs/performance.json`,
		ValidArgs: bench.Groups(),
		Args:      cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if f.bare {
				return bench.ServeBare(c.Context(), c.InOrStdin(), stdout)
			}
			f.Groups = args
			return f.run(c, stdout, stderr)
		},
	}
	flags := c.Flags()
	flags.IntVar(&f.Rounds, "rounds", 0, "how often everything is measured: six or more for intervals, ten to hold a report to another (default: 6, with --quick 3)")
	flags.BoolVar(&f.Quick, "quick", false, "less of everything, and shorter: an impression in less than a minute")
	flags.BoolVar(&f.Peers, "peers", false, "measure Azurite as well, where it is installed")
	flags.BoolVar(&f.Large, "large", false, "with engine: ten million entities of 100 B as well, for 4 GiB and a minute")
	flags.StringVar(&f.against, "against", "", "hold ratios and allocations to those of this `file`, the JSON of a report")
	flags.StringVar(&f.out, "out", "", "`folder` for the chart and the JSON of the report")
	f.formFlags.register(flags)
	flags.BoolVar(&f.quiet, "quiet", false, "no progress on standard error")
	flags.BoolVar(&f.bare, "bare", false, "be the bare handler that serve is held to, on a free port that is told, until standard input ends")
	return c
}

func (f *benchFlags) run(c *cobra.Command, stdout, stderr io.Writer) error {
	if err := emptyFlag(c.Flags()); err != nil {
		return err
	}
	if err := named(c.Flags(), f.Validate()...); err != nil {
		return err
	}
	kept, err := f.kept()
	if err != nil {
		return err
	}
	if f.Program, err = os.Executable(); err != nil {
		return err
	}
	folder, err := f.folder()
	if err != nil {
		return err
	}
	f.Clock = clock.NewReal()
	if !f.quiet {
		f.Tell = func(what string) { fmt.Fprintln(stderr, what) }
	}
	report, ended := bench.Measure(c.Context(), f.Options)
	switch {
	case errors.Is(ended, bench.ErrUntold):
		return verdictError{codeInconclusive, ended.Error()}
	case report == nil || ended != nil && !errors.Is(ended, context.Canceled):
		return ended
	}
	if kept != nil {
		report.Hold(kept)
	}
	if folder != "" {
		if err := report.Keep(folder); err != nil {
			return err
		}
	}
	if err := f.show(stdout, report.Document()); err != nil {
		return err
	}
	if ended != nil {
		return reported(ended, false)
	}
	if report.Regressed() {
		return verdictError{code: codeRegression}
	}
	return nil
}

// folder makes the folder of --out, empty where nothing is to be kept.
func (f *benchFlags) folder() (results.Dir, error) {
	if f.out == "" {
		return "", nil
	}
	folder, err := results.UseDir(f.out)
	if err != nil {
		err = fmt.Errorf("%w: %w", run.ErrFolder, err)
	}
	return folder, err
}

// kept reads the report that this one is held to, nil for none.
func (f *benchFlags) kept() (*bench.Report, error) {
	if f.against == "" {
		return nil, nil
	}
	file, err := os.Open(f.against)
	if err == nil {
		defer file.Close()
		var report *bench.Report
		if report, err = bench.Read(file); err == nil {
			return report, nil
		}
	}
	return nil, usageError{fmt.Errorf("--against %s: %w", f.against, err)}
}
