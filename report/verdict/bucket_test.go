package verdict_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// arrival is a request for so many entities of a partition.
type arrival struct {
	at        time.Duration
	partition int
	entities  int64
	// scans is how many more it counts than was known before.
	scans int64
}

// replay returns which arrivals are throttled by buckets of one rate: each admits while it
// holds an entity, and takes all that a request counts.
func replay(load []arrival, rate float64, burst time.Duration) []bool {
	throttled := make([]bool, len(load))
	tokens, last := make(map[int]float64), make(map[int]time.Duration)
	full := max(1, rate*burst.Seconds())
	for i, one := range load {
		held := full
		if before, known := last[one.partition]; known {
			held = min(full, tokens[one.partition]+rate*(one.at-before).Seconds())
		}
		if throttled[i] = held < 1; !throttled[i] {
			held -= float64(one.entities)
		}
		tokens[one.partition], last[one.partition] = held, one.at
	}
	return throttled
}

// drawLoad returns requests of pages and single entities for so many partitions, at a mean rate of
// entities per second, in their order: at any time, or gathered around every other begin of a
// second.
func drawLoad(chance *rand.Rand, partitions int, perSecond float64, seconds int) (load []arrival) {
	page := int64(1 + chance.IntN(1000))
	pages, gathered := chance.Float64(), chance.IntN(3) == 0
	for sum := 0.0; sum < perSecond*float64(seconds); {
		one := arrival{at: time.Duration(chance.Int64N(int64(seconds) * int64(time.Second))), partition: chance.IntN(partitions), entities: 1}
		if gathered {
			one.at = time.Duration(1+2*chance.IntN(seconds/2))*time.Second + time.Duration(chance.IntN(200)-100)*time.Millisecond
		}
		if chance.Float64() < pages*100/float64(page+100) {
			one.entities = page
		}
		sum += float64(one.entities)
		load = append(load, one)
	}
	slices.SortFunc(load, func(a, b arrival) int { return int(a.at - b.at) })
	return load
}

// recorded returns the record of a load, of which some requests are throttled.
func recorded(t testing.TB, m results.Manifest, load []arrival, throttled []bool, seconds int) *results.Record {
	t.Helper()
	const begin = time.Second
	end := begin + time.Duration(seconds)*time.Second
	return resultstest.Play(t, m, end, func(r *results.Recorder) {
		phase := r.Phase(results.Phase{Name: "read", Stage: "read", Begin: begin, End: end,
			Rate: float64(len(load)) / float64(seconds), Reported: true})
		for i, one := range load {
			at := begin + one.at
			a := results.Attempt{Phase: phase, Kind: 1, Number: uint64(i), Class: results.Ok, Status: 200, Intended: at, Sent: at,
				Done: at + time.Microsecond, Entities: one.entities, Counted: one.entities + one.scans,
				PartitionKey: fmt.Sprint(one.partition), HasPartition: true}
			if throttled[i] {
				a.Class, a.Status, a.Code, a.Counted = results.Throttled, 503, "ServerBusy", 0
			}
			resultstest.Single(r, a)
		}
	})
}

// burstManifest is that of a run against the documents' targets by an allowance.
func burstManifest(burst string) results.Manifest {
	m := manifest()
	m.PartitionKey, m.Retry = "", "none"
	m.Model = []results.Parameter{{Name: "partition_burst", Value: burst, Provenance: "assumption"}, {Name: "account_burst", Value: "250ms"}}
	return m
}

// hottestThrottled returns the most that a partition is asked in a second in which it throttles,
// or in the second before.
func hottestThrottled(load []arrival, throttled []bool) (most int64) {
	type cell struct {
		partition int
		second    time.Duration
	}
	asked := make(map[cell]int64)
	for _, one := range load {
		asked[cell{one.partition, one.at / time.Second}] += one.entities
	}
	for i, one := range load {
		if throttled[i] {
			at := cell{one.partition, one.at / time.Second}
			most = max(most, asked[at], asked[cell{one.partition, at.second - 1}])
		}
	}
	return most
}

