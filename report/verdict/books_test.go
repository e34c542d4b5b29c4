package verdict_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// An answer that an operation handles is a success to the run and a failure to
// the target.
func TestHandledAnswersLeaveTheBooksClosed(t *testing.T) {
	record := quiet().record(t)
	record.Phases[0].Kinds[1].Handled = 3
	record.Target.Ok, record.Target.Failed = record.Target.Ok-3, record.Target.Failed+3
	assert.Len(t, verdict.Books(record), 0, "Books")
	record.Target.Ok, record.Target.Failed = record.Target.Ok+3, record.Target.Failed-3
	assert.Len(t, verdict.Books(record), 2, "Books where the target handles nothing")
}

// Each fault is named by the numbers that do not agree.
func TestBooksNameEachFault(t *testing.T) {
	few := func(times int) *results.Histogram {
		h := results.NewHistogram()
		for range times {
			h.Record(0)
		}
		return h
	}
	for _, row := range []struct {
		name   string
		tamper func(*results.Record, *results.KindStats)
		want   []string
	}{
		{"an operation that was neither sent nor dropped", func(r *results.Record, k *results.KindStats) {
			k.Scheduled++
			r.Intervals[1].Scheduled++
		}, []string{"201 200 0"}},
		{"an attempt without a fate", func(_ *results.Record, k *results.KindStats) { k.Ok-- }, []string{"200 199 0 0", "200 199"}},
		{"an operation that never ended", func(r *results.Record, k *results.KindStats) {
			k.Operations--
			r.Intervals[1].Operations--
			k.Response = few(149)
		}, []string{"200 199"}},
		{"an attempt that was not timed", func(_ *results.Record, k *results.KindStats) { k.Service[results.Ok] = few(0) }, []string{"200 50"}},
		{"an operation that was not timed", func(_ *results.Record, k *results.KindStats) { k.Response = nil }, []string{"200 50"}},
		{"too many counts in the wrong second", func(r *results.Record, _ *results.KindStats) { r.Misplaced = 1 }, []string{"1 200"}},
		{"a target that saw more attempts", func(r *results.Record, _ *results.KindStats) { r.Target.Requests++ }, []string{"201 200"}},
		{"a target that saw fewer attempts", func(r *results.Record, _ *results.KindStats) { r.Target.Requests-- }, []string{"199 200"}},
		{"a target that served more", func(r *results.Record, _ *results.KindStats) { r.Target.Ok++ }, []string{"201 200"}},
		{"a target that throttled more", func(r *results.Record, _ *results.KindStats) { r.Target.Throttled++ }, []string{"1 0"}},
		{"a target that failed more", func(r *results.Record, _ *results.KindStats) { r.Target.Failed++ }, []string{"1 0"}},
		{"a target that counted other entities", func(r *results.Record, _ *results.KindStats) { r.Target.Entities = 1234 }, []string{"1234 200"}},
		{"a second that is missing", func(r *results.Record, _ *results.KindStats) { r.Intervals = slices.Delete(r.Intervals, 4, 5) },
			[]string{"5 4"}},
		{"a second that is there twice, and another that is missing", func(r *results.Record, _ *results.KindStats) {
			r.Intervals[4].Second, r.Intervals[6].Second = 5, 9
		}, []string{"5 4", "3"}},
		{"seconds that are missing at the end", func(r *results.Record, _ *results.KindStats) { r.Intervals = r.Intervals[:5] }, []string{"8 5"}},
		{"operations due in no second", func(r *results.Record, _ *results.KindStats) { r.Intervals[2].Scheduled -= 3 }, []string{"197 200"}},
		{"attempts in no second", func(r *results.Record, _ *results.KindStats) { r.Intervals[2].Attempts -= 3 }, []string{"197 200"}},
		{"operations that end in no second", func(r *results.Record, _ *results.KindStats) { r.Intervals[2].Operations -= 3 }, []string{"197 200"}},
		{"entities in no second", func(r *results.Record, _ *results.KindStats) { r.Intervals[2].Counted -= 3 }, []string{"197 200"}},
	} {
		record := quiet().record(t)
		row.tamper(record, &record.Phases[0].Kinds[1])
		faults := verdict.Books(record)
		assert.Equalf(t, row.want, numbersOf(faults), "%s: the numbers of %q", row.name, faults)
		summary := verdict.Judge(record)
		assert.Truef(t, summary.Validity == results.Invalid && slices.Equal(summary.Reasons, faults) && strings.Contains(story(record), faults[0]),
			"%s: the run is %q for %q; want invalid for the faults", row.name, summary.Validity, summary.Reasons)
	}
}

