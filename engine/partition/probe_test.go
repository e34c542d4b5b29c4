package partition

import (
	"fmt"
	"testing"
)

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
		if some != (row.cut != "") || some && (c.key != row.cut || c.below < row.below-20 || c.below > row.below+20) {
			t.Errorf("%s: cut = %+v, %v; want %q with about %d below", row.sentence, c, some, row.cut, row.below)
		}
		if got := p.divides(row.dead, 950); got != row.divides {
			t.Errorf("%s: divides(%q) = %v; want %v", row.sentence, row.dead, got, row.divides)
		}
	}
}

func TestProbeWaitsForEnough(t *testing.T) {
	var p probe
	for n := range fewestToDivide - 1 {
		p.touch(fmt.Sprint(n), 16, 0)
	}
	p.turn(100, 10)
	if p.samples == 0 || len(p.told.came) > 0 {
		t.Errorf("after %d samples the stretch has ended; want it to go on", fewestToDivide-1)
	}
	p.touch("x", 16, 0)
	p.turn(105, 110)
	if p.samples == 0 {
		t.Error("the stretch has ended before the memory of loads; want it to go on")
	}
	p.turn(110, 110)
	if p.samples != 0 || len(p.told.came) > 0 {
		t.Errorf("after one stretch %d samples, told %v; want 0 and nothing told", p.samples, p.told.came)
	}
	if c, some := p.cut(950); some {
		t.Errorf("cut = %+v; want none", c)
	}
}
