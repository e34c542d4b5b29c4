package explain

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
		t.Run(row.name, func(t *testing.T) {
			s, err := scenarios.Parse("loop.yaml", []byte(`name: loop
attributes: {place: {list: [east]}, id: {sequence: 1}}
design: {partition_key: "{place}", row_key: "{id}"}
phases:
  - {name: load, load: {entities: 200}}
  - {name: ask, spread: {partitions: [east], clients: 20, think: 40ms, for: 20s, operations: `+row.operations+`}}
`))
			if err != nil {
				t.Fatal(err)
			}
			e, err := Explain(Options{Scenario: s, Targets: documented, Times: row.times})
			if err != nil {
				t.Fatal(err)
			}
			load := e.Designs[0].Loads[0]
			if math.Abs(load.Answer-row.answer) > .0003 || load.Clients != 20 {
				t.Errorf("%d clients wait %.4f s; want 20, %.4f s", load.Clients, load.Answer, row.answer)
			}
			if want := 20 / (.04 + load.Answer); math.Abs(load.PerSecond/want-1) > .02 {
				t.Errorf("they ask %.1f times a second; want %.1f", load.PerSecond, want)
			}
		})
	}
}
