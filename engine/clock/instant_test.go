package clock_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

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
		assert.Equalf(t, row.want, row.at.Add(row.by), "%s: %d.Add(%v)", row.name, row.at, row.by)
	}
}

func TestInstantNextSecond(t *testing.T) {
	for at, want := range map[time.Duration]time.Duration{0: 0, 1: s, 1500 * ms: 2 * s, 2*s - 1: 2 * s, 2 * s: 2 * s} {
		if got := clock.Instant(at).NextSecond(); got.Offset() != want || got.Sub(clock.Instant(at)) != want-at {
			t.Errorf("%v.NextSecond() = %v; want %v", at, got.Offset(), want)
		}
	}
}

func TestVirtualNeverGoesBack(t *testing.T) {
	var clk clock.Virtual
	for _, step := range []struct{ to, want clock.Instant }{{0, 0}, {5, 5}, {3, 5}, {-1, 5}, {5, 5}, {clock.Never, clock.Never}} {
		clk.AdvanceTo(step.to)
		assert.Equalf(t, step.want, clk.Now(), "after AdvanceTo(%d), Now()", step.to)
	}
}
