package series

import (
	"context"
	"fmt"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"loadgen/report/verdict"
	"loadgen/results"
)

// Merge merges stored runs into one.
type Merge struct {
	// Folders are those of the runs, which must differ.
	Folders []string
	// Out is the folder of the merged run; if it is empty, a new one is made in Runs.
	Out, Runs string
	// Command is the command line, for the record.
	Command []string
}

// Run reads the records, merges, judges and stores them. It writes nothing if they do not
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

// runConcurrently calls do for 0 to n - 1, at most atOnce at a time, and waits. The first error ends it
// early and is returned, or that of the context if some calls were not made.
func runConcurrently(ctx context.Context, n, atOnce int, do func(ctx context.Context, i int) error) error {
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	started := 0
	for i := 0; i < n && within.Err() == nil; i++ {
		started++
		group.Go(func() error {
			if err := within.Err(); err != nil {
				return err
			}
			return do(within, i)
		})
	}
	if err := group.Wait(); err != nil || started == n {
		return err
	}
	return ctx.Err()
}
