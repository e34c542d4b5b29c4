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
	"loadgen/results/figure"
	"loadgen/results/resultstest"
)

const milli = time.Millisecond

// healthy is a run of a hundred seconds at 100 operations/s whose generator had
// all that it needs: half of its two cores, six of its sixteen workers free, and ten
// times the ceiling.
func healthy(t *testing.T) *results.Record {
	t.Helper()
	return afresh((&run{manifest: manifest(), serves: 2000, rates: []int{100}, seconds: 100}).record(t))
}

// afresh returns a copy of a healthy run that may be altered.
func afresh(played *results.Record) *results.Record {
	copied := *played
	record := &copied
	record.Intervals, record.Phases = slices.Clone(record.Intervals), slices.Clone(record.Phases)
	record.Phases[0].Kinds = slices.Clone(record.Phases[0].Kinds)
	free := int64(6)
	record.Generator = &results.Generator{Cores: 2, Workers: 16, CPUKnown: true, Seconds: 100, LeastFree: &free,
		Ceiling: &results.Ceiling{Lanes: 16, Operations: 1000, Took: time.Second, CPU: time.Second}}
	for i := range record.Intervals {
		record.Intervals[i].Generator = &results.Health{Second: int64(i), Lasted: time.Second, CPU: time.Second, FreeWorkers: &free,
			RunQueue: new(100 * milli), Pressure: new(100 * milli)}
	}
	return record
}

// change is what befell a second.
type change func(*results.Interval, *results.Health)

// plant changes so many of the record's seconds from one on; each of them is late with
// two of its hundred operations.
func plant(record *results.Record, from, seconds int, do change) {
	for i := from; i < from+seconds; i++ {
		row := &record.Intervals[i]
		changed := *row.Generator
		row.Generator, row.Late = &changed, 2
		record.Phases[0].Kinds[1].Late += 2
		do(row, row.Generator)
	}
}

func queueing(wait time.Duration) change {
	return func(_ *results.Interval, h *results.Health) { h.RunQueue = &wait }
}

func starving(of time.Duration) change {
	return func(_ *results.Interval, h *results.Health) { h.Starved = of }
}

// unanswered has a second hold one stretch in which so many attempts waited.
func unanswered(from, to time.Duration, waiting int64) change {
	return func(_ *results.Interval, h *results.Health) {
		h.Unanswered = []results.Stretch{{From: from, To: to, Waiting: waiting}}
	}
}

// all does one change after the other.
func all(changes ...change) change {
	return func(row *results.Interval, h *results.Health) {
		for _, do := range changes {
			do(row, h)
		}
	}
}

// causes are the seconds that have one but [verdict.OnTime].
func causes(strains []verdict.Strain) map[int64]verdict.Cause {
	found := make(map[int64]verdict.Cause)
	for _, one := range strains {
		if one.Cause != verdict.OnTime {
			found[one.Second] = one.Cause
		}
	}
	return found
}

