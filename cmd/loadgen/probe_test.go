package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"loadgen/results"
	"loadgen/scenarios"
)

// probed returns the built-in stress test with so many workers.
func probed(t *testing.T, workers int) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Builtin("stress")
	if err != nil {
		t.Fatal(err)
	}
	s.Workers = workers
	return s
}

func TestProbeFindsACeiling(t *testing.T) {
	for _, row := range []struct {
		name, over     string
		workers, lanes int
	}{
		{"over nothing", results.OverNothing, 8, 8},
		{"over HTTP", results.OverHTTP, 3, 3},
		{"over HTTP, on no more connections than it takes", results.OverHTTP, 1000, probeLanes},
	} {
		c, err := tryCeiling(t.Context(), probed(t, row.workers), row.over)
		if err != nil {
			t.Fatalf("%s: tryCeiling = %v; want no error", row.name, err)
		}
		if c.Over != row.over || c.Lanes != row.lanes || c.Operations < 1 || c.Operations > probeMost || c.Took <= 0 || c.PerSecond() <= 0 {
			t.Errorf("%s: tryCeiling = %+v; want what %d under way came to, at most %d operations", row.name, c, row.lanes, probeMost)
		}
		if c.CPU < 0 {
			t.Errorf("%s: the probe took %v of CPU; want no less than none", row.name, c.CPU)
		}
	}
}

func TestProbeOfAnEndedRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := new(runFlags)
	if c, err := f.probe(ctx, probed(t, 4)); c != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("probe of a run that was stopped = %v, %v; want nothing and the context's error", c, err)
	}
}

// A clock that stands still while there is work, as in a bubble, does not make the
// probe endless: it ends by count, and tells of nothing.
func TestProbeEndsByCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := new(runFlags)
		f.aim.kind = aimInProcess
		if c, err := f.probe(t.Context(), probed(t, 4)); c != nil || err != nil {
			t.Errorf("probe in no time = %+v, %v; want no ceiling and no error", c, err)
		}
		f.noProbe = true
		if c, err := f.probe(t.Context(), probed(t, 4)); c != nil || err != nil {
			t.Errorf("probe that nobody wants = %+v, %v; want nothing", c, err)
		}
	})
}

// What a run tells of its generator is in its record.
func TestRunTellsOfItsGenerator(t *testing.T) {
	leftOutWhenShort(t)
	code, stdout, stderr, folder := bubble(t, 0, append([]string{"stress", "--format", "json"}, small...)...)
	if code != codeOk {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	record := read(t, folder)
	g := record.Generator
	if g == nil || g.Seconds < 7 || g.LeastFree == nil || *g.LeastFree < 0 || *g.LeastFree >= int64(g.Workers) || g.Workers != 256 || g.Ceiling != nil {
		t.Fatalf("generator = %+v; want that of seven seconds and more on 256 workers, of which some were busy", g)
	}
	if g.StoodStill != 0 || decode(t, []byte(stdout)).Validity != results.Valid {
		t.Errorf("stood still for %v, %s; want a bubble's clock to be prompt and the run valid", g.StoodStill, stdout)
	}
	looked := 0
	for _, row := range record.Intervals {
		if row.Generator != nil {
			looked++
		}
	}
	if int64(looked) != g.Seconds {
		t.Errorf("%d seconds tell of the generator, the record of %d; want the same", looked, g.Seconds)
	}
}