var number = regexp.MustCompile(`[0-9][0-9,.]*`)

// numbersOf returns the numbers of sentences, without commas.
func numbersOf(sentences []string) (list []string) {
	for _, sentence := range sentences {
		list = append(list, strings.ReplaceAll(strings.Join(number.FindAllString(sentence, -1), " "), ",", ""))
	}
	return list
}

func TestBooksOfAnInterruptedRun(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*results.Record)
		faults int
	}{
		{"operations may be under way", func(r *results.Record) { r.Phases[0].Kinds[1].Sent++; r.Phases[0].Kinds[1].Scheduled++ }, 0},
		{"the target may have seen more", func(r *results.Record) { r.Target.Requests++; r.Target.Ok++; r.Target.Entities++ }, 0},
		{"but never less", func(r *results.Record) { r.Target.Requests-- }, 1},
		{"the last seconds may be missing", func(r *results.Record) { r.Intervals = r.Intervals[:3] }, 0},
		{"but none between them", func(r *results.Record) { r.Intervals = slices.Delete(r.Intervals, 1, 2) }, 1},
		{"a target need not keep books", func(r *results.Record) { r.Target = nil }, 0},
		{"a killed run has neither phases nor an end", func(r *results.Record) {
			*r = results.Record{Validity: results.Partial, Intervals: r.Intervals[:2], Cut: true}
		}, 0},
	} {
		record := quiet().record(t)
		record.Validity = results.Partial
		row.change(record)
		assert.Lenf(t, verdict.Books(record), row.faults, "%s: Books", row.name)
	}
}

func ofEach(r *results.Record, change func(k *results.KindStats)) {
	for p := range r.Phases {
		for k := range r.Phases[p].Kinds {
			change(&r.Phases[p].Kinds[k])
		}
	}
}

// waiting has all that failed come to the same, and wait to be tried again as the run ends,
// but for so many.
func waiting(cause results.Cause, but int64) func(*results.Record) {
	return func(r *results.Record) {
		r.Target = nil
		ofEach(r, func(k *results.KindStats) {
			spared := min(but, k.Failed)
			but -= spared
			cause.Attempts = k.Failed - spared
			if k.Cut, k.Causes = k.Operations-spared, nil; cause.Attempts > 0 {
				k.Causes = results.Causes{cause}
			}
			if spared > 0 {
				k.Causes = append(k.Causes, results.Cause{Class: results.Failed, Attempts: spared})
			}
			if cause.Class == results.Throttled {
				k.Throttled, k.Failed = k.Failed, 0
			}
		})
	}
}

