package campaign_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target/targettest"
)

// drawnTraffic is a phase of traffic by chance that any number of processes up to six can
// offer together.
func drawnTraffic(rng *rand.Rand, last bool) string {
	arrivals := []string{"arrivals: {constant: %d}, for: 2s", "arrivals: {poisson: %d}, for: 2s", "arrivals: {steps: {rates: [%d, 90], each: 1s}}",
		"arrivals: {sine: {mean: %d, amplitude: 20, period: 2s}}, for: 3s", "arrivals: {constant: %d}, for: 4s, warm_up: 2s"}
	text := fmt.Sprintf(arrivals[rng.IntN(len(arrivals))], 30+rng.IntN(100))
	if last && rng.IntN(3) == 0 {
		text = fmt.Sprintf("clients: %d, count: %d", 6+rng.IntN(5), 1+rng.IntN(150))
	}
	text += fmt.Sprintf(", drain: %ds, ", rng.IntN(3)*4)
	if rng.IntN(3) == 0 {
		return text + "operations: [{verb: get, weight: 4}, {verb: insert}, {verb: batch, entities: 4, together: [event]}, {verb: replace}]"
	}
	return text + offers
}

// offeredBy offers the traffic of a scenario by so many members, which a campaign has do so, and
// returns the members' records, and what the target saw of them, in order.
func offeredBy(t *testing.T, s *scenarios.Scenario, of int) ([]results.MergePart, []targettest.Seen) {
	t.Helper()
	at := &targettest.Fake{Throttled: 80}
	var parts []results.MergePart
	o := campaign.Options{Scenario: s, Table: "T", NewName: true}
	lead := o
	lead.OfferElsewhere = func(ctx context.Context, from campaign.From) error {
		for i := range of {
			one := o
			one.Member = &campaign.Member{Share: drive.Share{Index: i, Of: of}, From: from, Begins: clock.Instant(time.Second)}
			c := planned(t, one)
			due, err := c.Prepare()
			if err != nil {
				return err
			}
			record := carried(t, c, at)
			assert.EqualValuesf(t, due, record.Total(results.Everything).Scheduled, "operations of share %d", i)
			parts = append(parts, results.MergePart{Name: fmt.Sprint("share ", i), Record: record})
		}
		return nil
	}
	record := carried(t, planned(t, lead), new(targettest.Fake))
	for _, p := range record.Phases {
		assert.Truef(t, p.Stage == p.Name && slices.Contains([]string{"create T", "create", "mark", "mark T", "load", "drop", "drop T"}, p.Name),
			"who leads has the phase %q; want none of traffic", p.Name)
	}
	return parts, at.Seen()
}

func carried(t *testing.T, c *campaign.Campaign, at *targettest.Fake) *results.Record {
	t.Helper()
	return recorded(t, conduct(t, t.Context(), &drive.Virtual{Target: at}, c, nil))
}

// What several processes offer of a drawn scenario is, put together, what one offers: count
// for count and bucket for bucket; and each sends what the plan says, phase by phase.
func TestMembersEqualOneProcess(t *testing.T) {
	for seed := range uint64(resultstest.Cases(2, 60)) {
		rng := rand.New(rand.NewPCG(seed, 28))
		phases := 1 + rng.IntN(3)
		text := fmt.Sprintf(races, drawnTraffic(rng, phases == 1))
		for i := 1; i < phases; i++ {
			text += fmt.Sprintf("  - name: more-%d\n    traffic: {%s}\n", i, drawnTraffic(rng, i == phases-1))
		}
		s := parsed(t, text)
		of := 1 + rng.IntN(6)
		require.Emptyf(t, campaign.SharingFaults(s, of), "seed %d", seed)
		c := planned(t, campaign.Options{Scenario: s, Table: "T", NewName: true})
		plan, err := c.Offered(nil, of)
		require.NoError(t, err)
		at := &targettest.Fake{Throttled: 80}
		whole := carried(t, c, at)
		parts, ops := offeredBy(t, s, of)
		sum, err := results.Merge(parts)
		require.NoErrorf(t, err, "seed %d", seed)
		name := fmt.Sprintf("seed %d, %d members", seed, of)
		var offered []results.Phase
		for _, p := range whole.Phases {
			if p.Stage == "measure" || strings.HasPrefix(p.Stage, "more-") {
				offered = append(offered, p)
			}
		}
		require.Equal(t, [2]int{len(offered), len(offered)}, [2]int{len(sum.Phases), len(plan)}, name)
		all := at.Seen()
		from := slices.IndexFunc(all, func(o targettest.Seen) bool { return len(ops) > 0 && o.Number == ops[0].Number })
		all = all[max(0, from):]
		assert.True(t, len(ops) == 0 || slices.Equal(ops, all[:min(len(all), len(ops))]), "the target sees the same attempts at the same keys")
		for p := range offered {
			samePhase(t, fmt.Sprintf("%s, phase %d", name, p), &sum.Phases[p], &offered[p])
			assert.Equal(t, plan[p].Begin+time.Second, sum.Phases[p].Begin, name)
			assert.Equal(t, plan[p].Name, sum.Phases[p].Name, name)
			for i := range parts {
				assert.Equalf(t, plan[p].Shares[i], scheduledOf(&parts[i].Record.Phases[p]), "%s: share %d of phase %d", name, i, p)
			}
		}
	}
}

func scheduledOf(p *results.Phase) (n int64) {
	for k := range p.Kinds {
		n += p.Kinds[k].Scheduled
	}
	return n
}

