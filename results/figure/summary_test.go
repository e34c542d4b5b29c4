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
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/results/resultstest"
)

// A rate is held where next to nothing of its last half was throttled and nothing lost;
// what was not sent, or what an idle partition had saved up, cannot be told.
func TestWhatAStepHolds(t *testing.T) {
	held := 2 * results.HeldBackAfter.Microseconds()
	kind := func(r *results.Record) *results.KindStats { return &r.Phases[0].Kinds[1] }
	for _, row := range []struct {
		name   string
		served int64
		change func(*results.Record)
		holds  bool
		why    string
	}{
		{"all of it is served", 1000, nil, true, ""},
		{"one in two hundred of the first attempts of its last half is throttled, and comes through", 1000,
			func(r *results.Record) { kind(r).LastHalf.FirstThrottled = 25 }, true, ""},
		{"one in a hundred is, in every second, and comes through", 1000, func(r *results.Record) { refuse(r, 8, 4, 14, 10, 16, 6, 13, 5, 12, 10) }, true, ""},
		{"a third is in one second, and comes through", 1000, func(r *results.Record) { refuse(r, 0, 0, 0, 0, 0, 0, 500) }, false, ""},
		{"as many are in each second, and come through", 1000, func(r *results.Record) { refuse(r, slices.Repeat([]int64{10}, 10)...) }, false, "at its limit"},
		{"one operation of it is lost", 1000, lose, false, ""},
		{"one of its first half is lost", 1000, func(r *results.Record) { kind(r).Succeeded-- }, false, ""},
		{"half of it is", 500, nil, false, ""},
		{"one was never sent", 1000, func(r *results.Record) { kind(r).Dropped = 1 }, false, "was late"},
		{"one of its ten seconds was held back", 1000, func(r *results.Record) { r.Intervals[7].Lag.P99 = &held }, false, "was late"},
		{"in one of them nothing was sent", 1000, func(r *results.Record) {
			r.Intervals[7].Sent, r.Intervals[8].Sent, r.Intervals[8].Lag.P99 = 0, 2000, &held
		}, false, "was late"},
		{"what was due at its end was sent soon after", 1000, func(r *results.Record) { r.Intervals[7].Sent, r.Intervals[8].Sent = 0, 2000 }, true, ""},
		{"in one a tenth was sent in the next", 1000, func(r *results.Record) {
			r.Intervals[7].Sent, r.Intervals[8].Sent, r.Intervals[8].Lag.Max = 900, 1100, new(int64(99_000))
		}, true, ""},
		{"a second was held back by its longest alone", 1000, func(r *results.Record) { r.Intervals[7].Lag.Max = &held }, false, "was late"},
		{"it came in a heap, of which more than that was throttled", 1000, func(r *results.Record) {
			r.Intervals[7].Lag.P99, kind(r).LastHalf.FirstThrottled = &held, 800
			r.Intervals[7].Throttled, r.Intervals[8].Throttled = 500, 300
		}, false, "in bursts"},
		{"it came in a heap, and one operation of it is lost", 1000, func(r *results.Record) {
			r.Intervals[7].Lag.P99 = &held
			lose(r)
		}, false, "in bursts"},
		{"one in thirty is throttled, in a heap and in time, and comes through", 1000, func(r *results.Record) {
			r.Intervals[2].Lag.P99 = &held
			refuse(r, 0, 0, 0, 0, 0, 30, 30, 30, 30, 500)
		}, false, ""},
		{"half of it is throttled, by a limit below it, and every other second is a heap", 500, func(r *results.Record) {
			for i := 1; i < 10; i += 2 {
				r.Intervals[i].Lag.P99 = &held
			}
		}, false, ""},
		{"it ended before its last half", 1000, func(r *results.Record) { r.Duration = 5 * time.Second }, false, "ended before"},
		{"nothing was due in its last half, of one operation in all", 1000, func(r *results.Record) {
			kind(r).Scheduled, kind(r).Sent, kind(r).Succeeded, kind(r).LastHalf = 1, 1, 1, results.Cohort{}
		}, true, ""},
		{"nothing was due at all", 1000, func(r *results.Record) { *kind(r) = results.KindStats{} }, false, "nothing was due"},
		{"at the target, which chance passes in its last half", 2000, func(r *results.Record) {
			kind(r).LastHalf = results.Cohort{Counts: results.Counts{Scheduled: 10_050, Sent: 10_050, Succeeded: 10_050, Offered: 10_050, Served: 10_050}}
		}, true, ""},
		{"beyond the target", 2010, nil, false, "burst allowance"},
		{"beyond it, at the service, which says itself what it bears", 2010, func(r *results.Record) { r.Manifest.Genuine = true }, true, ""},
		{"beyond it, in a model that lets partitions exceed it", 2010,
			func(r *results.Record) {
				r.Manifest.Model = []results.Parameter{{Name: "headroom", Value: "2000"}}
			}, true, ""},
		{"beyond it, in a cold one that does not", 2010,
			func(r *results.Record) {
				r.Manifest.Model = []results.Parameter{{Name: "headroom", Value: "1000"}}
			}, false, "burst allowance"},
		{"beyond it, over several partitions", 2010, func(r *results.Record) { r.Manifest.PartitionKey = "" }, true, ""},
		{"beyond it in its last half, below it as a mean", 2010,
			func(r *results.Record) { r.Phases[0].Rate, r.Phases[0].Varying = 1500, true }, false, "burst allowance"},
	} {
		offered := max(row.served, 1000)
		record := steps(same(10, offered, row.served))
		if row.change != nil {
			row.change(record)
		}
		got := figure.NewFigures(record).Holding(figure.Steps(record)[0], nobody)
		assert.Truef(t, got.Holds == row.holds && (got.Why == "") == (row.why == "") && strings.Contains(got.Why, row.why),
			"%s: %+v; want %t, why %q", row.name, got, row.holds, row.why)
		assert.Equalf(t, row.why == "was late" || strings.Contains(row.name, "heap"), got.Unsent != "",
			"%s: Unsent = %q", row.name, got.Unsent)
	}
}

