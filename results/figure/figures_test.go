package figure_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/results/resultstest"
)

// near allows for what histograms round by.
func near(got, want float64) bool { return math.Abs(got-want) <= 0.003*math.Max(1, math.Abs(want)) }

func TestFiguresOfARecord(t *testing.T) {
	record := kept(t)
	for _, row := range []struct {
		name, text string
		// left is in the unit of the claim, times in nanoseconds and shares of one.
		left float64
	}{
		{"of one operation", "operations(insert) == 600", 600},
		{"of a phase that is not reported", "operations(fill) == 100", 100},
		{"of the reported steps of a stretch, its hold left out", "operations(peak) == 3000", 3000},
		{"of one step", "operations(peak 100/s) == 1000", 1000},
		{"of an operation in a step", "operations(insert, peak 200/s) == 400", 400},
		{"requests, retries among them", "requests(peak 200/s) == 2200", 2200},
		{"as a share of the requests", "retries <= 6.25%", 6.25 / 100.},
		{"as a share", "throttled(peak 200/s) < 10%", 1. / 11},
		{"as a number per second", "throttled(peak) <= 10/s", 10},
		{"a count per second of a step", "counted(peak 100/s) >= 180/s", 180},
		{"requests to an operation", "tries(peak 200/s) <= 1.1", 1.1},
		{"what is scanned to what is returned", "counted(get) / returned(get) <= 2", 2},
		{"as a share", "returned(get) <= 50%", 50 / 100.},
		{"offered in the last half of both steps", "offered <= 270", 270},
		{"offered of one operation in a step", "offered(insert, peak 100/s) >= 20", 20},
		{"served in a step", "served(peak 200/s) >= 360", 360},
		{"the hottest partition of any step", "offered(hottest) < 300", 270},
		{"of the slower step", "offered(hottest, peak 100/s) < 300", 135},
		{"a partition by its key", `offered("Berlin", peak 100/s) < 300`, 45},
		{"a partition that was never offered anything", `offered("Rome") < 0.1`, 0},
		{"served partitions", "served(hottest) < 300", 270},
		{"of a preparation", `served("NYC", fill) <= 100`, 100},
		{"the account's, all of the step", "offered(account, peak 200/s) <= 360", 360},
		{"partitions", "partitions == 2", 2},
		{"partitions of a phase", "partitions(fill) == 1", 1},
		{"how long a phase lasted", "length(fill) <= 10s", 10e9},
		{"how long both steps did", "length <= 20s", 20e9},
		{"splits in a step", "splits(peak 100/s) == 1", 1},
		{"none in the other", "splits(peak 200/s) == 0", 0},
		{"moves", "moves == 1", 1},
		{"merges after the last phase", "merges == 1", 1},
		{"merges in the steps", "merges(peak) == 0", 0},
		{"how long a range was not served at most", "offline < 6s", 5e9},
		{"in the steps", "offline(peak) < 6s", 3e9},
		{"verified writes", "lost_writes == 0", 0},
		{"what was doubled", "doubled_writes <= 2", 2},
		{"unknown writes", "unknown_writes <= 3", 3},
		{"overwritten entities", "overwritten <= 4", 4},
		{"conflicts", "conflicts <= 5", 5},
		{"a median", "p50(get) < 5ms", 4e6},
		{"service times do not hold the wait", "service_max(get) < 5ms", 4e6},
		{"response times do", "max(get) < 20ms", 18e6},
		{"the mean, rounded to where it lies", "service_mean(get) < 5ms", 4e6},
		{"waits before retries", "wait_max <= 10.02ms", 10e6},
		{"the lag", "lag_max < 1us", 0e9},
		{"a difference", "max(get) - p50(get) < 20ms", 14e6},
		{"a multiple", "p95(insert) <= 3 * p50(get)", 8e6},
		{"what lies near another figure, with digits enough", "p95(insert) > 2 * p50(get)", 8.003e6},
		{"against another count", "counted(get) >= 4 * returned(insert)", 4800},
		{"in the last halves", "share_throttled_settled <= 7%", 100. / 1500},
		{"the hottest partition over the whole step", "mean_offered(peak 100/s) <= 135", 135},
		{"what it served over the whole step", "mean_served(fill) <= 100", 100},
	} {
		got := judged(t, record, row.text)
		assert.Truef(t, near(got.Left, row.left) && got.Told && got.Pass, "%s: %q = %+v", row.name, row.text, got)
	}
}

