package contest_test

import (
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loadgen/report"
	"loadgen/report/compare/contest"
	"loadgen/report/compare/statistics"
	"loadgen/report/text"
	"loadgen/results"
	"loadgen/results/figure"
)

// trialsOf are runs that sustain as many entities per second, all else alike.
func trialsOf(sustained ...float64) []contest.Trial {
	var list []contest.Trial
	for i, each := range sustained {
		p50, p99 := int64(5000), int64(20_000)
		list = append(list, contest.Trial{Seed: uint64(i + 1), Validity: results.Valid, Sustained: each, Events: 1000, Served: 1000, Counted: 1, Billed: 1,
			Operations: []contest.OperationTrial{{Name: "save", P50: &p50, P99: &p99}}})
	}
	return list
}

// with changes runs.
func with(trials []contest.Trial, change func(i int, t *contest.Trial)) []contest.Trial {
	for i := range trials {
		change(i, &trials[i])
	}
	return trials
}

func arm(design string, trials []contest.Trial) contest.Arm {
	return contest.Arm{Design: design, Trials: trials}
}

// checked has runs judge checks, each a word of + (held), - (failed) and ? (not told) run
// by run.
func checked(trials []contest.Trial, checks ...string) []contest.Trial {
	return with(trials, func(i int, t *contest.Trial) {
		for k, results := range checks {
			t.Expected = append(t.Expected, checkOf(string(rune('p'+k))+" < 1", results[i]))
		}
	})
}

func checkOf(expr string, result byte) results.Check {
	one := results.Check{Expr: expr}
	if result != '?' {
		one.Ok, one.Observed = new(result == '+'), map[byte]string{'+': "0.5", '-': "2"}[result]
	}
	return one
}

// serving has runs serve such a share of what is asked, each event counting so much.
func serving(trials []contest.Trial, met, counts float64) []contest.Trial {
	return with(trials, func(_ int, t *contest.Trial) { t.Met, t.Counted = &met, counts })
}