func TestCauseOfEachSecond(t *testing.T) {
	played := healthy(t)
	cpu := func(d time.Duration) change { return func(_ *results.Interval, h *results.Health) { h.CPU = d } }
	still := func(d time.Duration) change { return func(_ *results.Interval, h *results.Health) { h.StoodStill = d } }
	gc := func(d time.Duration) change { return func(_ *results.Interval, h *results.Health) { h.GCCPU = d } }
	pause := func(d time.Duration) change {
		return func(_ *results.Interval, h *results.Health) { h.LongestPause = d }
	}
	pressed := func(d time.Duration) change { return func(_ *results.Interval, h *results.Health) { h.Pressure = &d } }
	silentSystem := func(_ *results.Interval, h *results.Health) { h.RunQueue, h.Pressure = nil, nil }
	service := func(us int64) change { return func(row *results.Interval, _ *results.Health) { row.Service.P50 = &us } }
	nothing := func(*results.Interval, *results.Health) {}
	for _, row := range []struct {
		sentence string
		do       change
		want     verdict.Cause
	}{
		{"late without any evidence", nothing, verdict.Unexplained},
		{"one of a hundred late is on time, whatever else", all(queueing(time.Second), func(r *results.Interval, _ *results.Health) { r.Late = 1 }), verdict.OnTime},
		{"nothing of what was due was sent", all(starving(time.Second), func(r *results.Interval, _ *results.Health) { r.Late, r.Sent = 0, 0 }), verdict.TooFewWorkers},
		{"one in twenty was sent in the next second", all(queueing(time.Second), func(r *results.Interval, _ *results.Health) { r.Late, r.Sent = 0, 95 }), verdict.OnTime},
		{"one more was", all(queueing(time.Second), func(r *results.Interval, _ *results.Health) { r.Late, r.Sent = 0, 94 }), verdict.RunQueue},
		{"its threads waited a tenth of the time of two cores", queueing(200 * milli), verdict.RunQueue},
		{"they waited for less", queueing(199 * milli), verdict.Unexplained},
		{"all of its CPU", cpu(1900 * milli), verdict.OwnCeiling},
		{"all of its CPU explains that threads wait", all(cpu(1900*milli), queueing(time.Second)), verdict.OwnCeiling},
		{"a little less than all of it", cpu(1890 * milli), verdict.Unexplained},
		{"an attempt costs so much that what was due asks for more than two cores",
			all(cpu(1200*milli), queueing(time.Second), func(r *results.Interval, _ *results.Health) { r.Scheduled, r.Sent, r.Late = 200, 100, 9 }), verdict.OwnCeiling},
		{"more attempts than four fifths of what it sends flat out", func(r *results.Interval, h *results.Health) { r.Attempts, h.CPU = 801, time.Second },
			verdict.OwnCeiling},
		{"four fifths of it", func(r *results.Interval, h *results.Health) { r.Attempts, h.CPU = 800, time.Second }, verdict.Unexplained},
		{"a stalled second in which little was sent, dearly",
			func(r *results.Interval, h *results.Health) {
				r.Scheduled, r.Attempts, r.Sent, h.CPU = 100, 5, 5, 300*milli
			}, verdict.Unexplained},
		{"that others compute explains a low ceiling", all(queueing(300*milli), func(r *results.Interval, h *results.Health) { r.Attempts = 900 }), verdict.RunQueue},
		{"the collector took a quarter of two cores", gc(500 * milli), verdict.Collecting},
		{"it took them of a process that used all", all(gc(600*milli), cpu(2*time.Second)), verdict.Collecting},
		{"it stopped all for ten milliseconds", pause(10 * milli), verdict.Collecting},
		{"it stopped all for as long because it had no CPU", all(pause(10*milli), queueing(time.Second)), verdict.RunQueue},
		{"it stopped all for less", pause(9 * milli), verdict.Unexplained},
		{"something due and nobody free for a tenth of the second", starving(100 * milli), verdict.TooFewWorkers},
		{"nobody free for a moment, because others computed", all(starving(99*milli), queueing(time.Second)), verdict.RunQueue},
		{"nobody free for a moment, and no other evidence", starving(milli), verdict.TooFewWorkers},
		{"nobody free because replies took three times as long while others computed",
			all(starving(time.Second), service(12_000), queueing(time.Second)), verdict.RunQueue},
		{"nobody free because the target took three times as long", all(starving(time.Second), service(12_000)), verdict.TargetQueues},
		{"for less than half of the second", all(starving(499*milli), service(12_000)), verdict.TooFewWorkers},
		{"nobody free because it took ten times as long, whatever others computed", all(starving(time.Second), service(50_000), queueing(time.Second)), verdict.TargetQueues},
		{"the target answered nothing, and nobody was free",
			all(starving(600*milli), unanswered(50*time.Second, 50*time.Second+600*milli, 16)), verdict.TargetSilent},
		{"it answered nothing, and others computed, too",
			all(starving(600*milli), queueing(time.Second), unanswered(50*time.Second, 50*time.Second+600*milli, 16)), verdict.TargetSilent},
		{"it answered nothing, and somebody was free: no reason to be late",
			all(queueing(time.Second), unanswered(50*time.Second, 50*time.Second+600*milli, 10)), verdict.RunQueue},
		{"it answered nothing for too short a time", all(starving(600*milli), unanswered(50*time.Second, 50*time.Second+199*milli, 16)), verdict.TooFewWorkers},
		{"it answered nothing to three", all(starving(600*milli), unanswered(50*time.Second, 50*time.Second+600*milli, 3)), verdict.TooFewWorkers},
		{"the process was not run, and nobody says why", all(still(20*milli), silentSystem), verdict.StoodStill},
		{"it was not run for a moment", still(19 * milli), verdict.Unexplained},
		{"somebody waited for a CPU for a fifth of the second", all(silentSystem, pressed(200*milli)), verdict.Pressure},
		{"pressure, and the process was not run", all(silentSystem, pressed(200*milli), still(300*milli)), verdict.Pressure},
		{"less pressure", all(silentSystem, pressed(199*milli)), verdict.Unexplained},
		{"nobody looked", func(r *results.Interval, _ *results.Health) { r.Generator = nil }, verdict.Unexplained},
	} {
		record := afresh(played)
		plant(record, 50, 1, row.do)
		strains := verdict.Strains(record)
		want := map[int64]verdict.Cause{50: row.want}
		if row.want == verdict.OnTime {
			want = map[int64]verdict.Cause{}
		}
		assert.Len(t, strains, 100, row.sentence)
		assert.Equal(t, want, causes(strains), row.sentence)
	}
}

