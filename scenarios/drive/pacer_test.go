package drive_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
)

// Vegeta is asked to wait for the instants of a schedule, to send at once what is late, and to
// stop after the last. That it sends so is shown beside the other runners.
func TestVegetaSendsAtOurInstants(t *testing.T) {
	schedule := steps(t, arrival.Step{Rate: 333.333, Length: time.Second},
		arrival.Step{Rate: 1.5, Length: 10 * time.Second}, arrival.Step{Rate: 2000, Length: time.Second})
	pacer, all := drive.Pacer(schedule), schedule.Len()
	var now time.Duration
	for n := range all {
		wait, stop := pacer.Pace(now, n)
		if now += wait; now != schedule.At(n) || stop {
			t.Fatalf("operation %d is sent at %v, stopped: %t; want %v", n, now, stop, schedule.At(n))
		}
	}
	if wait, stop := pacer.Pace(0, all); !stop {
		t.Errorf("Pace(0, %d) = %v, %v; want a stop after the last operation", all, wait, stop)
	}
	if wait, stop := pacer.Pace(schedule.Length()+time.Hour, all-1); wait != 0 || stop {
		t.Errorf("Pace(too late, %d) = %v, %v; want no wait and no stop", all-1, wait, stop)
	}
	for _, at := range []time.Duration{0, schedule.Length() / 3, schedule.Length()} {
		assert.Equalf(t, schedule.Rate(at), pacer.Rate(at), "Rate(%v)", at)
	}
}
