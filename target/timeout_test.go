package target_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/target"
)

// While a range is offline, the share that the model says is throttled, and who is held longer
// than the operation lets the service take is answered 500: those who came so early that the
// range was not back in that time. The rest is served once it is back.
func TestTimeoutsBesideThrottlingWhileARangeMoves(t *testing.T) {
	const every = time.Millisecond
	for _, row := range []struct {
		timeout, offline time.Duration
		throttled        float64
	}{
		{time.Second, 5 * time.Second, 0.7},
		{3 * time.Second, 5 * time.Second, 0.7},
		{4 * time.Second, 8 * time.Second, 0.25},
		{0, 5 * time.Second, 0.7},
		{9 * time.Second, 5 * time.Second, 0.5},
	} {
		m, err := model.New(model.Documented)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"offline_least": row.offline.String(), "offline_most": row.offline.String(), "map_stale": "0s",
			"offline_throttled": fmt.Sprint(int(1000 * row.throttled)), "partition_target": "100000", "range_target": "100000", "server_target": "100000", "account_target": "0"} {
			if err := m.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		e := engine.New(engine.Options{Model: m, Accounts: []string{"one"}, Cold: true, Seed: 3})
		subject := target.NewInProcess(e, "one", nil)
		subject.Submit(0, &target.Operation{Verb: entity.CreateTable, Table: "Races"})
		begin := clock.Instant(10 * time.Second)
		e.Move(begin, "one", "Races", "p", 1)
		var all, throttled, timedOut, held int
		for n := range int(row.offline / every) {
			now := begin.Add(time.Duration(n)*every + 1)
			key := entity.Key{Partition: "p", Row: fmt.Sprint(n)}
			outcome, done := subject.Submit(now, &target.Operation{Verb: entity.Insert, Table: "Races", Number: uint64(n), Timeout: row.timeout,
				Change: entity.Change{Verb: entity.Insert, Key: key}})
			all++
			switch {
			case outcome.Status == 503:
				throttled++
			case outcome.Status == 500 && outcome.Code == entity.OperationTimedOut && done.Sub(now) >= row.timeout && done.Sub(now) < row.timeout+time.Second:
				timedOut++
			case outcome.Status < 300 && done.Sub(begin) >= row.offline:
				held++
			default:
				t.Fatalf("%+v: request %d: %d %s after %v", row, n, outcome.Status, outcome.Code, done.Sub(now))
			}
		}
		early := max(0, 1-row.timeout.Seconds()/row.offline.Seconds())
		if row.timeout == 0 {
			early = 0
		}
		near := func(got int, share float64) bool {
			return math.Abs(float64(got)-float64(all)*share) <= 4*math.Sqrt(float64(all)*share*(1-share))+1
		}
		if !near(throttled, row.throttled) || !near(timedOut, (1-row.throttled)*early) || !near(held, (1-row.throttled)*(1-early)) {
			t.Errorf("%+v: of %d requests %d were throttled, %d timed out, %d served late; want %.0f, %.0f and %.0f within four deviations", row, all, throttled,
				timedOut, held, float64(all)*row.throttled, float64(all)*(1-row.throttled)*early, float64(all)*(1-row.throttled)*(1-early))
		}
	}
}
