package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"loadgen/report"
	"loadgen/report/compare/runs"
	"loadgen/report/text"
	"loadgen/results"
	"loadgen/results/catalog"
)

// compareFlags are what a user typed after `loadgen compare`.
type compareFlags struct {
	form formFlags
	out  string
}

// newCompare returns the verb that shows two sets of runs side by side.
func newCompare(stdout io.Writer) *cobra.Command {
	f := new(compareFlags)
	c := &cobra.Command{
		Use:   "compare A B",
		Short: "Hold two runs, or two sets of runs, against each other",
		Long: `Compare shows two runs side by side, or two sets of runs: A and B are each the folder
of a run, or a folder of such folders. Every figure of every phase and operation is
held against the other side's, and whatever else differs is warned of: the scenario,
the seed, the target, the machine.

The unit is the run. Of pairs of runs taken in turn, A B, B A, A B, …, at least 8 (6 for
the p99 of the response times alone), it says whether B is better or worse, and between
which bounds. Of one run a side it shows how much the seconds of each run vary, which
proves nothing. Runs in virtual time repeat exactly where nothing has changed, and are
compared value by value.

The exit code is 0 whatever it finds: gate is the verb that fails.`,
		Example: `  loadgen compare results/runs/20260301T020000Z-stress results/runs/20260302T020000Z-stress
  loadgen compare before after                     # folders of runs, taken in turn
  loadgen compare before after --format md >> "$GITHUB_STEP_SUMMARY"`,
		Args: takes(2, 2, "two folders, A and B, and got %d; expected runs, or folders of runs"),
		RunE: func(_ *cobra.Command, args []string) error { return f.compare(args[0], args[1], stdout) },
	}
	f.form.register(c.Flags())
	c.Flags().StringVar(&f.out, "out", "", "write the page to this `file` as well, which ends in .html")
	return c
}

// compare reads both sides and prints what they come to.
func (f *compareFlags) compare(a, b string, stdout io.Writer) error {
	if f.out != "" && strings.ToLower(filepath.Ext(f.out)) != ".html" {
		return usageError{fmt.Errorf("--out %s: expected a file that ends in .html", f.out)}
	}
	was, err := sideOf(a)
	if err != nil {
		return err
	}
	is, err := sideOf(b)
	if err != nil {
		return err
	}
	c, err := runs.Of(was, is)
	if errors.Is(err, runs.ErrEmpty) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	d := c.Document()
	if f.out != "" {
		var page bytes.Buffer
		if err := report.Print(&page, d, report.FormPage, text.Look{}); err != nil {
			return err
		}
		if err := results.Dir(filepath.Dir(f.out)).Replace(filepath.Base(f.out), page.Bytes()); err != nil {
			return usageError{fmt.Errorf("--out %s cannot be written: %w", f.out, catalog.Reason(err))}
		}
	}
	return f.form.show(stdout, d)
}

// sideOf reads a run, or every run of a folder.
func sideOf(name string) (*runs.Side, error) {
	side := &runs.Side{Name: name}
	if err := catalog.Read(name, side.Add); err != nil {
		return nil, usageError{faultOfRuns(err)}
	}
	return side, nil
}
