package contest_test

import (
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// near are three runs that sustain about as much.
func near(rate float64) []contest.Trial { return trialsOf(rate, rate+1, rate+2) }

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

// two are the arms of designs a and b.
func two(a, b []contest.Trial) []contest.Arm { return []contest.Arm{arm("a", a), arm("b", b)} }

func losing(share float64) func(int, *contest.Trial) {
	return func(_ int, t *contest.Trial) { t.Lost = share }
}

func counting(each float64) func(int, *contest.Trial) {
	return func(_ int, t *contest.Trial) { t.Counted = each }
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

// figures shortens the names of the figures that decide.
var figures = strings.NewReplacer("sustained_entities_per_second", "rate", "share_lost", "lost", "worst_p99_us", "p99",
	"entities_counted_per_event", "counted", "transactions_billed_per_event", "billed")

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
			text += " " + figures.Replace(one.Behind)
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
		name                string
		arms                []contest.Arm
		ranks, winner, says string
	}{
		{"one run each shows nothing by itself", two(trialsOf(100), trialsOf(900)), "b 1, a 1", "", "2 runs or more"},
		{"a clear difference", two(near(100), near(150)), "b 1, a 2 rate", "b", "by 49.5% (over a; 95%: "},
		{"a multiple", two(near(100), trialsOf(400, 404, 408)), "b 1, a 2 rate", "b", "by 4 times"},
		{"none", two(trialsOf(100, 120, 140), trialsOf(90, 130, 135)), "a 1, b 1", "", "NO DIFFERENCE"},
		{"constants that are the same", two(trialsOf(100, 100, 100), trialsOf(100, 100, 100)), "a 1, b 1", "", "NO DIFFERENCE"},
		{"constants that differ by less than is told", two(trialsOf(1000, 1000), trialsOf(1004, 1004)), "b 1, a 1", "", "NO DIFFERENCE"},
		{"constants that differ by little more, in two runs", two(trialsOf(1000, 1000), trialsOf(1006, 1006)), "b 1, a 1", "", "NO DIFFERENCE"},
		{"constants that differ by little more, in ten", two(trialsOf(constant(10, 1000)...), trialsOf(constant(10, 1006)...)),
			"b 1, a 2 rate", "b", "0.4% to 0.8%"},
		{"constants that differ by far", two(trialsOf(1000, 1000), trialsOf(1100, 1100)), "b 1, a 2 rate", "b", "8.8% to 11.2%"},
		{"one of ten operations, lost in either run", two(with(trialsOf(9, 9), few), with(trialsOf(10, 10), few)), "b 1, a 1", "", "NO DIFFERENCE"},
		{"most of ten operations", two(with(trialsOf(1, 1), few), with(trialsOf(10, 10), few)), "b 1, a 2 rate", "b", ""},
		{"a sure difference below what is told", two(trialsOf(1000, 1000.1, 1000.2), trialsOf(1004, 1004.1, 1004.2)),
			"b 1, a 1", "", "NO DIFFERENCE"},
		{"one that serves nothing", two(trialsOf(0, 0, 0), trialsOf(10, 11, 12)), "b 1, a 2 rate", "b", "by 11 entities/s (against 0 of a)"},
		{"nobody serves anything", two(trialsOf(0, 0, 0), trialsOf(0, 0, 0)), "a 1, b 1", "", "NO DIFFERENCE"},
		{"the same rate, less lost", two(with(near(100), losing(0.05)), near(100)), "b 1, a 2 lost", "b", "0% (against 5.0% of a)"},
		{"a thousandth lost is not told", two(with(near(100), losing(0.0009)), near(100)), "b 1, a 1", "", "NO DIFFERENCE"},
		{"the same lost, faster", two(with(near(100), slow(90_000)), near(100)), "b 1, a 2 p99", "b", "20.0 ms (against 90.0 ms of a)"},
		{"a p99 that is not told decides nothing", two(with(near(100), func(_ int, t *contest.Trial) { t.Operations[0].P99 = nil }), near(100)), "b 1, a 1", "", "NO DIFFERENCE"},
		{"as fast, but an event counts less", two(with(near(100), counting(3)), near(100)), "b 1, a 2 counted", "b", "1 (against 3 of a)"},
		{"as much counted, but less billed", two(with(near(100), func(_ int, t *contest.Trial) { t.Billed = 2 }), near(100)), "b 1, a 2 billed", "b", "1 (against 2 of a)"},
		{"the rate goes before all else", two(with(near(150), func(_ int, t *contest.Trial) { t.Lost, t.Counted = 0.3, 9 }), near(100)), "a 1, b 2 rate", "a", ""},
		{"a shared second place", []contest.Arm{arm("a", near(100)), arm("b", near(150)), arm("c", near(100))}, "b 1, a 2 rate, c 2 rate", "b", ""},
		{"a shared first place", []contest.Arm{arm("a", near(150)), arm("b", near(150)), arm("c", near(100))}, "a 1, b 1, c 3 rate", "", "Behind: c"},
		{"ties are divided by the next figure", []contest.Arm{arm("a", near(150)),
			arm("b", with(near(150), losing(0.2))), arm("c", near(100))},
			"a 1, b 2 lost, c 3 rate", "a", "0% (against 20.0% of b)"},
		{"what is behind stays behind by the first figure", []contest.Arm{arm("a", near(150)), arm("b", near(100)),
			arm("c", with(near(100), losing(0.2)))},
			"a 1, b 2 rate, c 3 rate", "a", "49.5% (over b"},
		{"those that cannot come last", []contest.Arm{{Design: "a", Cannot: []contest.Obstacle{{Operation: "group", Why: "it spans partitions"}}},
			arm("b", trialsOf(1, 1)), arm("c", trialsOf(5, 5)), {Design: "d"}},
			"c 1, b 2 rate, d –, a 3", "c", "4.95 to 5.05). Behind: b; not run: d"},
		{"a run that is not valid is said", two(with(trialsOf(100, 101), func(_ int, t *contest.Trial) { t.Validity = results.Partial }), trialsOf(900, 901)), "b 1, a 2 rate", "b", "Not valid: 2 of 4"},
		{"a late run is said, which is valid", two(with(trialsOf(100, 101), func(_ int, t *contest.Trial) { t.Late = lateTrial.Late }), trialsOf(900, 901)), "b 1, a 2 rate", "b",
			"Client-limited: 2 of 4"},
		{"the check goes before the rate", two(checked(near(900), "---"), checked(near(100), "+++")),
			"b 1, a 2 checks", "b", "1 of 1 (against 0 of a)"},
		{"who fails fewer goes before who sustains more", two(checked(near(900), "+++", "---"), checked(near(100), "+++", "???")),
			"b 1, a 2 checks", "b", "0 of 2 (against 1 of a)"},
		{"what is not measured is not held", two(checked(near(900), "???"), checked(near(100), "+++")), "b 1, a 2 checks", "b", "held"},
		{"what is not measured has not failed", two(checked(near(900), "---"), checked(near(100), "???")),
			"b 1, a 2 checks", "b", "0 of 1 (against 1 of a)"},
		{"seeds that disagree have neither held nor failed", two(checked(near(900), "++-"), checked(near(100), "+??")),
			"a 1, b 2 rate", "a", "8.92 times"},
		{"as many held: the rate", two(checked(near(900), "+++"), checked(near(100), "+++")), "a 1, b 2 rate", "a", "8.92 times"},
		{"none holds", two(checked(near(900), "---"), checked(near(100), "---")), "a 1, b 2 rate", "", "ahead by 8.92 times (over b"},
		{"who serves all that is asked is not behind for chance", two(serving(trialsOf(101, 102, 103), 1, 2), serving(trialsOf(96, 97, 98), 0.995, 1)),
			"b 1, a 2 counted", "b", "1 (against 2 of a)"},
		{"what few rare operations return makes nobody first who leaves the others", two(serving(with(near(900), losing(0.9)), 0.1, 1), serving(near(100), 1, 1)), "b 1, a 2 lost", "b", "lost"},
		{"figures of a broken record are not told", two(trialsOf(math.Inf(1), math.NaN()), trialsOf(1, 2)), "b 1, a 1", "", "NO DIFFERENCE"},
	} {
		c := contest.Rank(row.arms, contest.Options{})
		winner := ""
		if c.Winner != nil {
			winner = *c.Winner
		}
		if got := ranks(c); got != row.ranks || winner != row.winner || !strings.Contains(c.Verdict, row.says) {
			t.Errorf("%s: %q, won by %q: %s; want %q, won by %q: %s", row.name, got, winner, c.Verdict, row.ranks, row.winner, row.says)
		}
		err := report.Print(io.Discard, contest.Document(c), report.FormJSON, text.Look{})
		assert.NoErrorf(t, err, "%s: %v; want it written", row.name, err)
	}
}