// refuse has some of the first attempts of each second throttled, whose retries succeed.
func refuse(r *results.Record, bySecond ...int64) {
	of := &r.Phases[0].Kinds[1]
	for i, refused := range bySecond {
		row := &r.Intervals[i]
		row.Throttled, row.Attempts = refused, row.Attempts+refused
		of.Throttled, of.FirstThrottled, of.Attempts = of.Throttled+refused, of.FirstThrottled+refused, of.Attempts+refused
		if 2*i >= len(r.Intervals) {
			of.LastHalf.FirstThrottled += refused
		}
	}
}

// lose has one operation of the last half fail.
func lose(r *results.Record) {
	r.Phases[0].Kinds[1].Succeeded--
	r.Phases[0].Kinds[1].LastHalf.Succeeded--
}

// Refusals of a tenth of the operations, all of which succeed by a retry, are sporadic at every rate. A step with as many
// above a rate without any does not hold for sure.
func TestRefusalsAboveACleanRate(t *testing.T) {
	for _, row := range []struct {
		name    string
		refused int // the first step with refusals
		holds   bool
	}{
		{"at every rate", 0, true},
		{"from the second rate on", 1, false},
	} {
		record := steps(same(10, 500, 500), same(10, 1000, 1000), same(10, 2000, 2000))
		for i := range record.Intervals {
			of, at := &record.Intervals[i], i/10
			if refused := of.Offered / 10; at >= row.refused {
				kind := &record.Phases[at].Kinds[1]
				of.Attempts, of.Throttled = of.Attempts+refused, of.Throttled+refused
				kind.Attempts, kind.Throttled, kind.FirstThrottled = kind.Attempts+refused, kind.Throttled+refused, kind.FirstThrottled+refused
				if i%10 >= 5 {
					kind.LastHalf.FirstThrottled += refused
				}
			}
		}
		f := figure.NewFigures(record)
		for _, step := range figure.Steps(record)[1:] {
			assert.Equalf(t, row.holds, f.Holding(step, nobody).Holds, "%s: %v/s holds", row.name, step.Phase.Rate)
		}
	}
}

