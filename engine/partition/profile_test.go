package partition

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

func TestProfileKeepsItsSumsAndItsBounds(t *testing.T) {
	for seed := range uint64(20) {
		draw := clock.NewStream(seed, "profile").Draw(0)
		var p profile
		var load, bytes int64
		exact := map[string]int64{}
		for range 5000 {
			key := fmt.Sprintf("%03d", draw.IntN(1+draw.IntN(300)))
			l, b := int64(draw.IntN(1000)), int64(draw.IntN(100))
			p.touch(key, l, b)
			load, bytes = load+l, bytes+b
			exact[key] += l
		}
		var sums mark
		for i, m := range p.marks {
			sums.load += m.load
			sums.bytes += m.bytes
			if i > 0 {
				require.Negativef(t, entity.Compare(p.marks[i-1].key, m.key), "seed %d: order of marks %d and %d", seed, i-1, i)
			}
		}
		assert.Truef(t, len(p.marks) <= maxMarks && sums.load == load && sums.bytes == bytes && p.load == load && p.bytes == bytes,
			"seed %d: %d marks of %d load, %d bytes; want at most %d of %d, %d", seed, len(p.marks), sums.load, sums.bytes, maxMarks, load, bytes)
		// Against the exact answer: the share below the boundary, within a few marks.
		c, divides := p.cut(byLoad, thousand)
		var below int64
		for key, l := range exact {
			if key < c.key {
				below += l
			}
		}
		assert.Truef(t, divides, "seed %d: nothing is cut", seed)
		assert.InDeltaf(t, 500, below*thousand/load, 60, "seed %d: thousandths below the cut at %q", seed, c.key)
	}
}

func TestProfileCuts(t *testing.T) {
	rows := []struct {
		sentence string
		loads    []int64
		greatest int64
		key      string
		below    int64
		divides  bool
	}{
		{"nothing cannot be cut", nil, 1000, "", 0, false},
		{"one key cannot be cut", []int64{5}, 1000, "", 0, false},
		{"keys without load cannot be cut", []int64{0, 0, 0}, 1000, "", 0, false},
		{"two equal keys are cut between", []int64{5, 5}, 950, "b", 500, true},
		{"of two cuts as good, the lower", []int64{5, 5, 5}, 950, "b", 333, true},
		{"the load counts, not the keys", []int64{1, 1, 1, 3}, 950, "d", 500, true},
		{"a hot key first stays alone", []int64{90, 5, 5}, 950, "b", 900, true},
		{"a key hotter than a side may be is not cut off", []int64{96, 2, 2}, 950, "b", 960, false},
		{"exactly as hot as a side may be", []int64{95, 5}, 950, "b", 950, true},
		{"keys without load beside a hot one do not help", []int64{100, 0, 0}, 950, "b", 1000, false},
	}
	for _, row := range rows {
		var p profile
		for i, load := range row.loads {
			p.touch(string(rune('a'+i)), load, 1)
		}
		c, divides := p.cut(byLoad, row.greatest)
		assert.Truef(t, divides == row.divides && c.key == row.key && c.below == row.below,
			"%s: cut of %v = %q, %d below, %v; want %q, %d, %v", row.sentence, row.loads, c.key, c.below, divides, row.key, row.below, row.divides)
	}
}

func byLoad(m mark) int64 { return m.load }

// TestProbeDividesWhatComesNow tells a probe two stretches: the second is what it counts.
func TestProbeDividesWhatComesNow(t *testing.T) {
	rows := []struct {
		sentence string
		key      func(n int) string
		// cut is the boundary, below its share; none where nothing divides.
		cut   string
		below int64
		// dead lies among the first stretch's keys, and divides nothing unless it says so.
		dead    string
		divides bool
	}{
		{"keys that ascend lie above every boundary", func(n int) string { return fmt.Sprintf("k%06d", n) }, "", 0, "k000100", false},
		{"keys that descend lie below every boundary", func(n int) string { return fmt.Sprintf("k%06d", 999_999-n) }, "", 0, "k999900", false},
		{"two tails are parted by what the upper begins with", func(n int) string { return fmt.Sprintf("%d_%06d", 1+n%2, n) }, "2", 500, "1_000100", false},
		{"a cut among the dead keys of the upper one parts them too", func(n int) string { return fmt.Sprintf("%d_%06d", 1+n%2, n) }, "2", 500, "2_000100", true},
		{"tails towards each other too", func(n int) string {
			return fmt.Sprintf("%d_%06d", 1+n%2, n*(1-n%2)+(999_999-n)*(n%2))
		}, "2", 500, "1_000100", false},
		{"tails away from each other are parted anywhere between", func(n int) string {
			return fmt.Sprintf("%06d", 500_000+n-2*n*(n%2))
		}, "4973", 500, "499901", true},
		{"of three tails, a cut within the middle one leaves a third below", func(n int) string { return fmt.Sprintf("%d_%06d", n%3, n) }, "1", 333, "1_000100", true},
		{"one key has no boundary", func(int) string { return "k" }, "", 0, "k", false},
		{"keys used over and over are divided as the load is", func(n int) string { return fmt.Sprint(n % 10) }, "5", 500, "4", true},
	}
	for _, row := range rows {
		var p probe
		chance := uint64(1)
		for n := range 6000 {
			if n == 3000 {
				p.turn(1, 1)
			}
			chance = mixRandom(chance, uint64(n))
			p.touch(row.key(n), 16, chance)
		}
		p.turn(2, 1)
		c, some := p.cut(950)
		assert.Equalf(t, row.cut != "", some, "%s: something is cut", row.sentence)
		if some {
			assert.Equal(t, row.cut, c.key, row.sentence)
			assert.InDelta(t, row.below, c.below, 20, row.sentence)
		}
		assert.Equalf(t, row.divides, p.divides(row.dead, 950), "%s: divides(%q)", row.sentence, row.dead)
	}
}

func TestProbeWaitsForEnough(t *testing.T) {
	var p probe
	for n := range minToDivide - 1 {
		p.touch(fmt.Sprint(n), 16, 0)
	}
	p.turn(100, 10)
	assert.Truef(t, p.samples != 0 && len(p.last.came) <= 0,
		"after %d samples the stretch has ended; want it to go on", minToDivide-1)
	p.touch("x", 16, 0)
	p.turn(105, 110)
	assert.True(t, p.samples != 0, "the stretch has ended before the memory of loads; want it to go on")
	p.turn(110, 110)
	assert.Truef(t, p.samples == 0 && len(p.last.came) <= 0,
		"after one stretch %d samples, told %v; want 0 and nothing told", p.samples, p.last.came)
	c, some := p.cut(950)
	assert.Falsef(t, some, "cut = %+v; want none", c)
}

func TestFadingSumFollowsTheExponential(t *testing.T) {
	law := newFading(5 * time.Second)
	var f fade
	exact, last := 0.0, clock.Instant(0)
	draw := clock.NewStream(1, "fading").Draw(0)
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
	assert.InDelta(t, 100, float64(f.rate(now, law))/thousand, 5, "rate of 100/s")
	assert.NotZero(t, f.rate(now.Add(39*time.Second), law), "the rate after 39 s")
	assert.EqualValues(t, 0, f.rate(now.Add(80*time.Second), law), "the rate after 80 s")
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
		s.updateShares(clock.Instant(time.Second), l)
		for i, tenant := range s.tenants {
			assert.Equalf(t, row.level, tenant.limit.rate, "%s: level of tenant %d of %v", row.sentence, i, row.demands)
		}
	}
}
