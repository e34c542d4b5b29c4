package partition_test

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/partition"
)

// What is served and the work of refusing the rest come to the target: s + c(O − s) = R, as
// long as that leaves something to serve.
func TestThrottlingCostsWhatIsServed(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(77, 1))
	for range tier(4, 20) {
		thousandths := 20 + chance.IntN(130)
		c := float64(thousandths) / 1000
		offered := 2100 + chance.IntN(4000)
		want := (2000 - c*float64(offered)) / (1 - c)
		for _, start := range []string{model.Warm, model.Cold} {
			options := partition.Options{Model: modelOf(t, "documented", fmt.Sprint("throttle_cost=", thousandths)), Cold: start == model.Cold}
			v := measured(newLoad(partition.New(options), 1), even(offered, "key")...)
			near(t, fmt.Sprintf("%s: served of %d/s where a refusal costs %.3f", start, offered, c), float64(v[partition.Admitted])/60, want, .02)
		}
	}
}

// A partition that may exceed its target on an idle server has the same law, of requests of
// one entity and of transactions.
func TestThrottlingCostsHeadroom(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ offered, entities, cost int }{{8000, 1, 10}, {8000, 1, 100}, {100, 100, 500}, {12_000, 1, 0}} {
		layer := partition.New(partition.Options{Model: modelOf(t, "headroom", fmt.Sprint("throttle_cost=", row.cost))})
		l := newLoad(layer, 1)
		all := source{rate: row.offered, demand: partition.Demand{Entities: int64(row.entities)}, key: func(int) string { return "key" }}
		// The rate by which it is refused is known after some of its memory of 5 s.
		l.count(0, 40*second, all)
		v := l.count(40*second, 100*second, all)
		f := float64(row.cost) / 1000 / float64(row.entities)
		offered := float64(row.offered * row.entities)
		near(t, fmt.Sprintf("%+v: entities served", row), float64(v[partition.Admitted]*row.entities)/60, (4000-f*offered)/(1-f), .02)
	}
}

// Clients that ask again at once take from what is served; those that wait take nothing of
// it. Of N clients, by Little's law, N = s·(time of one served) + r·(time of one refused).
func TestAggressiveRetriesLowerWhatIsServed(t *testing.T) {
	t.Parallel()
	const c, served = .1, 9 * time.Millisecond
	for _, row := range []struct {
		says    string
		clients int
		again   time.Duration
	}{
		{"at once", 30, 3 * time.Millisecond},
		{"after 3 s", 30, 3 * time.Second},
		{"after 20 ms", 100, 20 * time.Millisecond},
		{"after 50 ms", 300, 50 * time.Millisecond},
	} {
		layer := partition.New(partition.Options{Model: modelOf(t, "documented", "throttle_cost=100")})
		got := closedLoop(layer, row.clients, served, row.again)
		// s = R − c·r and N = s·ts + r·tr, unless all are served.
		n, ts, tr := float64(row.clients), served.Seconds(), row.again.Seconds()
		refused := max(0, (n-2000*ts)/(tr-c*ts))
		near(t, row.says+": served", got, min(n/ts, 2000-c*refused), .03)
	}
}

// After the worst of times, two bursts of quiet make good what refusing took.
func TestRefusingIsForgotten(t *testing.T) {
	layer := partition.New(partition.Options{Model: modelOf(t, "documented", "throttle_cost=500")})
	l := newLoad(layer, 1)
	l.count(0, 10*second, even(50_000, "key")...)
	if v := l.count(10*second+200*1_000_000, 11*second, even(1000, "key")...); v[partition.Admitted] < 790 {
		t.Errorf("%d of 800 are served after the quiet; want nearly all", v[partition.Admitted])
	}
}

// turns are the instants at which clients come, the earliest first.
type turns []clock.Instant

func (t turns) Len() int           { return len(t) }
func (t turns) Less(i, j int) bool { return t[i] < t[j] }
func (t turns) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *turns) Push(x any)        { *t = append(*t, x.(clock.Instant)) }
func (t *turns) Pop() any {
	last := (*t)[len(*t)-1]
	*t = (*t)[:len(*t)-1]
	return last
}

// closedLoop returns how many a second are served of clients that come again so long after
// they were served, or refused.
func closedLoop(layer *partition.Layer, clients int, served, again time.Duration) float64 {
	chance := rand.New(rand.NewPCG(7, 7))
	due := make(turns, clients)
	for i := range due {
		due[i] = clock.Instant(chance.Int64N(int64(again)))
	}
	heap.Init(&due)
	ok := 0
	for {
		now := due[0]
		if now > 21*second {
			return float64(ok) / 20
		}
		v := layer.Admit(now, partition.Place{PartitionKey: "key"}, one, chance.Uint64())
		next := again
		if v.Kind == partition.Admitted {
			next = served
			if now > second {
				ok++
			}
		}
		// No two clients keep step for long.
		due[0] = now.Add(next/2 + time.Duration(chance.Int64N(int64(next))))
		heap.Fix(&due, 0)
	}
}
