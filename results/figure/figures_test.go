package figure_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/results/resultstest"
)

// near allows for what histograms round by.
func near(got, want float64) bool { return math.Abs(got-want) <= 0.003*math.Max(1, math.Abs(want)) }

func TestFiguresOfARecord(t *testing.T) {
	record := kept(t)
	for _, row := range resultstest.Rows(t, "testdata/figures.txt", 3) {
		left, err := strconv.ParseFloat(row[2], 64)
		require.NoError(t, err)
		got := judged(t, record, row[1])
		assert.Truef(t, near(got.Left, left) && got.Known && got.Pass, "%s: %q = %+v", row[0], row[1], got)
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
		assert.Truef(t, !got.Known && !got.Pass, "%s: %q = %+v; want it not told", row.name, row.text, got)
	}
	bound := stripped(func(r *results.Record) { r.Phases[1].OfferedOver = 135 })
	got := judged(t, bound, "offered(hottest, peak 100/s) < 136")
	assert.Truef(t, got.Pass, "what cannot exceed the hottest partition = %+v; want it told", got)
}

// Why a figure cannot be told is said, and nothing is not zero.
func TestWhyAFigureCannotBeTold(t *testing.T) {
	record := kept(t)
	figures := figure.NewFigures(record)
	for text, why := range map[string]string{"p99(delete)": "delete", "p99.9(peak 100/s)": "fewer than ten", "max(get, fill)": "timed",
		"saturation": "1%", "counter(get, both)": "counted", "violations": "checked"} {
		v := figures.Value(parsed(t, text))
		assert.Truef(t, !v.Known && strings.Contains(v.Why, why) && v.Pointer() == nil, "Take(%s) = %+v", text, v)
	}
	v := figures.Named("speed")
	assert.Truef(t, !v.Known && v.Why != "", "Named(speed) = %+v; want that there is no such figure", v)
	v = figures.Named("p50")
	assert.Truef(t, v.Known && v.Count == 3000 && v.Provenance == figure.Modelled, "Named(p50) = %+v", v)
	record.Manifest.Target = "https://example.org"
	assert.Equal(t, figure.Measured, figure.NewFigures(record).Named("p50").Provenance, "Named(p50) of a remote target")
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
	figures := figure.NewFigures(record)
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
			v := figures.Value(of)
			assert.Truef(t, v.Known && v.Value == row.own, "%s = %+v; want %v", of, v, row.own)
			v = figures.ValueIn(of, figure.Share)
			assert.Truef(t, !d.Part || v.Known && v.Value == row.share, "%s as a share = %+v; want %v", of, v, row.share)
		}
		assert.Equalf(t, row.share > 0, d.Part, "%s is a part: %t; want %t", row.name, d.Part, row.share > 0)
	}
}

func TestFiguresOfPartsInSeveralPhases(t *testing.T) {
	record := kept(t)
	record.Phases[2].Offered[0].Busiest = 10
	record.Phases[1].Accounts = []results.AccountStats{{Offered: 300}, {Offered: 500}, {Offered: 400}}
	record.Phases[2].Accounts = []results.AccountStats{{Offered: 30}, {Offered: 50}, {Offered: 900}}
	figures := figure.NewFigures(record)
	for _, row := range []struct {
		name, text string
		want       float64
	}{
		{"the hottest partition in an earlier phase", "offered(hottest)", 135},
		{"the busiest account of any phase", "offered(account)", 90},
		{"another one is that of a step", "offered(account, peak 100/s)", 50},
	} {
		v := figures.Value(parsed(t, row.text))
		assert.Truef(t, v.Value == row.want && v.Known, "%s: %s = %+v; want %v", row.name, row.text, v, row.want)
	}
	for _, list := range [][]results.PartitionStats{{{Key: "NYC", Busiest: 600, Entities: 600}}, {{Key: "NYC", Busiest: 20, Entities: 600}}} {
		record.Phases[1].Offered, record.Phases[1].OfferedOver = list, 601
		v := figures.Value(parsed(t, "offered(hottest)"))
		assert.Falsef(t, v.Known, "offered(hottest) beside partitions that could be hotter = %+v; want it not told", v)
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
	assert.Equal(t, want, figure.NewFigures(record).Hottest())
	// What could have been hotter need not be in the phase of the hottest.
	record.Phases[0].PartitionsOver, want.AtLeast = 191, true
	assert.Equal(t, want, figure.NewFigures(record).Hottest(), "beside partitions that are not told apart")
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
		got := figure.NewFigures(record).Named("offered")
		assert.Truef(t, got.Known && math.Abs(got.Value-row.want) <= 1e-9, "%s: offered %+v", row.name, got)
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
		figures := figure.NewFigures(record)
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
			if got := figures.Value(parsed(t, row.figure)); !got.Known || math.Abs(got.Value-row.value) > row.near*row.value {
				t.Errorf("seed %d: %s = %+v; want %v", seed, row.figure, got, row.value)
			}
		}
	}
}