// A limit far below all rates refuses nearly all attempts of each, which is no sporadic share of any load. A share that
// is refused at random is one, however large. Of 200 drawn ladders at most one of each kind is misjudged.
func TestRefusalsFarAboveALimit(t *testing.T) {
	const ladders = 200
	for name, sporadic := range map[string]bool{"limit": false, "sporadic": true} {
		rng, misjudged := rand.New(rand.NewPCG(53, 54)), 0
		for range ladders {
			limit, share := 0.5+4*rng.Float64(), 0.02+0.6*rng.Float64()
			var list [][]second
			for rate, i := int64(400+rng.IntN(400)), 0; i < 3; rate, i = rate*2, i+1 {
				var step []second
				for range 10 {
					served := min(rate, draw(rng, limit))
					if sporadic {
						served = rate - draw(rng, share*float64(rate))
					}
					step = append(step, second{offered: rate, served: max(0, served)})
				}
				list = append(list, step)
			}
			if l := figure.NewFigures(steps(list...)).Ladders()[0]; (l.Throttling == figure.Sporadic) != sporadic {
				misjudged++
			}
		}
		assert.LessOrEqualf(t, misjudged, 1, "%s: misjudged ladders of %d", name, ladders)
	}
}

// draw returns a number about a mean, with the deviation of a Poisson distribution.
func draw(rng *rand.Rand, mean float64) int64 {
	return int64(max(0, math.Round(mean+math.Sqrt(mean)*rng.NormFloat64())))
}

// nobody waited for the target.
func nobody(int64) string { return "" }

// What waited for a silent target was not held back by the generator: whether the rate holds
// cannot be told for that, and where operations were never sent for it, it does not hold.
func TestWhatWaitedForTheTarget(t *testing.T) {
	const silence, own = "the target answered nothing", "was late"
	held := 2 * results.HeldBackAfter.Microseconds()
	for _, row := range []struct {
		name string
		// late and silent are seconds of the step, drops how many of each were never sent,
		// which half tells of in the last half of the step.
		late, silent []int64
		drops, half  int64
		holds        bool
		why, unsent  string
	}{
		{"a second was late for the target's silence", []int64{7}, []int64{7}, 0, 0, false, silence, silence},
		{"one was by itself", []int64{7}, nil, 0, 0, false, own, own},
		{"one was by itself beside two that were not", []int64{3, 6, 7}, []int64{6, 7}, 0, 0, false, own, own},
		{"a silence in which nothing was late", nil, []int64{7}, 0, 0, true, "", ""},
		{"operations of its last half waited until it was too late", []int64{7}, []int64{7}, 5, 5, false, "", silence},
		{"those of its first half did", []int64{3}, []int64{3}, 5, 0, false, "", silence},
		{"some were dropped in the silence and some were not", []int64{6, 7}, []int64{7}, 5, 10, false, own, own},
		{"they were dropped in no silence", []int64{7}, nil, 5, 5, false, own, own},
	} {
		record := steps(same(10, 1000, 1000))
		kind := &record.Phases[0].Kinds[1]
		for _, second := range row.late {
			record.Intervals[second].Lag.P99, record.Intervals[second].Dropped = &held, row.drops
			kind.Dropped += row.drops
		}
		kind.Sent, kind.Succeeded = kind.Sent-kind.Dropped, kind.Succeeded-kind.Dropped
		kind.LastHalf.Sent, kind.LastHalf.Succeeded = kind.LastHalf.Sent-row.half, kind.LastHalf.Succeeded-row.half
		waited := func(second int64) string {
			if slices.Contains(row.silent, second) {
				return silence
			}
			return ""
		}
		got := figure.NewFigures(record).Holding(figure.Steps(record)[0], waited)
		if got.Holds != row.holds || (got.Why == "") != (row.why == "") || !strings.Contains(got.Why, row.why) ||
			(got.Unsent == "") != (row.unsent == "") || !strings.Contains(got.Unsent, row.unsent) {
			t.Errorf("%s: %+v; want %t, why %q, unsent %q", row.name, got, row.holds, row.why, row.unsent)
		}
	}
}

// A step is on time where all of it was sent, 99% of it within 5 ms.
func TestStepOnTime(t *testing.T) {
	for _, row := range []struct {
		late, dropped int64
		want          bool
	}{{0, 0, true}, {100, 0, true}, {101, 0, false}, {0, 1, false}} {
		record := steps(same(10, 1000, 1000))
		record.Phases[0].Kinds[1].Late, record.Phases[0].Kinds[1].Dropped = row.late, row.dropped
		assert.Equalf(t, row.want, figure.Steps(record)[0].OnTime(),
			"%d of 10,000 late, %d dropped: on time", row.late, row.dropped)
	}
}

// part returns seconds of which a part of what is offered is served, a little more or
// less from second to second.
func part(share float64, spread int64, offered ...int64) []second {
	list := make([]second, len(offered))
	for i, number := range offered {
		list[i] = second{offered: number, served: int64(share*float64(number)) + spread*(int64(i)%3-1)}
	}
	return list
}

