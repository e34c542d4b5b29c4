package runs_test

import (
	"encoding/json"
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
			for name, micros := range map[string]*int64{"p50": q.P50, "p90": q.P90, "p99": q.P99, "p99_9": q.P999, "max": q.Max} {
				var want *float64
				if micros != nil {
					want = new(float64(*micros))
				}
				is(phase, operation, "response_us."+name, want)
			}
		}
		times("", "", summary.Response)
		for _, phase := range summary.Phases {
			is(phase.Name, "", "offered_entities_per_second", &phase.Offered)
			is(phase.Name, "", "served_entities_per_second", &phase.Served)
			is(phase.Name, "", "throttled_per_second", &phase.ThrottledPerSecond)
			is(phase.Name, "", "share_lost", phase.ShareLost)
			for operation, o := range phase.PerOperation {
				times(phase.Name, operation, o.Response)
				is(phase.Name, operation, "offered_entities_per_second", &o.Offered)
				is(phase.Name, operation, "served_entities_per_second", &o.Served)
				is(phase.Name, operation, "throttled_per_second", &o.ThrottledPerSecond)
				is(phase.Name, operation, "share_lost", o.ShareLost)
				is(phase.Name, operation, "tries_per_operation", o.AttemptsPerOperation)
			}
		}
	}
	assert.Truef(t, compared >= 80, "%d figures were compared; want all of two phases and two operations", compared)
	// 4 s at 600/s, two phases, and every tenth of 7,200 was throttled, those of the load included.
	assert.EqualValues(t, 4320, *find(t, c, "", "", "entities_counted").A, "counted")
	if m := find(t, c, "", "", "share_lost"); math.Abs(*m.A-.1) > 1e-9 || m.P != nil || m.Interval != nil || m.RangeA != nil {
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
		{"eight pairs, a tenth slower", 8, .1, plain, compare.Regression, "over 8 pairs of runs: response p99 +", 3},
		{"eight pairs that differ by chance", 8, 0, plain, compare.NoDifference, "over 8 pairs", 3},
		{"six pairs rest on one metric", 6, .5, plain, compare.Regression, "over 6 pairs of runs: response p99 +", 1},
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
	for pairs, told := range map[int]bool{compare.FewestPairsOfOne - 1: false, compare.FewestPairsOfOne: true} {
		a, b := sets(pairs, .5)
		p99 := find(t, held(t, side(t, "a", a...), side(t, "b", b...)), "", "", "response_us.p99")
		assert.Equalf(t, told, p99.P != nil, "the p of %d pairs", pairs)
	}
}

// A figure that one run does not tell has no p, and decides nothing.
func TestFigureThatARunLacks(t *testing.T) {
	a, b := sets(7, .3)
	b[2].perSecond = 200
	c := held(t, side(t, "a", a...), side(t, "b", b...))
	m := find(t, c, "", "", "response_us.p99")
	assert.Truef(t, m.P == nil && m.Interval == nil && m.B != nil, "p99 is %+v", m)
	assert.Truef(t, len(c.Decides) == 1 && c.Decides[0].Metric == "served",
		"the verdict rests on %+v; want what was served, which all runs tell", c.Decides)
}

// Of one run a side nothing is called faster or slower, however far apart they are.
func TestSingleRunsProveNothing(t *testing.T) {
	for _, row := range []struct {
		name   string
		slower float64
		second int
		says   string
	}{
		{"runs that are twice as slow", 2, 60, "1 of 3"},
		{"runs that hardly differ", 1.0001, 60, "bands"},
		{"runs too short for bands", 2, 3, "One run"},
	} {
		one, other := played{seed: 1, seconds: row.second, perSecond: 100}, played{seed: 2, seconds: row.second, perSecond: 100, slower: row.slower}
		c := held(t, side(t, "a", one), side(t, "b", other))
		assert.Truef(t, c.Outcome == compare.Inconclusive && strings.Contains(c.Says[0], row.says),
			"%s: %s, %q; want inconclusive, %q", row.name, c.Outcome, c.Says, row.says)
		require.Lenf(t, c.Bands, 4, "%s: bands", row.name)
		for _, b := range c.Bands {
			if b.Doubt != "" && b.Disjoint || b.Change.Interval != nil && (b.A.Interval[0] > b.A.Mean || b.A.Interval[1] < b.A.Mean) {
				t.Errorf("%s: the band is %+v; want its mean within, and no word where it is doubted", row.name, b)
			}
		}
		got := strings.ToLower(text(t, c))
		for _, word := range []string{"slower", "faster", "worse", "better", "regression", "improvement"} {
			assert.NotContainsf(t, got, word, "%s: the text says %q:\n%s", row.name, word, got)
		}
	}
}

// Runs in virtual time are compared value by value.
func TestVirtualRuns(t *testing.T) {
	same := held(t, side(t, "a", played{virtual: true}), side(t, "b", played{virtual: true, started: night.Add(time.Hour)}))
	if same.Outcome != compare.Identical || same.Exact == nil || len(same.Bands) != 0 || len(same.Warnings) != 0 ||
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
	assert.Truef(t, seeded.Outcome == compare.Different && len(seeded.Says) == 2,
		"runs of two seeds: %s, %q; want a second sentence", seeded.Outcome, seeded.Says)
	var up, down []played
	for i := range 3 {
		up = append(up, played{virtual: true, seed: uint64(i), started: night.Add(time.Duration(i) * time.Minute)})
		down = append(down, played{virtual: true, seed: uint64(i), started: night.Add(-time.Duration(i) * time.Minute)})
	}
	if c := held(t, side(t, "a", up...), side(t, "b", down...)); c.Outcome != compare.Identical || !strings.Contains(c.Says[0], "3 pairs") {
		t.Errorf("the same seeds the other way round: %s, %q; want pairs by seed", c.Outcome, c.Says)
	}
	named := held(t, side(t, "a", played{virtual: true}), side(t, "b", played{virtual: true, alter: func(m *results.Manifest) { m.Scenario.Name = "large" }}))
	assert.Truef(t, named.Exact == nil && named.Outcome == compare.Inconclusive,
		"virtual runs of two scenarios: %s, %+v; want no exact comparison", named.Outcome, named.Exact)
	live := held(t, side(t, "a", played{virtual: true}), side(t, "b", played{}))
	assert.Truef(t, live.Exact == nil && live.Outcome == compare.Inconclusive,
		"a virtual run against a live one: %s, %+v; want no exact comparison", live.Outcome, live.Exact)
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
	require.NoError(t, json.Unmarshal([]byte(printed(t, c, report.FormJSON, false)), &got))
	assert.Equal(t, "regression", got.Verdict)
	assert.NotNil(t, got.Warnings)
	require.Len(t, got.Metrics, 66, "11 metrics of the whole and a phase by 3 operations")
	first := got.Metrics[0]
	assert.Equal(t, "response_us.p50", first.Metric)
	assert.NotNil(t, first.P)
	assert.InDelta(t, *first.B / *first.A - 1, *first.Change, .01, "the median of pairs is near the ratio of medians")
	assert.Truef(t, first.Interval[0] < *first.Change && *first.Change < first.Interval[1] && first.Interval[0] > 0, "%v", first.Interval)
	for _, m := range got.Metrics {
		assert.Truef(t, m.Metric != "throttled_per_second" || *m.A == 0 && *m.Change == 0, "%+v", m)
	}
}