func TestWhatCannotBeToldDoesNotPass(t *testing.T) {
	whole := kept(t)
	// What is left out must not alter the record of the other rows.
	stripped := func(change func(*results.Record)) *results.Record {
		record := *whole
		record.Phases = slices.Clone(whole.Phases)
		change(&record)
		return &record
	}
	all := func(*results.Record) {}
	for _, row := range []struct {
		name   string
		change func(*results.Record)
		text   string
	}{
		{"an operation that the record has not", all, "p99(delete) < 20ms"},
		{"a phase that it has not", all, "throttled(after) < 1%"},
		{"an operation of such a phase", all, "throttled(get, after) == 0"},
		{"a preparation by its kind rather than its phase", all, "operations(load) == 100"},
		{"a partition that may come after the ten that are kept", func(r *results.Record) {
			for i := range 8 {
				r.Phases[1].Offered = append(r.Phases[1].Offered, results.PartitionStats{Key: fmt.Sprint(i), Entities: 1, Busiest: 1})
			}
		}, `offered("Rome") < 2000`},
		{"a quantile of too few", all, "p99.9(peak 100/s) < 20ms"},
		{"times of nothing", all, "max(get, fill) < 20ms"},
		{"a share of nothing", all, "throttled(get, fill) < 1%"},
		{"a load that was never throttled", all, "throttled_from < 1h"},
		{"writes that nobody verified", func(r *results.Record) { r.Audit = nil }, "lost_writes == 0"},
		{"load balancing of a service", func(r *results.Record) { r.Manifest.Target = "https://example.org" }, "splits == 0"},
		{"load balancing in real time", func(r *results.Record) { r.Manifest.Time = "real" }, "moves == 0"},
		{"offered partitions of a run that was killed", func(r *results.Record) { r.Phases[1].Offered = nil }, "offered(hottest) < 2000"},
		{"their number", func(r *results.Record) { r.Phases[2].Offered = nil }, "partitions == 2"},
		{"a number of partitions beyond the bound", func(r *results.Record) { r.Phases[1].OfferedOver = 1 }, "partitions >= 2"},
		{"a hottest partition that the others could exceed", func(r *results.Record) { r.Phases[1].OfferedOver = 136 }, "offered(hottest) < 2000"},
		{"one that they could in what was served", func(r *results.Record) { r.Phases[1].PartitionsOver = 136 }, "served(hottest) < 2000"},
		{"a partition that may be one of the others", func(r *results.Record) { r.Phases[1].OfferedOver = 1 }, `offered("Rome") < 2000`},
		{"no operation on a single partition", func(r *results.Record) {
			for p := range r.Phases {
				r.Phases[p].Offered = []results.PartitionStats{}
			}
		}, "offered(hottest) < 2000"},
	} {
		got := judged(t, stripped(row.change), row.text)
		assert.Truef(t, !got.Told && !got.Pass, "%s: %q = %+v; want it not told", row.name, row.text, got)
	}
	bound := stripped(func(r *results.Record) { r.Phases[1].OfferedOver = 135 })
	got := judged(t, bound, "offered(hottest, peak 100/s) < 136")
	assert.Truef(t, got.Pass, "what cannot exceed the hottest partition = %+v; want it told", got)
}