// pattern is so many seconds of one rate that serve some numbers in turn.
func pattern(seconds int, offered int64, served ...int64) []second {
	list := make([]second, seconds)
	for i := range list {
		list[i] = second{offered: offered, served: served[i%len(served)]}
	}
	return list
}

// thrice is three steps, each twice the one before, that are served 1,000, and so much more
// or less from second to second.
func thrice(spread int64) [][]second {
	var list [][]second
	for _, times := range []int64{2, 4, 8} {
		list = append(list, part(1/float64(times), spread, slices.Repeat([]int64{1000 * times}, 4)...))
	}
	return list
}

func late(list []second, share float64) []second {
	list = slices.Clone(list)
	for i := range list {
		list[i].late = int64(share * float64(list[i].offered))
	}
	return list
}

func TestThrottlingIsToldByItsSeconds(t *testing.T) {
	calm := same(10, 500, 500)
	for _, row := range []struct {
		name           string
		record         *results.Record
		kind           figure.Throttling
		rate, low, top float64
		seconds        int
	}{
		{"a load of which nothing is throttled", steps(calm, same(10, 900, 900)), figure.Unthrottled, 0, 0, 0, 0},
		{"less than 1% throttled in each second", steps(calm, same(10, 1000, 991)), figure.Unthrottled, 0, 0, 0, 0},
		{"steps beyond a limit serve no more than it", steps(calm, same(10, 1500, 1000), same(10, 2000, 1000)), figure.Limited, 1000, 1000, 1000, 18},
		{"one step beyond it is enough", steps(calm, same(10, 1500, 1000)), figure.Limited, 1000, 1000, 1000, 9},
		{"the first second of a step is none of it: an idle partition spends what it saved up",
			steps(calm, append(same(1, 1500, 1200), same(5, 1500, 1000)...)), figure.Limited, 1000, 1000, 1000, 5},
		{"three seconds of evidence are enough", steps(calm, same(4, 1500, 1000)), figure.Limited, 1000, 1000, 1000, 3},
		{"two are not", steps(calm, same(3, 1500, 1000)), figure.Brief, 0, 0, 0, 2},
		{"steps of one second are taken together", steps(same(1, 500, 500), same(1, 1500, 1000), same(1, 1600, 1000), same(1, 1700, 1000)),
			figure.Limited, 1000, 1000, 1000, 3},
		{"the median of what the seconds serve, and the least and the most of them",
			steps(calm, part(0.5, 10, 2000, 2000, 2000, 2000, 2000, 2000, 2000)), figure.Limited, 1000, 990, 1010, 6},
		{"three seconds among forty with as much load are no limit",
			steps(slices.Concat(same(20, 1000, 1000), same(3, 1000, 400), same(20, 1000, 1000))), figure.Brief, 0, 0, 0, 3},
		{"seconds that serve nothing are an outage", steps(slices.Concat(same(5, 1000, 1000), same(10, 1000, 0))), figure.Outage, 0, 0, 0, 10},
		{"the same share of little load as of much is sporadic",
			steps(part(0.9, 1, 500, 500, 500, 500), part(0.9, 1, 1000, 1000, 1000, 1000), part(0.9, 1, 2000, 2000, 2000, 2000)), figure.Sporadic, 0, 0, 0, 9},
		{"of which few seconds at less load were on time", steps(part(0.9, 0, slices.Repeat([]int64{200}, 4)...), same(9, 300, 270)), figure.Sporadic, 0, 0, 0, 11},
		{"or none", steps(late(part(0.9, 0, slices.Repeat([]int64{200}, 6)...), .5), same(6, 300, 270)), figure.Sporadic, 0, 0, 0, 10},
		{"the same share at two rates, above one without any", steps(calm, late(same(6, 2000, 1000), .5), late(same(6, 4000, 2000), .5)), figure.Moving, 0, 0, 0, 10},
		{"a rate at which as much varies as chance has it does not tell",
			steps(part(0.9, 12, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000)), figure.Undecided, 0, 0, 0, 7},
		{"a rate at which it stays tells", steps(same(12, 1100, 1000)), figure.Limited, 1000, 1000, 1000, 11},
		{"one at which it goes along with what is asked does not, however little that varies",
			steps(part(0.9, 0, slices.Repeat([]int64{1000, 1004, 996}, 5)...)), figure.Undecided, 0, 0, 0, 14},
		{"few requests a second that a limit hands out in turn", steps(pattern(13, 3, 1, 2, 2)), figure.Limited, 20.0 / 12, 1, 2, 12},
		{"a rate that varies half as much as chance has it is one, where less load met nothing",
			steps(same(10, 900, 900), pattern(10, 1030, 1003, 1003, 997, 997)), figure.Limited, 1003, 997, 1003, 9},
		{"where less load met the same, it may be either",
			steps(same(10, 900, 892), pattern(10, 1030, 1003, 1003, 997, 997)), figure.Undecided, 0, 0, 0, 9},
		{"eight seconds among twenty with as much load are no limit",
			steps(slices.Concat(same(6, 1000, 1000), same(8, 1000, 700), same(6, 1000, 1000))), figure.Brief, 0, 0, 0, 8},
		{"twelve are", steps(slices.Concat(same(4, 1000, 1000), same(12, 1000, 700), same(4, 1000, 1000))), figure.Limited, 700, 700, 700, 12},
		{"seconds that ask for less than a limit grants, and 1%, are not at it", steps(calm, same(3, 1005, 994), same(4, 1500, 1000)), figure.Limited, 1000, 1000, 1000, 5},
		{"what is served may vary by a twentieth", steps(thrice(60)...), figure.Limited, 1000, 940, 1060, 9},
		{"by a tenth, too, where several rates show it", steps(thrice(130)...), figure.Limited, 1000, 870, 1130, 9},
		{"by a quarter it moves", steps(thrice(300)...), figure.Moving, 0, 0, 0, 9},
	} {
		for _, unit := range []int64{1, 60} {
			lengthen(row.record, unit)
			list := figure.NewFigures(row.record).Ladders()
			require.Lenf(t, list, 1, "%s: Ladders", row.name)
			l, seconds, each := list[0], row.seconds*int(unit), float64(unit)
			assert.Truef(t, l.Throttling == row.kind && l.Seconds == seconds,
				"%s, rows of %d s: %s in %d seconds; want %s in %d", row.name, unit, l.Throttling, l.Seconds, row.kind, seconds)
			v, interval := figure.NewFigures(row.record).Named("saturation"), [2]float64{row.low / each, row.top / each}
			if v.Known != (row.kind == figure.Limited) || v.Value != row.rate/each || v.Known && *v.Interval != interval || !v.Known && v.Why == "" {
				t.Errorf("%s: saturation = %+v; want %v in %v, or why not", row.name, v, row.rate/each, interval)
			}
		}
	}
}

