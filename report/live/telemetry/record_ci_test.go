//go:build ci

package telemetry_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/scenarios/run"
)

// Of a run in real time, with all its goroutines, the counts are those of the record, too.
func TestCountsOfALiveRun(t *testing.T) {
	r, c := received(t, map[string]string{"OTEL_METRIC_EXPORT_INTERVAL": "200"})
	record := ran(t, c, run.InProcess, false, append(short, "model.partition_target=200", "phases.peak.rates=[100, 400]", "phases.peak.hold=false")...)
	sameCounts(t, r, record)
	checkUnits(t, r)
	assert.Truef(t, len(r.faults) <= 0 && len(r.spans) != 0, "the receiver met %v, and %d spans", r.faults, len(r.spans))
}
