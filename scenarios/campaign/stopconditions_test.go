package campaign

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
)

// second is what ends in one second: so many attempts of each kind, each served
// one an entity, after so long a response.
type second struct {
	ok, failed, throttled, late int
	response                    time.Duration
}

// recorded returns the conditions of a phase of which some seconds are recorded, those before the last three finished.
func recorded(t *testing.T, spec scenarios.Traffic, seconds ...second) *stopConditions {
	recorder := resultstest.Open(t, new(results.Memory), results.Manifest{Operations: []results.Kind{{Name: "get"}}})
	recorder.KeepRecent()
	recorder.Phase(results.Phase{Name: "peak", End: time.Hour})
	for i, s := range seconds {
		done := time.Duration(i)*time.Second + time.Second/2
		attempts := func(count int, class results.Class, lag time.Duration) {
			for range count {
				recorder.Scheduled(&results.Scheduled{Intended: done - lag, Sent: done})
				recorder.Attempt(&results.Attempt{Intended: done - lag, Sent: done, Done: done, Class: class, Counted: 1})
			}
		}
		attempts(s.ok-s.late, results.Ok, 0)
		attempts(s.late, results.Ok, results.LateAfter+1)
		attempts(s.failed, results.Failed, results.LateAfter)
		attempts(s.throttled, results.Throttled, 0)
		for range s.ok {
			recorder.Completed(&results.Completed{Intended: done - s.response, Done: done, Class: results.Ok, Served: 1})
		}
		require.NoError(t, recorder.Advance(time.Duration(i-3)*time.Second))
	}
	return &stopConditions{recorder: recorder, budgets: spec.StopOn, stable: spec.StopWhenStable, warmUp: spec.WarmUp}
}

// fiveOf returns a window of the same.
func fiveOf(one second) []second { return slices.Repeat([]second{one}, window) }

func TestBudgetsStopAPhase(t *testing.T) {
	on := func(of string, above float64) scenarios.Traffic {
		return scenarios.Traffic{StopOn: []scenarios.Budget{{Of: of, Above: above}}}
	}
	for _, test := range []struct {
		name    string
		spec    scenarios.Traffic
		seconds []second
		overdue uint64
		says    string
	}{
		{"exactly the share is not yet too much", on("failed", .01), fiveOf(second{ok: 99, failed: 1}), 0, ""},
		{"one more is", on("failed", .01), append(fiveOf(second{ok: 99, failed: 1})[1:], second{ok: 98, failed: 2}), 0, "1.2% of the 500"},
		{"what was before the last five seconds is forgotten", on("failed", .01), append([]second{{failed: 400}}, fiveOf(second{ok: 99, failed: 1})...), 0, ""},
		{"ninety-nine attempts are too few", on("throttled", 0), []second{{throttled: 99}}, 0, ""},
		{"a hundred are not", on("throttled", 0), []second{{throttled: 100}}, 0, "100% of the 100"},
		{"five milliseconds are not late", on("late", 0), fiveOf(second{ok: 50, failed: 5}), 0, ""},
		{"more than five are", on("late", .1), fiveOf(second{ok: 50, late: 6}), 0, "12% of the 250"},
		{"what is overdue counts among what was due", on("dropped", .2), fiveOf(second{ok: 80}), 101, "20.2% of the 501"},
		{"up to the share it may", on("dropped", .2), fiveOf(second{ok: 80}), 100, ""},
	} {
		g := recorded(t, test.spec, test.seconds...)
		now := clock.Instant(time.Duration(len(test.seconds)) * time.Second)
		err := g.Enough(0, now, func() uint64 { return test.overdue })
		assert.Equal(t, test.says != "", errors.Is(err, drive.ErrStopped), test.name)
		assert.Contains(t, fmt.Sprint(err), cmp.Or(test.says, "<nil>"), test.name)
		assert.NoError(t, g.Enough(0, now.Add(time.Second-1), nil), "one judgement a second")
	}
	before := recorded(t, on("failed", .01), second{failed: 400}, second{ok: 100})
	assert.NoError(t, before.Enough(clock.Instant(time.Second/2), clock.Instant(2*time.Second), nil), "what failed before the phase")
}

func TestStableLoadStopsAPhase(t *testing.T) {
	const length = 10 * time.Millisecond
	base := second{ok: 100, response: length}
	for _, test := range []struct {
		name          string
		before, after second
		share         float64
		warmUp, since time.Duration
		want          error
	}{
		{"the same is stable", base, base, .02, 0, 0, drive.ErrSettled},
		{"a rate within the share is", base, second{ok: 101, response: length}, .02, 0, 0, drive.ErrSettled},
		{"one beyond it is not", base, second{ok: 103, response: length}, .02, 0, 0, nil},
		{"one beyond it downwards is not", base, second{ok: 97, response: length}, .02, 0, 0, nil},
		{"a median within the share is", base, second{ok: 100, response: length + length/80}, .02, 0, 0, drive.ErrSettled},
		{"one beyond it is not", base, second{ok: 100, response: length + length/30}, .02, 0, 0, nil},
		{"fifteen operations are too few for a median", second{ok: 3, response: length}, second{ok: 3, response: length}, .02, 0, 0, nil},
		{"twenty are enough", second{ok: 4, response: length}, second{ok: 4, response: length}, .02, 0, 0, drive.ErrSettled},
		{"nothing served is not rest", second{}, second{}, .02, 0, 0, nil},
		{"nor is what was served before and no longer", base, second{}, .5, 0, 0, nil},
		{"nine seconds of measuring are too few", base, base, .02, 0, time.Second, nil},
		{"a warm-up is no measuring", base, base, .02, time.Second, 0, nil},
		{"without a share there is no rest", base, base, 0, 0, 0, nil},
	} {
		g := recorded(t, scenarios.Traffic{StopWhenStable: test.share, WarmUp: test.warmUp}, append(fiveOf(test.before), fiveOf(test.after)...)...)
		assert.ErrorIs(t, g.Enough(clock.Instant(test.since), clock.Instant(10*time.Second), nil), test.want, test.name)
	}
	// Seconds without anything have no place, and the older ones do not stand in for them.
	g := recorded(t, scenarios.Traffic{StopWhenStable: .02}, slices.Repeat([]second{base}, 3*window)...)
	assert.NoError(t, g.Enough(0, clock.Instant(3*window+2)*clock.Instant(time.Second), nil),
		"enough() after two seconds of nothing")
}
