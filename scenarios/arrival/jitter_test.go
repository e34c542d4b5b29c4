package arrival_test

import (
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/scenarios/arrival"
)

func TestJitterStaysInItsSlot(t *testing.T) {
	even := steps(t, arrival.Step{Rate: 333.333, Length: 2500 * time.Millisecond},
		arrival.Step{Rate: 0.7, Length: 2 * time.Second}, arrival.Step{Rate: 40_000, Length: time.Second})
	jittered := arrival.NewJittered(even, clock.NewStream(1, "arrivals"))
	if jittered.Len() != even.Len() || jittered.Length() != even.Length() {
		t.Fatalf("Len, Length = %d, %v; want those of the steps, %d, %v",
			jittered.Len(), jittered.Length(), even.Len(), even.Length())
	}
	ends := []time.Duration{2500 * time.Millisecond, 4500 * time.Millisecond, 5500 * time.Millisecond}
	var tenths [10]int
	for n := range even.Len() {
		from, to := even.At(n), ends[even.StepOf(n)]
		if n+1 < even.Len() && even.StepOf(n+1) == even.StepOf(n) {
			to = even.At(n + 1)
		}
		at := jittered.At(n)
		if at < from || at >= to {
			t.Fatalf("At(%d) = %v; want it in its slot, %v to %v", n, at, from, to)
		}
		tenths[int(10*(at-from)/(to-from))]++
	}
	// Each tenth of the slots holds a tenth of the operations: chi-square with
	// nine degrees of freedom, 27.9 at one in a thousand.
	expected, square := float64(even.Len())/10, 0.0
	for _, count := range tenths {
		square += (float64(count) - expected) * (float64(count) - expected) / expected
	}
	if square > 27.9 {
		t.Errorf("places in the slots %v have a chi-square of %.1f; want at most 27.9", tenths, square)
	}
}

func TestJitterIsAFunctionOfTheNumber(t *testing.T) {
	even := steps(t, arrival.Step{Rate: 1000, Length: time.Second})
	first := arrival.NewJittered(even, clock.NewStream(1, "arrivals"))
	again := arrival.NewJittered(even, clock.NewStream(1, "arrivals"))
	other := arrival.NewJittered(even, clock.NewStream(2, "arrivals"))
	same := 0
	for n := int(even.Len()) - 1; n >= 0; n-- {
		if a, b := first.At(uint64(n)), again.At(uint64(n)); a != b {
			t.Fatalf("At(%d) = %v, then %v; want the same", n, a, b)
		}
		if first.At(uint64(n)) == other.At(uint64(n)) {
			same++
		}
	}
	if same > 2 {
		t.Errorf("%d of 1,000 instants are the same under another seed; want hardly any", same)
	}
}