// Why a figure cannot be told is said, and nothing is not zero.
func TestWhyAFigureCannotBeTold(t *testing.T) {
	record := kept(t)
	figures := figure.Of(record)
	for text, why := range map[string]string{"p99(delete)": "delete", "p99.9(peak 100/s)": "fewer than ten", "max(get, fill)": "timed",
		"saturation": "1 %", "counter(get, both)": "counted", "violations": "checked"} {
		v := figures.Take(parsed(t, text))
		assert.Truef(t, !v.Told && strings.Contains(v.Why, why) && v.Pointer() == nil, "Take(%s) = %+v", text, v)
	}
	v := figures.Named("speed")
	assert.Truef(t, !v.Told && v.Why != "", "Named(speed) = %+v; want that there is no such figure", v)
	v = figures.Named("p50")
	assert.Truef(t, v.Told && v.Count == 3000 && v.Provenance == figure.Modelled, "Named(p50) = %+v", v)
	record.Manifest.Target = "https://example.org"
	assert.Equal(t, figure.Measured, figure.Of(record).Named("p50").Provenance, "Named(p50) of a remote target")
}

// Every count is a figure of its own, with its own whole.
func TestCountsAndTheirWholes(t *testing.T) {
	lost := results.NewHistogram()
	lost.Record(time.Millisecond)
	record := &results.Record{Validity: results.Valid, Duration: 10 * time.Second,
		Manifest: results.Manifest{Operations: []results.Kind{{Name: "get", Group: "GET"}}},
		Phases: []results.Phase{{Name: "a", Stage: "a", End: 10 * time.Second, Reported: true, Kinds: []results.KindStats{{
			Counts: results.Counts{Scheduled: 1000, Sent: 800, Dropped: 200, Late: 80, Operations: 500, Succeeded: 250, Attempts: 2000, Ok: 1000, Handled: 20,
				Throttled: 600, Failed: 400, Retries: 1200, FirstThrottled: 160, Counted: 5000, Returned: 50, Offered: 700, Served: 630}, Lost: lost}}}}}
	figures := figure.Of(record)
	for _, row := range []struct {
		name string
		own  float64
		// share is of what it is a part of, 0 where it is a part of nothing.
		share float64
	}{
		{"scheduled", 1000, 0}, {"sent", 800, 0}, {"dropped", 200, .2}, {"late", 80, .1}, {"operations", 500, 0}, {"succeeded", 250, .5},
		{"lost_operations", 750, .75}, {"first_throttled", 160, .2}, {"requests", 2000, 0}, {"ok", 1000, .5}, {"handled", 20, .01},
		{"throttled", 600, .3}, {"failed", 400, .2}, {"retries", 1200, .6}, {"counted", 5000, 0}, {"returned", 50, .01},
		// Of a closed loop rates are of all of it.
		{"offered", 70, 0}, {"served", 63, 0}, {"share_lost", .75, 0}, {"share_lost_settled", .75, 0}, {"share_throttled_settled", .2, 0},
		{"throttled_per_second", 60, 0}, {"tries", 4, 0}, {"length", 10e9, 0}, {"lost_max", 1e6, 0},
	} {
		d, _ := figure.Find(row.name)
		for _, of := range []figure.Reference{{Name: row.name}, {Name: row.name, Of: "a"}, {Name: row.name, Operation: "get", Phase: "a"}} {
			v := figures.Take(of)
			assert.Truef(t, v.Told && v.Value == row.own, "%s = %+v; want %v", of, v, row.own)
			v = figures.In(of, figure.Share)
			assert.Truef(t, !d.Part || v.Told && v.Value == row.share, "%s as a share = %+v; want %v", of, v, row.share)
		}
		assert.Equalf(t, row.share > 0, d.Part, "%s is a part: %t; want %t", row.name, d.Part, row.share > 0)
	}
}

func TestFiguresOfPartsInSeveralPhases(t *testing.T) {
	record := kept(t)
	record.Phases[2].Offered[0].Busiest = 10
	record.Phases[1].Accounts = []results.AccountStats{{Offered: 300}, {Offered: 500}, {Offered: 400}}
	record.Phases[2].Accounts = []results.AccountStats{{Offered: 30}, {Offered: 50}, {Offered: 900}}
	figures := figure.Of(record)
	for _, row := range []struct {
		name, text string
		want       float64
	}{
		{"the hottest partition in an earlier phase", "offered(hottest)", 135},
		{"the busiest account of any phase", "offered(account)", 90},
		{"another one is that of a step", "offered(account, peak 100/s)", 50},
	} {
		v := figures.Take(parsed(t, row.text))
		assert.Truef(t, v.Value == row.want && v.Told, "%s: %s = %+v; want %v", row.name, row.text, v, row.want)
	}
	for _, list := range [][]results.PartitionStats{{{Key: "NYC", Busiest: 600, Entities: 600}}, {{Key: "NYC", Busiest: 20, Entities: 600}}} {
		record.Phases[1].Offered, record.Phases[1].OfferedOver = list, 601
		v := figures.Take(parsed(t, "offered(hottest)"))
		assert.Falsef(t, v.Told, "offered(hottest) beside partitions that could be hotter = %+v; want it not told", v)
	}
}