func TestParseFigureRefuses(t *testing.T) {
	for text, offset := range map[string]int{"": 0, "p99(get) < 20ms": 9, "p9": 0, "counter": 0} {
		_, err := figure.ParseFigure(text)
		var fault *figure.ClaimFault
		assert.Truef(t, errors.As(err, &fault) && errors.Is(err, figure.ErrClaimSyntax) && fault.Offset == offset,
			"ParseFigure(%q) = %v; want a fault at byte %d", text, err, offset)
	}
}

// Any text is refused in words or is a figure whose text is one again, and the same. So it is with
// metrics.
func FuzzParseFigure(f *testing.F) {
	for _, text := range append(figure.ClaimMetrics(), "p99(get)", `served("a""b", peak)`, "offered(account)", "counter(look, both)", "p99 (", "\xff", "\x00") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if m, err := figure.ParseClaimMetric(text); err == nil {
			again, err := figure.ParseClaimMetric(m.String())
			require.Truef(t, err == nil && again.String() == m.String() && again.Unit == m.Unit,
				"ParseMetric(%q) is %q, which parses to %q, %v", text, m, again, err)
		} else {
			require.ErrorIsf(t, err, figure.ErrClaimSyntax, "ParseMetric(%q)", text)
		}
		one, err := figure.ParseFigure(text)
		if err != nil {
			require.ErrorIsf(t, err, figure.ErrClaimSyntax, "ParseFigure(%q)", text)
			return
		}
		again, err := figure.ParseFigure(one.String())
		require.Truef(t, err == nil && again.String() == one.String(),
			"ParseFigure(%q) = %q, and that is %q, %v", text, one, again, err)
	})
}

// A name of before is a fault where it stands that has the name of now, and no alias.
func TestRenamedFigures(t *testing.T) {
	assert.GreaterOrEqual(t, len(figure.RenamedMetrics), 8, "renamed figures")
	for _, one := range figure.RenamedMetrics {
		was, is := one[0], one[1]
		assert.Truef(t, !slices.Contains(figure.Names(), was) && slices.Contains(figure.Names(), is),
			"%s and %s: want the second alone to be a figure", was, is)
		for text, offset := range map[string]int{was + " < 1": 0, "  " + was + "(get) < 1": 2, "p99 < " + was: 6} {
			_, err := figure.ParseClaim(text)
			var fault *figure.ClaimFault
			want := was + " is called " + is + " now; expected that name"
			assert.Truef(t, errors.As(err, &fault) && fault.Offset == offset && fault.What == want && fault.Name == "",
				"Parse(%q) = %v; want byte %d: %s", text, err, offset, want)
		}
	}
	if _, err := figure.ParseClaim("throttled < 20s"); err == nil || !strings.Contains(err.Error(), "byte 12: 20s is no limit for throttled") ||
		!strings.Contains(err.Error(), "or the time throttled_from") {
		t.Errorf("Parse of the time that was called throttled = %v; want a hint at throttled_from", err)
	}
	if _, err := figure.ParseClaim("retries < 20s"); err == nil || strings.Contains(err.Error(), "throttled_from") {
		t.Errorf("Parse of a time for a count = %v; want no hint at throttled_from", err)
	}
}

