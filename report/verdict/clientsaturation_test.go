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
	if phase.Holds == nil || !*phase.Holds || !phase.ClientLimited || len(s.ClientLimited) != 1 || !s.Checks[0].Holds() || s.Checks[1].IsJudged() ||
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

// behind has all of a planted second's hundred operations be sent 200 ms late, and so many
// more be due in it that were never sent.
func behind(record *results.Record, at int, dropped int64, do change) {
	plant(record, at, 1, do)
	row, kind := &record.Intervals[at], &record.Phases[0].Kinds[1]
	kind.Late += 100 - row.Late
	row.Late, row.Lag.P99 = 100, new((2 * results.HeldBackAfter).Microseconds())
	for range 100 {
		record.Lag.Record(2 * results.HeldBackAfter)
	}
	row.Scheduled, row.Dropped = row.Scheduled+dropped, row.Dropped+dropped
	kind.Scheduled, kind.Dropped = kind.Scheduled+dropped, kind.Dropped+dropped
	if at > 50 {
		kind.LastHalf.Scheduled += dropped
	}
}

// silent is a second in which the target answered nothing, and no worker was free.
func silent(at int) change {
	second := time.Duration(at) * time.Second
	return all(starving(time.Second), unanswered(second, second+time.Second, 16))
}

// unhurt is a healthy record whose lags are known to be none.
func unhurt(played *results.Record) *results.Record {
	record := afresh(played)
	record.Lag = results.NewHistogram()
	return record
}

// A step of which a part was sent late is the generator's doing only where a late second of
// it is: what waited for a silent target spoils no response time, counts as held back and as
// dropped by nobody, and is what the verdict names.
func TestWhatWaitedForTheTargetIsNotTheGenerators(t *testing.T) {
	played := healthy(t)
	cpu := func(int) change { return queueing(time.Second) }
	const silence, own = "50.0 to 5", "the generator"
	for _, row := range []struct {
		sentence string
		// strained and silent are the held back seconds, dropped is how many were never sent
		// of the last of them.
		strained, silent int
		dropped          int64
		// limited says that the phase is the generator's, why why it cannot be told whether it
		// holds, blamed and found what is said of the operations.
		limited            bool
		why, blamed, found string
	}{
		{"three seconds of silence", 0, 3, 0, false, silence, "", "3.0%|the target answered nothing"},
		{"of which operations were never sent", 0, 3, 7, false, "", "", "the target answered nothing"},
		{"three seconds without a CPU", 3, 0, 0, true, own, "3.0 100", "3.0%|by the generator"},
		{"of which operations were never sent", 3, 0, 7, true, own, "7 10007", "3.0%|by the generator"},
		{"one beside a silence", 1, 3, 0, true, silence, "", "the target answered nothing"},
		{"two beside a silence", 2, 3, 0, true, silence, "2.0 100", "2.0%|by the generator"},
		{"three beside a silence of which operations were never sent", 3, 2, 7, true, own, "3.0 100", "3.0%|by the generator"},
	} {
		record := unhurt(played)
		record.Manifest.Checks, record.Manifest.PeakAsked = []string{"throttled < 1%", "p50 < 1us"}, 100
		for i := range row.strained {
			last := i == row.strained-1 && row.silent == 0
			behind(record, 20+i, row.dropped*count(last), cpu(0))
		}
		for i := range row.silent {
			behind(record, 50+i, row.dropped*count(i == row.silent-1), silent(50+i))
		}
		s := verdict.Judge(record)
		phase, peak, little, times := s.Phases[0], s.Checks[0], s.Checks[1], s.Checks[2]
		assert.Truef(t, phase.ClientLimited == row.limited && times.IsJudged() != row.limited && strings.Contains(phase.Why, row.why) && (phase.Why == "") == (row.why == ""),
			"%s: limited by the generator %t, cannot be told for %q; want %t, %q", row.sentence, phase.ClientLimited, phase.Why, row.limited, row.why)
		if little.IsJudged() || !strings.Contains(little.Why, row.why) || peak.IsJudged() != (row.why == "") || row.why == "" && s.PeakState != results.DoesNotHold {
			t.Errorf("%s: that little was throttled is told: %t, %q, and of the peak: %t, %s; want that nothing is but what was lost, for %q",
				row.sentence, little.IsJudged(), little.Why, peak.IsJudged(), s.PeakState, row.why)
		}
		said := strings.Join(s.ClientLimited, "; ")
		blamed := strings.Contains(said, " dropped ") || strings.Contains(said, "100 ms late")
		assert.Truef(t, blamed == (row.blamed != "") && (!blamed || slices.Contains(numbersOf(s.ClientLimited), row.blamed)),
			"%s: the generator is blamed for %q; want %q", row.sentence, said, row.blamed)
		checkSentences(t, row.sentence, findings(record), row.found)
		assert.Containsf(t, story(record), row.why, "%s: the verdict", row.sentence)
	}
}

