package drive_test

import (
	"slices"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
)

// attack is the loop of vegeta's attacker where nothing takes any time: it asks
// for a wait, waits exactly so long, and sends. Vegeta looks at the length of an
// attack before the wait, and so may send one hit after the end; that one is
// left out here. Without a length the pacer has to say when to stop.
func attack(t *testing.T, p vegeta.Pacer, length time.Duration) []time.Duration {
	t.Helper()
	var sent []time.Duration
	var now time.Duration
	for len(sent) < 1_000_000 {
		wait, stop := p.Pace(now, uint64(len(sent)))
		now += max(0, wait)
		if stop || length > 0 && now > length {
			return sent
		}
		sent = append(sent, now)
	}
	t.Fatalf("%v does not stop", p)
	return nil
}

func instants(s arrival.Schedule) []time.Duration {
	var all []time.Duration
	for n := range s.Len() {
		all = append(all, s.At(n))
	}
	return all
}

func TestVegetaSendsAtOurInstants(t *testing.T) {
	tests := []struct {
		name     string
		schedule arrival.Schedule
	}{
		{"a rate below one a second", steps(t, arrival.Step{Rate: 0.125, Length: time.Minute})},
		{"a rate that is no whole number of nanoseconds", steps(t, arrival.Step{Rate: 333.333, Length: 3 * time.Second})},
		{"steps up and down", steps(t, arrival.Step{Rate: 500, Length: time.Second},
			arrival.Step{Rate: 1.5, Length: 10 * time.Second}, arrival.Step{Rate: 2000, Length: time.Second})},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			pacer := drive.Pacer(test.schedule)
			if got, want := attack(t, pacer, 0), instants(test.schedule); !slices.Equal(got, want) {
				t.Errorf("vegeta sends at %v; want %v", got, want)
			}
			if wait, stop := pacer.Pace(0, test.schedule.Len()); !stop {
				t.Errorf("Pace(0, %d) = %v, %v; want a stop after the last operation", test.schedule.Len(), wait, stop)
			}
			last := test.schedule.Len() - 1
			if wait, stop := pacer.Pace(test.schedule.Length()+time.Hour, last); wait != 0 || stop {
				t.Errorf("Pace(too late, %d) = %v, %v; want no wait and no stop", last, wait, stop)
			}
			for _, at := range []time.Duration{0, test.schedule.Length() / 3, test.schedule.Length()} {
				if got, want := pacer.Rate(at), test.schedule.Rate(at); got != want {
					t.Errorf("Rate(%v) = %v; want the schedule's %v", at, got, want)
				}
			}
		})
	}
}
