package run

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
)

func TestProbeFindsACeiling(t *testing.T) {
	for _, row := range []struct {
		name, over     string
		workers, lanes int
	}{
		{"over nothing", results.OverNothing, 8, 8},
		{"over HTTP, on no more connections than it takes", results.OverHTTP, 1000, probeLanes},
	} {
		s := library(t, "stress")
		s.Workers = row.workers
		c, err := Ceiling(t.Context(), s, row.over)
		require.NoError(t, err, row.name)
		assert.Truef(t, c.Over == row.over && c.Lanes == row.lanes && c.Operations >= 1 && c.Operations <= probeMost &&
			c.PerSecond() > 0 && c.CPU >= 0, "%s: Ceiling = %+v", row.name, c)
	}
}

// A probe ends with its run, and, by count, where the clock stands still while there is work,
// as in a bubble: it tells of nothing then.
func TestProbeOfAnEndedRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c, err := (&Plan{Scenario: library(t, "stress"), On: Embedded}).probe(ctx)
	assert.Truef(t, c == nil && errors.Is(err, context.Canceled), "probe of a run that was stopped = %v, %v", c, err)
	synctest.Test(t, func(t *testing.T) {
		for _, unwanted := range []bool{false, true} {
			p := &Plan{Scenario: library(t, "stress"), On: InProcess, NoProbe: unwanted}
			c, err := p.probe(t.Context())
			assert.Truef(t, c == nil && err == nil, "probe in no time, unwanted %v = %+v, %v; want nothing", unwanted, c, err)
		}
	})
}
