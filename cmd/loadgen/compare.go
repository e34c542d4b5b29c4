package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"loadgen/engine/nearest"
	"loadgen/report"
	"loadgen/report/compare"
	"loadgen/report/compare/history"
	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/results"
	"loadgen/results/catalog"
	"loadgen/scenarios"
)

// compareFlags are what a user typed after `loadgen compare`.
type compareFlags struct {
	formFlags
	FailOn []string `flag:"fail-on"`
	File   string   `flag:"file"`
}

// newCompare returns the verb that shows two sets of runs side by side.
func newCompare(stdout io.Writer) *cobra.Command {
	f := new(compareFlags)
	return newVerb("compare", f, &cobra.Command{
		Args: takes(2, 2, "two folders, A and B, and got %d; expected runs, or folders of runs"),
		RunE: func(c *cobra.Command, args []string) error { return f.compare(c.Context(), stdout, args[0], args[1]) },
	})
}

// compare shows both sides, and returns the error of the exit code.
func (f *compareFlags) compare(ctx context.Context, stdout io.Writer, a, b string) error {
	if f.File != "" && strings.ToLower(filepath.Ext(f.File)) != ".html" {
		return usageError{fmt.Errorf("--file %s: expected a file that ends in .html", f.File)}
	}
	failOn, err := compare.ParseFailOns(f.FailOn)
	if err != nil {
		return usageError{fmt.Errorf("--fail-on %w", err)}
	}
	was, err := setOf(ctx, a, failOn)
	if err != nil {
		return err
	}
	is, err := setOf(ctx, b, failOn)
	if err != nil {
		return err
	}
	both, err := compare.Compare(was, is, failOn)
	if errors.Is(err, compare.ErrEmpty) || errors.Is(err, compare.ErrQuestion) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	d := both.Document()
	if f.File != "" {
		if err := writePage(f.File, d); err != nil {
			return err
		}
	}
	if err := f.show(stdout, d); err != nil || len(failOn) == 0 {
		return err
	}
	return endsWith(compare.ExitCode([]compare.Result{{Outcome: both.Outcome}}))
}

// writePage writes a document to the file of --file, as a page.
func writePage(file string, d *document.Document) error {
	var page bytes.Buffer
	if err := report.Print(&page, d, report.FormPage, text.Look{}); err != nil {
		return err
	}
	if err := results.Dir(filepath.Dir(file)).Replace(filepath.Base(file), page.Bytes()); err != nil {
		return usageError{fmt.Errorf("--file %s cannot be written: %w", file, catalog.Reason(err))}
	}
	return nil
}

// setOf reads a run, every run of a folder, or those with a tag.
func setOf(ctx context.Context, name string, failOn []compare.Metric) (*compare.Set, error) {
	set := &compare.Set{Name: name}
	add := func(folder string, record *results.Record) error { return set.Add(folder, record, failOn) }
	folders := []string{name}
	if _, err := os.Stat(name); err != nil {
		if folders, err = storedRuns(ctx, name); err != nil {
			return nil, faultOfRuns(err)
		}
	}
	for _, folder := range folders {
		if err := catalog.Read(folder, add); err != nil {
			return nil, usageError{faultOfRuns(err)}
		}
	}
	return set, nil
}

// storedRuns returns the folders of the stored run with a name, or of the runs with a tag.
func storedRuns(ctx context.Context, name string) ([]string, error) {
	folder, unknown := catalog.Find(ctx, runsKept(), name)
	if unknown == nil {
		return []string{folder}, nil
	}
	all, err := catalog.Open(ctx, runsKept())
	if err != nil {
		return nil, unknown
	}
	tagged, err := all.Select(catalog.Selection{Tags: []string{name}})
	if err != nil {
		return nil, unknown
	}
	var folders []string
	for _, one := range tagged {
		folders = append(folders, one.Folder)
	}
	return folders, nil
}

// historyFlags are what a user typed after `loadgen runs history`.
type historyFlags struct {
	Metrics []string `flag:"metric"`
	storeFlags
	formFlags
	File string `flag:"file"`
}

func newRunsHistory(stdout, stderr io.Writer) *cobra.Command {
	f := &historyFlags{storeFlags: storeFlags{runsKept()}}
	return newVerb("runs history", f, &cobra.Command{
		Args: cobra.ArbitraryArgs, ValidArgsFunction: someScenarios,
		RunE: withRunFaults(func(c *cobra.Command, args []string) error {
			if extension := strings.ToLower(filepath.Ext(f.File)); f.File != "" && !slices.Contains([]string{".png", ".svg", ".html"}, extension) {
				return usageError{fmt.Errorf("--file %s: expected a file that ends in .html, .png or .svg", f.File)}
			}
			metrics, err := history.ParseMetrics(f.Metrics)
			if err != nil {
				return err
			}
			archive := history.New(metrics)
			if err := f.gather(c.Context(), archive, args); err != nil {
				return err
			}
			document, err := archive.Document()
			if err != nil {
				return err
			}
			if err := f.draw(document); err != nil {
				return err
			}
			if f.Format == report.FormCSV {
				// One row per night. Details that do not fit go into the notes.
				var left []string
				left, err = history.CSV(stdout, document)
				for i := 0; err == nil && i < len(left); i++ {
					_, err = fmt.Fprintf(stderr, "left out: %s\n", left[i])
				}
			} else {
				err = f.show(stdout, history.Report(document))
			}
			if err != nil {
				return err
			}
			return outcome{untold: document.Outcome() == compare.Inconclusive}.end()
		}),
	})
}

// gather puts the runs of folders and scenarios into an archive, each once. Without any
// argument these are all runs that there are.
func (f *historyFlags) gather(ctx context.Context, archive *history.Archive, args []string) error {
	if len(args) == 0 {
		args = []string{f.Runs}
	}
	var wanted []string
	reader := catalog.Reader{Archive: archive}
	for _, arg := range args {
		switch info, err := os.Stat(arg); {
		case err == nil && info.IsDir() || len(args) == 1 && arg == f.Runs:
			if err := reader.Read(ctx, arg); err != nil {
				return err
			}
		case err != nil && filepath.Ext(arg) == "":
			wanted = append(wanted, arg)
		default:
			s, _, err := scenarios.Open(arg)
			if err != nil {
				return err
			}
			wanted = append(wanted, s.Name)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	return reader.Read(ctx, f.Runs, wanted...)
}

// draw writes the page or the chart, if there is data for it.
func (f *historyFlags) draw(d *history.Document) error {
	switch {
	case strings.ToLower(filepath.Ext(f.File)) == ".html":
		return writePage(f.File, history.Report(d))
	case f.File == "" || d.Outcome() == compare.Inconclusive:
		return nil
	case len(d.Scenarios) > 1:
		var names []string
		for i := range d.Scenarios {
			names = append(names, d.Scenarios[i].Name)
		}
		return usageError{fmt.Errorf("--file draws one scenario, and there are %d; expected one of %s", len(names), nearest.Choice(names))}
	}
	if err := history.Draw(results.Dir(filepath.Dir(f.File)), filepath.Base(f.File), d.Metrics, &d.Scenarios[0]); err != nil {
		return usageError{fmt.Errorf("--file %s cannot be written: %w", f.File, catalog.Reason(err))}
	}
	return nil
}
