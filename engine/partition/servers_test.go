package partition_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"loadgen/engine/model"
	"loadgen/engine/partition"
)

// Servers that somebody has set bind after a warm start too: partitions lie on them in turn,
// and what a server's partitions come to is held to its target, each of them to its own.
func TestWarmPartitionsShareServersThatAreSet(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(13, 5))
	for range tier(4, 20) {
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
		{"beside 36 % of a server, between 30 % and 80 %", []string{"servers=1", "server_target=10000"}, 3600, 2000 * (1 + (.8-.36)/.5)},
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