// Throttled requests cost what the price says they do, and then decide by what is billed.
func TestPrice(t *testing.T) {
	throttled := with(trialsOf(100, 101, 102), func(i int, t *contest.Trial) { t.ThrottledRequests, t.Stored = 1, 1<<30/1e6 })
	for _, row := range []struct {
		name          string
		price         results.Price
		ranks         string
		cost, keeping float64
	}{
		{"no price", results.Price{}, "a 1, b 1", -1, -1},
		{"a price", results.Price{PerMillion: 0.5}, "a 1, b 1", 0.5, -1},
		{"throttled ones are billed", results.Price{PerMillion: 0.5, BillRefused: true}, "b 1, a 2 billed", 1, -1},
		{"what is stored has a price", results.Price{PerGiBMonth: 3}, "a 1, b 1", -1, 3},
	} {
		c := contest.Rank(two(throttled, trialsOf(100, 101, 102)), contest.Options{Price: row.price})
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
		{"all that is sound", contest.Options{Alpha: 0.01, Price: results.Price{PerMillion: 1, PerGiBMonth: 2}}, 0},
		{"everything is wrong", contest.Options{Alpha: 0.5, Price: results.Price{PerMillion: -1, PerGiBMonth: math.Inf(1)}}, 3},
		{"no numbers", contest.Options{Alpha: math.NaN(), Price: results.Price{PerMillion: math.NaN(), PerGiBMonth: math.NaN()}}, 3},
	} {
		faults := row.o.Validate()
		assert.Lenf(t, faults, row.faults, "%s: Validate() = %v; want %d faults", row.name, faults, row.faults)
	}
}

