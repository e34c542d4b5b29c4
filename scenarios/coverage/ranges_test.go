package coverage_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios/advise"
	"loadgen/scenarios/run/runtest"
)

func ranges() []row {
	const group = "Ranges and servers"
	return []row{
		{21, group, strategy, "Unique keys in sequence lie in ranges: a query inside of one takes one request, across several it carries tokens.",
			"the embedded engine, and `partition-range-scan`", "ranges, on a server each, that the query from 0001 to 0012 crosses", "a request for each range", quick,
			vary(exactly[int], requestsAcross, 1, 4)},
		{22, group, strategy, "Keys that only ascend or descend go to the last or the first range: one server's throughput, however many there are.",
			"`append-only`, `prepend-only`", "inserts a second, all under new keys", "entities served a second: the range's 100", false,
			vary(func(int) band { return about(100, .01) }, playing[int]("served(orders)", "append-only", "design.partition_key={number}",
				"phases.orders.arrivals.constant=%v", "phases.orders.warm_up=20s", "phases.orders.for=40s"), 150, 300)},
		{23, group, strategy, "A stream of keys that are only appended, or only prepended, is known by their order.",
			"`loadgen explain append-only`", "PartitionKey", "1 where each new key is the greatest, -1 where it is the least", false,
			vary(either("{number}", exactly(1), exactly(-1)), orderOfKeys, "{number}", "{at:inverted}_{number}")},
		{24, group, strategy, "A server that serves Half and 10 km is overloaded by traffic on Half; another one, with Full, is not.",
			"the embedded engine, and `hot-partition-starves-neighbours`", "inserts a second on Half, 40 on each of the others", "share of 10 km throttled: what exceeds the server's 100/s, alike for all it serves; of Full nothing", quick,
			vary(func(rate int) band {
				all := float64(rate + 40)
				return band{1 - 100*(secondsOfRush+burst)/(all*secondsOfRush), .06}
			}, throttledBesideHalf, 100, 300)},
	}
}

// requestsAcross lays a table's twelve keys into ranges and returns how many requests a query
// over all of them takes.
func requestsAcross(t testing.TB, ranges int) float64 {
	e := newTable(t)
	var firsts []string
	for n := 1; n <= 12; n++ {
		key := fmt.Sprintf("%04d", n)
		e.load(key, "run")
		if each := 12 / ranges; n > 1 && (n-1)%each == 0 {
			firsts = append(firsts, key)
		}
	}
	e.Prewarm(0, account, "Races", firsts...)
	entities, requests := e.read(0, filter.PartitionRange("0001", "0013"))
	assert.Equal(t, 12, entities, "entities are read")
	return float64(requests)
}

// orderOfKeys returns what is told of a design's inserts before they are sent, and fails where
// keys whose digits are turned round are said to have an order.
func orderOfKeys(t testing.TB, key string) float64 {
	word := func(key string) string {
		s := runtest.Builtin(t, "append-only", set("design.partition_key", key),
			"attributes={number: {sequence: 100000000}, at: {time: 2026-05-01T08:00:00Z, every: 1s}}")
		order, err := advise.OrderOf(advise.Options{Scenario: s})
		require.NoError(t, err)
		return order
	}
	assert.Equal(t, "spread", word("{reverse(number)}"), "keys turned round come")
	switch word(key) {
	case "append-only":
		return 1
	case "prepend-only":
		return -1
	default:
		return math.NaN()
	}
}

const secondsOfRush = 5

// throttledBesideHalf has one of two servers serve Half and 10 km, the other Full, and returns
// which share of the inserts at 10 km is throttled, drawn among the others by chance.
func throttledBesideHalf(t testing.TB, rate int) float64 {
	const race = "2011 New York City Marathon__"
	e := newTable(t, "servers=2", "server_target=100", "range_target=0", "partition_target=0", "offline_least=1s", "offline_most=1s")
	e.Prewarm(0, account, "Races", race+"Full", race+"Half")
	for distance, server := range map[string]int{"10 km": 0, "Full": 1, "Half": 0} {
		e.Move(0, account, "Races", race+distance, server)
	}
	begin := clock.Instant(0).Add(time.Minute)
	sent, throttled := make(map[string]int), make(map[string]int)
	draw := rand.New(rand.NewPCG(24, 1))
	all := rate + 80
	for i := range all * secondsOfRush {
		distance := "Half"
		switch n := draw.IntN(all); {
		case n < 40:
			distance = "10 km"
		case n < 80:
			distance = "Full"
		}
		at := begin.Add(time.Duration(i) * time.Second / time.Duration(all))
		sent[distance]++
		if reply := e.ask(at, insert(race+distance, fmt.Sprint(i))); reply.Code == entity.ServerBusy {
			throttled[distance]++
		}
	}
	assert.Truef(t, throttled["Full"] <= 0, "%d inserts at the full distance are throttled; want none", throttled["Full"])
	return float64(throttled["10 km"]) / float64(sent["10 km"])
}