// At 10 ms each, a hundred operations and ninety more, left from the second before, want all of
// two cores; and what it sends on time is no ceiling, whatever it sent flat out before.
func TestCeilingIsThatOfTheRun(t *testing.T) {
	played := healthy(t)
	for backlog, want := range map[int64]verdict.Cause{80: verdict.RunQueue, 90: verdict.OwnCeiling} {
		record := afresh(played)
		plant(record, 49, 1, all(queueing(time.Second), func(r *results.Interval, _ *results.Health) { r.Scheduled += backlog }))
		plant(record, 50, 1, queueing(time.Second))
		assert.Equalf(t, want, causes(verdict.Strains(record))[50], "with %d left from before", backlog)
	}
	record := afresh(played)
	record.Generator.Ceiling.Operations = 100
	plant(record, 50, 1, func(*results.Interval, *results.Health) {})
	plant(record, 60, 1, func(r *results.Interval, _ *results.Health) { r.Attempts++ })
	assert.Equal(t, map[int64]verdict.Cause{50: verdict.Unexplained, 60: verdict.OwnCeiling}, causes(verdict.Strains(record)))
}

func TestWhatASecondLeavesBehindHasItsCause(t *testing.T) {
	record := healthy(t)
	nothing := func(*results.Interval, *results.Health) {}
	plant(record, 20, 1, queueing(time.Second))
	plant(record, 21, 2, nothing)
	plant(record, 40, 1, nothing)
	// Three seconds of silence; sixteen workers take as long again to make up for it.
	for i := range 3 {
		second := time.Duration(60+i) * time.Second
		plant(record, 60+i, 1, all(starving(time.Second), unanswered(second, second+time.Second, 16)))
	}
	plant(record, 63, 4, starving(500*milli))
	plant(record, 67, 1, starving(500*milli))
	got := causes(verdict.Strains(record))
	want := map[int64]verdict.Cause{20: verdict.RunQueue, 21: verdict.RunQueue, 22: verdict.RunQueue, 40: verdict.Unexplained,
		60: verdict.TargetSilent, 61: verdict.TargetSilent, 62: verdict.TargetSilent, 63: verdict.TargetSilent, 64: verdict.TargetSilent,
		65: verdict.TargetSilent, 66: verdict.TargetSilent, 67: verdict.TooFewWorkers}
	assert.Equal(t, want, got)
	assert.Equal(t, []string{"60.0 63.0"}, numbersOf([]string{fmt.Sprint(verdict.Silences(record))}), "silences")
	assert.Equal(t, []string{"12 100 7 3 1 1"}, numbersOf([]string{verdict.Lateness(verdict.Strains(record))}), "lateness")
	assert.Empty(t, verdict.Lateness(verdict.Strains(healthy(t))), "Lateness of a healthy run")
	step := verdict.StrainedIn(figure.Steps(record)[0], verdict.Strains(record))
	assert.Truef(t, step.Seconds == 100 && step.Late == 5 && step.Cause == verdict.RunQueue,
		"Strain of the step = %+v; want 5 of 100 seconds late by the generator, mostly for want of a CPU", step)
	minute := healthy(t)
	plant(minute, 20, 1, queueing(time.Second))
	minute.Intervals[20].Sum = &results.SecondsSum{Length: 60, NotOnTime: 7}
	assert.Equal(t, []string{"7 159 7"}, numbersOf([]string{verdict.Lateness(verdict.Strains(minute))}), "lateness in a minute")
}

// A target whose replies mostly take seconds is silent only where it is so for longer.
func TestSlowTargetIsNotSilent(t *testing.T) {
	record := healthy(t)
	for i := range record.Intervals {
		record.Intervals[i].Service.Max = new(int64(1_000_000))
	}
	plant(record, 50, 1, unanswered(50*time.Second, 51*time.Second, 16))
	plant(record, 51, 1, unanswered(51*time.Second, 52*time.Second, 16))
	assert.Len(t, verdict.Silences(record), 0, "Silences of 2 s where a reply takes 1 s")
	plant(record, 52, 1, unanswered(52*time.Second, 53*time.Second, 16))
	assert.Len(t, verdict.Silences(record), 1, "Silences of 3 s where a reply takes 1 s")
}

