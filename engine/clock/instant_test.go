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

func TestInstants(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       int64
		kind       string
	}{
		{"nothing", "", 0, "no instant"},
		{"zero", "0", 0, "seconds"},
		{"whole seconds", "1767366245", 1_767_366_245_000_000_000, "seconds"},
		{"decimals, each a tenth of the one before", "12.345678901", 12_345_678_901, "seconds"},
		{"a single decimal", "0.5", 500_000_000, "seconds"},
		{"more decimals than nanoseconds", "1.0123456789", 0, "no instant"},
		{"a point without decimals", "12.", 0, "no instant"},
		{"two points", "1.2.3", 0, "no instant"},
		{"decimals alone", ".5", 0, "no instant"},
		{"letters among digits", "12a", 0, "no instant"},
		{"the greatest number of seconds", "9223372035", 9_223_372_035_000_000_000, "seconds"},
		{"more seconds than there are", "9223372036", 0, "no instant"},
		{"between seconds and milliseconds", "99999999999", 0, "no instant"},
		{"the least milliseconds", "100000000000", 100_000_000_000_000_000, "milliseconds"},
		{"milliseconds of this century", "1767366245123", 1_767_366_245_123_000_000, "milliseconds"},
		{"more milliseconds than there are", "9223372036854", 0, "no instant"},
		{"decimals of milliseconds", "1767366245123.5", 0, "no instant"},
		{"digits without end", strings.Repeat("9", 40), 0, "no instant"},
		{"a duration of two units", "1h2m", int64(62 * time.Minute), "a duration"},
		{"a duration backwards", "-3ms", -3_000_000, "a duration"},
		{"a unit of another world", "3parsecs", 0, "no instant"},
		{"a time in UTC", "2026-01-02T15:04:05Z", 1_767_366_245_000_000_000, "a time"},
		{"the same elsewhere", "2026-01-02T17:04:05.25+02:00", 1_767_366_245_250_000_000, "a time"},
		{"a time before 1970", "1969-12-31T23:59:59Z", -1_000_000_000, "a time"},
		{"a time without a zone", "2026-01-02T15:04:05", 0, "no instant"},
		{"a blank instead of T", "2026-01-02 15:04:05Z", 0, "no instant"},
		{"a second too many", "2026-01-02T15:04:60Z", 0, "no instant"},
		{"a year beyond what can be told", "2300-01-01T00:00:00Z", 0, "no instant"},
		{"text without end", "2026-01-02T15:04:05." + strings.Repeat("1", 80) + "Z", 0, "no instant"},
	} {
		got, kind := clock.ParseInstant(tt.text)
		assert.Equalf(t, tt.kind, kind.String(), "%s: ParseInstant(%q)", tt.name, tt.text)
		assert.EqualValuesf(t, tt.want, got, "%s: ParseInstant(%q)", tt.name, tt.text)
	}
}

// FuzzInstants holds what is read against the library, where that reads it, too.
func FuzzInstants(f *testing.F) {
	for _, seed := range []string{"1.5", "1767366245123", "2026-01-02T15:04:05.25+02:00", "1h2m", "-1ns", "9223372035.999999999", "1677-01-01T00:00:00Z"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, notation := clock.ParseInstant(text)
		got, kind := int64(at), notation.String()
		if date, err := time.Parse(time.RFC3339Nano, text); kind == "a time" && (err != nil || date.UnixNano() != got) {
			t.Errorf("ParseInstant(%q) = %d; want %v, %v", text, got, date, err)
		}
		unit, known := map[string]string{"a duration": "", "seconds": "s", "milliseconds": "ms"}[kind]
		if d, err := time.ParseDuration(text + unit); known && (err != nil || int64(d) != got) {
			t.Errorf("ParseInstant(%q) = %d; want %v, %v", text, got, d, err)
		}
	})
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
