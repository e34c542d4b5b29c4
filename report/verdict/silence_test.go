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
)

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
		{"three seconds of silence", 0, 3, 0, false, silence, "", "3.0 %|the target answered nothing"},
		{"of which operations were never sent", 0, 3, 7, false, "", "", "the target answered nothing"},
		{"three seconds without a CPU", 3, 0, 0, true, own, "3.0 100", "3.0 %|by the generator"},
		{"of which operations were never sent", 3, 0, 7, true, own, "7 10007", "3.0 %|by the generator"},
		{"one beside a silence", 1, 3, 0, true, silence, "", "the target answered nothing"},
		{"two beside a silence", 2, 3, 0, true, silence, "2.0 100", "2.0 %|by the generator"},
		{"three beside a silence of which operations were never sent", 3, 2, 7, true, own, "3.0 100", "3.0 %|by the generator"},
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
		assert.Truef(t, phase.ClientLimited == row.limited && times.Told() != row.limited && strings.Contains(phase.Why, row.why) && (phase.Why == "") == (row.why == ""),
			"%s: limited by the generator %t, cannot be told for %q; want %t, %q", row.sentence, phase.ClientLimited, phase.Why, row.limited, row.why)
		if little.Told() || !strings.Contains(little.Why, row.why) || peak.Told() != (row.why == "") || row.why == "" && s.PeakState != results.DoesNotHold {
			t.Errorf("%s: that little was throttled is told: %t, %q, and of the peak: %t, %s; want that nothing is but what was lost, for %q",
				row.sentence, little.Told(), little.Why, peak.Told(), s.PeakState, row.why)
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
		if s.Checks[0].Told() != sent || !s.Checks[1].Fails() {
			t.Errorf("seed %d: that little was throttled %s, that much was %s; want it told %t, and that it fails", seed, s.Checks[0].Said(), s.Checks[1].Said(), sent)
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
