package series

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"loadgen/report/verdict"
	"loadgen/results"
)

// Merge is a run that is put together of several that are kept.
type Merge struct {
	// Folders are those of the runs, each another.
	Folders []string
	// Out is the folder of what comes of them; where it is empty, a new one is made in Runs.
	Out, Runs string
	// Command is what was typed, for the record.
	Command []string
}

// Run reads the records, merges, judges and keeps them. Nothing is written where they do not
// fit together; its error then wraps [results.ErrMergeMismatch], and otherwise those of
// [results.Read], or [results.ErrWrite].
func (m *Merge) Run() (results.Dir, *results.Record, error) {
	var parts []results.MergePart
	for _, folder := range m.Folders {
		record, err := results.ReadSeconds(results.Dir(folder))
		if err != nil {
			return "", nil, fmt.Errorf("%s: %w", folder, err)
		}
		parts = append(parts, results.MergePart{Name: filepath.Base(filepath.Clean(folder)), Record: record})
	}
	record, err := results.Merge(parts)
	if err != nil {
		return "", nil, err
	}
	record.Manifest.Command = m.Command
	summary := verdict.Judge(record.Condensed())
	record.Summary, record.Validity, record.Reasons = summary, summary.Validity, summary.Reasons
	record.Events = append(record.Events, results.Event{At: int64(record.Duration), What: results.VerdictTold, Text: summary.Verdict})
	made, err := results.NewDir(m.Out, m.Runs, record.Manifest.Started, record.Manifest.Scenario.Name)
	if err != nil {
		return "", nil, err
	}
	return made, record.Condensed(), record.Write(made)
}

// together does something n times, so many at once and the first ones first, and waits for
// it. An error ends it early: it is returned if it is no consequence of the end, and that
// of the context if something was left undone.
func together(ctx context.Context, n, atOnce int, do func(ctx context.Context, i int) error) error {
	within, stop := context.WithCancel(ctx)
	defer stop()
	faults := make([]error, n)
	var next, done atomic.Int64
	var workers sync.WaitGroup
	for range min(n, atOnce) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(n) && within.Err() == nil; i = next.Add(1) - 1 {
				if faults[i] = do(within, int(i)); faults[i] != nil {
					stop()
				}
				done.Add(1)
			}
		})
	}
	workers.Wait()
	var ended error
	for _, err := range faults {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		if ended == nil {
			ended = err
		}
	}
	if ended == nil && done.Load() < int64(n) {
		ended = ctx.Err()
	}
	return ended
}
