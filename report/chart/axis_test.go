package chart_test

import (
	"math"
	"testing"

	"loadgen/report/chart"
)

func TestAxesHoldWhateverIsPutOnThem(t *testing.T) {
	for _, row := range []struct {
		name            string
		x               float64
		onLinear, onLog float64
		least, greatest float64
	}{
		{"the least value is at the beginning", 1, 0, 0, 1, 100},
		{"the greatest value is at the end", 100, 1, 1, 1, 100},
		{"the middle depends on the scale", 10, 9.0 / 99, 0.5, 1, 100},
		{"what is less falls on the beginning", -5, 0, 0, 1, 100},
		{"zero has a place even where it has no logarithm", 0, 0, 0, 1, 100},
		{"what is greater falls on the end", 1e300, 1, 1, 1, 100},
		{"infinity falls on the end", math.Inf(1), 1, 1, 1, 100},
		{"no number falls on the beginning", math.NaN(), 0, 0, 1, 100},
	} {
		onLinear, onLog := chart.Normalized(row.least, row.greatest, row.x)
		if math.Abs(onLinear-row.onLinear) > 1e-12 || math.Abs(onLog-row.onLog) > 1e-12 {
			t.Errorf("%s: Normalized(%v) = %v, %v; want %v, %v", row.name, row.x, onLinear, onLog, row.onLinear, row.onLog)
		}
	}
}

func TestTicksLieOnTheirAxisAndAreFew(t *testing.T) {
	for _, row := range []struct {
		name            string
		least, greatest float64
		log             bool
	}{
		{"counts up to one", 0, 1.06, false},
		{"counts up to a million", 0, 1.06e6, false},
		{"less than one a second", 0, 0.01, false},
		{"the greatest counts", 0, math.MaxInt64, false},
		{"seconds late in a long run", 86400, 86460, false},
		{"the shortest durations", 0.5, 5, true},
		{"one decade", 3000, 30000, true},
		{"a microsecond to an hour", 0.5, 4e9, true},
	} {
		ticks := chart.LinearTicks(row.least, row.greatest)
		if row.log {
			ticks = chart.TimeTicks(row.least, row.greatest)
		}
		labels := make(map[string]bool)
		last := math.Inf(-1)
		for _, tick := range ticks {
			if tick.Value < row.least || tick.Value > row.greatest || tick.Value <= last {
				t.Errorf("%s: a tick at %v after %v; want them rising in %v to %v", row.name, tick.Value, last, row.least, row.greatest)
			}
			last = tick.Value
			if tick.Label == "" {
				continue
			}
			if labels[tick.Label] {
				t.Errorf("%s: two ticks say %q", row.name, tick.Label)
			}
			labels[tick.Label] = true
		}
		if len(labels) < 2 || len(labels) > 11 {
			t.Errorf("%s: %d labels; want 2 to 11", row.name, len(labels))
		}
	}
}

func TestTimeTicksPrintTheirUnits(t *testing.T) {
	var got []string
	for _, tick := range chart.TimeTicks(100, 2e7) {
		if tick.Label != "" {
			got = append(got, tick.Label)
		}
	}
	want := []string{"100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s"}
	if len(got) != len(want) {
		t.Fatalf("labels from 100 µs to 20 s = %q; want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("label %d from 100 µs to 20 s = %q; want %q", i, got[i], want[i])
		}
	}
}