// A run is worth what the worst is worth that is found of it; where the generator fell short
// is told beside that.
func TestValidityIsTheWorstThatIsFound(t *testing.T) {
	cancelled, busy := results.Cause{Class: results.Failed, Code: "Cancelled"}, results.Cause{Class: results.Throttled, Status: 503, Code: "ServerBusy"}
	unreported := func(r *results.Record) { r.Phases[0].Reported = false }
	partial := func(r run) run {
		r.validity, r.reasons = results.Partial, []string{"interrupted"}
		return r
	}
	for _, row := range []struct {
		name     string
		run      run
		change   func(*results.Record)
		validity string
		// reasons and limited are the numbers of each reason, and of where the generator fell short.
		reasons, limited []string
	}{
		{"a run that did its part", run{}, nil, results.Valid, nil, nil},
		{"a dropped operation spoils what rests on it alone", run{dropped: 100}, nil, results.Valid, nil, []string{"2 200"}},
		{"one of a hundred operations may be late", run{late: 100}, nil, results.Valid, nil, nil},
		{"one of sixty may not", run{late: 60}, nil, results.Valid, nil, []string{"1.5 100"}},
		{"nor one of ten", run{late: 10}, nil, results.Valid, nil, []string{"10.0 100"}},
		{"what was late unreported does not count", run{late: 2}, unreported, results.Valid, nil, nil},
		{"a partial run stays partial", partial(run{}), nil, results.Partial, []string{""}, nil},
		{"one that dropped, too", partial(run{dropped: 100}), nil, results.Partial, []string{""}, []string{"2 200"}},
		{"nothing succeeded", run{failed: 1}, nil, results.Invalid, []string{"200"}, nil},
		{"interrupted after nothing did", partial(run{failed: 1}), nil, results.Invalid, []string{"", "200"}, nil},
		{"interrupted before anything was due", partial(run{}), func(r *results.Record) { r.Phases, r.Intervals, r.Target = nil, nil, nil },
			results.Partial, []string{""}, nil},
		{"before anything was answered", partial(run{failed: 1}), waiting(cancelled, 0), results.Partial, []string{""}, nil},
		{"unless an operation came to nothing before", partial(run{failed: 1}), waiting(cancelled, 1), results.Invalid, []string{"", "200"}, nil},
		{"or all were turned away, and would try again", partial(run{failed: 1}), waiting(busy, 0), results.Invalid, []string{"", "200 503"}, nil},
		{"requests that succeed are no operations that do", partial(run{}), func(r *results.Record) {
			ofEach(r, func(k *results.KindStats) { k.Succeeded = 0 })
		}, results.Invalid, []string{"", "200"}, nil},
		{"one of several requests that was cut off may have succeeded", partial(run{}), func(r *results.Record) {
			ofEach(r, func(k *results.KindStats) { k.Succeeded, k.Cut = 0, k.Operations })
		}, results.Partial, []string{""}, nil},
		{"a word that is no validity", run{validity: "client-limited"}, nil, results.Invalid, []string{""}, nil},
		{"an invalid run stays invalid", run{validity: results.Invalid, reasons: []string{"clock"}}, nil, results.Invalid, []string{""}, nil},
		{"open books spoil a partial run", run{validity: results.Partial}, func(r *results.Record) { r.Phases[0].Kinds[1].Scheduled++ },
			results.Invalid, []string{"201 200 0"}, nil},
		{"a cut file", run{}, func(r *results.Record) { r.Cut = true }, results.Partial, []string{""}, nil},
		{"few counts in the wrong second are told and forgiven", run{rates: []int{1000}}, func(r *results.Record) { r.Misplaced = 2 },
			results.Valid, []string{"2"}, nil},
		{"many spoil the run", run{rates: []int{1000}}, func(r *results.Record) { r.Misplaced = 3 }, results.Invalid, []string{"3 2000"}, nil},
	} {
		base := quiet()
		row.run.manifest, row.run.serves, row.run.seconds = base.manifest, base.serves, base.seconds
		if row.run.rates == nil {
			row.run.rates = base.rates
		}
		record := row.run.record(t)
		if row.change != nil {
			row.change(record)
		}
		got := verdict.Judge(record)
		assert.Truef(t, got.Validity == row.validity && slices.Equal(numbersOf(got.Reasons), row.reasons) && slices.Equal(numbersOf(got.ClientLimited), row.limited),
			"%s: %s for %q, client-limited by %q; want %s for %q, by %q", row.name, got.Validity, got.Reasons, got.ClientLimited, row.validity, row.reasons, row.limited)
	}
}

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
		{"injected faults", func(m *results.Manifest) { m.Faults = []string{"503 for 1% of the requests"} }, false},
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