func TestClientSaturationsNeedEnoughSeconds(t *testing.T) {
	played := healthy(t)
	late := func(seconds int, operations int64) func(*results.Record) {
		return func(r *results.Record) {
			plant(r, 50, seconds, queueing(time.Second))
			r.Phases[0].Kinds[1].Late = operations
		}
	}
	for _, row := range []struct {
		sentence string
		do       func(*results.Record)
		// reasons are the seconds of each cause.
		reasons []string
	}{
		{"three seconds of a hundred, with more than a hundredth of the operations", late(3, 101), []string{"3 100"}},
		{"one second", late(1, 101), nil},
		{"a hundredth of the operations", late(3, 100), nil},
		{"two causes, the commoner one first", func(r *results.Record) {
			plant(r, 10, 2, starving(time.Second))
			late(40, 101)(r)
		}, []string{"40 100", "2 100"}},
		{"a target that answered nothing is not the generator's limit", func(r *results.Record) {
			for i := range 5 {
				second := time.Duration(50+i) * time.Second
				plant(r, 50+i, 1, all(starving(time.Second), unanswered(second, second+time.Second, 16)))
			}
			r.Phases[0].Kinds[1].Late = 500
		}, nil},
		{"nobody looked", func(r *results.Record) {
			late(3, 101)(r)
			r.Generator = nil
		}, nil},
	} {
		record := afresh(played)
		row.do(record)
		got := verdict.Judge(record)
		assert.Equal(t, results.Valid, got.Validity, row.sentence)
		assert.Equal(t, row.reasons, numbersOf(got.ClientLimited), row.sentence)
	}
}

// A rate holds that was sent within 100 ms of when it was due, though its response times are
// the generator's in part, and say so.
func TestWhatIsAFewMillisecondsLateHolds(t *testing.T) {
	record := unhurt(healthy(t))
	record.Manifest.Checks = []string{"throttled < 1%", "p50 < 1us"}
	plant(record, 1, 100, all(queueing(time.Second), func(r *results.Interval, _ *results.Health) {
		r.Lag.P99 = new(results.HeldBackAfter.Microseconds())
	}))
	s := verdict.Judge(record)
	phase := s.Phases[0]
	if phase.Holds == nil || !*phase.Holds || !phase.ClientLimited || len(s.ClientLimited) != 1 || !s.Checks[0].Holds() || s.Checks[1].Told() ||
		!strings.Contains(story(record), "HOLDS 100 operations/s") {
		t.Errorf("it holds %v (%s), limited by the generator %t for %q, checks %+v: %s; want that it holds, with response times that are not told",
			phase.Holds, phase.Why, phase.ClientLimited, s.ClientLimited, s.Checks, story(record))
	}
}

// Random seconds with one kind of evidence each, in random places, are told by it.
func TestCausesOfRandomSeconds(t *testing.T) {
	played := healthy(t)
	for seed := range uint64(resultstest.Cases(8, 40)) {
		rng := rand.New(rand.NewPCG(seed, 21))
		record, want := afresh(played), make(map[int64]verdict.Cause)
		for at := 2 + rng.IntN(9); at < 99; at += 2 + rng.IntN(9) {
			more := func(least time.Duration) time.Duration { return least + time.Duration(rng.Int64N(int64(time.Second))) }
			do, cause := change(nil), verdict.Cause(1+rng.IntN(9))
			switch cause {
			case verdict.Unexplained:
				do = queueing(time.Duration(rng.Int64N(int64(200 * milli))))
			case verdict.TargetSilent:
				begin := time.Duration(at) * time.Second
				do = all(starving(1+time.Duration(rng.Int64N(int64(time.Second)))), queueing(more(0)), unanswered(begin, begin+200*milli+time.Duration(rng.Int64N(int64(800*milli))), 16))
				at += 2 // what comes right after it may be its own
			case verdict.TargetQueues:
				do = func(r *results.Interval, h *results.Health) {
					h.Starved, h.RunQueue, r.Service.P50 = 500*milli+time.Duration(rng.Int64N(int64(500*milli))), new(more(0)), new(int64(50_000+rng.IntN(1_000_000)))
				}
			case verdict.TooFewWorkers:
				do = all(starving(min(time.Second, more(100*milli))), queueing(more(0)))
			case verdict.Collecting:
				do = func(_ *results.Interval, h *results.Health) { h.GCCPU, h.RunQueue = more(500*milli), new(more(0)) }
			case verdict.OwnCeiling:
				do = func(_ *results.Interval, h *results.Health) { h.CPU, h.RunQueue = more(1900*milli), new(more(0)) }
			case verdict.RunQueue:
				do = func(_ *results.Interval, h *results.Health) { h.RunQueue, h.StoodStill = new(more(200*milli)), more(0) }
			case verdict.Pressure:
				do = func(_ *results.Interval, h *results.Health) {
					h.RunQueue, h.Pressure, h.StoodStill = nil, new(more(200*milli)), more(0)
				}
			case verdict.StoodStill:
				do = func(_ *results.Interval, h *results.Health) { h.RunQueue, h.StoodStill = nil, more(20*milli) }
			}
			second := at
			if cause == verdict.TargetSilent {
				second -= 2
			}
			if second > 99 {
				break
			}
			plant(record, second, 1, do)
			want[int64(second)] = cause
		}
		got := causes(verdict.Strains(record))
		for second := range int64(101) {
			assert.Equalf(t, want[second], got[second], "seed %d, second %d", seed, second)
		}
	}
}
