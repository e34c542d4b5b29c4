package partition_test

import (
	"fmt"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/partition"
)

// prewarmed returns a cold layer of that many ranges and servers, and keys that
// are spread over the ranges.
func prewarmed(tb testing.TB, m *model.Model, ranges, servers, keys int) (*partition.Layer, []partition.Place) {
	tb.Helper()
	m.Stamp.Servers, m.Stamp.MergeBelow = int64(servers), 0
	layer := partition.New(partition.Options{Model: m, Cold: true, Seed: 1})
	var boundaries []string
	for i := range ranges - 1 {
		boundaries = append(boundaries, fmt.Sprintf("race%08d", (i+1)*1_000_000/ranges))
	}
	layer.Prewarm(0, 0, 0, boundaries...)
	if got := len(layer.Map().Ranges); got != ranges {
		tb.Fatalf("Prewarm made %d ranges; want %d", got, ranges)
	}
	places := make([]partition.Place, keys)
	for i := range places {
		places[i].PartitionKey = fmt.Sprintf("race%08d__Full", i*(1_000_000/keys))
	}
	return layer, places
}

// BenchmarkAdmit offers 20,000/s to 1,000 keys drawn at random: the same load
// whatever the number of ranges and servers. Ticks and what they do are part of
// it.
func BenchmarkAdmit(b *testing.B) {
	for _, servers := range []int{1, 300} {
		for _, ranges := range []int{10, 1000, 10_000} {
			b.Run(fmt.Sprintf("ranges=%d/servers=%d", ranges, servers), func(b *testing.B) {
				benchmarkAdmit(b, ranges, servers, 1000)
			})
		}
	}
}

// BenchmarkAdmitToEveryRange has a key in each of 10,000 ranges, so that state
// is spread over more memory than caches hold.
func BenchmarkAdmitToEveryRange(b *testing.B) { benchmarkAdmit(b, 10_000, 300, 10_000) }

func benchmarkAdmit(b *testing.B, ranges, servers, keys int) {
	layer, places := prewarmed(b, modelOf(b, model.Documented, "range_bytes=0"), ranges, servers, keys)
	draw := clock.NewStream(1, "bench").At(0)
	var now clock.Instant
	// Every key has been seen, and noted in its range's profile.
	for _, place := range places {
		now += clock.Instant(50 * time.Microsecond)
		layer.Admit(now, place, one, 0)
	}
	b.ReportAllocs()
	for b.Loop() {
		now += clock.Instant(50 * time.Microsecond)
		chance := draw.Uint64()
		layer.Admit(now, places[chance>>20%uint64(keys)], one, chance)
	}
}
