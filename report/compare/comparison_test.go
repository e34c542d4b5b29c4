package compare_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/compare"
	"loadgen/report/verdict"
	"loadgen/results"
)

// The figures are those of the summaries of the records.
func TestFiguresAreTheSummaries(t *testing.T) {
	a, b := played{seed: 1, throttled: 10}, played{seed: 2, slower: 1.2, throttled: 9}
	c := held(t, side(t, "a", a), side(t, "b", b))
	compared := 0
	for letter, p := range map[string]played{"A": a, "B": b} {
		summary := verdict.Judge(p.shared(t))
		is := func(phase, operation, name string, want *float64) {
			t.Helper()
			m := find(t, c, phase, operation, name)
			got := m.A
			if letter == "B" {
				got = m.B
			}
			assert.Truef(t, (got == nil) == (want == nil) && (got == nil || *got == *want),
				"%s: %s of %q, %q is %v; want %v", letter, name, phase, operation, got, want)
			compared++
		}
		times := func(phase, operation string, q results.Quantiles) {
			for name, micros := range map[string]*int64{"p50": q.P50, "p90": q.P90, "p99": q.P99, "p99.9": q.P999, "max": q.Max} {
				var want *float64
				if micros != nil {
					want = new(float64(*micros))
				}
				is(phase, operation, name, want)
			}
		}
		times("", "", summary.Response)
		for _, phase := range summary.Phases {
			is(phase.Name, "", "offered", &phase.Offered)
			is(phase.Name, "", "served", &phase.Served)
			is(phase.Name, "", "throttled_per_second", &phase.ThrottledPerSecond)
			is(phase.Name, "", "share_lost", phase.ShareLost)
			for operation, o := range phase.PerOperation {
				times(phase.Name, operation, o.Response)
				is(phase.Name, operation, "offered", &o.Offered)
				is(phase.Name, operation, "served", &o.Served)
				is(phase.Name, operation, "throttled_per_second", &o.ThrottledPerSecond)
				is(phase.Name, operation, "share_lost", o.ShareLost)
				is(phase.Name, operation, "tries", o.AttemptsPerOperation)
			}
		}
	}
	assert.Truef(t, compared >= 80, "%d figures were compared; want all of two phases and two operations", compared)
	// 4 s at 600/s, two phases, and every tenth of 7,200 was throttled, those of the load included.
	assert.EqualValues(t, 4320, *find(t, c, "", "", "counted").A, "counted")
	if m := find(t, c, "", "", "share_lost"); math.Abs(*m.A-.1) > 1e-9 || m.P != nil || m.Interval != nil {
		t.Errorf("share lost = %+v; want 0.1, and of one run neither p nor bounds", m)
	}
}

// Sets of the same runs show no difference, in whatever order they are read.
func TestShuffledSetsOfTheSameRuns(t *testing.T) {
	runs, _ := sets(8, 0)
	shuffled := slices.Clone(runs)
	slices.Reverse(shuffled)
	shuffled[0], shuffled[3] = shuffled[3], shuffled[0]
	c := held(t, side(t, "a", runs...), side(t, "b", shuffled...))
	assert.Truef(t, c.Outcome == compare.NoDifference,
		"the same runs are %q, %v; want no difference", c.Outcome, c.Says)
	for _, m := range c.Metrics {
		assert.Truef(t, (m.Change == nil || *m.Change == 0) && (m.P == nil || *m.P == 1),
			"%s changed by %v, p %v; want nothing", m.Metric, m.Change, m.P)
	}
	assert.Emptyf(t, c.Warnings, "the warnings are %q; want none", c.Warnings)
}

