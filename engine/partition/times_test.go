package partition_test

import (
	"math"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/partition"
)

func TestSpreadHasTheModelsMeanAndVariation(t *testing.T) {
	m, _ := model.New(model.Documented)
	times := partition.NewTimes(m)
	draw := clock.NewStream(1, "times").At(0)
	const draws = 400_000
	var sum, squares float64
	for range draws {
		d := (times.Of(partition.Writing, 1, draw.Uint64()) - m.RoundTrip).Seconds()
		sum += d
		squares += d * d
	}
	mean := sum / draws
	variation := math.Sqrt(squares/draws-mean*mean) / mean
	if want := m.WriteTime.Seconds(); math.Abs(mean/want-1) > .005 {
		t.Errorf("mean write = %.6f s; want %.6f within half a percent", mean, want)
	}
	// The table ends at the 1/2050 quantiles, which costs a little of the tail.
	if math.Abs(variation-.4) > .01 {
		t.Errorf("coefficient of variation = %.4f; want 0.4 within 0.01", variation)
	}
}

func TestTimes(t *testing.T) {
	m, _ := model.New(model.Documented)
	m.TimeSpread = 0
	off, _ := model.New(model.Off)
	rows := []struct {
		sentence string
		model    *model.Model
		work     partition.Work
		entities int64
		want     time.Duration
	}{
		{"a read takes its time and the round trip", m, partition.Reading, 1, 4 * time.Millisecond},
		{"a write is slower", m, partition.Writing, 1, 9 * time.Millisecond},
		{"a transaction pays for each further entity", m, partition.Writing, 100, 9*time.Millisecond + 99*100*time.Microsecond},
		{"a scan pays for what it reads", m, partition.Scanning, 1000, 4*time.Millisecond + 100*time.Millisecond},
		{"without a model nothing takes time", off, partition.Writing, 100, 0},
		{"not even a scan", off, partition.Scanning, 50_000, 0},
	}
	for _, row := range rows {
		if got := partition.NewTimes(row.model).Of(row.work, row.entities, 1<<63); got != row.want {
			t.Errorf("%s: Of(%v, %d) = %v; want %v", row.sentence, row.work, row.entities, got, row.want)
		}
	}
	if got := partition.NewTimes(m).Refusal(); got != 3*time.Millisecond {
		t.Errorf("Refusal() = %v; want 3ms", got)
	}
}

func TestTimesGrowWithTheirChance(t *testing.T) {
	m, _ := model.New(model.Documented)
	times := partition.NewTimes(m)
	last := time.Duration(0)
	for i := range 100_000 {
		chance := uint64(i) * (math.MaxUint64 / 100_000)
		got := times.Of(partition.Reading, 1, chance)
		if got < last {
			t.Fatalf("Of at chance %d = %v; want at least %v, that of a smaller chance", chance, got, last)
		}
		last = got
	}
	if top := times.Of(partition.Reading, 1, math.MaxUint64); top < last || top > 20*m.ReadTime {
		t.Errorf("Of at the highest chance = %v; want from %v to %v", top, last, 20*m.ReadTime)
	}
}
