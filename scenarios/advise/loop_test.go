package advise

import (
	"math"
	"testing"
	"time"

	"loadgen/scenarios"
)

// Clients that wait for answers ask less often the longer those take.
func TestClientsWaitForTheirAnswers(t *testing.T) {
	times := Times{RoundTrip: time.Millisecond, Read: 3 * time.Millisecond, Write: 8 * time.Millisecond, Entity: 100 * time.Microsecond}
	for _, row := range []struct {
		name, operations string
		times            Times
		answer           float64 // in seconds
	}{
		{"answers at once", "[{verb: get}]", Times{}, 0},
		{"a read", "[{verb: get}]", times, .004},
		{"a write", "[{verb: insert}]", times, .009},
		{"a transaction of a hundred is one request", "[{verb: batch, entities: 100}]", times, .009 + 99*.0001},
		{"half reads, half writes", "[{verb: get}, {verb: insert}]", times, .0065},
	} {
		for _, kind := range []string{"spread", "traffic"} {
			waits(t, row.name+", "+kind, kind+": {think: 40ms, for: 5s", row.operations, row.times, row.answer, .04)
		}
		if row.answer > 0 {
			waits(t, row.name+", one right after another", "traffic: {count: 6000", row.operations, row.times, row.answer, 0)
		}
	}
}

// waits checks the rate of clients in a phase of a kind that waits so long for answers.
func waits(t *testing.T, name, phase, operations string, times Times, answer, think float64) {
	t.Run(name, func(t *testing.T) {
		s, err := scenarios.Parse("loop.yaml", []byte(`name: loop
attributes: {place: {list: [east]}, id: {sequence: 1}}
design: {partition_key: "{place}", row_key: "{id}"}
phases:
  - {name: load, load: {entities: 200}}
  - {name: ask, `+phase+`, partitions: [east], clients: 20, operations: `+operations+`}}
`))
		if err != nil {
			t.Fatal(err)
		}
		d, err := InUse(Options{Scenario: s, Targets: documented, Times: times})
		if err != nil {
			t.Fatal(err)
		}
		load := d.Loads[0]
		if math.Abs(load.Answer-answer) > .0003 || load.Clients != 20 {
			t.Errorf("%d clients wait %.4f s; want 20, %.4f s", load.Clients, load.Answer, answer)
		}
		if want := 20 / (think + load.Answer); math.Abs(load.PerSecond/want-1) > .02 {
			t.Errorf("they ask %.1f times a second; want %.1f", load.PerSecond, want)
		}
	})
}
