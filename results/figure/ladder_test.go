package figure_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/figure"
)

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
		{"less than 1 % throttled in each second", steps(calm, same(10, 1000, 991)), figure.Unthrottled, 0, 0, 0, 0},
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
		{"seconds that ask for less than a limit grants, and 1 %, are not at it", steps(calm, same(3, 1005, 994), same(4, 1500, 1000)), figure.Limited, 1000, 1000, 1000, 5},
		{"what is served may vary by a twentieth", steps(thrice(60)...), figure.Limited, 1000, 940, 1060, 9},
		{"by a tenth, too, where several rates show it", steps(thrice(130)...), figure.Limited, 1000, 870, 1130, 9},
		{"by a quarter it moves", steps(thrice(300)...), figure.Moving, 0, 0, 0, 9},
	} {
		for _, unit := range []int64{1, 60} {
			lengthen(row.record, unit)
			list := figure.Of(row.record).Ladders()
			require.Lenf(t, list, 1, "%s: Ladders", row.name)
			l, seconds, each := list[0], row.seconds*int(unit), float64(unit)
			assert.Truef(t, l.Throttling == row.kind && l.Seconds == seconds,
				"%s, rows of %d s: %s in %d seconds; want %s in %d", row.name, unit, l.Throttling, l.Seconds, row.kind, seconds)
			v, interval := figure.Of(row.record).Named("saturation"), [2]float64{row.low / each, row.top / each}
			if v.Told != (row.kind == figure.Limited) || v.Value != row.rate/each || v.Told && *v.Interval != interval || !v.Told && v.Why == "" {
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
		{"1 % late is on time", late(same(9, 1500, 1000), .01), 8, 1000, true},
		{"late ones that serve much the same", late(slices.Concat(thrice(10)...), .5), 8, 995, false},
		{"late ones that vary by what a limit may", late(slices.Concat(thrice(60)...), .5), 0, 0, false},
	} {
		l := figure.Of(steps(calm, row.list)).Ladders()[0]
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
	if l := figure.Of(record).Ladders()[0]; l.Throttling != figure.Limited || l.Seconds != 5 || len(l.Steps) != 2 {
		t.Errorf("a hold behind two seconds of evidence: %s in %d seconds of %d steps; want a limit in 5 of 2", l.Throttling, l.Seconds, len(l.Steps))
	}
	hold.Rate = 0
	assert.Equal(t, figure.Brief, figure.Of(record).Ladders()[0].Throttling, "a phase that offers nothing on")
}

func TestStretchesOfLoadAreJudgedApart(t *testing.T) {
	record := steps(same(10, 500, 500), same(10, 1500, 1000))
	add(record, "calm", same(10, 800, 800)...)
	if v := figure.Of(record).Named("saturation"); !v.Told || v.Value != 1000 || v.Count != 9 {
		t.Errorf("saturation beside a calm stretch = %+v; want 1,000 of nine seconds", v)
	}
	v := figure.Of(record).Take(parsed(t, "saturation(calm)"))
	assert.Falsef(t, v.Told, "saturation of the calm stretch = %+v; want none", v)
	add(record, "later", same(10, 2000, 1200)...)
	if v := figure.Of(record).Named("saturation"); v.Told || v.Why != "limits of parts of the load differ, 1000 and 1200 entities/s" {
		t.Errorf("saturation of two limits = %+v; want that they differ", v)
	}
	v = figure.Of(record).Take(parsed(t, "saturation(later)"))
	assert.Truef(t, v.Told && v.Value == 1200, "saturation of the later one = %+v; want 1,200", v)
	closed := add(record, "closed", same(10, 2000, 1200)...)
	closed.Rate = 0
	assert.Len(t, figure.Of(record).Ladders(), 3, "ladders beside a closed loop")
	hold := add(record, "hold", same(10, 2000, 1200)...)
	hold.Reported = false
	assert.Len(t, figure.Of(record).Ladders(), 3, "ladders beside a hold")
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
		l := figure.Of(record).Ladders()[0]
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
		if met := figure.Met(rows); met.Throttling != row.kind || (met.Saturation().Why == "") != (row.kind == figure.Limited) {
			t.Errorf("%s: Met = %s, for %q; want %s", row.name, met.Throttling, met.Saturation().Why, row.kind)
		}
	}
}
