//go:build long

package run_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// heapMeter measures the peak of the live heap: it collects after each further eighth of the attempts.
type heapMeter struct {
	seen, next int
	peak       uint64
}

func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func (h *heapMeter) measure() {
	h.peak = max(h.peak, liveHeap())
	h.next = h.seen + 20_000 + h.seen/8
}

func (h *heapMeter) Begins(run.Begun) []drive.Observer { return []drive.Observer{h} }
func (h *heapMeter) Enters(campaign.Progress)          { h.measure() }
func (h *heapMeter) Ends(error)                        { h.measure() }
func (h *heapMeter) Completed(*results.Completed)      {}
func (h *heapMeter) Attempt(*results.Attempt) {
	if h.seen++; h.seen >= h.next {
		h.measure()
	}
}

// drawnLoad returns a scenario of a random load, policy and start.
func drawnLoad(t *testing.T, chance *rand.Rand) (*scenarios.Scenario, string) {
	pick := func(list ...string) string { return list[chance.IntN(len(list))] }
	policy := pick("documented", "ladder", "js", "azcore", "storage-net", "fixed-5s", "fixed-1s", "full-jitter", "decorrelated-jitter", "short", "none")
	load := pick("arrivals: {constant: 3000}", "arrivals: {constant: 10000}", "arrivals: {constant: 25000}", "arrivals: {sine: {mean: 6000, amplitude: 5000, period: 7s}}",
		"arrivals: {poisson: 8000}", "arrivals: {ramp: {from: 100, to: 15000}}", "clients: 100000, think: 2s", "clients: 3000, think: 100ms")
	text := fmt.Sprintf(`
name: drawn
seed: %d
start: %s
retry: %s
model: {profile: %s}
%s
attributes: {n: {sequence: 1}, key: {list: [a, b, c, d, e, f], weights: [%s]}}
entity: {size: %s, filler: Notes}
design: {partition_key: "{key}", row_key: "{n}"}
phases:
  - {name: load, load: {entities: %s}}
  - {name: work, traffic: {%s%s, for: %s, operations: [%s]}}
`, chance.Uint64N(1000), pick("warm", "warm", "cold"), policy, pick("documented", "documented", "headroom"),
		pick("", "", "faults: [{kind: refuse, from: 5s, to: 20s}]", "faults: [{kind: refuse, share: 30%}]"),
		pick("1, 1, 1, 1, 1, 1", "20, 3, 2, 1, 1, 1"), pick("200", "1024", "4000"), pick("1000", "30000"),
		pick("", "partitions: [a], ", "partitions: [a, b, c], "), load, pick("5s", "15s", "40s"),
		pick("{verb: insert}", "{verb: get}", "{verb: insert, weight: 1}, {verb: get, weight: 4}"))
	return runtest.Parse(t, text), strings.Join(strings.Fields(text[strings.Index(text, "seed"):]), " ")
}

// The forecast of memory is within a factor of 1.5 of the live heap's peak, for each built-in
// scenario by the documented policy, and for random loads. Below 64 MiB both are.
func TestForecastOfMemoryAgainstMeasuredPeak(t *testing.T) {
	runtest.SkipIfShort(t)
	type row struct {
		name string
		plan run.Plan
	}
	var rows []row
	for _, name := range scenarios.Library() {
		if name != "simulate" { // below, for a minute
			rows = append(rows, row{name + ", documented", run.Plan{Scenario: runtest.Builtin(t, name, "retry=documented")}})
		}
	}
	rows = append(rows, row{"stress", run.Plan{Scenario: runtest.Builtin(t, "stress")}}, row{"simulate", run.Plan{Scenario: runtest.Builtin(t, "simulate")}},
		row{"simulate, documented, 1 minute", run.Plan{Scenario: runtest.Builtin(t, "simulate", "retry=documented", "phases.spread.for=1m")}},
		row{"simulate, ladder, 1 minute", run.Plan{Scenario: runtest.Builtin(t, "simulate", "retry=ladder", "phases.spread.for=1m")}},
		row{"simulate, at most 20 s", run.Plan{Scenario: runtest.Builtin(t, "simulate", "retry=exponential base=2s multiplier=2 jitter=50% elapsed=20s", "phases.spread.for=1m")}},
		row{"simulate, transactions", run.Plan{Data: true, Scenario: runtest.Builtin(t, "simulate", "start=warm", "retry=ladder", "phases.spread.rate=100", "phases.spread.for=10s",
			"phases.spread.operations=[{verb: batch, entities: 50}]")}},
		row{"simulate, inserts while ranges split", run.Plan{Data: true, Scenario: runtest.Builtin(t, "simulate", "model.detection=30s", "phases.spread.for=2m",
			"phases.spread.rate=400", "phases.spread.operations=[{verb: insert}]")}},
		row{"simulate, upserts", run.Plan{Data: true, Scenario: runtest.Builtin(t, "simulate", "start=warm", "phases.spread.entities=50000", "phases.spread.for=40s")}},
		row{"stress, 200,000 entities", run.Plan{Scenario: runtest.Builtin(t, "stress", "phases.load.entities=200000")}})
	for seed := range uint64(16) {
		s, text := drawnLoad(t, rand.New(rand.NewPCG(seed, 48)))
		rows = append(rows, row{text, run.Plan{Scenario: s, Data: seed%2 == 0}})
	}
	for _, row := range rows {
		forecast, err := row.plan.Footprint()
		require.NoError(t, err, row.name)
		before, meter := liveHeap(), new(heapMeter)
		row.plan.Progress, row.plan.Out = meter, filepath.Join(t.TempDir(), "run")
		_, err = run.Run(t.Context(), row.plan)
		require.NoError(t, err, row.name)
		const floor = 64 << 20
		peak := max(0, int64(meter.peak)-int64(before))
		ratio := float64(forecast) / float64(peak)
		t.Logf("%6d MB forecast %6d MB measured %5.2f %s", forecast/1e6, peak/1e6, ratio, row.name)
		assert.Truef(t, max(forecast, peak) < floor || ratio > 1/1.5 && ratio < 1.5,
			"%s: forecast %d bytes, measured %d: a factor of %.2f", row.name, forecast, peak, ratio)
	}
}
