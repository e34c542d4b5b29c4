package drive_test

import (
	"testing"
	"time"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// asking refuses with a wish to be left alone for so long.
type asking struct{ after time.Duration }

func (a asking) Submit(now clock.Instant, _ *target.Operation) (target.Outcome, clock.Instant) {
	return target.Outcome{Status: 503, Code: entity.ServerBusy, RetryAfter: a.after}, now
}

// Retry-After is a floor below a policy's waits, and does not count as one of them
// where the next follows from the last.
func TestRetryAfterIsAFloor(t *testing.T) {
	for _, row := range []struct {
		name  string
		delay backoff.Delay
		after time.Duration
		want  []time.Duration
	}{
		{"no wish", backoff.Fixed{Every: 2 * time.Second}, 0, []time.Duration{2 * time.Second, 2 * time.Second}},
		{"a wish below the wait", backoff.Fixed{Every: 2 * time.Second}, time.Second, []time.Duration{2 * time.Second, 2 * time.Second}},
		{"a wish above it", backoff.Fixed{Every: 2 * time.Second}, 3 * time.Second, []time.Duration{3 * time.Second, 3 * time.Second}},
		{"between two waits of a ladder", backoff.Ladder{time.Second, 5 * time.Second}, 3 * time.Second, []time.Duration{3 * time.Second, 5 * time.Second}},
		{"no wait at all", backoff.Fixed{}, time.Second, []time.Duration{time.Second, time.Second}},
	} {
		stage := openStage(t, backoff.Policy{Retries: 2, Delay: row.delay}, time.Minute, arrival.Step{Rate: 1, Length: time.Second})
		got := &waits{ended: map[uint64]time.Duration{}, list: map[uint64][]time.Duration{}}
		record, _, err := outing(t, t.Context(), &drive.Virtual{Target: asking{row.after}}, []drive.Observer{got}, stage)
		if err != nil {
			t.Fatal(err)
		}
		list := got.list[stage.First]
		if len(list) != 2 || list[0] != row.want[0] || list[1] != row.want[1] {
			t.Errorf("%s: waited %v; want %v", row.name, list, row.want)
		}
		if sum := record.Total(results.Everything); sum.Attempts != 3 {
			t.Errorf("%s: %d attempts; want 3", row.name, sum.Attempts)
		}
	}
}
