package history_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"loadgen/report/compare"
	"loadgen/report/compare/history"
	"loadgen/results/resultstest"
)

// diary is a nightly job that looks at its history after every night. A night is three
// runs whose medians vary by 3 % from night to night.
type diary struct {
	rng     *rand.Rand
	archive *history.Archive
	nights  int
}

func newDiary(t *testing.T, from *run, seed uint64) *diary {
	d := &diary{rand.New(rand.NewPCG(seed, 44)), archived(t, metrics(t, "p50(get)"), from), 1}
	return d
}

// add adds a night around so many microseconds.
func (d *diary) add(micros float64) {
	middle := micros * (1 + .03*d.rng.NormFloat64())
	for i, beside := range []float64{-0.01, 0, 0.01} {
		d.archive.Again(night(d.nights).Add(time.Duration(i)*time.Hour), middle*(1+beside))
	}
	d.nights++
}

// firstAlarm adds nights around a level, and returns after which of them a step is told,
// 0 for none.
func (d *diary) firstAlarm(t *testing.T, more int, micros float64) int {
	for n := 1; n <= more; n++ {
		d.add(micros)
		if document(t, d.archive).Outcome() == compare.Stepped {
			return n
		}
	}
	return 0
}

// A step of a tenth shows within fourteen nights in 95 of 100 histories, and a month
// without any alarms in 3 of 100 at most. compare holds its function to that over
// hundreds of series; here are fewer, all the way to what is told.
func TestNightsAreJudgedAsTheyCome(t *testing.T) {
	if testing.Short() {
		t.Skip("60 histories in one goroutine, which has nothing to race: seconds without the race detector, a minute with it")
	}
	const before, after, month = 30, 14, 30
	histories := resultstest.Cases(10, 30)
	var found []int
	alarms := 0
	for seed := range uint64(histories) {
		d := newDiary(t, nightly(0, 10), seed)
		for range before {
			d.add(10_000)
		}
		if n := d.firstAlarm(t, after, 11_000); n > 0 {
			found = append(found, n)
		}
		quiet := newDiary(t, nightly(0, 10), 1000+seed)
		for range before {
			quiet.add(10_000)
		}
		if quiet.firstAlarm(t, month, 10_000) > 0 {
			alarms++
		}
	}
	slices.Sort(found)
	if len(found) < histories*95/100 || alarms*100 > 3*histories {
		t.Errorf("found in %d of %d histories, and %d of as many quiet months alarm; want 95 %% and 3 %%", len(found), histories, alarms)
	}
}
