//go:build ci && unix

package main

import (
	_ "embed"
	"path/filepath"
	"time"

	"loadgen/results"
	"loadgen/scenarios/campaign"

	"github.com/stretchr/testify/require"
)

// twoInTurns are two designs of which neither is throttled.
//
//go:embed testdata/two-in-turns.yaml
var twoInTurns string

// asOnTheVirtualClock holds the runs of a contest to those of one process on the virtual clock:
// by the same seeds, with the same operations, in the order that one process has.
func (f *fleetOf) asOnTheVirtualClock(path string) {
	f.Helper()
	virtual := filepath.Join(f.TempDir(), "virtual")
	talk(f.T, "contest", path, "--count", "1", "--one-profile", "--out", virtual).ends(codeOk, "")
	var began []time.Time
	for _, design := range []string{"by-bib", "by-event"} {
		got, err := results.Read(results.Dir(filepath.Join(f.leader.c.Dir, "run", design)))
		require.NoError(f, err)
		want, err := results.Read(results.Dir(filepath.Join(virtual, design)))
		require.NoError(f, err)
		began = append(began, got.Manifest.Started)
		rush := func(p *results.Phase, _ results.Kind) bool { return p.Name == "rush" }
		if a, b := got.Total(rush).Scheduled, want.Total(rush).Scheduled; a != b || a == 0 || got.Manifest.Seed != want.Manifest.Seed {
			f.Errorf("%s: two processes have %d operations due by seed %d; one has %d by %d", design, a, got.Manifest.Seed, b, want.Manifest.Seed)
		}
		if fleet := got.Manifest.Fleet; fleet == nil || len(fleet.Members) != 2 || got.Validity != results.Valid {
			f.Errorf("%s: the run is %s, %v, of %+v; want a valid one of two", design, got.Validity, got.Reasons, fleet)
		}
	}
	if began[1].Before(began[0]) {
		f.Errorf("the designs begin at %v; want the first by its name before the other", began)
	}
}

// searched holds an interrupted search to its own steps: each rate follows from the outcomes
// before, and what was due at it is what both sent.
func (f *fleetOf) searched() {
	f.Helper()
	record, err := results.Read(results.Dir(filepath.Join(f.leader.c.Dir, "run")))
	require.NoError(f, err)
	limit := record.Limit
	if limit == nil || len(limit.Steps) < 2 || record.Validity != results.Partial || limit.Finished {
		f.Fatalf("the run is %s, %v, with the search %+v; want a partial one of two steps or more", record.Validity, record.Reasons, limit)
	}
	find := &campaign.Find{From: limit.From, UpTo: limit.UpTo}
	for i, step := range limit.Steps {
		if rate, more := find.Next(limit.Steps[:i]); !more || rate != step.Rate {
			f.Errorf("step %s offers %v/s; want %v/s", step.Phase, step.Rate, rate)
		}
		due := record.Total(func(p *results.Phase, _ results.Kind) bool { return p.Name == step.Phase }).Scheduled
		if due != step.Scheduled || float64(due) != step.Rate*step.Seconds {
			f.Errorf("step %s has %d operations due, its record %d; want %v", step.Phase, step.Scheduled, due, step.Rate*step.Seconds)
		}
	}
}