// lengthen makes a record so many times as long, each row of which has the counts of a second.
func lengthen(record *results.Record, times int64) {
	by := time.Duration(times)
	record.Duration *= by
	for i := range record.Phases {
		p := &record.Phases[i]
		p.Begin, p.End, p.Rate = p.Begin*by, p.End*by, p.Rate/float64(times)
	}
	for i := range record.Intervals {
		row := &record.Intervals[i]
		row.Second, row.Sum = row.Second*times, &results.SecondsSum{Length: times}
	}
}

// A target's refusal is its word: a late generator does not unsay it, but what is told
// rests on seconds on time where there are enough.
func TestSecondsOnTimeComeFirst(t *testing.T) {
	calm := same(10, 500, 500)
	for _, row := range []struct {
		name   string
		list   []second
		used   int
		rate   float64
		onTime bool
	}{
		{"all on time", same(9, 1500, 1000), 8, 1000, true},
		{"three on time are enough", slices.Concat(late(same(5, 1500, 900), .5), same(3, 1500, 1000)), 3, 1000, true},
		{"two are not", slices.Concat(late(same(6, 1500, 1000), .5), same(2, 1500, 1000)), 7, 1000, false},
		{"1% late is on time", late(same(9, 1500, 1000), .01), 8, 1000, true},
		{"late ones that serve much the same", late(slices.Concat(thrice(10)...), .5), 8, 995, false},
		{"late ones that vary by what a limit may", late(slices.Concat(thrice(60)...), .5), 0, 0, false},
	} {
		l := figure.NewFigures(steps(calm, row.list)).Ladders()[0]
		if row.used == 0 {
			assert.Truef(t, l.Throttling != figure.Limited, "%s: a limit at %v; want none told", row.name, l.Rate)
			continue
		}
		assert.Truef(t, l.Throttling == figure.Limited && l.Used == row.used && l.Rate == row.rate && l.OnTime == row.onTime,
			"%s: %s at %v of %d seconds, on time %t; want a limit of %v of %d, %t", row.name, l.Throttling, l.Rate, l.Used, l.OnTime, row.rate, row.used, row.onTime)
	}
}

