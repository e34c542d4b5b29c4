package contest_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/report/compare/contest"
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
		"of %d pairs %d are the wrong way round, %d undecided; want 2 and 10 %% at most", pairs, wrong, undecided)
}