func TestOutcomes(t *testing.T) {
	plain := func(a, b []played) ([]played, []played) { return a, b }
	for _, row := range []struct {
		name    string
		pairs   int
		effect  float64
		change  func(a, b []played) ([]played, []played)
		outcome compare.Outcome
		says    string
		decide  int
	}{
		{"eight pairs, a tenth slower", 8, .1, plain, compare.Regression, "over 8 pairs of runs: p99 +", 3},
		{"eight pairs that differ by chance", 8, 0, plain, compare.NoDifference, "over 8 pairs", 3},
		{"six pairs rest on one metric", 6, .5, plain, compare.Regression, "over 6 pairs of runs: p99 +", 1},
		{"five pairs are too few", 5, .5, plain, compare.Inconclusive, "5 pairs", 0},
		{"as many on each side, or no pairs", 3, .5, func(a, b []played) ([]played, []played) { return a, b[:2] }, compare.Inconclusive, "B has 2 runs", 0},
		{"a set against one run", 3, .5, func(a, b []played) ([]played, []played) { return a, b[:1] }, compare.Inconclusive, "B has 1 run;", 0},
		{"all of A before all of B", 6, .5, func(a, b []played) ([]played, []played) {
			for i := range b {
				b[i].started = b[i].started.Add(time.Hour)
			}
			return a, b
		}, compare.Inconclusive, "alternat", 0},
		{"a run that broke off", 6, .5, func(a, b []played) ([]played, []played) {
			b[3].killed = true
			return a, b
		}, compare.Inconclusive, "1 run is not valid", 0},
		{"runs in virtual time that repeat each other", 6, .5, func(a, b []played) ([]played, []played) {
			for i := range a {
				a[i], b[i] = played{virtual: true, started: a[i].started}, played{virtual: true, slower: 2, started: b[i].started}
			}
			return a, b
		}, compare.Different, "copies", 0},
		{"runs in virtual time with a seed each", 6, .5, func(a, b []played) ([]played, []played) {
			for i := range a {
				// Their order is that of the seeds.
				a[i].virtual, b[i].virtual, a[i].started = true, true, night.Add(-time.Duration(i)*time.Hour)
			}
			return a, b
		}, compare.Regression, "over 6 pairs", 1},
	} {
		a, b := row.change(sets(row.pairs, row.effect))
		c := held(t, side(t, "a", a...), side(t, "b", b...))
		assert.Truef(t, c.Outcome == row.outcome && strings.Contains(strings.Join(c.Says, " "), row.says) && len(c.Decides) == row.decide,
			"%s: %s, %q by %d metrics; want %s, %q by %d", row.name, c.Outcome, c.Says, len(c.Decides), row.outcome, row.says, row.decide)
		state, _ := row.outcome.State()
		if a := c.Document().Answer; a.State != state || !strings.Contains(a.Claim, a.Number) {
			t.Errorf("%s: %+v; want %s", row.name, a, state)
		}
	}
	for pairs, told := range map[int]bool{compare.MinPairsOfOne - 1: false, compare.MinPairsOfOne: true} {
		a, b := sets(pairs, .5)
		p99 := find(t, held(t, side(t, "a", a...), side(t, "b", b...)), "", "", "p99")
		assert.Equalf(t, told, p99.P != nil, "the p of %d pairs", pairs)
	}
}

// A figure that one run does not tell has no p, and decides nothing.
func TestFigureThatARunLacks(t *testing.T) {
	a, b := sets(7, .3)
	b[2].perSecond = 200
	c := held(t, side(t, "a", a...), side(t, "b", b...))
	m := find(t, c, "", "", "p99")
	assert.Truef(t, m.P == nil && m.Interval == nil && m.B != nil, "p99 is %+v", m)
	assert.Truef(t, len(c.Decides) == 1 && c.Decides[0].Metric == "served",
		"the verdict rests on %+v; want what was served, which all runs tell", c.Decides)
}

// One run per side is never called faster or slower, however far apart they are.
func TestSingleRunsProveNothing(t *testing.T) {
	c := held(t, side(t, "a", played{seed: 1, perSecond: 100}), side(t, "b", played{seed: 2, perSecond: 100, slower: 2}))
	assert.Truef(t, c.Outcome == compare.Inconclusive && strings.Contains(c.Says[0], "One run"), "%s, %q", c.Outcome, c.Says)
	got := strings.ToLower(text(t, c))
	for _, word := range []string{"slower", "faster", "worse", "better", "regression", "improvement"} {
		assert.NotContains(t, got, word)
	}
}