// A stall of the process cuts a silence in two: the longer part is named.
func TestTheLongestSilenceIsNamed(t *testing.T) {
	record := unhurt(healthy(t))
	at := func(ms int) time.Duration { return 50*time.Second + time.Duration(ms)*milli }
	for second := 50; second < 53; second++ {
		behind(record, second, 0, all(starving(time.Second), func(_ *results.Interval, h *results.Health) {
			if second == 50 {
				h.Unanswered = []results.Stretch{{From: at(0), To: at(250), Waiting: 16}, {From: at(300), To: at(900), Waiting: 16}, {From: at(950), To: at(990), Waiting: 16}}
			}
		}))
	}
	const want = "the target answered nothing from 50.3 to 50.9 s"
	assert.Equal(t, want, verdict.Judge(record).Phases[0].Why, "whether it holds cannot be told for")
}

// count is 1 for what is so.
func count(so bool) int64 {
	if so {
		return 1
	}
	return 0
}

// Drawn silences and strains, each second of which is late for a cause that is known: what
// is said of the phase, and of the generator, follows from the counts of either; a strain
// right behind a silence is the generator's all the same.
func TestDrawnSilencesAndStrains(t *testing.T) {
	played := healthy(t)
	told := make(map[string]int)
	for seed := range uint64(60) {
		rng, record, last := rand.New(rand.NewPCG(seed, 22)), unhurt(played), false
		var own, ownDropped, waited, waitedDropped int64
		for at := 3 + rng.IntN(60); at < 98; at += 1 + rng.IntN(4) + 60*rng.IntN(3) {
			dropped := max(0, rng.Int64N(12)-9)
			if rng.IntN(2) == 0 {
				behind(record, at, dropped, queueing(time.Second))
				own, ownDropped = own+1, ownDropped+dropped
				continue
			}
			for i, length := 0, 1+rng.IntN(2); i < length; i, at = i+1, at+1 {
				behind(record, at, dropped, silent(at))
				waited, waitedDropped = waited+1, waitedDropped+dropped
				last = last || dropped > 0
			}
		}
		want := "holds"
		switch {
		case ownDropped > 0 || own > 2:
			want = "the generator was late"
		case last:
			want = "does not hold"
		case own+waited > 2:
			want = "the target answered nothing"
		}
		record.Manifest.Checks = []string{"throttled < 1%", "throttled > 1%"}
		s := verdict.Judge(record)
		sent := ownDropped+waitedDropped == 0 && own+waited <= 2
		if s.Checks[0].IsJudged() != sent || !s.Checks[1].Fails() {
			t.Errorf("seed %d: that little was throttled %s, that much was %s; want it told %t, and that it fails", seed, s.Checks[0].Observation(), s.Checks[1].Observation(), sent)
		}
		got := s.Phases[0].Why
		if holds := s.Phases[0].Holds; holds != nil {
			got = map[bool]string{true: "holds", false: "does not hold"}[*holds]
		}
		told[want]++
		said := strings.Join(s.ClientLimited, "; ")
		blamed := strings.Contains(said, fmt.Sprintf("the generator dropped %d of", ownDropped))
		late := strings.Contains(said, "100 ms late")
		assert.Truef(t, strings.Contains(got, want) && blamed == (ownDropped > 0) && late == (own > 1) && s.Validity == results.Valid,
			"seed %d: %d late by the generator (%d dropped), %d for the target (%d): %q, of the generator %q; want %q", seed, own, ownDropped, waited, waitedDropped, got, said, want)
	}
	if len(told) != 4 || slices.ContainsFunc([]string{"holds", "does not hold"}, func(s string) bool { return told[s] < 3 }) {
		t.Errorf("drawn were %v; want each of the four", told)
	}
}
