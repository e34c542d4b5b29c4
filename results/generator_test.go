package results_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loadgen/results"
)

func TestGeneratorIsPartOfTheRecord(t *testing.T) {
	folder := new(results.Memory)
	recorder := begin(t, folder)
	phase := recorder.Phase(results.Phase{Name: "500/s", End: 5 * time.Second, Rate: 500, Reported: true})
	free := int64(3)
	health := func(second int64) results.Health {
		return results.Health{Second: second, Lasted: time.Second, CPU: 80 * time.Millisecond, Pauses: 5, LongestPause: 4,
			StoodStill: 30 * time.Millisecond, FreeWorkers: &free, Goroutines: 9, Heap: 1 << 20}
	}
	succeed(recorder, phase, 1, 100*time.Millisecond, time.Millisecond)
	recorder.Health(health(0))
	recorder.Health(health(2))
	if err := recorder.Advance(4 * time.Second); err != nil {
		t.Fatal(err)
	}
	recorder.Health(health(1)) // its line was written long ago
	succeed(recorder, phase, 1, 4200*time.Millisecond, time.Millisecond)
	recorder.Health(health(4))
	sum := &results.Generator{Ceiling: &results.Ceiling{Over: results.OverHTTP, Lanes: 64, Operations: 100, Took: time.Second, CPU: time.Second},
		Cores: 2, Workers: 8, CPUKnown: true, Seconds: 4, CPU: time.Second, Pauses: 7, LongestPause: 5, StoodStill: 3, LongestStill: 2,
		LeastFree: &free, Goroutines: 9, Heap: 1 << 20, Busiest: pointer(health(2))}
	recorder.Take(func(of *results.Record) { of.Generator = sum })
	finish(t, recorder, 5*time.Second)
	record := read(t, folder)
	if diff := cmp.Diff(sum, record.Generator); diff != "" {
		t.Errorf("the generator read back differs (-told +read):\n%s", diff)
	}
	for second, want := range []*results.Health{pointer(health(0)), nil, pointer(health(2)), nil, pointer(health(4))} {
		if diff := cmp.Diff(want, record.Intervals[second].Generator); diff != "" {
			t.Errorf("second %d differs (-told +read):\n%s", second, diff)
		}
	}
	if record.Misplaced != 0 {
		t.Errorf("%d counts were misplaced; want none: a second without its health is no fault of the books", record.Misplaced)
	}
}

func pointer(v results.Health) *results.Health { return &v }

func TestCeilingInFigures(t *testing.T) {
	for _, row := range []struct {
		name              string
		ceiling           *results.Ceiling
		perSecond, micros float64
	}{
		{"none", nil, 0, 0},
		{"one in no time", &results.Ceiling{Operations: 10}, 0, 0},
		{"one of nothing", &results.Ceiling{Took: time.Second, CPU: time.Second}, 0, 0},
		{"one before its beginning", &results.Ceiling{Operations: 10, Took: -1}, 0, 0},
		{"two hundred in half a second", &results.Ceiling{Operations: 200, Took: time.Second / 2, CPU: time.Millisecond}, 400, 5},
		{"CPU that nobody knows", &results.Ceiling{Operations: 200, Took: time.Second}, 200, 0},
	} {
		if got := row.ceiling.PerSecond(); got != row.perSecond {
			t.Errorf("%s: PerSecond() = %v; want %v", row.name, got, row.perSecond)
		}
		if got := row.ceiling.CPUMicros(); got != row.micros {
			t.Errorf("%s: CPUMicros() = %v; want %v", row.name, got, row.micros)
		}
	}
}

func TestShareOfTheCores(t *testing.T) {
	for _, row := range []struct {
		name   string
		health *results.Health
		cores  int
		want   float64
	}{
		{"no second", nil, 2, 0},
		{"one that did not last", &results.Health{CPU: time.Second}, 2, 0},
		{"no cores", &results.Health{CPU: time.Second, Lasted: time.Second}, 0, 0},
		{"half of two", &results.Health{CPU: time.Second, Lasted: time.Second}, 2, .5},
		{"all of one in a long second", &results.Health{CPU: 2 * time.Second, Lasted: 2 * time.Second}, 1, 1},
	} {
		if got := row.health.Share(row.cores); got != row.want {
			t.Errorf("%s: Share(%d) = %v; want %v", row.name, row.cores, got, row.want)
		}
	}
}
