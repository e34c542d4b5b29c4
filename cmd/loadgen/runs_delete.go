package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"loadgen/report/chart"
	"loadgen/results"
)

// deleteRuns deletes what goes by a plan, and says what it came to. A run that cannot be
// deleted holds up no other, and one that has been tagged meanwhile stays.
func deleteRuns(ctx context.Context, s *shelf, p pruning, plan *prunePlan, stdout io.Writer) error {
	root, err := os.OpenRoot(s.folder)
	if err != nil {
		return usageError{fmt.Errorf("the folder %s cannot be opened: %w", shownName(s.folder), reason(err))}
	}
	defer root.Close()
	var gone int
	var bytes int64
	var text strings.Builder
	var faults []error
	for _, k := range plan.goes {
		if ctx.Err() != nil {
			faults = append(faults, ctx.Err())
			break
		}
		k.read()
		if why, stays := p.protects(k); stays {
			plan.kept[why]++
			continue
		}
		freed, left, err := deleteRun(root, k.name)
		bytes += freed
		switch {
		case err != nil:
			faults = append(faults, fmt.Errorf("the run %s could not be deleted whole: %w", shownName(k.name), err))
			continue
		case len(left) > 0:
			fmt.Fprintf(&text, "%s: the run is gone; left what loadgen did not write: %s\n", cellOf(k.name, widestName), cellOf(strings.Join(left, ", "), 200))
		}
		gone++
	}
	fmt.Fprintf(&text, "deleted %s, %s\n%s", runsWord(gone), sizeOf(bytes), plan.stays(s))
	_, err = io.WriteString(stdout, text.String())
	return errors.Join(append(faults, err)...)
}

// deleteRun deletes the files of a run that are ours, then its folder if nothing else is
// in it, and returns how many bytes they had and what is left. Everything happens below
// the root, which no link leads out of. The record itself goes last: where this is cut
// short, the next time finds the rest.
func deleteRun(root *os.Root, name string) (freed int64, left []string, err error) {
	info, err := root.Lstat(name)
	if err != nil {
		return 0, nil, err
	}
	if !info.IsDir() {
		return 0, nil, errors.New("it is no folder any more")
	}
	folder, err := root.OpenRoot(name)
	if err != nil {
		return 0, nil, err
	}
	defer folder.Close()
	entries, err := fs.ReadDir(folder.FS(), ".")
	if err != nil {
		return 0, nil, err
	}
	for _, entry := range recordLast(entries) {
		if !entry.Type().IsRegular() || !ownFile(entry.Name()) {
			left = append(left, entry.Name())
			continue
		}
		if info, err := entry.Info(); err == nil {
			freed += info.Size()
		}
		if err := folder.Remove(entry.Name()); err != nil {
			return freed, left, err
		}
	}
	if len(left) > 0 {
		return freed, left, nil
	}
	return freed, nil, root.Remove(name)
}

// recordLast returns the files of a folder with the record at the end.
func recordLast(entries []fs.DirEntry) []fs.DirEntry {
	at := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return e.Name() == results.RunFile })
	if at < 0 {
		return entries
	}
	return append(slices.Delete(slices.Clone(entries), at, at+1), entries[at])
}

// ownFile reports whether a file of that name in a run's folder was written by loadgen.
func ownFile(name string) bool {
	own := append(chart.Files(), results.RunFile, results.IntervalsFile, results.EventsFile, tagsFile, pageFile)
	if slices.Contains(own, name) {
		return true
	}
	// What a write was cut short of, by the names that results.Dir gives them.
	return strings.HasPrefix(name, ".probe-") || slices.ContainsFunc(own, func(of string) bool { return strings.HasPrefix(name, "."+of+"-") })
}

// size returns how many bytes the files of the run have that would be deleted.
func (k *shelfRun) size() int64 {
	entries, err := os.ReadDir(k.folder)
	if err != nil {
		return 0
	}
	var bytes int64
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() && ownFile(entry.Name()) {
			bytes += info.Size()
		}
	}
	return bytes
}
