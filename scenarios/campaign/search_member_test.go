package campaign_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target/targettest"
)

// lockstep leads a search of members: the next step is known once all have said what came of the
// last.
type lockstep struct {
	mu     sync.Mutex
	all    *sync.Cond
	of     int
	search *campaign.Search
	sum    *campaign.Measured
	came   int
	round  int
	begins clock.Instant
}

// Next implements [campaign.Searching].
func (l *lockstep) Next(context.Context) (campaign.Try, clock.Instant, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, more := l.search.Next()
	return t, l.begins, more, nil
}

// Came implements [campaign.Searching].
func (l *lockstep) Came(_ campaign.Try, m *campaign.Measured) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sum.Add(m)
	if l.came++; l.came == l.of {
		l.search.Spend(l.sum)
		l.search.Tell(l.sum)
		l.sum, l.came, l.begins = new(campaign.Measured), 0, l.begins.Add(2*time.Minute)
		l.round++
		l.all.Broadcast()
		return
	}
	for round := l.round; l.round == round; {
		l.all.Wait()
	}
}

// A search that several members carry out tries the rates that one process tries, and finds of
// each what that does, count for count and bucket for bucket; each member sends what the plan says.
func TestASearchByMembersIsTheWhole(t *testing.T) {
	for seed := range uint64(tier(1, 15)) {
		rng := rand.New(rand.NewPCG(seed, 280))
		s := parsed(t, fmt.Sprintf(races, "arrivals: {constant: 40}, for: 2s, "+offers))
		s.Seed = seed
		s.RetryAll("none")
		of, from := 1+rng.IntN(4), float64(60+rng.IntN(100))
		find := &campaign.Find{Of: results.LimitPartition, MaxThrottled: .05, From: from, UpTo: 4 * from, Step: campaign.ShortestStep}
		o := campaign.Options{Scenario: s, Table: "T", NewName: true, Find: find}
		c := planned(t, o)
		whole := carried(t, c, &targettest.Fake{Throttled: 50})
		l := &lockstep{of: of, search: find.Search(1), sum: new(campaign.Measured), begins: clock.Instant(time.Second)}
		l.all = sync.NewCond(&l.mu)
		parts := make([]results.MergePart, of)
		var begun campaign.From
		lead := o
		lead.Elsewhere = func(_ context.Context, from campaign.From) error { begun = from; return nil }
		c = planned(t, lead)
		carried(t, c, new(targettest.Fake))
		var all sync.WaitGroup
		for i := range of {
			one := o
			one.Member = &campaign.Member{Share: drive.Share{Index: i, Of: of}, From: begun, Begins: clock.Instant(time.Second), Search: l}
			member := planned(t, one)
			if due, err := member.Prepare(); err != nil || due != 0 {
				t.Fatalf("%d operations are planned, %v; want a search whose length nobody knows", due, err)
			}
			all.Go(func() {
				parts[i] = results.MergePart{Name: fmt.Sprint("share ", i), Record: carried(t, member, &targettest.Fake{Throttled: 50})}
			})
		}
		all.Wait()
		sum, err := results.Merge(parts)
		require.NoError(t, err)
		name := fmt.Sprintf("seed %d, %d members from %v/s", seed, of, from)
		if got, want := l.search.Limit(), whole.Limit; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: they find\n%+v\nwant\n%+v", name, got, want)
		}
		sameSteps(t, name, c, of, parts, sum, whole)
	}
}

// sameSteps holds the phases of a search of members to those of one process, and to the plan.
func sameSteps(t *testing.T, name string, c *campaign.Campaign, of int, parts []results.MergePart, sum, whole *results.Record) {
	t.Helper()
	var want []results.Phase
	for _, p := range whole.Phases {
		for n := range whole.Limit.Steps {
			if p.Stage == fmt.Sprintf("limit %d", n+1) {
				want = append(want, p)
			}
		}
	}
	var plan []campaign.Offered
	for n, step := range whole.Limit.Steps {
		offered, err := c.OfferedBy(campaign.Try{Number: n + 1, Rate: step.Rate}, of)
		require.NoError(t, err)
		plan = append(plan, offered...)
	}
	if len(want) == 0 || len(sum.Phases) != len(want) || len(plan) != len(want) {
		t.Fatalf("%s: %d phases, %d planned; want %d", name, len(sum.Phases), len(plan), len(want))
	}
	for p := range want {
		samePhase(t, fmt.Sprintf("%s, phase %d", name, p), &sum.Phases[p], &want[p])
		for i := range parts {
			if got := scheduledOf(&parts[i].Record.Phases[p]); got != plan[p].Shares[i] {
				t.Errorf("%s: share %d of %s has %d operations; want %d", name, i, plan[p].Name, got, plan[p].Shares[i])
			}
		}
	}
}
