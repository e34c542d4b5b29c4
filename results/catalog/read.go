package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"loadgen/results"
)

// Read hands over the record of a run, or of every run directly below a folder, with the
// folder of each. Its error is what take returns, or a [Fault]: there is no run, or one
// that cannot be read.
func Read(name string, take func(folder string, record *results.Record) error) error {
	folders := []string{name}
	if !holdsRun(name) {
		var err error
		folders, err = below(name, holdsRun)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return &Fault{"folder", fmt.Errorf("%s does not exist; expected the folder of a run or of runs", name)}
		case err != nil:
			return &Fault{"folder", fmt.Errorf("%s cannot be read: %w; expected the folder of a run or of runs", name, Reason(err))}
		case len(folders) == 0:
			return &Fault{"folder", fmt.Errorf("%s has no run; expected the folder of a run, with a %s, or of runs", name, results.RunFile)}
		}
	}
	for _, folder := range folders {
		record, err := results.Read(results.Dir(folder))
		if err != nil {
			return &Fault{"folder", fmt.Errorf("the run %s cannot be read: %w", folder, err)}
		}
		if err := take(folder, record); err != nil {
			return err
		}
	}
	return nil
}

// Archive takes in records, from several goroutines at once.
type Archive interface {
	// Add takes in the record in a folder.
	Add(folder string, record *results.Record)
	// Refuse notes a folder whose record cannot be read, with the reason in one line.
	Refuse(folder, reason string)
}

// Reader reads runs into an archive, each once. It belongs to one goroutine.
type Reader struct {
	Archive Archive
	// seen are the runs of folders that were read.
	seen map[string]bool
}

// Read takes in every run of a folder, itself and those directly below it, that is of one
// of the scenarios, or all where none is named. Reading and judging a record takes the
// time, so that several are read at once. Its error is the context's, or a [Fault]: there
// is no run, or none of one of the scenarios.
func (r *Reader) Read(ctx context.Context, folder string, scenarios ...string) error {
	runs, err := below(folder, mayHoldRun)
	if err != nil {
		return &Fault{"folder", fmt.Errorf("the folder %s cannot be read: %w; expected one of runs", folder, Reason(err))}
	}
	if mayHoldRun(folder) {
		runs = append([]string{folder}, runs...)
	}
	if len(runs) == 0 {
		return &Fault{"folder", fmt.Errorf("the folder %s has no run; expected folders with a %s, such as in results/runs", folder, results.RunFile)}
	}
	if r.seen == nil {
		r.seen = make(map[string]bool)
	}
	again := make([]bool, len(runs))
	for i, run := range runs {
		if absolute, err := filepath.Abs(run); err == nil {
			run = absolute
		}
		again[i], r.seen[run] = r.seen[run], true
	}
	found := make([]string, len(runs))
	if err := atOnce(ctx, len(runs), func(i int) { found[i] = r.take(runs[i], scenarios, again[i]) }); err != nil {
		return err
	}
	for _, name := range scenarios {
		if !slices.Contains(found, name) {
			return &Fault{"scenarios", fmt.Errorf("no run in %s: %s", folder, unknownScenario(name, found))}
		}
	}
	return nil
}

// take reads a run, has the archive take it in unless it is of another scenario or was
// read before, and returns of which it is, empty where it cannot be read.
func (r *Reader) take(folder string, scenarios []string, again bool) string {
	record, err := results.Read(results.Dir(folder))
	switch {
	case err != nil && !again:
		r.Archive.Refuse(folder, results.OneLine(Reason(err)))
	case err == nil && !again && (len(scenarios) == 0 || slices.Contains(scenarios, record.Manifest.Scenario.Name)):
		r.Archive.Add(folder, record)
	}
	if err != nil {
		return ""
	}
	return record.Manifest.Scenario.Name
}

// mayHoldRun reports whether a folder is that of a run, or cannot be looked at: that is a
// run that cannot be read, whereas a file among the folders has nothing in it.
func mayHoldRun(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, results.RunFile))
	return err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}
