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
		{21, group, strategy, "Unique sequential keys form ranges: a query inside one range takes one request, a query across several gets continuation tokens.",
			"`loadgen simulate partition-range-scan`", "ranges, each on its own server, that the query 0001 to 0012 crosses", "requests: one for each range", quick,
			vary(exactly[int], requestsAcross, 1, 4)},
		{22, group, strategy, "Ascending or descending keys always hit the last or first range: the throughput of one server, for any number of keys.",
			"`loadgen simulate append-only --anti-pattern`, `loadgen simulate append-only --anti-pattern --set 'attributes={number: {sequence: 1}, at: {time: 2026-05-01T08:00:00Z, every: 1s}}' --set 'design.partition_key={at:inverted}_{number}'`",
			"inserts/s, all under new keys", "entities served/s: 100 of the range", false,
			vary(func(int) band { return about(100, .01) }, playing[int]("served(orders)", "append-only", "design.partition_key={number}",
				"phases.orders.arrivals.constant=%v", "phases.orders.warm_up=20s", "phases.orders.for=40s"), 150, 300)},
		{23, group, strategy, "The order of new keys reveals an append-only or prepend-only stream.", "`loadgen explain append-only --anti-pattern` (exit code 10)",
			"PartitionKey", "1 if each new key is the highest, -1 if it is the lowest", false,
			vary(either("{number}", exactly(1), exactly(-1)), orderOfKeys, "{number}", "{at:inverted}_{number}")},
		{24, group, strategy, "Traffic on Half overloads the server of Half and 10 km, but not the server of Full.",
			"`loadgen simulate hot-partition-starves-neighbours --anti-pattern`",
			"inserts/s on Half, with 40/s on each of the others", "share of 10 km throttled: the excess over the server's 100/s, equal for its partitions; nothing of Full", quick,
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
