package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"loadgen/results"
	"loadgen/scenarios/keys"
)

// latestRun is the word for the run that was begun last.
const latestRun = "latest"

// runsKept is the folder in which runs are kept where nothing else is said.
func runsKept() string { return filepath.Join("results", "runs") }

// findRun returns the folder of the run that a user means. That is, in this order:
// `latest`, the one of the folder runs that was begun last; a path to the folder of a run,
// or to the run.json in it; the name of a folder in runs; the beginning of the name of a
// single one. The record in it need not be readable. Anything else is a usageError of one
// line, which names what is nearest.
func findRun(ctx context.Context, runs, name string) (string, error) {
	if name == latestRun {
		return newestRun(ctx, runs)
	}
	if folder, found := runAt(name); found {
		return folder, nil
	}
	names, err := runNames(runs)
	if err != nil {
		return "", unknownRun(name, err)
	}
	if slices.Contains(names, name) {
		return filepath.Join(runs, name), nil
	}
	var begin []string
	for _, known := range names {
		if name != "" && strings.HasPrefix(known, name) {
			begin = append(begin, known)
		}
	}
	switch {
	case len(begin) == 1:
		return filepath.Join(runs, begin[0]), nil
	case len(begin) > 1:
		return "", usageError{fmt.Errorf("%d runs in %s begin with %q; expected one of %s", len(begin), shownName(runs), name, keys.Choice(shownNames(begin)))}
	case isFolder(name):
		return "", usageError{fmt.Errorf("%s holds no run; expected a folder with a %s", shownName(name), results.RunFile)}
	case len(names) == 0:
		return "", unknownRun(name, fmt.Errorf("%s holds none", shownName(runs)))
	}
	return "", usageError{fmt.Errorf("no such run in %s: %s", shownName(runs), keys.Unknown("run", name, shownNames(append(names, latestRun))))}
}

// unknownRun is the fault of a name where there are no runs to choose from.
func unknownRun(name string, why error) error {
	return usageError{fmt.Errorf("there is no run %q: %w; expected the folder of a run, with a %s", name, why, results.RunFile)}
}

// runAt returns the folder of the run to which a path leads, and false where it leads to
// none.
func runAt(path string) (string, bool) {
	if path == "" {
		return "", false
	}
	if filepath.Base(path) == results.RunFile && !isFolder(path) {
		path = filepath.Dir(path)
	}
	return path, holdsRun(path)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// newestRun returns the run of a folder that was begun last, the last by name of several.
func newestRun(ctx context.Context, runs string) (string, error) {
	shelf, err := readShelf(ctx, runs)
	if err != nil {
		return "", err
	}
	if len(shelf.runs) == 0 {
		return "", unknownRun(latestRun, fmt.Errorf("%s holds none", shownName(runs)))
	}
	return shelf.runs[0].folder, nil
}

// runNames returns the names of the folders of runs that a folder holds, in order.
func runNames(runs string) ([]string, error) {
	entries, err := os.ReadDir(runs)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no folder %s", shownName(runs))
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read (%w)", shownName(runs), reason(err))
	}
	var names []string
	for _, entry := range entries {
		if holdsRun(filepath.Join(runs, entry.Name())) {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// shownName returns the name of a file as it may be printed: quoted where it holds what a
// terminal would take for a command.
func shownName(name string) string {
	if strings.ContainsFunc(name, unprintable) {
		return strconv.QuoteToGraphic(name)
	}
	return name
}

func shownNames(names []string) []string {
	var list []string
	for _, name := range names {
		list = append(list, shownName(name))
	}
	return list
}
