package clock_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// The dates of a machine that slept are those of everybody else, while what its clock
// measures is without the sleep.
func TestRealDatesAfterTheMachineSlept(t *testing.T) {
	const slept = 20 * time.Minute
	awake, woken := clock.NewReal(), clock.Woken(slept)
	assert.LessOrEqual(t, woken.Now().Sub(awake.Now()).Abs(), time.Minute, "drift of the clock of a machine that slept")
	require.GreaterOrEqual(t, awake.Started().Round(0).Sub(woken.Started().Round(0)), slept-time.Minute, "how much earlier it began")
	for _, row := range []struct {
		name string
		by   time.Duration
	}{{"now", 0}, {"a reply that leaves in a second", time.Second}, {"a request that came a second ago", -time.Second}} {
		for _, real := range []clock.Real{awake, woken} {
			before := time.Now().Round(0)
			got := real.Date(real.Now().Add(row.by)).Add(-row.by)
			if after := time.Now().Round(0); got.Before(before.Add(-time.Second)) || got.After(after.Add(time.Second)) {
				t.Errorf("%s: the date is %v; want one from %v to %v", row.name, got, before, after)
			}
		}
		began := time.Date(2026, 11, 20, 11, 48, 19, 0, time.UTC)
		got := clock.Epoch(began).Date(clock.Instant(row.by))
		assert.Truef(t, got.Equal(began.Add(row.by)), "%s: the date of an epoch is %v", row.name, got)
	}
}

type due struct {
	at     clock.Instant
	number uint64
}

// The queue against a sorted slice, over random pushes and pops with many ties: earlier instants
// come first, simultaneous entries by their numbers, and twins both.
func TestQueueAgainstSort(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var q clock.Queue[due]
		var model []due
		for step := range 300 {
			if rng.IntN(5) < 3 || len(model) == 0 {
				d := due{clock.Instant(rng.IntN(20) - 1), uint64(rng.IntN(40)) << (rng.IntN(2) * 58)}
				if rng.IntN(20) == 0 {
					d.at = clock.Never
				}
				q.Push(d.at, d.number, d)
				model = append(model, d)
				continue
			}
			slices.SortFunc(model, func(a, b due) int {
				return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.number, b.number))
			})
			at, number, ok := q.Peek()
			if poppedAt, got := q.Pop(); got != model[0] || !ok || at != poppedAt || at != got.at || number != got.number {
				t.Fatalf("seed %d, step %d: Pop() = %v at %d behind Peek() = %d, %d; want %v", seed, step, got, poppedAt, at, number, model[0])
			}
			model = model[1:]
			require.Equalf(t, len(model), q.Len(), "seed %d, step %d: Len()", seed, step)
		}
	}
}

func TestEmptyQueue(t *testing.T) {
	var q clock.Queue[due]
	at, number, ok := q.Peek()
	assert.Truef(t, !ok && at == clock.Never && number == 0, "Peek() of an empty queue = %v, %d, %v", at, number, ok)
	defer func() {
		got := fmt.Sprint(recover())
		assert.Truef(t, strings.HasPrefix(got, "clock: "), "Pop() of an empty queue panicked with %q", got)
	}()
	q.Pop()
}

func TestAGrownQueueAllocatesNothing(t *testing.T) {
	var q clock.Queue[*int]
	allocated := testing.AllocsPerRun(100, func() {
		q.Push(1, 1, nil)
		q.Push(0, 2, nil)
		q.Pop()
		q.Pop()
	})
	assert.Zerof(t, allocated, "a push and a pop allocate %v times once the queue has grown", allocated)
}