func TestInterruptedStepIsJudgedAsFarAsItWent(t *testing.T) {
	// The last half of the step begins at 6 s; the run ends at 8 s.
	phase := results.Phase{Name: "step", Begin: 2 * time.Second, End: 10 * time.Second, Rate: 100, Reported: true,
		Kinds: []results.KindStats{{Counts: results.Counts{Offered: 600, Served: 500, Throttled: 60, Attempts: 600, Operations: 300,
			Scheduled: 300, Succeeded: 240},
			LastHalf: results.Cohort{Counts: results.Counts{Scheduled: 100, Succeeded: 90, Offered: 200, Served: 150}}}}}
	record := &results.Record{Validity: results.Partial, Duration: 8 * time.Second, Phases: []results.Phase{phase},
		Manifest: results.Manifest{Operations: []results.Kind{{Name: "get"}}}}
	f := figure.NewFigures(record).Step(figure.Steps(record)[0], nil)
	assert.Equal(t, [6]float64{100, 75, 10, .2, .1, 2}, [6]float64{f.Offered, f.Served, f.ThrottledPerSecond, *f.ShareLost, *f.ShareLostSettled,
		*f.AttemptsPerOperation}, "offered, served, throttled, lost, lost of the settled, attempts")
	record.Duration, record.Phases[0].Kinds[0].LastHalf = 5*time.Second, results.Cohort{}
	f = figure.NewFigures(record).Step(figure.Steps(record)[0], nil)
	assert.Truef(t, f.Offered == 0 && f.ShareLostSettled == nil && f.ThrottledPerSecond == 20,
		"Figures before the last half = %+v; want no load of it, throttled 20", f)
	record.Duration = 2 * time.Second
	assert.Len(t, figure.Steps(record), 0, "Steps = of a run that ended before its step")
}

func TestClosedLoopIsSummarisedAsAWhole(t *testing.T) {
	record := &results.Record{Validity: results.Valid, Duration: 10 * time.Second,
		Manifest: results.Manifest{Operations: []results.Kind{{Name: "query"}}},
		Phases: []results.Phase{{Name: "scan", End: 10 * time.Second, Reported: true, Kinds: []results.KindStats{
			{Counts: results.Counts{Scheduled: 100, Succeeded: 100, Offered: 100, Served: 5000}, LastHalf: results.Cohort{Counts: results.Counts{Scheduled: 1, Offered: 1}}}}}}}
	got := figure.NewFigures(record).Step(figure.Reported(record)[0], nil)
	assert.Truef(t, got.Offered == 10 && got.Served == 500 && got.ShareLost != nil && *got.ShareLost == 0,
		"the step is %+v; want offered 10, served 500, nothing lost", got)
	assert.Len(t, figure.Steps(record), 0, "Steps")
}

// A queue in front of the target shows where the target is behind; what the generator did not
// send for a reason of its own is none.
func TestQueuesAreTheTargets(t *testing.T) {
	for _, row := range []struct {
		name string
		// waiting more attempts are under way at the end of each second, unsent more operations
		// due; starved is the part of each second without a free worker, slower how many times
		// as long as in the first step the target takes, busy the part of the CPU that is taken.
		waiting, unsent       int64
		starved, slower, busy float64
		kind                  figure.Throttling
		rate                  float64
		holds                 string
	}{
		{"attempts pile up at the target", 100, 0, 0, 5, .2, figure.Queued, 400, "fails"},
		{"all workers wait for a slow target", 0, 100, 1, 5, .2, figure.Queued, 400, "fails"},
		{"all workers wait for a target that answers as it does", 0, 100, 1, 1, .2, figure.Unthrottled, 0, "untold"},
		{"nobody waits, and operations are late", 0, 100, 0, 5, .2, figure.Unthrottled, 0, "untold"},
		{"the process has no CPU to spare", 0, 100, 1, 5, .99, figure.Unthrottled, 0, "untold"},
		{"nothing piles up", 0, 0, 0, 1, .2, figure.Unthrottled, 0, "holds"},
	} {
		record := steps(same(10, 200, 200), same(10, 500, 500))
		record.Generator = &results.Generator{Cores: 2}
		var waiting, unsent int64
		for i := range record.Intervals {
			one := &record.Intervals[i]
			slower := 1.
			if i >= 10 {
				waiting, unsent, slower = waiting+row.waiting, unsent+row.unsent, row.slower
				less := row.waiting + row.unsent
				one.Operations, one.Succeeded, one.Served, one.Ok = one.Operations-less, one.Succeeded-less, one.Served-less, one.Ok-less
				if one.Sent -= row.unsent; row.unsent > 0 {
					one.Late, one.Lag.P99 = one.Sent, new(int64(time.Second/time.Microsecond))
				}
			}
			one.InFlight, one.Service.P50 = waiting, new(int64(10_000*slower))
			one.Generator = &results.Health{Lasted: time.Second, CPU: time.Duration(row.busy * 2e9), Starved: time.Duration(row.starved * float64(time.Second))}
		}
		figures := figure.NewFigures(record)
		l := figures.Ladders()[0]
		assert.Truef(t, l.Throttling == row.kind && (l.Throttling != figure.Queued || l.Rate == row.rate),
			"%s: %s at %v; want %s at %v", row.name, l.Throttling, l.Rate, row.kind, row.rate)
		got, holding := "fails", figures.Holding(figure.Steps(record)[1], nobody)
		switch {
		case holding.Why != "":
			got = "untold"
		case holding.Holds:
			got = "holds"
		}
		if row.unsent > 0 && row.kind == figure.Queued {
			// Whose doing the lateness is, is told by the caller.
			holding = figures.Holding(figure.Steps(record)[1], func(int64) string { return "the target queues" })
			if got = "fails"; holding.Holds || holding.Why != "" {
				got = holding.Why
			}
		}
		assert.Equalf(t, row.holds, got, "%s: %+v", row.name, holding)
	}
}

