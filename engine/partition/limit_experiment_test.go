package partition_test

import (
	"fmt"
	"math"
	"testing"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/partition"
)

// The experiments V1 to V22 hold the layer to what the model's equations say,
// each with its tolerance; what the model leaves open is said in the comment.
// Requests come open-loop, each at a random instant of its own slot. A rate is
// what a minute yields, divided by 60; the first second, with the bursts in it,
// is left out. None of this shows that the real service yields the same.

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
	if math.Abs(got-want) > tolerance*math.Max(math.Abs(want), 1e-9) {
		t.Errorf("%s = %.6g; want %.6g within %.3g %%", what, got, want, 100*tolerance)
	}
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

// within fails where a share is further from its expectation than the tolerance
// as such.
func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	t.Logf("%s: expected %.4f, observed %.4f", what, want, got)
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s = %.4f; want %.4f within %.4f", what, got, want, tolerance)
	}
}

// V1: one key alone is held to 2,000 single inserts a second.
func TestV01OneKeyIsHeldToItsTarget(t *testing.T) {
	long(t)
	for _, row := range []struct {
		offered, ok int
		refused     float64
	}{{1000, 1000, 0}, {2000, 2000, 0}, {4000, 2000, .5}, {8000, 2000, .75}} {
		v := measured(newLoad(cold(t), 1), even(row.offered, "key")...)
		near(t, fmt.Sprintf("ok per second of %d", row.offered), float64(v[partition.Admitted])/60, float64(row.ok), .01)
		within(t, fmt.Sprintf("share refused of %d", row.offered), v.refused(), row.refused, .01)
	}
}

// V2: N keys on N servers scale up to ten, where the account binds. Partitions
// refuse a fifth of what is offered at every N; the account refuses of what they
// let pass, so its message appears above ten only.
func TestV02AccountBindsAboveTenPartitions(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 10, 11, 4, 9, 16}[:tier(3, 6)] {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if n > 1 {
				long(t)
			}
			layer := cold(t)
			var keys []string
			for i := range n {
				keys = append(keys, fmt.Sprintf("key%02d", i))
			}
			layer.Prewarm(0, 0, 0, keys[1:]...)
			v := measured(newLoad(layer, 1), even(2500, keys...)...)
			near(t, fmt.Sprintf("ok per second of %d keys", n), float64(v[partition.Admitted])/60, math.Min(2000*float64(n), 20_000), .02)
			within(t, fmt.Sprintf("partitions' share of %d keys", n), float64(v[partition.PartitionBusy])/float64(v.sum()), .2, .02)
			near(t, fmt.Sprintf("account's refusals per second of %d keys", n), float64(v[partition.AccountBusy])/60,
				math.Max(0, 2000*float64(n)-20_000), .02)
			if n < 10 && v[partition.AccountBusy] > 0 {
				t.Errorf("%d keys: the account refused %d; want none", n, v[partition.AccountBusy])
			}
		})
	}
}

// V3: a transaction counts what it holds, so saturation is the same in entities
// and a hundredth in requests. Both are offered twice the target.
func TestV03TransactionsCountTheirEntities(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ entities, requests int }{{1, 2000}, {100, 20}} {
		v := measured(newLoad(cold(t), 1), source{place: partition.Place{PartitionKey: "key"},
			rate: 4000 / row.entities, demand: partition.Demand{Entities: int64(row.entities)}})
		near(t, fmt.Sprintf("requests per second of %d entities", row.entities), float64(v[partition.Admitted])/60, float64(row.requests), .02)
		near(t, fmt.Sprintf("entities per second by %d", row.entities), float64(v[partition.Admitted]*row.entities)/60, 2000, .02)
	}
}

// V15: a partition with headroom follows the load of tenants outside of the
// model without a restart: idle, busy and idle again, each for a minute, of which
// the second half counts (the memory of rates is 5 s). Transactions of ten, so
// that the range's pipeline, 4,158 single entities a second, does not bind.
func TestV15HeadroomFollowsTheBackground(t *testing.T) {
	t.Parallel()
	layer := partition.New(partition.Options{Model: modelOf(t, model.Headroom), Cold: true, Seed: 1,
		Background: []partition.Step{{From: 60 * second, Load: 900}, {From: 120 * second, Load: 0}}})
	l := newLoad(layer, 1)
	key := source{place: partition.Place{PartitionKey: "key"}, rate: 600, demand: partition.Demand{Entities: 10}}
	for i, want := range []float64{4000, 2000, 4000} {
		begin := clock.Instant(i) * 60 * second
		l.count(begin, begin+30*second, key)
		v := l.count(begin+30*second, begin+60*second, key)
		near(t, fmt.Sprintf("entities per second in minute %d", i+1), float64(10*v[partition.Admitted])/30, want, .05)
	}
	if events := layer.Events(); len(events) > 0 {
		t.Errorf("Events() = %v; want none", events)
	}
}

// V19: two accounts on one server, 4,000/s. The greedy one asks for ten times as
// much, from eight ranges; the modest one, which asks for a quarter of the
// server, is to see less than 1 % refused.
func TestV19GreedyAccountIsThrottledTheModestOneIsNot(t *testing.T) {
	long(t)
	layer := cold(t, "servers=1")
	greedy := make([]source, 8)
	for i := range greedy {
		greedy[i] = source{place: partition.Place{Account: 1, Table: 1, PartitionKey: fmt.Sprint("key", i)}, rate: 1250, demand: one}
		layer.Prewarm(0, 1, 1, greedy[i].place.PartitionKey)
	}
	sources := append(greedy, source{place: partition.Place{Account: 2, Table: 2, PartitionKey: "key"}, rate: 1000, demand: one})
	var of [2]verdicts
	newLoad(layer, 1).run(0, 60*second, sources, func(_ clock.Instant, _ int, p partition.Place, v partition.Verdict) {
		of[p.Account-1][v.Kind]++
	})
	within(t, "share refused of the modest account", of[1].refused(), 0, .01)
	near(t, "ok per second of the greedy account", float64(of[0][partition.Admitted])/60, 3000, .02)
}
