package run_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// bytesOf returns the seconds and the events of a simulation on so many processors,
// without its verdict, which is on another profile, too, where there is one.
func bytesOf(t *testing.T, processors int, p run.Plan) string {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
	folder := runtest.Run(t, p).Folder
	events, verdict, told := strings.Cut(string(folder.Bytes(results.EventsFile)), `"event":"`+results.VerdictTold+`"`)
	require.Truef(t, told && strings.Count(verdict, "\n") == 1, "the verdict is not the last event: %q", verdict)
	return events + string(folder.Bytes(results.IntervalsFile))
}

// The same seed gives the same bytes, however many processors and workers there are, and with
// another profile beside it; another seed does not.
func TestSimulationIsDeterministic(t *testing.T) {
	rows := []struct {
		scenario string
		settings []string
		events   []string
	}{
		{"simulate", quickly(), []string{results.StageBegins, results.PhaseBegins, "split", "move", results.PhaseEnds, results.StageEnds}},
		{"stress", []string{"phases.load.entities=300", "phases.peak.rates=[100, 500]", "model.partition_target=250", "phases.peak.each=1s"}, nil},
	}
	for _, row := range rows {
		of := func(processors int, p run.Plan, settings ...string) string {
			p.Scenario = runtest.Builtin(t, row.scenario, append(settings, row.settings...)...)
			return bytesOf(t, processors, p)
		}
		want := of(1, run.Plan{})
		for _, event := range row.events {
			assert.Containsf(t, want, `"event":"`+event+`"`, "%s: there is no %s", row.scenario, event)
		}
		for _, workers := range []string{"1", "7", "4096", "9"}[:run.Tier(1, 4)] {
			assert.Equalf(t, want, of(max(2, runtime.NumCPU()), run.Plan{Rival: true}, "workers="+workers),
				"%s: several processors, %s workers and another profile give other bytes", row.scenario, workers)
		}
		assert.Truef(t, of(1, run.Plan{}, "seed=7") != want, "%s: another seed gives the same bytes", row.scenario)
	}
}
