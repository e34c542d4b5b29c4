package serve

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

// After a cold start an overload that lasts for as long as the detection takes is met by a
// split at the first tick after that, whoever asks or does not; the journal says so, and the
// two halves are in the state. After a warm start nothing is split.
func TestLoadBalancingOfAColdService(t *testing.T) {
	for _, row := range []struct {
		tick, detection, from, want time.Duration
	}{
		{500 * time.Millisecond, time.Second, 0, time.Second},
		{500 * time.Millisecond, 1300 * time.Millisecond, 0, 1500 * time.Millisecond},
		{200 * time.Millisecond, 2 * time.Second, 3 * time.Second, 5 * time.Second},
		{700 * time.Millisecond, 3 * time.Second, 2100 * time.Millisecond, 5600 * time.Millisecond},
		{time.Second, 2 * time.Second, 4 * time.Second, 6 * time.Second},
	} {
		for _, start := range []string{"cold", "warm"} {
			set := []string{"model.partition_target=50", "model.account_target=10000"}
			if start == "cold" {
				set = append(set, fmt.Sprint("model.tick=", row.tick), fmt.Sprint("model.detection=", row.detection), "model.range_target=50", "model.server_target=50")
			}
			synctest.Test(t, func(t *testing.T) {
				var said bytes.Buffer
				var events []Event
				s, faults := newService(Options{Start: start, Set: set, Journal: &said, Quiet: true, Balanced: func(list []Event) { events = append(events, list...) }})
				require.NoError(t, errors.Join(append(faults, s.prepare(t.Context()))...))
				s.watch()
				overload(t, s, row.from, row.want+2*time.Second)
				s.unwatch()
				s.balance()
				state := s.State()
				if start == "warm" {
					assert.Emptyf(t, events, "%+v: after a warm start", row)
					assert.Emptyf(t, state.Ranges, "%+v: after a warm start", row)
					return
				}
				if len(events) == 0 || events[0].Kind != "split" || events[0].TableName != "Races" || events[0].At.Offset() != row.want {
					t.Fatalf("%+v: %v; want a split of Races first, at %v", row, events, row.want)
				}
				assert.Truef(t, len(state.Ranges) >= 2 && state.Ranges[0].FirstKey == "" && state.Ranges[1].FirstKey != "" && state.Ranges[1].Table == "Races",
					"%+v: ranges %+v; want both halves", row, state.Ranges)
				assert.Containsf(t, said.String(), fmt.Sprintf("table Races: %v split range 1 and 2 at", row.want),
					"%+v: the journal says\n%s", row, &said)
			})
		}
	}
}

// overload asks for four times what a range takes from one instant to another, on 20 keys.
func overload(t *testing.T, s *Service, from, to time.Duration) {
	t.Helper()
	clk := s.options.Clock
	e := s.engine
	e.Submit(clk.Now(), &engine.Request{Account: s.door.account, Table: "Races", Verb: entity.CreateTable})
	for n := 0; ; n++ {
		at := from + time.Duration(n)*5*time.Millisecond
		if at >= to {
			return
		}
		require.NoError(t, clk.Sleep(t.Context(), clock.Instant(at)))
		key := entity.Key{Partition: fmt.Sprintf("p%02d", n%20), Row: fmt.Sprint(n)}
		e.Submit(clk.Now(), &engine.Request{Account: s.door.account, Table: "Races", Verb: entity.Insert, Number: uint64(n),
			Change: &entity.Change{Verb: entity.Insert, Key: key}})
	}
}
