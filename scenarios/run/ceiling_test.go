package run

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
		c, err := Ceiling(t.Context(), probed(t, row.workers), row.over)
		if err != nil {
			t.Fatalf("%s: Ceiling = %v; want no error", row.name, err)
		}
		if c.Over != row.over || c.Lanes != row.lanes || c.Operations < 1 || c.Operations > probeMost || c.Took <= 0 || c.PerSecond() <= 0 {
			t.Errorf("%s: Ceiling = %+v; want what %d under way came to, at most %d operations", row.name, c, row.lanes, probeMost)
		}
		if c.CPU < 0 {
			t.Errorf("%s: the probe took %v of CPU; want no less than none", row.name, c.CPU)
		}
	}
}

func TestProbeOfAnEndedRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := &Plan{Scenario: probed(t, 4), On: Embedded}
	if c, err := p.probe(ctx); c != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("probe of a run that was stopped = %v, %v; want nothing and the context's error", c, err)
	}
}

// A clock that stands still while there is work, as in a bubble, does not make the
// probe endless: it ends by count, and tells of nothing.
func TestProbeEndsByCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &Plan{Scenario: probed(t, 4), On: InProcess}
		if c, err := p.probe(t.Context()); c != nil || err != nil {
			t.Errorf("probe in no time = %+v, %v; want no ceiling and no error", c, err)
		}
		p.NoProbe = true
		if c, err := p.probe(t.Context()); c != nil || err != nil {
			t.Errorf("probe that nobody wants = %+v, %v; want nothing", c, err)
		}
	})
}
