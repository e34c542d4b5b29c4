package partition_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/partition"
	"loadgen/results/resultstest"
)

// The experiments hold the layer to what the model's equations say, each with its
// tolerance; what the model leaves open is said in the comment. Situations with
// golden replies are in testdata. Requests come open-loop, each at a random instant
// of its own slot. A rate is what a minute yields, divided by 60; the first second,
// with the bursts in it, is left out. None of this shows that the real service
// yields the same.

// measured offers what the sources do for a second, and then for the minute
// that counts.
func measured(l *load, sources ...source) *verdicts {
	l.count(0, second, sources...)
	return l.count(second, 61*second, sources...)
}

// near fails where a figure is further from its expectation than the tolerance,
// a share of it.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	t.Logf("%s: expected %.6g, observed %.6g", what, want, got)
	assert.Truef(t, math.Abs(got-want) <= tolerance*math.Max(math.Abs(want), 1e-9),
		"%s = %.6g; want %.6g within %.3g%%", what, got, want, 100*tolerance)
}

// long leaves a test out of short runs, such as that with the race detector: a
// layer belongs to one goroutine.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes a million attempts")
	}
	t.Parallel()
}

// What is served and the work of refusing the rest come to the target: s + c(O − s) = R, as
// long as that leaves something to serve.
func TestThrottlingCostsWhatIsServed(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(77, 1))
	for range resultstest.Cases(3, 20) {
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
	v := l.count(10*second+200*1_000_000, 11*second, even(1000, "key")...)
	assert.GreaterOrEqual(t, v[partition.Admitted], 790, "served of 800 after the quiet")
}

// closedLoop returns how many a second are served of clients that come again so long after
// they were served, or refused.
func closedLoop(layer *partition.Layer, clients int, served, again time.Duration) float64 {
	chance := rand.New(rand.NewPCG(7, 7))
	var due clock.Queue[int]
	for i := range clients {
		due.Push(clock.Instant(chance.Int64N(int64(again))), uint64(i), i)
	}
	ok := 0
	for {
		now, client := due.Pop()
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
		due.Push(now.Add(next/2+time.Duration(chance.Int64N(int64(next)))), uint64(client), client)
	}
}

// Servers that somebody has set bind after a warm start too: partitions lie on them in turn,
// and what a server's partitions come to is held to its target, each of them to its own.
func TestWarmPartitionsShareServersThatAreSet(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(13, 5))
	for range resultstest.Cases(3, 20) {
		servers, target := 1+chance.IntN(4), 100*(5+chance.IntN(20))
		layer := partition.New(partition.Options{Model: modelOf(t, model.Documented,
			fmt.Sprint("servers=", servers), fmt.Sprint("server_target=", target), "partition_target=600", "account_target=0")})
		keys := 1 + chance.IntN(9)
		rate := 100 * (2 + chance.IntN(8))
		loads := make([]float64, servers)
		var sources []source
		for i := range keys {
			key := fmt.Sprint("key", i)
			sources = append(sources, even(rate, key)...)
			// Their turn comes as they are first asked for, which changes who, not how many.
			layer.Admit(0, partition.Place{PartitionKey: key}, one, 0)
			loads[i%servers] += float64(min(rate, 600))
		}
		want := 0.0
		for _, load := range loads {
			want += min(load, float64(target))
		}
		v := measured(newLoad(layer, 1), sources...)
		near(t, fmt.Sprintf("%d keys at %d/s on %d servers of %d/s: served", keys, rate, servers, target), float64(v[partition.Admitted])/60, want, .02)
	}
}

// A server whose others are busy grants no headroom, whatever the start.
func TestWarmServersThatAreSetTakeHeadroomAway(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		says  string
		set   []string
		other int
		want  float64
	}{
		{"alone", []string{"servers=1", "server_target=5000"}, 0, 4000},
		{"beside a neighbour, what that leaves of the server", []string{"servers=1", "server_target=5000"}, 3000, 2000},
		{"beside 36% of a server, between 30% and 80%", []string{"servers=1", "server_target=10000"}, 3600, 2000 * (1 + (.8-.36)/.5)},
		{"on a server of its own", []string{"servers=2", "server_target=5000"}, 3000, 4000},
	} {
		layer := partition.New(partition.Options{Model: modelOf(t, model.Headroom, append(row.set, "throttle_cost=0", "account_target=0")...)})
		l := newLoad(layer, 1)
		sources := append(even(8000, "key"), even(max(1, row.other), "other")...)
		l.count(0, 40*second, sources...)
		v := l.count(40*second, 100*second, sources...)
		near(t, row.says+": served", float64(v[partition.Admitted])/60-float64(row.other), row.want, .06)
	}
}

// A model as it is bounds no servers after a warm start, and partitions without a limit are
// nobody's but their server's.
func TestWarmServersBindOnlyWhereSet(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		says string
		set  []string
		want float64
	}{
		{"as it is: each partition has a server", []string{"partition_target=0", "account_target=0"}, 9000},
		{"servers alone", []string{"partition_target=0", "account_target=0", "servers=1"}, 4000},
		{"a target alone, of thirty servers", []string{"partition_target=0", "account_target=0", "server_target=1000"}, 3000},
		{"no target", []string{"partition_target=0", "account_target=0", "servers=1", "server_target=0"}, 9000},
	} {
		layer := partition.New(partition.Options{Model: modelOf(t, model.Documented, row.set...)})
		v := measured(newLoad(layer, 1), even(3000, "a", "b", "c")...)
		near(t, row.says+": served", float64(v[partition.Admitted])/60, row.want, .02)
	}
}
