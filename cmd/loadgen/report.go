package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"loadgen/engine/nearest"
	"loadgen/report"
	"loadgen/report/chart"
	"loadgen/report/compare/contest"
	"loadgen/report/compare/history"
	"loadgen/results"
	"loadgen/results/catalog"
)

// storeFlags say where runs are kept.
type storeFlags struct {
	Runs string `flag:"runs"`
}

// reportFlags are what a user typed after `loadgen report`.
type reportFlags struct {
	formFlags `words:"text,json,md,csv,html,seconds,benchfmt,hlog,junit"`
	File      string `flag:"file"`
	Charts    string `flag:"charts" excludes:"format,file"`
	Axis      string `flag:"axis" words:"linear,log,usual" default:"usual"`
	Saved     string `flag:"saved" excludes:"format,charts"`
	storeFlags
}

// anyAxis leaves the axis of each chart to the chart.
const anyAxis = "usual"

// newReport returns the verb that renders the report of a run that is kept.
func newReport(stdout, stderr io.Writer) *cobra.Command {
	f := &reportFlags{storeFlags: storeFlags{runsKept()}}
	return newVerb("report", f, &cobra.Command{
		Args: takes(1, 1, "one run, and got %d; expected a folder, a name in "+runsKept()+", or latest"),
		RunE: func(c *cobra.Command, args []string) error {
			var axis chart.Axis // empty for that which suits each chart
			if f.Axis != anyAxis {
				axis = chart.Axis(f.Axis)
			}
			if axis != "" && f.Charts == "" && f.Format != report.FormPage {
				return usageError{errors.New("--axis requires --charts FOLDER or --format html")}
			}
			return f.report(c.Context(), args[0], axis, stdout, stderr)
		},
	})
}

func (f *reportFlags) report(ctx context.Context, name string, axis chart.Axis, stdout, stderr io.Writer) error {
	form := formOf(f.Format)
	folder, err := catalog.Find(ctx, f.Runs, name)
	if err != nil {
		return faultOfRuns(err)
	}
	if catalog.IsContest(folder) {
		return f.contest(folder, stdout)
	}
	one, err := readRun(folder)
	if err != nil {
		return err
	}
	if f.Saved != "" {
		return f.token(stdout, one.Record)
	}
	if f.Charts != "" {
		if err := os.MkdirAll(f.Charts, 0o777); err != nil {
			return usageError{fmt.Errorf("--charts %s cannot be made: %w", f.Charts, catalog.Reason(err))}
		}
		names, err := chart.Save(results.Dir(f.Charts), chart.Figures(one.Record, axis)...)
		if err != nil {
			return usageError{fmt.Errorf("--charts: %w", err)}
		}
		for _, name := range names {
			if _, err := fmt.Fprintln(stdout, filepath.Join(f.Charts, name)); err != nil {
				return err
			}
		}
		return nil
	}
	one.Axis, one.Look = axis, f.look(stdout)
	var text bytes.Buffer
	if err := form.Write(&text, one); err != nil {
		return err
	}
	if !form.Words {
		for _, warning := range one.Document.Warnings {
			if _, err := fmt.Fprintf(stderr, "warning: %s\n", catalog.Quote(warning)); err != nil {
				return err
			}
		}
	}
	return f.write(stdout, text.Bytes())
}

// contest writes a stored contest of designs in one of the forms of every document.
func (f *reportFlags) contest(folder string, stdout io.Writer) error {
	switch {
	case f.Saved != "":
		return usageError{fmt.Errorf("--saved is of a run, and %s is a contest; expected a run", catalog.Quote(folder))}
	case f.Charts != "":
		return usageError{fmt.Errorf("--charts draws a run, and %s is a contest: heat.png and heat.svg are in its folder", catalog.Quote(folder))}
	case !slices.Contains(report.PrintForms(), f.Format):
		return usageError{fmt.Errorf("--format %s is of a run, and %s is a contest; expected %s", f.Format, catalog.Quote(folder), nearest.Choice(report.PrintForms()))}
	}
	kept, err := readContest(folder)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if f.Format == report.FormPage {
		err = kept.Page(&text)
	} else {
		err = report.Print(&text, contest.Document(kept.Contest), f.Format, f.look(stdout))
	}
	if err != nil {
		return err
	}
	return f.write(stdout, text.Bytes())
}

