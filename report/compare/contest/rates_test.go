package contest_test

import (
	"math"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/report/compare/contest"
	"loadgen/results/figure"
)

const runsEach = 5

// arms runs a design under a target of the partition, for each contest by seeds of its own,
// counted from one.
func arms(t *testing.T, design, target string, seed int) []contest.Arm {
	t.Helper()
	scenario, list := parsed(t, "partly", 1, "model.partition_target="+target), make([]contest.Arm, contests)
	for i := range list {
		list[i].Design = design
		for run := range runsEach {
			one := *scenario
			one.Seed = uint64(seed + i*runsEach + run)
			record, _ := simulated(t, &one)
			list[i].Trials = append(list[i].Trials, contest.Measure(record, nil, figure.Needs{}))
		}
	}
	return list
}

// alike pairs arms of one design with each other, no arm in two of the pairs.
func alike(arms []contest.Arm) (a, b []contest.Arm) {
	for i := 0; i+1 < len(arms); i += 2 {
		one, other := arms[i], arms[i+1]
		one.Design, other.Design = "a", "b"
		a, b = append(a, one), append(b, other)
	}
	return a, b
}

// deviation is the standard one of how many of a hundred are found where so many are on the
// average, as the contests tell it.
func deviation(ofHundred float64) float64 { return math.Sqrt(ofHundred * (100 - ofHundred) / contests) }

// Real runs of a design against itself are told apart no more often than is said, and
// planted differences are found as often.
func TestErrorsOfContestsOfRealRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of runs")
	}
	// What a run leaves behind is large and short-lived: histograms, and what packs them.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	a, fifth, twentieth := arms(t, "a", "22", 1), arms(t, "b", "17", 20_001), arms(t, "b", "20", 30_001)
	// Two designs, each against itself: as many pairs as contests, of which none shares a run.
	one, same := alike(a)
	more, also := alike(fifth)
	one, same = append(one, more...), append(same, also...)
	for _, row := range []struct {
		name string
		a, b []contest.Arm
		// ratio is that of a to b, to so much at a hundred contests.
		ratio, within float64
		// holds is told of how many are found, of a hundred.
		holds func(found float64, stated [2]float64) bool
	}{
		// One of twenty, and 2.3 standard deviations.
		{"designs against themselves", one, same, 1, 0.01, func(found float64, _ [2]float64) bool { return found <= 5+2.3*deviation(5) }},
		{"a fifth more", a, fifth, 1.2, 0.02, func(found float64, _ [2]float64) bool { return found >= 95 }},
		{"a twentieth more", a, twentieth, 1.05, 0.01, func(found float64, stated [2]float64) bool {
			return math.Abs(found-stated[0]) <= 4*deviation(stated[0])
		}},
	} {
		found, wrong := 0, 0
		var stated [2]float64
		ratio := 0.0
		for i := range contests {
			c := contest.Rank([]contest.Arm{row.a[i], row.b[i]}, contest.Options{})
			if c.Winner != nil {
				found++
				if *c.Winner != "a" {
					wrong++
				}
			}
			for k, power := range c.Power {
				stated[k] += power.Found / contests
			}
			for run := range runsEach {
				ratio += math.Log(row.a[i].Trials[run].Sustained/row.b[i].Trials[run].Sustained) / contests / runsEach
			}
		}
		if e, within := math.Exp(ratio), row.within*math.Sqrt(100.0/contests); math.Abs(e-row.ratio) > within {
			t.Errorf("%s: the designs differ by %.4f; want %v, to %.4f", row.name, e, row.ratio, within)
		}
		assert.Truef(t, row.holds(100*float64(found)/contests, stated),
			"%s: a difference is told in %d of %d contests, stated for 5 and 20 %%: %v", row.name, found, contests, stated)
		assert.Truef(t, row.ratio <= 1 || wrong <= 0, "%s: %d contests are won by the other design", row.name, wrong)
	}
}
