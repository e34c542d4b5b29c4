package run_test

import (
	"runtime"
	"strings"
	"testing"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// quickly divides rates and limits by 20, as scaled does, and has load balancing act
// twenty times as soon as well.
func quickly() []string {
	return append(scaled(), "phases.spread.for=1m", "model.tick=1s", "model.detection=15s", "model.load_memory=3s",
		"model.detection_gap=2s", "model.offline_least=1s", "model.offline_most=1s")
}

// quick is the canonical scenario in that form.
func quick(t *testing.T, set ...string) *scenarios.Scenario {
	t.Helper()
	return builtin(t, "simulate", append(quickly(), set...)...)
}

// bytesOf returns the seconds and the events of a simulation on so many processors,
// without its verdict, which is on another profile, too, where there is one.
func bytesOf(t *testing.T, processors int, p run.Plan) string {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
	folder := new(results.Memory)
	p.Memory = folder
	if _, err := run.Run(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	events, verdict, told := strings.Cut(string(folder.Bytes(results.EventsFile)), `"event":"`+results.VerdictTold+`"`)
	if !told || strings.Count(verdict, "\n") != 1 {
		t.Fatalf("the verdict is not the last event: %q", verdict)
	}
	return events + string(folder.Bytes(results.IntervalsFile))
}

// The same seed gives the same bytes, however many processors there are, and with
// another profile beside it; another seed does not.
func TestSimulationIsDeterministic(t *testing.T) {
	want := bytesOf(t, 1, run.Plan{Scenario: quick(t)})
	if !strings.Contains(want, `"event":"split"`) || !strings.Contains(want, `"event":"move"`) {
		t.Fatal("there is no split and no move: the test shows nothing")
	}
	if bytesOf(t, max(2, runtime.NumCPU()), run.Plan{Scenario: quick(t), Rival: true}) != want {
		t.Error("with several processors and another profile beside it the record differs; want the same bytes")
	}
	if bytesOf(t, 1, run.Plan{Scenario: quick(t, "seed=7")}) == want {
		t.Error("another seed gives the same record; want another")
	}
}