// What a hold offers on is evidence as good as the step's before it.
func TestAHoldIsEvidenceToo(t *testing.T) {
	record := steps(same(10, 500, 500), same(3, 1500, 1000))
	hold := add(record, "peak", same(4, 1500, 1000)...)
	hold.Reported = false
	if l := figure.NewFigures(record).Ladders()[0]; l.Throttling != figure.Limited || l.Seconds != 5 || len(l.Steps) != 2 {
		t.Errorf("a hold behind two seconds of evidence: %s in %d seconds of %d steps; want a limit in 5 of 2", l.Throttling, l.Seconds, len(l.Steps))
	}
	hold.Rate = 0
	assert.Equal(t, figure.Brief, figure.NewFigures(record).Ladders()[0].Throttling, "a phase that offers nothing on")
}

func TestStretchesOfLoadAreJudgedApart(t *testing.T) {
	record := steps(same(10, 500, 500), same(10, 1500, 1000))
	add(record, "calm", same(10, 800, 800)...)
	if v := figure.NewFigures(record).Named("saturation"); !v.Known || v.Value != 1000 || v.Count != 9 {
		t.Errorf("saturation beside a calm stretch = %+v; want 1,000 of nine seconds", v)
	}
	v := figure.NewFigures(record).Value(parsed(t, "saturation(calm)"))
	assert.Falsef(t, v.Known, "saturation of the calm stretch = %+v; want none", v)
	add(record, "later", same(10, 2000, 1200)...)
	if v := figure.NewFigures(record).Named("saturation"); v.Known || v.Why != "limits of parts of the load differ, 1000 and 1200 entities/s" {
		t.Errorf("saturation of two limits = %+v; want that they differ", v)
	}
	v = figure.NewFigures(record).Value(parsed(t, "saturation(later)"))
	assert.Truef(t, v.Known && v.Value == 1200, "saturation of the later one = %+v; want 1,200", v)
	closed := add(record, "closed", same(10, 2000, 1200)...)
	closed.Rate = 0
	assert.Len(t, figure.NewFigures(record).Ladders(), 3, "ladders beside a closed loop")
	hold := add(record, "hold", same(10, 2000, 1200)...)
	hold.Reported = false
	assert.Len(t, figure.NewFigures(record).Ladders(), 3, "ladders beside a hold")
}

// The seconds of a ladder lie whole within its steps, after the first of each.
func TestSecondsOfALadderAreWhole(t *testing.T) {
	for _, row := range []struct {
		name     string
		change   func(*results.Record)
		from, to int64
		seconds  int
	}{
		{"from 11 on, without second 10", func(*results.Record) {}, 11, 20, 9},
		{"a step that begins within a second loses the whole one after it", func(r *results.Record) { r.Phases[1].Begin += time.Second / 2 }, 12, 20, 8},
		{"one that ends within a second loses that", func(r *results.Record) { r.Phases[1].End -= time.Second / 2 }, 11, 19, 8},
		{"an interrupted one ends with the run", func(r *results.Record) { r.Duration = 15500 * time.Millisecond }, 11, 15, 4},
	} {
		record := steps(same(10, 500, 500), same(10, 1500, 1000))
		row.change(record)
		l := figure.NewFigures(record).Ladders()[0]
		assert.Equal(t, []any{row.from, row.to, row.seconds}, []any{l.From, l.To, l.Seconds}, row.name)
	}
}

