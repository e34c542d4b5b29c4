package live

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/results"
)

// Members sum to the whole, each to what it told, and whoever is lost or has handed in does
// not begin to send again by a second that comes late.
func TestMembersSumToTheWhole(t *testing.T) {
	for seed := range uint64(6) {
		chance := rand.New(rand.NewPCG(seed, 1))
		stats, number := New(), 1+chance.IntN(20)
		want := make([]Totals, number)
		response := make([]*results.Histogram, number)
		for i := range number {
			stats.Joined(&results.FleetMember{Name: fmt.Sprint("member ", i), Index: i}, results.MemberReady)
			response[i] = results.NewHistogram()
			for range 2000 {
				response[i].Record(time.Duration(1+chance.IntN(1_000_000)) * time.Microsecond)
			}
		}
		for second := range time.Duration(5) {
			for _, i := range chance.Perm(number) {
				n := func() int64 { return chance.Int64N(1000) }
				of := results.Interval{Counts: results.Counts{Scheduled: n(), Late: n(), Dropped: n(), Attempts: n(), Ok: n(), Throttled: n(), Failed: n(), Operations: n(), Served: n()}}
				stats.AddSecond(i, (second+1)*time.Second, &of, []*results.Histogram{nil, response[i]})
				w := &want[i]
				w.Scheduled, w.Late, w.Dropped = w.Scheduled+of.Scheduled, w.Late+of.Late, w.Dropped+of.Dropped
				w.Attempts, w.Ok, w.Throttled, w.Failed = w.Attempts+of.Attempts, w.Ok+of.Ok, w.Throttled+of.Throttled, w.Failed+of.Failed
				w.Operations, w.Served = w.Operations+of.Operations, w.Served+of.Served
			}
		}
		members := stats.Members()
		var all []*Member
		for i := range members {
			if !members[i].Totals.Equal(&want[i].Counts) || members[i].State != results.MemberSending || *members[i].Heard != 5*time.Second {
				t.Errorf("seed %d: %+v; want %+v, sending, heard of after 5 s", seed, members[i], want[i])
			}
			exact := time.Duration(*results.QuantilesOf(response[i]).P99) * time.Microsecond
			got := *P99(&members[i])
			assert.Truef(t, got >= exact && float64(got) <= 1.05*float64(exact), "seed %d: p99 is %v", seed, got)
			all = append(all, &members[i])
		}
		if sum, whole := Together(all), stats.Totals(); !sum.Totals.Equal(&whole.Counts) {
			t.Errorf("seed %d: members sum to %+v, and the whole is %+v", seed, sum.Totals, whole)
		}
		for _, state := range []results.MemberState{results.MemberEnded, results.MemberLost} {
			stats.Joined(&results.FleetMember{Name: "member 0"}, state)
			stats.AddSecond(0, 6*time.Second, &results.Interval{}, nil)
			got := stats.Members()[0].State
			assert.Truef(t, got == state, "seed %d: after a late second a member that was %q is %q", seed, state, got)
		}
	}
	stats := New()
	stats.AddSecond(maxMembers, time.Second, &results.Interval{Counts: results.Counts{Scheduled: 3}}, nil)
	assert.Empty(t, stats.Members(), "beyond the bound")
}