// ranks are the designs in their order, each with its rank and what it is behind by.
func ranks(c *contest.Contest) string {
	var list []string
	for i := range c.Ranking {
		one := &c.Ranking[i]
		text := one.Design + " –"
		if one.Rank != nil {
			text = one.Design + " " + string(rune('0'+*one.Rank))
		}
		if one.Behind != "" {
			text += " " + one.Behind
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

func TestRank(t *testing.T) {
	lateTrial := contest.Measure(recordOf(func(_ *results.Record, k *results.KindStats) { k.Late = k.Sent }), nil, figure.Needs{})
	slow := func(micros int64) func(int, *contest.Trial) {
		return func(i int, t *contest.Trial) { p99 := micros + int64(i); t.Operations[0].P99 = &p99 }
	}
	for _, row := range []struct {
		name          string
		arms          []contest.Arm
		ranks, winner string
		says          string
	}{
		{"nothing", nil, "", "", "Nothing was run"},
		{"one design", []contest.Arm{arm("a", trialsOf(1, 2))}, "a 1", "", "Only a was run"},
		{"one run each shows nothing by itself", []contest.Arm{arm("a", trialsOf(100)), arm("b", trialsOf(900))}, "b 1, a 1", "",
			"No difference shown between b and a. One run of a design shows none by itself"},
		{"a clear difference", []contest.Arm{arm("a", trialsOf(100, 101, 102)), arm("b", trialsOf(150, 151, 152))},
			"b 1, a 2 sustained_entities_per_second", "b", "b wins by 49.5 % (over a; 95 %: "},
		{"a multiple", []contest.Arm{arm("a", trialsOf(100, 101, 102)), arm("b", trialsOf(400, 404, 408))},
			"b 1, a 2 sustained_entities_per_second", "b", "b wins by 4 times (over a; 95 %: "},
		{"none", []contest.Arm{arm("a", trialsOf(100, 120, 140)), arm("b", trialsOf(90, 130, 135))}, "a 1, b 1", "", "No difference shown between a and b."},
		{"constants that are the same", []contest.Arm{arm("a", trialsOf(100, 100, 100)), arm("b", trialsOf(100, 100, 100))}, "a 1, b 1", "", "No difference"},
		{"constants that differ by less than is told", []contest.Arm{arm("a", trialsOf(1000, 1000)), arm("b", trialsOf(1004, 1004))}, "b 1, a 1", "", "No difference"},
		{"constants that differ by little more, in two runs", []contest.Arm{arm("a", trialsOf(1000, 1000)), arm("b", trialsOf(1006, 1006))}, "b 1, a 1", "", "No difference"},
		{"constants that differ by little more, in ten", []contest.Arm{arm("a", trialsOf(constant(10, 1000)...)), arm("b", trialsOf(constant(10, 1006)...))},
			"b 1, a 2 sustained_entities_per_second", "b", "b wins by 0.6 % (over a; 95 %: 0.4 % to 0.8 %)."},
		{"constants that differ by far", []contest.Arm{arm("a", trialsOf(1000, 1000)), arm("b", trialsOf(1100, 1100))},
			"b 1, a 2 sustained_entities_per_second", "b", "b wins by 10 % (over a; 95 %: 8.8 % to 11.2 %)."},
		{"one of ten operations, lost in either run", []contest.Arm{arm("a", with(trialsOf(9, 9), few)), arm("b", with(trialsOf(10, 10), few))}, "b 1, a 1", "", "No difference"},
		{"most of ten operations", []contest.Arm{arm("a", with(trialsOf(1, 1), few)), arm("b", with(trialsOf(10, 10), few))},
			"b 1, a 2 sustained_entities_per_second", "b", "b wins"},
		{"a sure difference below what is told", []contest.Arm{arm("a", trialsOf(1000, 1000.1, 1000.2)), arm("b", trialsOf(1004, 1004.1, 1004.2))},
			"b 1, a 1", "", "No difference"},
		{"one that serves nothing", []contest.Arm{arm("a", trialsOf(0, 0, 0)), arm("b", trialsOf(10, 11, 12))},
			"b 1, a 2 sustained_entities_per_second", "b", "b wins by 11 entities/s (against 0 of a)."},
		{"nobody serves anything", []contest.Arm{arm("a", trialsOf(0, 0, 0)), arm("b", trialsOf(0, 0, 0))}, "a 1, b 1", "", "No difference"},
		{"the same rate, less lost", []contest.Arm{arm("a", with(trialsOf(100, 101, 102), func(i int, t *contest.Trial) { t.Lost = 0.05 })),
			arm("b", trialsOf(100, 101, 102))}, "b 1, a 2 share_lost", "b", "b wins by share lost: 0 % (against 5.0 % of a). In the sustained rate no difference between them is shown."},
		{"a thousandth lost is not told", []contest.Arm{arm("a", with(trialsOf(100, 101, 102), func(i int, t *contest.Trial) { t.Lost = 0.0009 })),
			arm("b", trialsOf(100, 101, 102))}, "b 1, a 1", "", "No difference"},
		{"the same lost, faster", []contest.Arm{arm("a", with(trialsOf(100, 101, 102), slow(90_000))), arm("b", trialsOf(100, 101, 102))},
			"b 1, a 2 worst_p99_us", "b", "b wins by worst p99: 20.0 ms (against 90.0 ms of a)"},
		{"a p99 that is not told decides nothing", []contest.Arm{arm("a", with(trialsOf(100, 101, 102), func(i int, t *contest.Trial) { t.Operations[0].P99 = nil })),
			arm("b", trialsOf(100, 101, 102))}, "b 1, a 1", "", "No difference"},
		{"as fast, but an event counts less", []contest.Arm{arm("a", with(trialsOf(100, 101, 102), func(i int, t *contest.Trial) { t.Counted = 3 })),
			arm("b", trialsOf(100, 101, 102))}, "b 1, a 2 entities_counted_per_event", "b", "b wins by entities counted an event: 1 (against 3 of a)"},
		{"as much counted, but less billed", []contest.Arm{arm("a", with(trialsOf(100, 101, 102), func(i int, t *contest.Trial) { t.Billed = 2 })),
			arm("b", trialsOf(100, 101, 102))}, "b 1, a 2 transactions_billed_per_event", "b", "b wins by transactions billed an event: 1 (against 2 of a)"},
		{"the rate goes before all else", []contest.Arm{arm("a", with(trialsOf(150, 151, 152), func(i int, t *contest.Trial) { t.Lost, t.Counted = 0.3, 9 })),
			arm("b", trialsOf(100, 101, 102))}, "a 1, b 2 sustained_entities_per_second", "a", "a wins"},
		{"a shared second place", []contest.Arm{arm("a", trialsOf(100, 101, 102)), arm("b", trialsOf(150, 151, 152)), arm("c", trialsOf(100, 101, 102))},
			"b 1, a 2 sustained_entities_per_second, c 2 sustained_entities_per_second", "b", "b wins"},
		{"a shared first place", []contest.Arm{arm("a", trialsOf(150, 151, 152)), arm("b", trialsOf(150, 151, 152)), arm("c", trialsOf(100, 101, 102))},
			"a 1, b 1, c 3 sustained_entities_per_second", "", "No difference shown between a and b. Both are ahead of c."},
		{"ties are divided by the next figure", []contest.Arm{arm("a", trialsOf(150, 151, 152)),
			arm("b", with(trialsOf(150, 151, 152), func(i int, t *contest.Trial) { t.Lost = 0.2 })), arm("c", trialsOf(100, 101, 102))},
			"a 1, b 2 share_lost, c 3 sustained_entities_per_second", "a", "a wins by share lost: 0 % (against 20.0 % of b). In the sustained rate no difference between them is shown."},
		{"what is behind stays behind by the first figure", []contest.Arm{arm("a", trialsOf(150, 151, 152)), arm("b", trialsOf(100, 101, 102)),
			arm("c", with(trialsOf(100, 101, 102), func(i int, t *contest.Trial) { t.Lost = 0.2 }))},
			"a 1, b 2 sustained_entities_per_second, c 3 sustained_entities_per_second", "a", "a wins by 49.5 % (over b; "},
		{"those that cannot come last", []contest.Arm{{Design: "a", Cannot: []contest.Obstacle{{Operation: "group", Why: "it spans partitions"}}},
			arm("b", trialsOf(1, 1)), arm("c", trialsOf(5, 5)), {Design: "d"}},
			"c 1, b 2 sustained_entities_per_second, d –, a 3", "c", "c wins by 5 times (over b; 95 %: 4.95 to 5.05). Not run, and so not ranked: d."},
		{"one that can", []contest.Arm{{Design: "a", Cannot: []contest.Obstacle{{}}}, arm("b", trialsOf(1, 1))}, "b 1, a 2", "b",
			"b wins: it is the only design that can serve every operation."},
		{"one that can, and one that was not run", []contest.Arm{{Design: "a", Cannot: []contest.Obstacle{{}}}, arm("b", trialsOf(1, 1)), {Design: "c"}},
			"b 1, c –, a 2", "", "Only b was run"},
		{"none can", []contest.Arm{{Design: "a", Cannot: []contest.Obstacle{{}}}, {Design: "b", Cannot: []contest.Obstacle{{}}}}, "a 1, b 1", "",
			"No design can serve"},
		{"a run that is not valid is said", []contest.Arm{arm("a", with(trialsOf(100, 101), func(i int, t *contest.Trial) { t.Validity = results.Partial })),
			arm("b", trialsOf(900, 901))}, "b 1, a 2 sustained_entities_per_second", "b", " Not valid: 2 of 4 runs, which did not come to their end, or prove nothing."},
		{"a late run is said, which is valid", []contest.Arm{arm("a", with(trialsOf(100, 101), func(i int, t *contest.Trial) { t.Late = lateTrial.Late })),
			arm("b", trialsOf(900, 901))}, "b 1, a 2 sustained_entities_per_second", "b",
			"). Client-limited: 2 of 4 runs, whose rates and times may be the generator's rather than a design's."},
		{"the check goes before the rate", []contest.Arm{arm("a", checked(trialsOf(900, 901, 902), "---")), arm("b", checked(trialsOf(100, 101, 102), "+++"))},
			"b 1, a 2 checks", "b", "b wins by checks held: 1 of 1 (against 0 of a)."},
		{"who fails fewer goes before who sustains more", []contest.Arm{arm("a", checked(trialsOf(900, 901, 902), "+++", "---")), arm("b", checked(trialsOf(100, 101, 102), "+++", "???"))},
			"b 1, a 2 checks", "b", "b wins by checks failed: 0 of 2 (against 1 of a)."},
		{"what is not measured is not held", []contest.Arm{arm("a", checked(trialsOf(900, 901, 902), "???")), arm("b", checked(trialsOf(100, 101, 102), "+++"))},
			"b 1, a 2 checks", "b", "b wins by checks held"},
		{"what is not measured has not failed", []contest.Arm{arm("a", checked(trialsOf(900, 901, 902), "---")), arm("b", checked(trialsOf(100, 101, 102), "???"))},
			"b 1, a 2 checks", "b", "b wins by checks failed: 0 of 1 (against 1 of a)."},
		{"seeds that disagree have neither held nor failed", []contest.Arm{arm("a", checked(trialsOf(900, 901, 902), "++-")), arm("b", checked(trialsOf(100, 101, 102), "+??"))},
			"a 1, b 2 sustained_entities_per_second", "a", "a wins by 8.92 times"},
		{"as many held: the rate", []contest.Arm{arm("a", checked(trialsOf(900, 901, 902), "+++")), arm("b", checked(trialsOf(100, 101, 102), "+++"))},
			"a 1, b 2 sustained_entities_per_second", "a", "a wins by 8.92 times"},
		{"none holds", []contest.Arm{arm("a", checked(trialsOf(900, 901, 902), "---")), arm("b", checked(trialsOf(100, 101, 102), "---"))},
			"a 1, b 2 sustained_entities_per_second", "", "None of 2 designs holds your checks. The best of them is a, ahead by 8.92 times (over b; "},
		{"who serves all that is asked is not behind for chance", []contest.Arm{arm("a", serving(trialsOf(101, 102, 103), 1, 2)), arm("b", serving(trialsOf(96, 97, 98), 0.995, 1))},
			"b 1, a 2 entities_counted_per_event", "b", "b wins by entities counted an event: 1 (against 2 of a)."},
		{"what few rare operations return makes nobody first who leaves the others", []contest.Arm{arm("a", serving(with(trialsOf(900, 901, 902), func(i int, t *contest.Trial) { t.Lost = 0.9 }), 0.1, 1)),
			arm("b", serving(trialsOf(100, 101, 102), 1, 1))}, "b 1, a 2 share_lost", "b", "b wins by share lost"},
		{"figures of a broken record are not told", []contest.Arm{arm("a", trialsOf(math.Inf(1), math.NaN())), arm("b", trialsOf(1, 2))}, "b 1, a 1", "", "No difference"},
	} {
		c := contest.Rank(row.arms, contest.Options{})
		winner := ""
		if c.Winner != nil {
			winner = *c.Winner
		}
		if got := ranks(c); got != row.ranks || winner != row.winner || !strings.Contains(c.Verdict, row.says) {
			t.Errorf("%s: %q, won by %q: %s; want %q, won by %q: %s", row.name, got, winner, c.Verdict, row.ranks, row.winner, row.says)
		}
		if err := report.Print(io.Discard, contest.Document(c), report.FormJSON, text.Look{}); err != nil {
			t.Errorf("%s: %v; want it written", row.name, err)
		}
	}
}

// Throttled requests cost what the price says they do, and then decide by what is billed.
func TestPrice(t *testing.T) {
	throttled := with(trialsOf(100, 101, 102), func(i int, t *contest.Trial) { t.ThrottledRequests, t.Stored = 1, 1<<30/1e6 })
	for _, row := range []struct {
		name          string
		price         contest.Price
		ranks         string
		cost, keeping float64
	}{
		{"no price", contest.Price{}, "a 1, b 1", -1, -1},
		{"a price", contest.Price{PerMillion: 0.5}, "a 1, b 1", 0.5, -1},
		{"throttled ones are billed", contest.Price{PerMillion: 0.5, BillRefused: true}, "b 1, a 2 transactions_billed_per_event", 1, -1},
		{"what is stored has a price", contest.Price{PerGiBMonth: 3}, "a 1, b 1", -1, 3},
	} {
		c := contest.Rank([]contest.Arm{arm("a", throttled), arm("b", trialsOf(100, 101, 102))}, contest.Options{Price: row.price})
		at := slices.IndexFunc(c.Ranking, func(r contest.Ranked) bool { return r.Design == "a" })
		if one := &c.Ranking[at]; ranks(c) != row.ranks || value(one.Cost) != row.cost || math.Abs(value(one.Keeping)-row.keeping) > 1e-9 {
			t.Errorf("%s: %q, cost %v, keeping %v; want %q, %v, %v", row.name, ranks(c), value(one.Cost), value(one.Keeping), row.ranks, row.cost, row.keeping)
		}
	}
}

func TestOptions(t *testing.T) {
	for _, row := range []struct {
		name   string
		o      contest.Options
		faults int
	}{
		{"none", contest.Options{}, 0},
		{"all that is sound", contest.Options{Alpha: 0.01, Price: contest.Price{PerMillion: 1, PerGiBMonth: 2}}, 0},
		{"everything is wrong", contest.Options{Alpha: 0.5, Price: contest.Price{PerMillion: -1, PerGiBMonth: math.Inf(1)}}, 3},
		{"no numbers", contest.Options{Alpha: math.NaN(), Price: contest.Price{PerMillion: math.NaN(), PerGiBMonth: math.NaN()}}, 3},
		{"less than nothing", contest.Options{Alpha: -0.1}, 1},
	} {
		faults := row.o.Validate()
		for _, fault := range faults {
			if !errors.Is(fault, contest.ErrOptions) {
				t.Errorf("%s: %v; want it to wrap ErrOptions", row.name, fault)
			}
		}
		if len(faults) != row.faults {
			t.Errorf("%s: Validate() = %v; want %d faults", row.name, faults, row.faults)
		}
	}
}

func TestSurvival(t *testing.T) {
	a, b := trialsOf(100, 101, 102), trialsOf(150, 151, 152)
	for _, row := range []struct {
		name             string
		otherOfA, otherB []contest.Trial
		a, b             []contest.Trial
		survives         *bool
		says             string
	}{
		{"not tried", nil, nil, a, b, nil, ""},
		{"tried with one alone", a, nil, a, b, nil, "was not tried with all designs"},
		{"the same wins", a, b, a, b, ptr(true), "Under the profile headroom, too, b wins by 49.5 % (over a; "},
		{"the other wins", b, a, a, b, ptr(false), "It does not survive: under the profile headroom a wins by "},
		{"no difference is shown then", a, a, a, b, ptr(false), "It does not survive: under the profile headroom no difference is shown between a and b."},
		{"there was none to begin with, nor then", b, b, a, a, ptr(true), "Under the profile headroom no difference is shown between them, either."},
		{"there was none to begin with", a, b, a, a, ptr(false), "It does not survive: under the profile headroom b wins"},
	} {
		o := contest.Options{Profile: "documented", Other: "headroom"}
		if row.survives == nil && row.otherOfA == nil {
			o.Other = ""
		}
		c := contest.Rank([]contest.Arm{{Design: "a", Trials: row.a, Others: row.otherOfA}, {Design: "b", Trials: row.b, Others: row.otherB}}, o)
		if (c.Survives == nil) != (row.survives == nil) || c.Survives != nil && *c.Survives != *row.survives || !strings.Contains(c.SurvivesSays, row.says) {
			t.Errorf("%s: survives %v: %s; want %v: %s", row.name, c.Survives, c.SurvivesSays, row.survives, row.says)
		}
	}
}

func ptr[T any](v T) *T { return &v }

// Intervals keep to what a figure can be, quantiles to what every run tells, and what is
// found to the pairs that are looked at.
func TestEstimates(t *testing.T) {
	a := with(trialsOf(0, 0, 10), func(i int, t *contest.Trial) { t.Lost = []float64{0.1, 1, 1}[i] })
	a[1].Operations[0].P99 = nil
	c := contest.Rank([]contest.Arm{arm("a", a), arm("b", trialsOf(1, 2, 3))}, contest.Options{})
	one := &c.Ranking[slices.IndexFunc(c.Ranking, func(r contest.Ranked) bool { return r.Design == "a" })]
	if s := one.Sustained; s.Interval[0] != 0 || s.Interval[1] < 10 || s.Least != 0 || s.Greatest != 10 || s.Runs != 3 {
		t.Errorf("sustained 0, 0, 10 is %+v, %v; want an interval from 0, and both ends", s, *s.Interval)
	}
	if l := one.Lost; l.Interval[0] != 0 || l.Interval[1] != 1 {
		t.Errorf("lost 0.1, 1, 1 is %v; want an interval from 0 to 1", *l.Interval)
	}
	if o := one.Operations[0]; o.P99 != nil || o.P99Range != nil || o.P50 == nil || *o.P50 != 5000 || one.WorstP99 != nil {
		t.Errorf("times of which one run does not tell the p99: %+v; want a p50 alone", o)
	}
	two := contest.Rank([]contest.Arm{arm("a", trialsOf(100, 104, 108)), arm("b", trialsOf(101, 104, 107))}, contest.Options{})
	s := math.Log(104) - math.Log(100)
	even := trialsOf(100*math.Exp(-s), 100, 100*math.Exp(s))
	known := contest.Rank([]contest.Arm{arm("a", even), arm("b", even)}, contest.Options{})
	if got, want := known.Power[1].Found, 100*statistics.Detection(statistics.Unbiased(4)*math.Log(1.2), s, 0.03, 3); math.Abs(got-want) > 1e-6 {
		t.Errorf("of 20 %% at a spread of %.3f of 2 + 2 degrees of freedom, %v are stated; want %v", s, got, want)
	}
	three := contest.Rank([]contest.Arm{arm("a", trialsOf(100, 104, 108)), arm("b", trialsOf(101, 104, 107)), arm("c", trialsOf(50, 60, 70))}, contest.Options{})
	if diff := cmp.Diff(two.Power, three.Power); diff != "" {
		t.Errorf("of two designs and beside a third (-two +three):\n%s", diff)
	}
}

// few has a run have had ten operations.
func few(_ int, t *contest.Trial) { t.Events, t.Served = 10, int64(t.Sustained) }

func constant(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }

// chance are runs of a design that loses each of a few operations with some probability.
func chance(runs, operations int, lost float64, rng *rand.Rand) []contest.Trial {
	return with(trialsOf(make([]float64, runs)...), func(_ int, t *contest.Trial) {
		served := 0
		for range operations {
			if rng.Float64() >= lost {
				served++
			}
		}
		t.Events, t.Served, t.Sustained = int64(operations), int64(served), float64(served)/10
		t.Lost = 1 - float64(served)/float64(operations)
		t.Billed = float64(operations) / float64(max(1, served))
	})
}

// Runs of few operations often come out the same to the last digit, and then differ from
// others that do: that is chance, and told apart no more often than any.
func TestErrorsOfContestsOfFewOperations(t *testing.T) {
	const sets = fewSets
	rng := rand.New(rand.NewPCG(13, 1))
	for _, runs := range []int{2, 3, 5} {
		for _, operations := range []int{20, 400} {
			wrong, lost := 0, 0.5/float64(operations)
			for range sets {
				c := contest.Rank([]contest.Arm{arm("a", chance(runs, operations, lost, rng)), arm("b", chance(runs, operations, lost, rng))}, contest.Options{})
				if c.Winner != nil {
					wrong++
				}
			}
			// Three standard deviations of as many sets.
			if share := float64(wrong) / sets; share > 0.05+3*math.Sqrt(0.05*0.95/sets) {
				t.Errorf("%d runs of %d operations, of which one is lost in every other, are told apart in %.3f of contests; want 0.05 at most", runs, operations, share)
			}
		}
	}
}

// drawn are runs of a design whose figures vary about those given by a part of them.
func drawn(n int, centre, spread float64, rng *rand.Rand) []contest.Trial {
	vary := func(v float64) float64 { return v * math.Exp(spread*rng.NormFloat64()) }
	return with(trialsOf(make([]float64, n)...), func(i int, t *contest.Trial) {
		t.Seed = rng.Uint64()
		p99 := int64(vary(20_000))
		t.Sustained, t.Operations[0].P99 = vary(centre), &p99
		t.Lost, t.Counted, t.Billed = math.Min(1, vary(0.1)), vary(2), vary(1.5)
	})
}

// However many designs there are and figures that vary, two that do not differ are told
// apart by any of them no more often than alpha; and what is stated is found.
func TestErrorsOfContestsOfDrawnRuns(t *testing.T) {
	const sets = drawnSets
	rng := rand.New(rand.NewPCG(11, 1))
	for _, row := range []struct {
		designs, runs int
		alpha         float64
	}{{2, 5, 0.05}, {2, 3, 0.05}, {3, 5, 0.05}, {6, 5, 0.05}, {3, 8, 0.2}} {
		wrong, winners, pairs := 0, 0, sets*row.designs*(row.designs-1)/2
		for range sets {
			var arms []contest.Arm
			for d := range row.designs {
				// The spreads differ, as those of designs do.
				arms = append(arms, arm(string(rune('a'+d)), drawn(row.runs, 100, 0.03*float64(1+d%2), rng)))
			}
			c := contest.Rank(arms, contest.Options{Alpha: row.alpha})
			for i := range c.Ranking {
				wrong += *c.Ranking[i].Rank - 1
			}
			if c.Winner != nil {
				winners++
			}
		}
		// Four standard deviations of as many sets.
		bound := row.alpha + 4*math.Sqrt(row.alpha*(1-row.alpha)/sets)
		if share := float64(wrong) / float64(pairs); share > bound || share == 0 {
			t.Errorf("of %d designs of %d runs that do not differ %.4f of the pairs are told apart; want %v at most", row.designs, row.runs, share, row.alpha)
		}
		if share := float64(winners) / sets; share > bound {
			t.Errorf("of %d designs of %d runs that do not differ one wins in %.4f of contests; want %v at most", row.designs, row.runs, share, row.alpha)
		}
	}
	for _, spread := range []float64{0.01, 0.03, 0.06} {
		for k, percent := range []float64{5, 20} {
			found, stated := 0, 0.0
			for range sets {
				c := contest.Rank([]contest.Arm{arm("a", drawn(5, 100*(1+percent/100), spread, rng)), arm("b", drawn(5, 100, spread, rng))}, contest.Options{})
				if c.Ranking[1].Behind == "sustained_entities_per_second" && c.Ranking[1].Design == "b" {
					found++
				}
				stated += c.Power[k].Found / 100 / sets
			}
			// What is stated rests on a spread of few runs: it is right on the average to a
			// few of a hundred.
			if got := float64(found) / sets; math.Abs(got-stated) > 0.03+4*math.Sqrt(stated*(1-stated)/sets) {
				t.Errorf("of %g %% at a spread of %v, %.3f are found; stated were %.3f", percent, spread, got, stated)
			}
		}
	}
}

// That arms come in another order changes no byte, nor that they are ranked twice; and
// the arms stay as they were.
func TestOrderOfArmsChangesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for range 40 {
		var arms []contest.Arm
		for d := range 2 + rng.IntN(5) {
			one := arm(string(rune('a'+d)), drawn(4, 100+float64(rng.IntN(3))*5, 0.02, rng))
			one.Others = drawn(4, 100, 0.02, rng)
			switch rng.IntN(6) {
			case 0:
				one.Trials = nil
			case 1:
				one.Cannot = []contest.Obstacle{{Operation: "x", Why: "y"}}
			}
			arms = append(arms, one)
		}
		was := contest.Document(contest.Rank(arms, contest.Options{Scenario: "s", Other: "headroom"}))
		rng.Shuffle(len(arms), func(i, k int) { arms[i], arms[k] = arms[k], arms[i] })
		if diff := cmp.Diff(was, contest.Document(contest.Rank(arms, contest.Options{Scenario: "s", Other: "headroom"}))); diff != "" {
			t.Fatalf("shuffled arms give another document (-was +is):\n%s", diff)
		}
	}
}
