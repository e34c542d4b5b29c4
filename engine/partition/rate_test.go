package partition

import (
	"math"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/model"
)

func TestFadingSumFollowsTheExponential(t *testing.T) {
	law := newFading(5 * time.Second)
	var f fade
	exact, last := 0.0, clock.Instant(0)
	draw := clock.NewStream(1, "fading").At(0)
	now := clock.Instant(0)
	for range 20_000 {
		now += clock.Instant(draw.IntN(int(20 * time.Millisecond)))
		exact *= math.Exp(-now.Sub(last).Seconds() / 5)
		last = now
		exact++
		f.add(now, nano, law)
		// Whole steps of a 256th of the memory, and no fading within one.
		if got := float64(f.sum) / nano; math.Abs(got/exact-1) > .005 {
			t.Fatalf("the sum at %v = %.3f; want %.3f within half a percent", now.Offset(), got, exact)
		}
	}
	if got := float64(f.rate(now, law)) / thousand; math.Abs(got-100) > 5 {
		t.Errorf("rate of 100/s = %.1f/s; want 100 within 5", got)
	}
	if got := f.rate(now.Add(39*time.Second), law); got == 0 {
		t.Error("the rate after 39 s is 0; want something left")
	}
	if got := f.rate(now.Add(80*time.Second), law); got != 0 {
		t.Errorf("the rate after 80 s = %d; want 0", got)
	}
}

func TestAverageComesToRest(t *testing.T) {
	m, _ := model.New(model.Headroom)
	m.Stamp.Tick, m.Stamp.LoadMemory = 15*time.Second, time.Minute
	s := New(Options{Model: m, Cold: true}).stamp
	newer, stays := s.newer, s.stays
	if newer+stays != 1<<averageBits {
		t.Errorf("weights = %d + %d; want %d in all", newer, stays, 1<<averageBits)
	}
	value := int64(0)
	for range 200 {
		value = average(value, 2_000_000, newer)
	}
	if value < 1_999_990 || value > 2_000_000 {
		t.Errorf("average of 2000000 = %d; want about that", value)
	}
	for range 200 {
		value = average(value, 0, newer)
	}
	if value != 0 {
		t.Errorf("average of zeros = %d; want 0", value)
	}
}

func TestHappensAsOftenAsItShould(t *testing.T) {
	draw := clock.NewStream(1, "odds").At(0)
	count := 0
	for range 100_000 {
		if happens(mixRandom(draw.Uint64(), 1), 7, 10) {
			count++
		}
	}
	if count < 69_500 || count > 70_500 {
		t.Errorf("7 in 10 happened %d times of 100000; want about 70000", count)
	}
	if happens(0, 0, 10) || !happens(math.MaxUint64, 10, 10) {
		t.Error("what has no chance happened, or what is certain did not")
	}
}

func TestHeadroomShrinksWithUtilisation(t *testing.T) {
	m, _ := model.New(model.Headroom)
	i := New(Options{Model: m}).keys.idle
	rows := []struct{ utilisation, want int64 }{{0, 2000}, {300, 2000}, {550, 1500}, {799, 1002}, {800, 1000}, {2000, 1000}}
	for _, row := range rows {
		if got := i.multiple(row.utilisation); got != row.want {
			t.Errorf("multiple(%d) = %d; want %d thousandths", row.utilisation, got, row.want)
		}
	}
}

func TestSharesAreMaxMinFair(t *testing.T) {
	l := newLimit(4000, int64(100*time.Millisecond))
	rows := []struct {
		sentence string
		demands  []int64
		level    int64
	}{
		{"two that want more than there is get half each", []int64{5000, 9000}, 2000},
		{"a modest one leaves the rest", []int64{500, 9000}, 3500},
		{"three", []int64{500, 1500, 10_000}, 2000},
		{"nobody is short", []int64{500, 1500}, 3500},
		{"nobody wants anything", []int64{0, 0}, 4000},
	}
	for _, row := range rows {
		s := &server{bucket: l.full(0)}
		for _, demand := range row.demands {
			s.tenants = append(s.tenants, &tenant{offered: demand * nano})
		}
		s.reckon(clock.Instant(time.Second), l)
		for i, tenant := range s.tenants {
			if tenant.limit.rate != row.level {
				t.Errorf("%s: level of tenant %d of %v = %d; want %d", row.sentence, i, row.demands, tenant.limit.rate, row.level)
			}
		}
	}
}