// samePhase compares what was counted in a phase, and its histograms by their buckets.
func samePhase(t *testing.T, name string, got, want *results.Phase) {
	t.Helper()
	plain := func(k results.KindStats) (results.KindStats, [][]results.Bar) {
		var bars [][]results.Bar
		for _, h := range append(k.Service[:], k.Response, k.Lost) {
			bars = append(bars, h.Bars())
		}
		k.Response, k.Lost, k.Service, k.LastHalf = nil, nil, results.ByClass{}, results.Cohort{}
		return k, bars
	}
	assert.Equal(t, want.Name, got.Name, name)
	assert.Equal(t, want.Reported, got.Reported, name)
	for k := range want.Kinds {
		a, bars := plain(got.Kinds[k])
		b, others := plain(want.Kinds[k])
		assert.Truef(t, reflect.DeepEqual(a, b) && reflect.DeepEqual(bars, others),
			"%s: kind %d is %+v, %v; want %+v, %v", name, k, a, bars, b, others)
	}
}

// What several processes cannot share is refused by its field.
func TestSharingFaults(t *testing.T) {
	const plain = "arrivals: {constant: 40}, for: 2s, "
	for _, row := range []struct{ traffic, more, field string }{
		{plain + offers, "", ""},
		{plain + offers, "  - {name: after, traffic: {" + plain + offers + "}}\n", ""},
		{"clients: 3, count: 9, " + offers, "", ""},
		{"clients: 2, count: 9, " + offers, "", "phases[1].traffic.clients"},
		{"clients: 3, count: 9, " + offers, "  - {name: after, traffic: {" + plain + offers + "}}\n", "phases[2].traffic"},
		{plain + offers, "  - {name: after, load: {entities: 5}}\n", "phases[2].load"},
		{plain + offers, "  - {name: after, count: {}}\n", "phases[2].count"},
		{plain + "stop_when_stable: 5%, " + offers, "", "phases[1].traffic.stop_when_stable"},
		{plain + "stop_on: [failed > 5%], " + offers, "", "phases[1].traffic.stop_on"},
		{plain + "operations: [{verb: get, limit: 20}]", "", "phases[1].traffic.operations[0].limit"},
	} {
		s := parsed(t, fmt.Sprintf(races, row.traffic)+row.more)
		text := fmt.Sprint(campaign.SharingFaults(s, 3))
		assert.Truef(t, (row.field != "" || text == "[]") && strings.Contains(text, row.field),
			"%s%s: %s; want a fault of %q", row.traffic, row.more, text, row.field)
	}
	assert.Contains(t, fmt.Sprint(campaign.SharingFaults(builtin(t, "eventual-transaction"), 2)), "workflow",
		"of a scenario with queues")
}

// lockstep leads a search of members: the next step is known once all have said what came of the
// last.
type lockstep struct {
	mu          sync.Mutex
	all         *sync.Cond
	of          int
	search      *campaign.Search
	sum         *campaign.Measured
	came, round int
	begins      clock.Instant
}

// Next implements [campaign.SearchLeader].
func (l *lockstep) Next(context.Context) (campaign.SearchStep, clock.Instant, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, more := l.search.Next()
	return t, l.begins, more, nil
}

// Report implements [campaign.SearchLeader].
func (l *lockstep) Report(_ campaign.SearchStep, m *campaign.Measured) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sum.Add(m)
	if l.came++; l.came == l.of {
		l.search.AddEntities(l.sum)
		l.search.AddStep(l.sum)
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
func TestSearchByMembersEqualsOneProcess(t *testing.T) {
	for seed := range uint64(resultstest.Cases(1, 15)) {
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
		lead.OfferElsewhere = func(_ context.Context, from campaign.From) error { begun = from; return nil }
		c = planned(t, lead)
		carried(t, c, new(targettest.Fake))
		var all sync.WaitGroup
		for i := range of {
			one := o
			one.Member = &campaign.Member{Share: drive.Share{Index: i, Of: of}, From: begun, Begins: clock.Instant(time.Second), Search: l}
			member := planned(t, one)
			due, err := member.Prepare()
			require.NoError(t, err)
			require.Zero(t, due, "nobody knows the length of a search")
			all.Go(func() {
				parts[i] = results.MergePart{Name: fmt.Sprint("share ", i), Record: carried(t, member, &targettest.Fake{Throttled: 50})}
			})
		}
		all.Wait()
		sum, err := results.Merge(parts)
		require.NoError(t, err)
		name := fmt.Sprintf("seed %d, %d members from %v/s", seed, of, from)
		assert.Empty(t, cmp.Diff(whole.Limit, l.search.Limit()), name)
		sameSteps(t, name, c, of, parts, sum, whole)
	}
}

// sameSteps holds the phases of a search of members to those of one process, and to the plan.
func sameSteps(t *testing.T, name string, c *campaign.Campaign, of int, parts []results.MergePart, sum, whole *results.Record) {
	t.Helper()
	var want []results.Phase
	for _, p := range whole.Phases {
		if strings.HasPrefix(p.Stage, "limit ") {
			want = append(want, p)
		}
	}
	var plan []campaign.Offered
	for n, step := range whole.Limit.Steps {
		offered, err := c.Offered(&campaign.SearchStep{Number: n + 1, Rate: step.Rate}, of)
		require.NoError(t, err)
		plan = append(plan, offered...)
	}
	require.NotEmpty(t, want, name)
	require.Equal(t, [2]int{len(want), len(want)}, [2]int{len(sum.Phases), len(plan)}, name)
	for p := range want {
		samePhase(t, fmt.Sprintf("%s, phase %d", name, p), &sum.Phases[p], &want[p])
		for i := range parts {
			assert.Equalf(t, plan[p].Shares[i], scheduledOf(&parts[i].Record.Phases[p]), "%s: share %d of %s", name, i, plan[p].Name)
		}
	}
}