// Runs in virtual time are compared value by value.
func TestVirtualRuns(t *testing.T) {
	same := held(t, side(t, "a", played{virtual: true}), side(t, "b", played{virtual: true, started: night.Add(time.Hour)}))
	if same.Outcome != compare.Identical || same.Exact == nil || len(same.Warnings) != 0 ||
		same.Document().Answer.State != "holds" {
		t.Errorf("a run that repeats is %s, %v with %q", same.Outcome, same.Says, same.Warnings)
	}
	other := held(t, side(t, "a", played{virtual: true}), side(t, "b", played{virtual: true, throttled: 2399}))
	if other.Outcome != compare.Different || other.Exact.Difference.Total == 0 || len(other.Says) != 1 ||
		!strings.Contains(text(t, other), "operations[get].lost.count: was 0, is 1") {
		t.Errorf("a run with throttled attempts is %s, %v:\n%s", other.Outcome, other.Says, text(t, other))
	}
	seeded := held(t, side(t, "a", played{virtual: true}), side(t, "b", played{virtual: true, seed: 8, alter: func(m *results.Manifest) {
		m.Scenario.Text = strings.Replace(scenarioText, "7", "8", 1)
	}}))
	assert.Truef(t, seeded.Outcome == compare.Inconclusive && seeded.Exact == nil,
		"runs of two seeds: %s, %q; want trials, not values", seeded.Outcome, seeded.Says)
	var up, down []played
	for i := range 3 {
		up = append(up, played{virtual: true, seed: uint64(i), started: night.Add(time.Duration(i) * time.Minute)})
		down = append(down, played{virtual: true, seed: uint64(i), started: night.Add(-time.Duration(i) * time.Minute)})
	}
	if c := held(t, side(t, "a", up...), side(t, "b", down...)); c.Outcome != compare.Identical || !strings.Contains(c.Says[0], "3 pairs") {
		t.Errorf("the same seeds the other way round: %s, %q; want pairs by seed", c.Outcome, c.Says)
	}
	for name, other := range map[string]played{
		"two scenarios": {virtual: true, alter: func(m *results.Manifest) { m.Scenario.Name = "large" }}, "two clocks": {},
	} {
		_, err := compare.Compare(side(t, "a", played{virtual: true}), side(t, "b", other), nil)
		assert.ErrorIs(t, err, compare.ErrQuestion, name)
	}
}

// Changes that were named decide the verdict: by trials of several seeds, of sets that do not
// alternate, and of runs that vary by nothing else.
func TestFailOn(t *testing.T) {
	virtual := func(n int, slower float64) (list []played) {
		for i := range n {
			list = append(list, played{virtual: true, slower: slower, seed: uint64(i), one: true})
		}
		return list
	}
	later := func(list []played, slower float64) (all []played) {
		for i, p := range list {
			p.slower, p.started, p.seed, p.virtual = slower*(1+float64(i%3)/500), night.Add(time.Duration(i)*time.Hour), p.seed+100, list[0].virtual
			all = append(all, p)
		}
		return all
	}
	live, _ := sets(8, 0)
	for _, row := range []struct {
		name    string
		a, b    []played
		failOn  string
		outcome compare.Outcome
	}{
		{"one run of the same seed, slower", virtual(1, 1), virtual(1, 1.3), "p99 > +10%", compare.Regression},
		{"one run of the same seed, less slow than that", virtual(1, 1), virtual(1, 1.03), "p99 > +10%", compare.NoDifference},
		{"another metric than the one that changed", virtual(1, 1), virtual(1, 1.3), "served < -5%", compare.NoDifference},
		{"other seeds are trials", virtual(8, 1), later(virtual(8, 1), 1.3), "p50 > +10%", compare.Regression},
		{"other seeds without a change", virtual(8, 1), later(virtual(8, 1), 1), "p50 > +10%", compare.NoDifference},
		{"too few trials", virtual(3, 1), later(virtual(3, 1), 1.3), "p50 > +10%", compare.Inconclusive},
		{"live sets, one after the other", live, later(live, 1.3), "p50 > +10%", compare.Regression},
		{"live sets that are alike", live, later(live, 1), "p50 > +10%", compare.NoDifference},
		{"single live runs", live[:1], later(live[:1], 2), "p50 > +10%", compare.Inconclusive},
	} {
		failOn, err := compare.ParseFailOns([]string{row.failOn})
		require.NoError(t, err)
		var both [2]*compare.Set
		for i, list := range [][]played{row.a, row.b} {
			both[i] = &compare.Set{Name: row.name}
			for k, p := range list {
				require.NoError(t, both[i].Add(fmt.Sprint(k), p.shared(t), failOn))
			}
		}
		c, err := compare.Compare(both[0], both[1], failOn)
		require.NoError(t, err)
		assert.Equalf(t, row.outcome, c.Outcome, "%s: %q", row.name, c.Says)
	}
}

