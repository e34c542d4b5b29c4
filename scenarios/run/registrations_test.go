package run_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/scenarios/run/runtest"
)

// closes fails unless the books of a record close, and agree with those of the target.
func closes(t *testing.T, record *results.Record) {
	t.Helper()
	sum, target := record.Total(results.Everything), record.Target
	if target == nil || sum.Scheduled != sum.Sent+sum.Dropped || sum.Operations != sum.Sent ||
		sum.Attempts != sum.Ok+sum.Throttled+sum.Failed || sum.Attempts != target.Requests ||
		sum.Ok != target.Ok || sum.Throttled != target.Throttled || sum.Counted != target.Entities {
		t.Errorf("the books are %+v, the target's %+v; want them to close", sum, target)
	}
}

// The scenario that the front page shows runs as it stands, in less than the half minute that
// is promised, and takes what its comments propose.
func TestTheSampleScenarioRuns(t *testing.T) {
	runtest.SkipIfShort(t)
	t.Parallel()
	file, err := os.ReadFile("../../docs/registrations.yaml")
	require.NoError(t, err)
	text := string(file)
	for _, arrivals := range []string{
		"{ramp: {from: 0, to: 900}}", "{burst: {base: 200, peak: 2000, every: 5s, length: 1s}}", "{poisson: 1500}",
		"{constant: 700}", "{sine: {mean: 500, amplitude: 500, period: 4s}}",
	} {
		runtest.Parse(t, text, "phases.measure.arrivals="+arrivals)
	}
	reading := strings.Replace(text, "verb: merge", "verb: merge\n          read_first: true", 1)
	s := runtest.Parse(t, reading)
	assert.True(t, s.Phases[1].Traffic.Operations[2].ReadFirst, "the merge with read_first does not read first")
	record := runtest.Simulate(t, runtest.Parse(t, text))
	assert.Truef(t, record.Validity == results.Valid && record.Duration <= 25*time.Second,
		"the run is %s %v and took %v; want valid, within 25 s", record.Validity, record.Reasons, record.Duration)
	closes(t, record.Record)
	sum, measured := record.Total(results.Everything), record.Total(results.Reported)
	if sum.Failed > 0 || sum.Dropped > 0 || measured.Throttled > 0 || measured.Attempts < measured.Operations*11/10 {
		t.Errorf("failed %d, dropped %d, throttled %d, %d attempts of %d operations; want none of them, and pages",
			sum.Failed, sum.Dropped, measured.Throttled, measured.Attempts, measured.Operations)
	}
	for _, phase := range record.Phases {
		for k, kind := range record.Manifest.Operations {
			assert.Truef(t, !phase.Reported || kind.Group == "" || phase.Kinds[k].Succeeded >= 100,
				"%s: %d operations of %q succeeded; want 100", phase.Name, phase.Kinds[k].Succeeded, kind.Name)
		}
	}
}