// Of seconds alone, such as a server saw of a partition, it is what was due in them and not
// served that tells a limit from retries that get through.
func TestThrottlingOfSecondsWithoutSteps(t *testing.T) {
	for _, row := range []struct {
		name              string
		offered, ok, busy []int64
		kind              figure.Throttling
	}{
		{"nothing is throttled", []int64{100, 100, 100}, []int64{100, 100, 100}, []int64{0, 0, 0}, figure.Unthrottled},
		{"a limit", []int64{150, 170, 160}, []int64{100, 100, 100}, []int64{50, 70, 60}, figure.Limited},
		{"as much is served in the end, whatever was throttled first", []int64{100, 100, 100}, []int64{100, 100, 100}, []int64{50, 70, 60}, figure.Carried},
		{"a tenth of whatever is asked", []int64{100, 200, 400, 800}, []int64{90, 180, 360, 720}, []int64{10, 20, 40, 80}, figure.Sporadic},
		{"two seconds of many", []int64{100, 100, 100, 100}, []int64{100, 50, 50, 100}, []int64{0, 50, 50, 0}, figure.Brief},
	} {
		var rows []results.Interval
		for i := range row.offered {
			rows = append(rows, results.Interval{Second: int64(i), Counts: results.Counts{Attempts: row.ok[i] + row.busy[i], Ok: row.ok[i], Throttled: row.busy[i],
				Offered: row.offered[i], Served: row.ok[i]}})
		}
		if met := figure.LadderOfSeconds(rows); met.Throttling != row.kind || (met.Saturation().Why == "") != (row.kind == figure.Limited) {
			t.Errorf("%s: Met = %s, for %q; want %s", row.name, met.Throttling, met.Saturation().Why, row.kind)
		}
	}
}

// drawn is a run over partitions, and what each of them had in each of the run's seconds,
// added up as its attempts are told.
type drawn struct {
	recorder        *results.Recorder
	folder          *results.Memory
	phases          []results.Phase
	offered, served []map[[2]string]map[time.Duration]int64
}

// recorded begins a run with phases of so many seconds, one after the other.
func recorded(t *testing.T, seconds ...int) *drawn {
	t.Helper()
	d := &drawn{folder: new(results.Memory)}
	d.recorder = resultstest.Open(t, d.folder, manifest())
	begin := time.Duration(0)
	for i, n := range seconds {
		phase := results.Phase{Name: fmt.Sprintf("phase-%d", i), Begin: begin, End: begin + time.Duration(n)*time.Second, Rate: 1, Reported: true}
		d.recorder.Phase(phase)
		begin = phase.End
		d.phases = append(d.phases, phase)
		d.offered = append(d.offered, make(map[[2]string]map[time.Duration]int64))
		d.served = append(d.served, make(map[[2]string]map[time.Duration]int64))
	}
	return d
}

// operation is due at an instant, on a partition, for so many entities. It is throttled
// first where a retry is to succeed that much later.
func (d *drawn) operation(due time.Duration, of [2]string, entities int64, retry time.Duration) {
	phase := d.at(due)
	a := results.Attempt{Phase: phase, Kind: 1, Intended: due, Sent: due, Done: due + time.Millisecond, Class: results.Ok, Entities: entities,
		Counted: entities, HasPartition: true, Table: of[0], PartitionKey: of[1]}
	if retry > 0 {
		a.Class, a.Counted = results.Throttled, 0
		d.recorder.Attempt(&a)
		a.Class, a.Counted, a.Try, a.Retry, a.Done = results.Ok, entities, 1, true, due+retry
	}
	d.recorder.Attempt(&a)
	tally(d.offered[phase], of, due-d.phases[phase].Begin, entities)
	if ended := d.at(a.Done); ended >= 0 {
		tally(d.served[ended], of, a.Done-d.phases[ended].Begin, entities)
	}
}

func tally(all map[[2]string]map[time.Duration]int64, of [2]string, at time.Duration, entities int64) {
	if all[of] == nil {
		all[of] = make(map[time.Duration]int64)
	}
	all[of][at/time.Second] += entities
}

// at returns the phase of an instant, −1 beyond the last.
func (d *drawn) at(instant time.Duration) int {
	for i, phase := range d.phases {
		if instant < phase.End {
			return i
		}
	}
	return -1
}

// truth returns the greatest second and the greatest mean of a partition in the phases.
func (d *drawn) truth(all []map[[2]string]map[time.Duration]int64, phases ...int) (second, mean float64) {
	for _, p := range phases {
		for _, seconds := range all[p] {
			sum := int64(0)
			for _, entities := range seconds {
				sum += entities
				second = max(second, float64(entities))
			}
			mean = max(mean, float64(sum)/d.phases[p].Seconds())
		}
	}
	return second, mean
}

func (d *drawn) figures(t *testing.T) *figure.Figures {
	t.Helper()
	resultstest.Finish(t, d.recorder, d.phases[len(d.phases)-1].End)
	return figure.NewFigures(resultstest.Read(t, d.folder))
}