// Every definition says what it is and of what, and can be asked for by its name, of what it
// says, in a claim and alone.
func TestEveryDefinitionIsWhole(t *testing.T) {
	figures := figure.NewFigures(kept(t))
	seen := map[string]bool{}
	for _, name := range figure.Names() {
		d, known := figure.Find(name)
		if !known || seen[name] || d.Name != name || d.About == "" || strings.HasSuffix(d.About, ".") || d.Scopes() == "" {
			t.Errorf("Find(%q) = %+v; want one definition, with a sentence and a scope", name, d)
		}
		seen[name] = true
		text := d.Name
		if d.Scope == figure.OfCounter {
			text += "(look, both)"
		}
		ref, err := figure.ParseFigure(text)
		assert.Truef(t, err == nil && ref.String() == text && ref.Unit() == d.Unit,
			"ParseFigure(%q) = %v, %v; want it as it is", text, ref, err)
		v := figures.Value(ref)
		assert.Truef(t, v.Known != (v.Why != "") && (v.Provenance != "" || !v.Known), "%s = %+v", text, v)
		asked := false
		for _, limit := range []string{"2", "2ms"} {
			if claim, err := figure.ParseClaim(text + " < " + limit); err == nil {
				asked = claim.String() == text+" < "+limit && claim.Judge(fixed(1)).Pass
			}
		}
		assert.Truef(t, asked, "no claim of %q can be made", name)
		for what, of := range map[string]string{"a phase": "(*, peak)", "an operation": "(get, *)", "a partition": `("NYC")`} {
			if what == "a phase" && d.Scopes() == "of the run or a phase" {
				of = "(peak)"
			}
			if _, err := figure.ParseFigure(name + of); name != "counter" && (err == nil) != strings.Contains(d.Scopes(), what) {
				t.Errorf("%s is %q, and %s%s = %v; want that they agree", name, d.Scopes(), name, of, err)
			}
		}
	}
	_, known := figure.Find("refused")
	assert.False(t, known, "Find knows what is no figure")
}

// manifest is that of an embedded run against the documents' targets.
func manifest() results.Manifest {
	return resultstest.Manifest(func(m *results.Manifest) { m.Time, m.PartitionKey = "real", "NYC" })
}