// token writes a continuation token that a query of the run has saved.
func (f *reportFlags) token(stdout io.Writer, record *results.Record) error {
	list := record.Saved()
	at := slices.IndexFunc(list, func(one results.SavedToken) bool { return one.Name == f.Saved })
	switch {
	case len(list) == 0:
		return usageError{fmt.Errorf("--saved %s: no query of the run has saved a token; expected an operation with save", catalog.Quote(f.Saved))}
	case at < 0:
		names := nearest.NamesOf(list, func(one results.SavedToken) string { return one.Name })
		return usageError{fmt.Errorf("--saved: %s", nearest.Unknown("saved token", f.Saved, names))}
	case list[at].Token == "":
		return usageError{fmt.Errorf("--saved %s: operation %s has read all pages, and no token is left", f.Saved, list[at].Operation)}
	}
	return f.write(stdout, []byte(list[at].Token+"\n"))
}

// write writes a report to standard output or a file.
func (f *reportFlags) write(stdout io.Writer, text []byte) error {
	if f.File == "" {
		_, err := stdout.Write(text)
		return err
	}
	if err := results.Dir(filepath.Dir(f.File)).Replace(filepath.Base(f.File), text); err != nil {
		return usageError{fmt.Errorf("--file %s cannot be written: %w", f.File, catalog.Reason(err))}
	}
	return nil
}

// formOf returns the form of the report of a run that --format names.
func formOf(name string) report.Form {
	forms := report.Forms()
	return forms[slices.IndexFunc(forms, func(f report.Form) bool { return f.Name == name })]
}

// readContest reads the contest in a folder.
func readContest(folder string) (*contest.Kept, error) {
	kept, err := contest.Open(results.Dir(folder))
	if err != nil {
		return nil, usageError{fmt.Errorf("the contest %s cannot be read: %w", catalog.Quote(folder), catalog.Reason(err))}
	}
	return kept, nil
}

// readRun reads what can be read of the run in a folder.
func readRun(folder string) (*report.Kept, error) {
	one, err := report.Read(results.Dir(folder))
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = usageError{fmt.Errorf("%s holds no run; expected a folder with a %s", folder, results.RunFile)}
	case errors.As(err, &path):
		err = usageError{fmt.Errorf("the run %s cannot be read: %w", folder, catalog.Reason(err))}
	case err != nil:
		err = fmt.Errorf("the run %s cannot be read: %w", folder, err)
	}
	return one, err
}

func completeRuns(c *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	folder, err := c.Flags().GetString("runs")
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	names, _ := catalog.Names(folder)
	var like []string
	for _, name := range append(names, catalog.Latest) {
		if strings.HasPrefix(name, toComplete) && catalog.Quote(name) == name {
			like = append(like, name)
		}
	}
	return like, cobra.ShellCompDirectiveDefault
}

// faultOfRuns makes a fault of what was asked of runs that are kept one of usage, which
// names the flag that sets the field, if one does.
func faultOfRuns(err error) error {
	var fault *catalog.Fault
	var metric *history.Fault
	switch {
	case errors.As(err, &metric):
		return usageError{fmt.Errorf("--%w", metric)}
	case !errors.As(err, &fault):
		return err
	case fault.Field == "tags":
		return usageError{fmt.Errorf("--tag: %w", fault.Err)}
	}
	return usageError{fault.Err}
}

// withRunFaults wraps the errors of a verb as faults of the runs that were named.
func withRunFaults(do func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error { return faultOfRuns(do(c, args)) }
}
