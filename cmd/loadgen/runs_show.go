package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"loadgen/report"
	"loadgen/results"
)

// runsShowFlags are what a user typed after `loadgen runs show`.
type runsShowFlags struct{ runs string }

func (f *runsShowFlags) verb(stdout io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "show RUN",
		Short: "Show the report of a run, and where its files lie",
		Long:  `Show prints the report of a run that is kept, then its tags and its files. ` + aboutRun,
		Example: `  loadgen runs show latest
  loadgen runs show 20260301T0200`,
		Args:              oneRun,
		ValidArgsFunction: completeRuns,
		RunE:              func(c *cobra.Command, args []string) error { return f.show(c.Context(), args[0], stdout) },
	}
	c.Flags().StringVar(&f.runs, "runs", runsKept(), "`folder` of the runs")
	return c
}

// aboutRun tells in the help of a verb what a RUN can be.
const aboutRun = `RUN is the folder
of a run, its name in --runs, a beginning of the name that no other has, or latest.`

// oneRun refuses anything but a single argument.
func oneRun(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError{fmt.Errorf("%s takes one run, and got %d; expected its folder, its name or latest", c.CommandPath(), len(args))}
	}
	return nil
}

// completeRuns completes a first argument by the names of runs.
func completeRuns(c *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	folder, err := c.Flags().GetString("runs")
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	names, _ := runNames(folder)
	var like []string
	for _, name := range append(names, latestRun) {
		if strings.HasPrefix(name, toComplete) && !strings.ContainsFunc(name, unprintable) {
			like = append(like, name)
		}
	}
	return like, cobra.ShellCompDirectiveDefault
}

// show prints the report of a run and its files.
func (f *runsShowFlags) show(ctx context.Context, name string, stdout io.Writer) error {
	folder, err := findRun(ctx, f.runs, name)
	if err != nil {
		return err
	}
	one, err := readReport(folder)
	if err != nil {
		return err
	}
	if err := report.Plain(stdout, one.document); err != nil {
		return err
	}
	files, err := placesOf(folder)
	if err != nil {
		return usageError{fmt.Errorf("the folder %s cannot be read: %w", shownName(folder), reason(err))}
	}
	_, err = io.WriteString(stdout, files)
	return err
}

// placesOf tells where the files of a run lie, and how it is tagged.
func placesOf(folder string) (string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "\nFiles\n  %s\n", shownName(filepath.Clean(folder)))
	rows := [][]string{}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		rows = append(rows, []string{"    " + cellOf(entry.Name(), widestName), sizeOf(info.Size())})
	}
	if len(rows) > 0 {
		align(&text, rows, 1)
	}
	switch tags, err := readTags(results.Dir(folder)); {
	case err != nil:
		fmt.Fprintf(&text, "  its tags cannot be read: %s\n", cellOf(oneLine(reason(err)), 200))
	case len(tags) > 0:
		fmt.Fprintf(&text, "  tags: %s\n", strings.Join(tags, ", "))
	}
	return text.String(), nil
}