func TestTheHottestPartitionIsThatOfTheBusiestSecond(t *testing.T) {
	record := &results.Record{Validity: results.Valid, Duration: time.Minute, Phases: []results.Phase{
		{Name: "long", End: 20 * time.Second, Reported: true, Partitions: []results.PartitionStats{{Key: "full", Entities: 2000, Busiest: 190}, {Key: "half", Entities: 90, Busiest: 80}}},
		{Name: "short", Begin: 20 * time.Second, End: 25 * time.Second, Rate: 9, Reported: true,
			Partitions: []results.PartitionStats{{Key: "half", Table: "ByState", Entities: 600, Busiest: 200}, {Key: "10 km", Entities: 700, Busiest: 140}}},
		{Name: "hold", Begin: 25 * time.Second, End: 26 * time.Second, Partitions: []results.PartitionStats{{Key: "10 km", Entities: 9000, Busiest: 9000}}},
	}}
	want := &results.HottestPartition{Table: "ByState", Key: "half", EntitiesPerSecond: 200, Mean: 120}
	assert.Equal(t, want, figure.Of(record).Hottest())
	// What could have been hotter need not be in the phase of the hottest.
	record.Phases[0].PartitionsOver, want.AtLeast = 191, true
	assert.Equal(t, want, figure.Of(record).Hottest(), "beside partitions that are not told apart")
}

func TestOfferedIsThePlannedRateOfAStepWithOne(t *testing.T) {
	for _, row := range []struct {
		name                     string
		phase                    results.Phase
		due, inTheHalf, entities int64
		want                     float64
	}{
		{"three operations in ten seconds, two in the last five", results.Phase{Rate: 0.3}, 3, 2, 1, 0.3},
		{"one, and none in the last half", results.Phase{Rate: 0.1}, 1, 0, 1, 0.1},
		{"random arrivals", results.Phase{Rate: 1000}, 10_074, 4940, 1, 1000},
		{"batches", results.Phase{Rate: 5}, 50, 26, 100, 500},
		{"a rate that varies is counted", results.Phase{Rate: 0.3, Varying: true}, 3, 2, 1, 0.4},
		{"a part of the load is counted", results.Phase{Rate: 1000}, 5000, 2500, 1, 500},
		{"of a load whose length was not planned, all", results.Phase{Rate: 0.3, Unplanned: true}, 4, 4, 1, 0.4},
	} {
		row.phase.Name, row.phase.End, row.phase.Reported = "x", 10*time.Second, true
		row.phase.Kinds = []results.KindStats{{Counts: results.Counts{Scheduled: row.due, Sent: row.due, Offered: row.due * row.entities},
			LastHalf: results.Cohort{Counts: results.Counts{Scheduled: row.inTheHalf, Offered: row.inTheHalf * row.entities}}}}
		record := &results.Record{Duration: 11 * time.Second, Manifest: results.Manifest{Operations: []results.Kind{{Name: "put", Group: "PUT"}}},
			Phases: []results.Phase{row.phase}}
		got := figure.Of(record).Named("offered")
		assert.Truef(t, got.Told && math.Abs(got.Value-row.want) <= 1e-9, "%s: offered %+v", row.name, got)
	}
}