func TestSurvival(t *testing.T) {
	a, b := trialsOf(100, 101, 102), trialsOf(150, 151, 152)
	for _, row := range []struct {
		name                   string
		otherOfA, otherB, a, b []contest.Trial
		survives               *bool
		says                   string
	}{
		{"not tried", nil, nil, a, b, nil, ""},
		{"tried with one alone", a, nil, a, b, nil, "not tried"},
		{"the same wins", a, b, a, b, new(true), "Same result"},
		{"the other wins", b, a, a, b, new(false), ": a WINS by 49.5% (over b"},
		{"no difference is shown then", a, a, a, b, new(false), ": NO DIFFERENCE"},
		{"there was none to begin with, nor then", b, b, a, a, new(true), "Same result"},
		{"there was none to begin with", a, b, a, a, new(false), ": b WINS"},
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

// Intervals keep to what a figure can be, quantiles to what every run tells, and what is
// found to the pairs that are looked at.
func TestEstimates(t *testing.T) {
	a := with(trialsOf(0, 0, 10), func(i int, t *contest.Trial) { t.Lost = []float64{0.1, 1, 1}[i] })
	a[1].Operations[0].P99 = nil
	c := contest.Rank(two(a, trialsOf(1, 2, 3)), contest.Options{})
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
	pair := contest.Rank(two(trialsOf(100, 104, 108), trialsOf(101, 104, 107)), contest.Options{})
	s := math.Log(104) - math.Log(100)
	even := trialsOf(100*math.Exp(-s), 100, 100*math.Exp(s))
	known := contest.Rank(two(even, even), contest.Options{})
	if got, want := known.Power[1].Found, 100*statistics.Detection(statistics.Unbiased(4)*math.Log(1.2), s, 0.03, 3); math.Abs(got-want) > 1e-6 {
		t.Errorf("of 20%% at a spread of %.3f of 2 + 2 degrees of freedom, %v are stated; want %v", s, got, want)
	}
	three := contest.Rank([]contest.Arm{arm("a", trialsOf(100, 104, 108)), arm("b", trialsOf(101, 104, 107)), arm("c", trialsOf(50, 60, 70))}, contest.Options{})
	diff := cmp.Diff(pair.Power, three.Power)
	assert.Emptyf(t, diff, "of two designs and beside a third (-two +three):\n%s", diff)
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
				c := contest.Rank(two(chance(runs, operations, lost, rng), chance(runs, operations, lost, rng)), contest.Options{})
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
				c := contest.Rank(two(drawn(5, 100*(1+percent/100), spread, rng), drawn(5, 100, spread, rng)), contest.Options{})
				if c.Ranking[1].Behind == "sustained_entities_per_second" && c.Ranking[1].Design == "b" {
					found++
				}
				stated += c.Power[k].Found / 100 / sets
			}
			// What is stated rests on a spread of few runs: it is right on the average to a
			// few of a hundred.
			if got := float64(found) / sets; math.Abs(got-stated) > 0.03+4*math.Sqrt(stated*(1-stated)/sets) {
				t.Errorf("of %g%% at a spread of %v, %.3f are found; stated were %.3f", percent, spread, got, stated)
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
		diff := cmp.Diff(was, contest.Document(contest.Rank(arms, contest.Options{Scenario: "s", Other: "headroom"})))
		require.Emptyf(t, diff, "shuffled arms give another document (-was +is):\n%s", diff)
	}
}