func TestParseFailOn(t *testing.T) {
	for text, want := range map[string]compare.Metric{
		"p99(get) > +10%": {Name: "p99(get)", Threshold: .1}, "p99>10 %": {Name: "p99", Threshold: .1},
		"served < -5%": {Name: "served", Higher: true, Threshold: 1/.95 - 1}, "share_lost > +2.5%": {Name: "share_lost", Threshold: .025},
	} {
		m, err := compare.ParseFailOn(text)
		assert.Truef(t, err == nil && m.Name == want.Name && m.Higher == want.Higher && math.Abs(m.Threshold-want.Threshold) < 1e-12, "%s: %+v, %v", text, m, err)
	}
	for text, says := range map[string]string{
		"p99": "expected a change", "served > +10%": "expected served < -10%", "p99 < -5%": "expected p99 > +10%", "pp9 > 5%": "p99", "served < -100%": "expected",
		"p99 > +0%": "expected", "p99 > 20ms": "expected a change", "served(hottest) < -5%": "operation or phase",
	} {
		_, err := compare.ParseFailOn(text)
		assert.ErrorContains(t, err, says, text)
	}
}

// The JSON form has the metrics of the whole and of a phase by operation, and the figures of each.
func TestJSON(t *testing.T) {
	a, b := sets(8, .1)
	c := held(t, side(t, "a", a...), side(t, "b", b...))
	var got struct {
		Verdict string
		Metrics []struct {
			Metric, Phase, Operation string
			A, B, Change, P          *float64
			Interval                 *[2]float64
		}
		Warnings []string
	}
	require.NoError(t, json.Unmarshal([]byte(shown(t, c, report.FormJSON, false)), &got))
	assert.Equal(t, "regression", got.Verdict)
	assert.NotNil(t, got.Warnings)
	require.Len(t, got.Metrics, 66, "11 metrics of the whole and a phase by 3 operations")
	first := got.Metrics[0]
	assert.Equal(t, "p50", first.Metric)
	assert.NotNil(t, first.P)
	assert.InDelta(t, *first.B / *first.A - 1, *first.Change, .01, "the median of pairs is near the ratio of medians")
	assert.Truef(t, first.Interval[0] < *first.Change && *first.Change < first.Interval[1] && first.Interval[0] > 0, "%v", first.Interval)
	for _, m := range got.Metrics {
		assert.Truef(t, m.Metric != "throttled_per_second" || *m.A == 0 && *m.Change == 0, "%+v", m)
	}
}

func FuzzParseFailOn(f *testing.F) {
	for _, text := range []string{"p99(get) > +10%", "served < -5%", "p99(\"a b\", peak) > 1%", "> %"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := compare.ParseFailOn(text)
		if err == nil && (m.Name == "" || !(m.Threshold > 0) || math.IsInf(m.Threshold, 0)) {
			t.Errorf("%q is %+v", text, m)
		}
	})
}