// kept is a record by hand: two steps of a peak and its hold, after a load, on two
// operations.
func kept(t testing.TB) *results.Record {
	t.Helper()
	step := func(name string, begin int, rate float64) resultstest.Phase {
		return resultstest.Phase{Kind: 1, Phase: results.Phase{Name: name, Stage: "peak", Rate: rate, Reported: name != "peak 200/s (hold)",
			Begin: time.Duration(begin) * time.Second, End: time.Duration(begin+10) * time.Second}}
	}
	fill := resultstest.Phase{Operations: 100, Phase: results.Phase{Name: "fill", Stage: "fill", End: 10 * time.Second}}
	decided := func(at, until time.Duration, what string) results.Event {
		return results.Event{At: int64(at), What: what, Decision: &results.Decision{Until: until}}
	}
	const second = time.Second
	r := resultstest.Run{Manifest: manifest(), Retries: 1, Wait: 10 * time.Millisecond, End: 50 * second,
		Phases: []resultstest.Phase{fill, step("peak 100/s", 10, 100), step("peak 200/s", 20, 200), step("peak 200/s (hold)", 30, 200)},
		Events: []results.Event{decided(12*second, 12200*time.Millisecond, results.RangeSplit), decided(25*second, 28*second, results.RangeMoved),
			decided(26*second, 99*second, results.RangeKept), decided(45*second, 50*second, results.RangesMerged)},
		Take: func(of *results.Record) {
			of.Audit = &results.Audit{Writes: 9, Acknowledged: 9, Lost: 0, Doubled: 2, Unknown: 3, Overwritten: 4, ForeignConflicts: 5}
		},
		Operation: func(op *resultstest.Operation) {
			switch op.Entities = 2; {
			case op.Kind == 0:
				op.Entities = 10
			case op.Number%5 == 4:
				op.Kind, op.Entities = 2, 1
			}
		},
		Attempt: func(op *resultstest.Operation, a *results.Attempt) {
			a.Done, a.Returned = a.Sent+[]time.Duration{5, 4, 8}[op.Kind]*time.Millisecond, op.Entities-1
			if op.Kind == 0 {
				a.Returned = 0
			}
			if op.Kind > 0 && op.Number%4 == 0 {
				a.PartitionKey = "Berlin"
			}
			if op.Phase == 2 && op.Number%10 == 0 && a.Try == 0 {
				a.Class = results.Throttled
			}
		}}
	r.Manifest.Time = "virtual"
	return r.Record(t)
}

// second is a second of load by hand, of single entities that nobody asks for again.
type second struct{ offered, served, late int64 }

// steps makes a record of steps of a stretch called peak, the first of which begins at
// 0, with the counts that follow from their seconds.
func steps(list ...[]second) *results.Record {
	record := &results.Record{SchemaVersion: 2, Validity: results.Valid, Manifest: manifest()}
	for _, one := range list {
		add(record, "peak", one...)
	}
	return record
}

// add adds a step of a stretch to the end of a record.
func add(to *results.Record, stage string, list ...second) *results.Phase {
	phase := results.Phase{Name: stage, Stage: stage, Begin: to.Duration, Reported: true, Kinds: make([]results.KindStats, len(to.Manifest.Operations))}
	kind := &phase.Kinds[1]
	for i, one := range list {
		row := results.Interval{Second: int64(to.Duration / time.Second), Phase: stage, Counts: results.Counts{Scheduled: one.offered, Sent: one.offered, Late: one.late, Offered: one.offered,
			Attempts: one.offered, Ok: one.served, Throttled: one.offered - one.served, Operations: one.offered, Succeeded: one.served,
			Served: one.served, Counted: one.served}}
		to.Intervals = append(to.Intervals, row)
		to.Duration += time.Second
		kind.Add(&results.KindStats{Counts: results.Counts{Scheduled: row.Scheduled, Sent: row.Sent, Late: row.Late, Operations: row.Operations, Succeeded: row.Succeeded,
			Attempts: row.Attempts, Ok: row.Ok, Throttled: row.Throttled, FirstThrottled: row.Throttled,
			Offered: row.Offered, Served: row.Served, Counted: row.Counted}})
		if 2*i >= len(list) {
			kind.LastHalf.Add(&results.Counts{Scheduled: row.Scheduled, Sent: row.Sent, Succeeded: row.Succeeded, FirstThrottled: row.Throttled,
				Offered: row.Offered, Served: row.Served})
		}
	}
	phase.End = to.Duration
	phase.Rate = float64(kind.Scheduled) / float64(len(list))
	to.Phases = append(to.Phases, phase)
	return &to.Phases[len(to.Phases)-1]
}

// same are so many equal seconds.
func same(seconds int, offered, served int64) []second {
	list := make([]second, seconds)
	for i := range list {
		list[i] = second{offered: offered, served: served}
	}
	return list
}

// parsed returns a figure as people write it.
func parsed(t testing.TB, text string) figure.Reference {
	t.Helper()
	ref, err := figure.ParseFigure(text)
	require.NoError(t, err)
	return ref
}

// judged judges a claim on a record.
func judged(t testing.TB, record *results.Record, text string) figure.ClaimJudgement {
	t.Helper()
	claim, err := figure.ParseClaim(text)
	require.NoError(t, err)
	return claim.Judge(figure.NewFigures(record))
}
