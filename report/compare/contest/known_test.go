package contest_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/report/compare/contest"
	"loadgen/report/document"
	"loadgen/results/figure"
)

// planted is a design of which is known how good it is.
type planted struct {
	// checks are what its runs come to, rate is what it bears of what is asked, a thousand,
	// counts what an event costs.
	checks       string
	rate, counts float64
}

const asked = 1000.0

// plant draws a design. Rates and costs differ by a tenth or more, or not at all.
func plant(rng *rand.Rand) planted {
	p := planted{rate: asked * math.Pow(1.12, -float64(max(0, rng.IntN(16)-6))), counts: []float64{1, 1.3, 2, 3}[rng.IntN(4)]}
	if rng.IntN(3) > 0 {
		return p
	}
	for range 3 {
		p.checks += string("++-?"[rng.IntN(4)])
	}
	return p
}

// runs are those of a design, which vary.
func (p planted) runs(rng *rand.Rand) []contest.Trial {
	return with(drawn(5, p.rate, 0.015, rng), func(i int, t *contest.Trial) {
		if p.rate == asked {
			t.Sustained = asked * (1 + 0.03*rng.NormFloat64())
		}
		met := p.rate / asked
		t.Met, t.Events, t.Served = &met, 5000, int64(5000*met)
		t.Lost, t.Counted, t.Billed = 1-met, p.counts*math.Exp(0.002*rng.NormFloat64()), 1.5
		for k := range p.checks {
			t.Expected = append(t.Expected, checkOf(fmt.Sprint(k), p.checks[k]))
		}
	})
}

// against is negative where a is better than b, 0 where nobody knows.
func (p planted) against(q planted) int {
	count := func(p planted, c rune) (n int) {
		for _, one := range p.checks {
			if one == c {
				n++
			}
		}
		return n
	}
	return cmp.Or(cmp.Compare(count(q, '+'), count(p, '+')), cmp.Compare(count(p, '-'), count(q, '-')), cmp.Compare(q.rate, p.rate), cmp.Compare(p.counts, q.counts))
}

// place is where a design is in a contest.
func place(c *contest.Contest, design string) int {
	return slices.IndexFunc(c.Ranking, func(r contest.Ranked) bool { return r.Design == design })
}

// Of designs whose order is known two are put the wrong way round in one pair of fifty at
// most, and left undecided in one of ten; the first holds no fewer checks than another; and
// whichever others take part, no two change their order or what is shown of them.
func TestContestsOfAKnownOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	pairs, wrong, undecided := 0, 0, 0
	for range knownContests {
		designs, arms := map[string]planted{}, []contest.Arm{}
		for d := range 2 + rng.IntN(4) {
			name := string(rune('a' + d))
			designs[name] = plant(rng)
			arms = append(arms, arm(name, designs[name].runs(rng)))
		}
		all := contest.Rank(arms, contest.Options{})
		held := func(i int) (n int) {
			for _, e := range all.Ranking[i].Expected {
				if e.Held == e.Runs && e.Untold == 0 {
					n++
				}
			}
			return n
		}
		for i := range all.Ranking {
			if held(i) > held(0) {
				t.Errorf("%v: %s leads and holds %d checks, %s %d", designs, all.Ranking[0].Design, held(0), all.Ranking[i].Design, held(i))
			}
		}
		for i := range arms {
			for k := range i {
				two := contest.Rank([]contest.Arm{arms[k], arms[i]}, contest.Options{})
				first, second := two.Ranking[0].Design, two.Ranking[1].Design
				assert.Truef(t, place(all, first) <= place(all, second),
					"%v: beside others %s comes after %s", designs, first, second)
				truth := designs[first].against(designs[second])
				if truth == 0 {
					continue
				}
				pairs++
				if truth > 0 {
					wrong++
				} else if two.Winner == nil && two.State != "does not hold" || two.Ranking[1].Behind == "" {
					undecided++
				}
			}
		}
	}
	assert.Truef(t, 50*wrong <= pairs && 10*undecided <= pairs,
		"of %d pairs %d are the wrong way round, %d undecided; want 2 and 10%% at most", pairs, wrong, undecided)
}

// Designs that differ only in whether they hold, fail, have no result, were not run or cannot run
// are grouped so: the claim counts those that hold, and the table has every design, best first.
func TestGroupsOfKnownOutcomes(t *testing.T) {
	const holds, unknown, fails, idle, unable = "+++", "???", "---", "", "!"
	rng := rand.New(rand.NewPCG(48, 7))
	for range 400 {
		group, arms, n, runs := map[string][]string{}, []contest.Arm{}, 1+rng.IntN(6), 3-2*rng.IntN(2)
		for i := range n {
			one, name := []string{holds, unknown, fails, fails, idle, unable}[rng.IntN(6)], string(rune('a'+i))
			group[one] = append(group[one], name)
			arms = append(arms, contest.Arm{Design: name})
			if one == unable {
				arms[i].Cannot = []contest.Obstacle{{Operation: "get", Why: "no key"}}
			} else if one != idle {
				arms[i].Trials = checked(trialsOf(100, 100, 100)[:runs], one[:runs])
			}
		}
		held, untold, failed := len(group[holds]), len(group[unknown]), len(group[fails])
		claim := "NO DIFFERENCE between "
		switch ran := held + untold + failed; {
		case ran == 0 && group[idle] == nil:
			claim = "NO DESIGN CAN SERVE"
		case ran == 0:
			claim = "CANNOT TELL which design is best: none"
		case held+untold == 0 && group[idle] == nil && n > 1:
			claim = fmt.Sprintf("NONE OF %d DESIGNS", n)
		case ran == 1 && (group[idle] != nil || group[unable] == nil):
			claim = "CANNOT TELL which design is best: only"
		case held > 0 && runs == 1 && held < ran:
			claim = fmt.Sprintf("%d of %d HOLD in one run of each", held, n)
		case held == 1:
			claim = group[holds][0] + " WINS"
		case held > 1:
			claim = fmt.Sprintf("%d of %d HOLD; no difference between them", held, n)
		case untold == 1 && (runs > 1 || ran == 1):
			claim = "CANNOT TELL whether " + group[unknown][0] + " holds"
		}
		d := contest.Document(contest.Rank(arms, contest.Options{}))
		assert.Containsf(t, d.Answer.Claim, claim, "%v", group)
		var names []string
		for _, row := range d.Screen[0].(document.Table).Rows {
			names = append(names, row[0].Text)
		}
		want := slices.Concat(group[holds], group[unknown], group[fails], group[idle], group[unable])
		assert.Equalf(t, want, names, "%v", group)
		if held > 1 {
			assert.Truef(t, d.Answer.Tone() == document.Good || untold > 0, "%v: %v", group, d.Answer.Tone())
			assert.Equalf(t, failed > 0, strings.Contains(d.Answer.Says[0], "do not hold: "+document.Enumerated(group[fails])), "%v: %s", group, d.Answer.Says)
		}
	}
}

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
			"%s: a difference is told in %d of %d contests, stated for 5 and 20%%: %v", row.name, found, contests, stated)
		assert.Truef(t, row.ratio <= 1 || wrong <= 0, "%s: %d contests are won by the other design", row.name, wrong)
	}
}