// The figures of random runs are what their attempts come to, counted one by one.
func TestFiguresAgreeWithTheAttempts(t *testing.T) {
	const half = 5 * time.Second
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 11))
		var sent, attempts, throttled, first, counted, lost, late, lateSent, lateLost, lateFirst, halfOffered, halfServed int64
		type place struct {
			key    string
			second time.Duration
		}
		offered, busy, served := map[string]int64{}, map[place]int64{}, map[place]int64{}
		var took []time.Duration
		longest, key, n := time.Duration(0), "", 500+rng.IntN(1000)
		r := resultstest.Run{Manifest: manifest(), Retries: 3, End: 10 * time.Second,
			Phases: []resultstest.Phase{{Kind: 1, Operations: n, Phase: results.Phase{Name: "a", Stage: "a", End: 10 * time.Second, Rate: 1, Reported: true}}}}
		r.Operation = func(op *resultstest.Operation) {
			op.Intended = time.Duration(rng.Int64N(int64(9 * time.Second)))
			op.Sent, op.Entities, op.Dropped, key = op.Intended, 1+rng.Int64N(5), rng.IntN(20) == 0, fmt.Sprint("k", rng.IntN(12))
			settled := op.Intended >= half
			if settled {
				halfOffered += op.Entities
				late++
			}
			switch {
			case op.Dropped && settled:
				lateLost++
				fallthrough
			case op.Dropped:
				lost++
				return
			case settled:
				lateSent++
			}
			sent++
			offered[key] += op.Entities
			busy[place{key, op.Intended / time.Second}] += op.Entities
		}
		r.Attempt = func(op *resultstest.Operation, a *results.Attempt) {
			a.PartitionKey, a.Done = key, a.Sent+time.Duration(rng.Int64N(int64(50*time.Millisecond)))
			a.Class = results.Ok + results.Class(rng.IntN(2))
			attempts++
			if a.Class == results.Ok {
				counted += op.Entities
				served[place{key, a.Done / time.Second}] += op.Entities
				took = append(took, a.Done-op.Intended)
				if a.Done >= half {
					halfServed += op.Entities
				}
				return
			}
			throttled++
			settled := op.Intended >= half
			if a.Try == 0 {
				first++
				if settled {
					lateFirst++
				}
			}
			if a.Try == 3 {
				lost++
				longest = max(longest, a.Done-op.Intended)
				if settled {
					lateLost++
				}
			}
		}
		record := r.Record(t)
		slices.Sort(took)
		most := func(of map[place]int64) (most int64) {
			for _, entities := range of {
				most = max(most, entities)
			}
			return most
		}
		busiest := int64(0)
		for _, entities := range offered {
			busiest = max(busiest, entities)
		}
		median := took[int(float64(len(took))*.5+.5)-1]
		figures := figure.Of(record)
		for _, row := range []struct {
			figure      string
			value, near float64
		}{
			{"requests(get)", float64(attempts), 0},
			{"throttled", float64(throttled), 0},
			{"throttled_per_second(a)", float64(throttled) / 10, 0},
			{"first_throttled", float64(first), 0},
			{"counted(get, a)", float64(counted), 0},
			{"tries", float64(attempts) / float64(sent), 1e-9},
			{"offered", float64(halfOffered) / 5, 1e-9},
			{"served", float64(halfServed) / 5, 1e-9},
			{"lost_operations", float64(lost), 0},
			{"share_lost", float64(lost) / float64(n), 1e-9},
			{"share_lost_settled", float64(lateLost) / float64(late), 1e-9},
			{"share_throttled_settled", float64(lateFirst) / float64(lateSent), 1e-9},
			{"offered(hottest)", float64(most(busy)), 0},
			{"served(hottest)", float64(most(served)), 0},
			{"mean_offered", float64(busiest) / 10, 1e-9},
			{"partitions", float64(len(offered)), 0},
			{"p50(get)", float64(median.Nanoseconds()), .002},
			{"max", float64(took[len(took)-1].Nanoseconds()), .002},
			{"lost_max", float64(longest.Nanoseconds()), .002},
		} {
			if got := figures.Take(parsed(t, row.figure)); !got.Told || math.Abs(got.Value-row.value) > row.near*row.value {
				t.Errorf("seed %d: %s = %+v; want %v", seed, row.figure, got, row.value)
			}
		}
	}
}