// same holds what is told of the hottest partition, of the run and of each phase, against
// what the attempts add up to. It returns how many of the figures are told; of the others
// is known that they are at least what the named partitions had.
func (d *drawn) same(t *testing.T, name string, figures *figure.Figures) (told int) {
	t.Helper()
	for scope := -1; scope < len(d.phases); scope++ {
		phases, of, alone := []int{scope}, ", phase-"+fmt.Sprint(scope), "(phase-"+fmt.Sprint(scope)+")"
		if scope < 0 {
			phases, of, alone = nil, "", ""
			for p := range d.phases {
				phases = append(phases, p)
			}
		}
		offered, meanOffered := d.truth(d.offered, phases...)
		served, meanServed := d.truth(d.served, phases...)
		for text, want := range map[string]float64{"offered(hottest" + of + ")": offered, "served(hottest" + of + ")": served,
			"mean_offered" + alone: meanOffered, "mean_served" + alone: meanServed} {
			got := figures.Value(parsed(t, text))
			switch {
			case got.Known && math.Abs(got.Value-want) > 1e-9*want, !got.Known && (!got.AtLeast || got.Value > want*(1+1e-9)):
				t.Errorf("%s: %s = %+v; want %v", name, text, got, want)
			case got.Known:
				told++
			}
		}
	}
	return told
}

// What is told of the hottest partition is what the attempts add up to, whichever
// partitions had bursts and which a steady load.
func TestHottestPartitionIsWhatTheAttemptsAddUpTo(t *testing.T) {
	for seed := range uint64(resultstest.Cases(5, 200)) {
		random := rand.New(rand.NewPCG(seed, 21))
		d := recorded(t, 2+random.IntN(8), 2+random.IntN(8))
		for key := range 1 + random.IntN(60) {
			of := [2]string{[]string{"", "ByState"}[random.IntN(2)], fmt.Sprint(key)}
			for p, phase := range d.phases {
				whole := int(phase.Seconds())
				steady, burst := 1+random.Int64N(40), int64(0)
				if random.IntN(2) == 0 {
					steady, burst = 0, 20+random.Int64N(200)
				}
				for second := range whole {
					due := phase.Begin + time.Duration(second)*time.Second + time.Duration(random.Int64N(int64(990*time.Millisecond)))
					retry := time.Duration(max(0, random.IntN(4)-2)) * time.Duration(1+random.IntN(3000)) * time.Millisecond
					if steady > 0 && random.IntN(8) > 0 {
						d.operation(due, of, steady, retry)
					}
					if burst > 0 && second == (key+p)%whole {
						d.operation(due, of, burst, retry)
					}
				}
			}
		}
		// Whatever the draw, every phase has something that is served within it.
		for _, phase := range d.phases {
			d.operation(phase.Begin, [2]string{"", "always"}, 1, 0)
		}
		assert.Equalf(t, 12, d.same(t, fmt.Sprint("seed ", seed), d.figures(t)), "seed %d: figures that are told", seed)
		if t.Failed() {
			return
		}
	}
}

// Of partitions beyond those that are told apart only a bound is known, unless they had
// too little together to matter.
func TestHottestBeyondThePartitionsToldApart(t *testing.T) {
	for _, row := range []struct {
		name       string
		late, told int
	}{
		{"one entity each, fewer than the hottest had in a second", 20, 8},
		{"more together than the hottest had in a second, not than in the phase", 60, 4},
		{"more together than the hottest had in the phase", 600, 0},
	} {
		d := recorded(t, 4)
		for second := range 4 {
			d.operation(time.Duration(second)*time.Second, [2]string{"", "hot"}, 50, 0)
		}
		for key := range 9_999 + row.late {
			d.operation(0, [2]string{"", strings.Repeat("x", key%3) + fmt.Sprint(key)}, 1, 0)
		}
		assert.Equalf(t, row.told, d.same(t, row.name, d.figures(t)), "%s: figures of 8 that are told", row.name)
	}
}

// A record in which only the busiest seconds chose the partitions tells no mean of more
// than those.
func TestMeansOfARecordThatNamesOnlyTheBusiest(t *testing.T) {
	record := kept(t)
	for hit, want := range map[int64]bool{2: true, 10: true, 11: false} {
		record.Phases[1].PartitionsHit = hit
		for _, text := range []string{"mean_offered", "mean_served"} {
			if got := figure.NewFigures(record).Value(parsed(t, text)); got.Known != want || !got.Known && !got.AtLeast {
				t.Errorf("%s of %d partitions, 2 of them named, = %+v; want it told: %v", text, hit, got, want)
			}
		}
	}
}
