package clock_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
)

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
