package clock_test

import (
	"testing"
	"time"

	"loadgen/engine/clock"
)

const (
	ms = time.Millisecond
	s  = time.Second
)

func TestInstantAdd(t *testing.T) {
	for _, row := range []struct {
		name string
		at   clock.Instant
		by   time.Duration
		want clock.Instant
	}{
		{"forward", clock.Instant(s), 2 * s, clock.Instant(3 * s)},
		{"back", clock.Instant(3 * s), -2 * s, clock.Instant(s)},
		{"back before the start", clock.Instant(s), -2 * s, clock.Instant(-s)},
		{"nothing", 5, 0, 5},
		{"just to the end", clock.Never - 1, 1, clock.Never},
		{"past the end is never", clock.Never - 1, 2, clock.Never},
		{"never stays never", clock.Never, 1<<63 - 1, clock.Never},
	} {
		if got := row.at.Add(row.by); got != row.want {
			t.Errorf("%s: %d.Add(%v) = %d; want %d", row.name, row.at, row.by, got, row.want)
		}
	}
}

func TestInstantSubAndOffset(t *testing.T) {
	early, late := clock.Instant(s), clock.Instant(3*s)
	if got := late.Sub(early); got != 2*s {
		t.Errorf("3s.Sub(1s) = %v; want 2s", got)
	}
	if got := early.Sub(late); got != -2*s {
		t.Errorf("1s.Sub(3s) = %v; want -2s", got)
	}
	if got := late.Offset(); got != 3*s {
		t.Errorf("3s.Offset() = %v; want 3s", got)
	}
}

func TestInstantNextSecond(t *testing.T) {
	for _, row := range []struct {
		name     string
		at, want time.Duration
	}{
		{"the start is a whole second", 0, 0},
		{"just after it, the next", 1, s},
		{"the middle of a second", 1500 * ms, 2 * s},
		{"just before a whole second", 2*s - 1, 2 * s},
		{"a whole second is itself", 2 * s, 2 * s},
	} {
		if got := clock.Instant(row.at).NextSecond(); got.Offset() != row.want {
			t.Errorf("%s: %v.NextSecond() = %v; want %v", row.name, row.at, got.Offset(), row.want)
		}
	}
}

func TestVirtualNeverGoesBack(t *testing.T) {
	var clk clock.Virtual
	for _, step := range []struct{ to, want clock.Instant }{{0, 0}, {5, 5}, {3, 5}, {-1, 5}, {5, 5}, {clock.Never, clock.Never}} {
		clk.AdvanceTo(step.to)
		if got := clk.Now(); got != step.want {
			t.Errorf("after AdvanceTo(%d), Now() = %d; want %d", step.to, got, step.want)
		}
	}
}
