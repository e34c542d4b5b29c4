package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"unicode"

	"loadgen/report/nights"
	"loadgen/results"
	"loadgen/scenarios/keys"
)

// gather puts the runs of folders and scenarios into an archive, each once. Without any
// argument these are all runs that there are.
func (f *historyFlags) gather(ctx context.Context, archive *nights.Archive, args []string) error {
	if len(args) == 0 {
		args = []string{f.runs}
	}
	var wanted []string
	reader := runReader{archive: archive, seen: make(map[string]bool)}
	for _, arg := range args {
		if info, err := os.Stat(arg); err == nil && info.IsDir() || len(args) == 1 && arg == f.runs {
			if _, err := reader.read(ctx, arg, nil); err != nil {
				return err
			}
			continue
		}
		name, err := scenarioNamed(arg)
		if err != nil {
			return err
		}
		wanted = append(wanted, name)
	}
	if len(wanted) == 0 {
		return nil
	}
	found, err := reader.read(ctx, f.runs, wanted)
	if err != nil {
		return err
	}
	for _, name := range wanted {
		if !slices.Contains(found, name) {
			known := slices.DeleteFunc(found, func(name string) bool { return name == "" || strings.ContainsFunc(name, unprintable) })
			return usageError{fmt.Errorf("no run in %s: %s", f.runs, keys.Unknown("scenario", name, known))}
		}
	}
	return nil
}

// scenarioNamed returns the name of a scenario that is given by it, or by its file.
func scenarioNamed(arg string) (string, error) {
	if _, err := os.Stat(arg); err != nil && filepath.Ext(arg) == "" {
		return arg, nil
	}
	s, _, err := openScenario(arg)
	if err != nil {
		return "", err
	}
	return s.Name, nil
}

// runReader reads runs into an archive.
type runReader struct {
	archive *nights.Archive
	// seen are the runs of folders that were read.
	seen map[string]bool
}

// read takes in every run of a folder that is of one of the scenarios, nil for any, and
// returns of which there are runs. Judging a record takes the time, so that several are
// read at once. Its error is the context's, or that there is no run.
func (r *runReader) read(ctx context.Context, folder string, scenarios []string) ([]string, error) {
	runs, err := runFolders(folder)
	if err != nil {
		return nil, err
	}
	found := make([]string, len(runs))
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	var readers sync.WaitGroup
	for i, run := range runs {
		key := run
		if absolute, err := filepath.Abs(run); err == nil {
			key = absolute
		}
		again := r.seen[key]
		r.seen[key] = true
		room <- struct{}{}
		readers.Go(func() {
			defer func() { <-room }()
			if ctx.Err() == nil {
				found[i] = r.take(run, scenarios, again)
			}
		})
	}
	readers.Wait()
	slices.Sort(found)
	return slices.Compact(found), ctx.Err()
}

// take reads a run, has the archive take it in unless it is of another scenario or was
// read before, and returns of which it is, empty where it cannot be read.
func (r *runReader) take(folder string, scenarios []string, again bool) string {
	record, err := results.Read(results.Dir(folder))
	switch {
	case err != nil && !again:
		r.archive.Refuse(folder, oneLine(reason(err)))
	case err == nil && !again && (scenarios == nil || slices.Contains(scenarios, record.Manifest.Scenario.Name)):
		r.archive.Add(folder, record)
	}
	if err != nil {
		return ""
	}
	return record.Manifest.Scenario.Name
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// runFolders returns the folders of runs that a folder holds, itself and those in it, by
// name. That there is none is a fault of who named it.
func runFolders(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, usageError{fmt.Errorf("the folder %s cannot be read: %w; expected one of runs", folder, reason(err))}
	}
	var runs []string
	add := func(name string) {
		// What is there and cannot be looked at is a run that cannot be read; a file
		// among the folders has nothing in it.
		_, err := os.Stat(filepath.Join(name, results.RunFile))
		if err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			runs = append(runs, name)
		}
	}
	add(folder)
	for _, entry := range entries {
		add(filepath.Join(folder, entry.Name()))
	}
	if len(runs) == 0 {
		return nil, usageError{fmt.Errorf("the folder %s holds no run; expected folders with a %s each, as results/runs has them", folder, results.RunFile)}
	}
	return runs, nil
}