// Throttling rests on partition_burst where replaying the arrivals through a bucket of 100 ms
// throttles within seconds that ask for no more than the target; that an allowance of one
// second throttles nothing is said only where replaying shows the same.
func TestThrottlingThatRestsOnBurst(t *testing.T) {
	const rate, seconds = 2000, 8
	cases := resultstest.Cases(20, 200)
	var told, spared, over, none int
	for seed := range uint64(cases) {
		chance := rand.New(rand.NewPCG(seed, 44))
		partitions := 1 + chance.IntN(2)
		load := drawLoad(chance, partitions, 100+2300*chance.Float64(), seconds)
		throttled := replay(load, rate, 100*time.Millisecond)
		record := recorded(t, burstManifest("100ms"), load, throttled, seconds)
		share, asked, nothing := verdict.RestsOnBurst(record)
		most := hottestThrottled(load, throttled)
		switch any := slices.Contains(throttled, true); {
		case !any:
			none++
			assert.Zerof(t, share, "seed %d: nothing is throttled, and of the attempts rest on the allowance", seed)
		case most > rate:
			over++
			assert.Zerof(t, share, "seed %d: a second with throttling asks %d of one partition, and of the attempts rest on it", seed, most)
		case share > 0:
			told++
			assert.Truef(t, asked <= rate && asked >= float64(most), "seed %d: asked for at most %.0f; want %d, at most %d", seed, asked, most, rate)
		default:
			assert.NotEqualf(t, 1, partitions, "seed %d: throttled where one partition is asked for %d of %d, and it is not said", seed, most, rate)
		}
		if share > 0 && nothing {
			spared++
			assert.NotContainsf(t, replay(load, rate, time.Second), true, "seed %d: throttled by an allowance of one second", seed)
		}
	}
	assert.Truef(t, told >= cases/10 && spared >= cases/20 && over >= cases/20 && none >= cases/40,
		"of %d loads %d rest on the allowance, %d spared, %d over, %d not throttled; want some of each", cases, told, spared, over, none)
}

// A run of which another limit, a fault, or an allowance of a second may be the reason says
// nothing of partition_burst.
func TestBurstFinding(t *testing.T) {
	var load []arrival
	for i := range 200 {
		load = append(load, arrival{at: time.Duration(i) * 40 * time.Millisecond, entities: int64(1 + 499*(i%25/24))})
	}
	throttled := replay(load, 2000, 100*time.Millisecond)
	for _, row := range []struct {
		name string
		set  func(*results.Manifest)
		told bool
	}{
		{"the documents' targets", func(*results.Manifest) {}, true},
		{"an allowance of a second", func(m *results.Manifest) { m.Model[0].Value = "1s" }, false},
		{"no model", func(m *results.Manifest) { m.Target = "https://example.table.core.windows.net" }, false},
		{"injected faults", func(m *results.Manifest) { m.Faults = []string{"503 for 1 % of the requests"} }, false},
		{"headroom", func(m *results.Manifest) {
			m.Model = append(m.Model, results.Parameter{Name: "headroom", Value: "2000"})
		}, false},
		{"no target", func(m *results.Manifest) { m.Targets.Partition = 0 }, false},
		{"another target", func(m *results.Manifest) { m.Targets.Partition = 400 }, false},
	} {
		m := burstManifest("100ms")
		row.set(&m)
		record := recorded(t, m, load, throttled, 8)
		sentence := verdict.Bucket(record)
		share, asked, spared := verdict.RestsOnBurst(record)
		if found := slices.Contains(findings(record), sentence); (sentence != "") != row.told || (share > 0) != row.told || row.told && !found {
			t.Errorf("%s: %q, %.3f of the attempts; want it told: %t", row.name, sentence, share, row.told)
		}
		assert.Truef(t, !row.told || asked == 524 && spared && strings.Contains(sentence, "100ms"),
			"%s: %.0f asked, spared %t, %q; want 524 of a second, nothing throttled by an allowance of one second", row.name, asked, spared, sentence)
	}
	for i := range load {
		load[i].scans = 5000
	}
	if share, _, _ := verdict.RestsOnBurst(recorded(t, burstManifest("100ms"), load, throttled, 8)); share != 0 {
		t.Errorf("scans of 5,000 entities that nobody knew of: %.3f of the attempts rest on the allowance", share)
	}
}
