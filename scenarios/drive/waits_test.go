package drive_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
)

// waits takes down how long each operation waited before each retry.
type waits struct {
	mu    sync.Mutex
	ended map[uint64]time.Duration
	list  map[uint64][]time.Duration
}

func (w *waits) Attempt(a *results.Attempt) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a.Try > 0 {
		w.list[a.Number] = append(w.list[a.Number], a.Sent-w.ended[a.Number])
	}
	w.ended[a.Number] = a.Done
}

func (w *waits) Completed(*results.Completed) {}

// Both runners wait by the policy's formula and nothing else: to the nanosecond,
// for every preset, chained or not.
func TestBothRunnersWaitByTheFormula(t *testing.T) {
	for _, preset := range backoff.Presets() {
		t.Run(preset.Name, func(t *testing.T) {
			stage := openStage(t, preset.Policy, 30*time.Minute, arrival.Step{Rate: 20, Length: time.Second})
			want := map[uint64][]time.Duration{}
			for k := range stage.Schedule.Len() {
				number := stage.First + k
				var previous time.Duration
				for x := 1; x <= preset.Retries; x++ {
					draw := stage.Chance.Try(number, x-1)
					previous, _ = preset.Next(x, previous, draw.Float64())
					want[number] = append(want[number], previous)
				}
			}
			check := func(name string, got *waits) {
				for number, list := range want {
					if len(got.list[number]) != len(list) {
						t.Fatalf("%s: operation %d waited %v; want %v", name, number, got.list[number], list)
					}
					for x := range list {
						if got.list[number][x] != list[x] {
							t.Errorf("%s: operation %d waited %v before retry %d; want %v", name, number, got.list[number][x], x+1, list[x])
						}
					}
				}
			}
			virtual := &waits{ended: map[uint64]time.Duration{}, list: map[uint64][]time.Duration{}}
			if _, _, err := outing(t, t.Context(), &drive.Virtual{Target: &fake{refuse: 1000, took: time.Millisecond}}, []drive.Observer{virtual}, stage); err != nil {
				t.Fatal(err)
			}
			check("virtual", virtual)
			synctest.Test(t, func(t *testing.T) {
				clk := clock.NewReal()
				live := &waits{ended: map[uint64]time.Duration{}, list: map[uint64][]time.Duration{}}
				target := &fake{clock: clk, refuse: 1000, took: time.Millisecond}
				if _, _, err := outing(t, t.Context(), &drive.Live{Clock: clk, Target: target, Workers: 64}, []drive.Observer{live}, stage); err != nil {
					t.Fatal(err)
				}
				check("live", live)
			})
		})
	}
}
