package gate_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"loadgen/report/compare"
	"loadgen/report/compare/gate"
	"loadgen/report/document"
	"loadgen/report/text"
)

// Of several outcomes the gravest decides.
func TestCode(t *testing.T) {
	for _, row := range []struct {
		name string
		of   []compare.Outcome
		code int
	}{
		{"nothing was gated", nil, 0},
		{"nothing differs", []compare.Outcome{compare.Same, compare.Improvement}, 0},
		{"one cannot be told", []compare.Outcome{compare.Same, compare.Inconclusive}, 12},
		{"one has no baseline", []compare.Outcome{compare.NoBaseline, compare.Same}, 12},
		{"a regression comes before what cannot be told", []compare.Outcome{compare.Inconclusive, compare.Regression, compare.NoBaseline}, 11},
		{"a broken claim comes before a regression", []compare.Outcome{compare.Regression, compare.Failed}, 10},
		{"an invalid run comes before all", []compare.Outcome{compare.Failed, compare.Regression, compare.Invalid, compare.NoBaseline}, 13},
	} {
		var list []gate.Result
		for _, o := range row.of {
			list = append(list, gate.Result{Outcome: o})
		}
		if got := gate.Code(list); got != row.code {
			t.Errorf("%s: Code() = %d; want %d", row.name, got, row.code)
		}
	}
}

const was = `{"digest": "a", "phases": [{"name": "peak", "us": {"p99": 10, "digest": "x"}}], "seed": 1, "model": [{"name": "target", "value": "2000"}]}`

func differing(t *testing.T, is string) compare.Difference {
	t.Helper()
	d, err := compare.Diff([]byte(was), []byte(is))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// What is of the whole run is read first, and a digest only where nothing else differs.
func TestDocumentOfADifference(t *testing.T) {
	repeat := "the run: loadgen simulate s"
	accept := "where this is meant: loadgen gate s --accept --reason \"why\""
	for _, row := range []struct {
		name, is, state, claim string
		lines                  []string
	}{
		{"nothing differs", was, "holds", "NO DIFFERENCE: s", []string{repeat}},
		{"values and digests differ", `{"digest": "b", "phases": [{"name": "peak", "us": {"p99": 11, "digest": "y"}}], "seed": 1, "model": [{"name": "target", "value": "1000"}]}`,
			"does not hold", "REGRESSION: s", []string{`model[target].value: was "2000", is "1000"`, "phases[peak].us.p99: was 10, is 11 (+10.0 %)", "and 2 more", accept, repeat}},
		{"a digest alone differs", strings.Replace(was, `"x"`, `"y"`, 1), "does not hold", "REGRESSION: s",
			[]string{`phases[peak].us.digest: was "x", is "y"`, accept, repeat}},
	} {
		d := gate.Document([]gate.Result{gate.Differs("s", "the baseline of yesterday", differing(t, row.is))})
		var lines []string
		for _, block := range d.Screen {
			lines = append(lines, block.(document.Facts).Lines...)
		}
		if d.Answer.State != row.state || d.Answer.Claim != row.claim || !slices.Equal(lines, row.lines) || d.Answer.Says[1] != "against the baseline of yesterday" {
			t.Errorf("%s: %+v, %q; want %s, %q, %q", row.name, d.Answer, lines, row.state, row.claim, row.lines)
		}
	}
}

// Of several scenarios the gravest outcome is told, in how many it is, and its first.
func TestDocumentOfSeveral(t *testing.T) {
	list := night(t)
	d := gate.Document(list)
	rows := d.Screen[0].(document.Table).Rows
	if d.Answer.State != "cannot tell" || d.Answer.Claim != "INVALID in 1 of 8 scenarios" || d.Answer.Says[0] != "stall: the run is invalid" ||
		len(rows) != 8 || rows[0][0].Text != "stall" || rows[2][1].Text != "regression" || rows[2][1].Tone != document.Bad || rows[7][1].Tone != document.Good {
		t.Errorf("%+v with %v; want what bars a change first", d.Answer, rows)
	}
	if whole := gate.Document(list[:1:1]); whole.Answer.State != "holds" || len(whole.Screen) != 1 {
		t.Errorf("one that repeats: %+v; want that it holds, and how it is repeated", whole)
	}
}

// trials are pairs of runs of one metric, each by so much slower than the other.
func trials(pairs int, by float64) []compare.Trial {
	trial := compare.Trial{Metric: compare.Metric{Name: "p99(get)"}}
	for i := range pairs {
		a := 100 + float64(i)
		trial.Pairs = append(trial.Pairs, compare.Pair{A: a, B: a * by})
	}
	return []compare.Trial{trial}
}

func TestJudged(t *testing.T) {
	for _, row := range []struct {
		name    string
		pairs   int
		by      float64
		outcome compare.Outcome
	}{
		{"ten pairs, all slower by a tenth", 10, 1.1, compare.Regression},
		{"ten pairs, all faster by a tenth", 10, 0.9, compare.Improvement},
		{"ten pairs that hardly differ", 10, 1.001, compare.Same},
		{"five pairs are too few", 5, 1.1, compare.Inconclusive},
	} {
		j, err := compare.Gate{}.Judge(trials(row.pairs, row.by))
		if err != nil {
			t.Fatal(err)
		}
		r := gate.Judged("s", "the older build", j)
		if r.Outcome != row.outcome || r.Virtual {
			t.Errorf("%s: %s; want %s", row.name, r.Outcome, row.outcome)
		}
		if got := printed(t, gate.Forms()[0], []gate.Result{r}); !strings.Contains(strings.Join(strings.Fields(got), " "), j.Findings[0].Sentence()) {
			t.Errorf("%s: the text does not hold the finding:\n%s", row.name, got)
		}
	}
}

// The JSON form has the keys that scripts rely on, and a number stays a number.
func TestJSON(t *testing.T) {
	j, err := compare.Gate{}.Judge(trials(10, 1.1))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	list := []gate.Result{gate.Differs("v", "b", differing(t, strings.Replace(was, "10", "11", 1))), gate.Judged("l", "a", j),
		{Scenario: "n", Outcome: compare.NoBaseline, Reason: "there is none"}}
	if err := text.JSON(&out, gate.Document(list).Data); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Verdict string
		Metrics []struct {
			Scenario, Metric, Verdict string
			A, B                      any
			Change, P                 *float64
			Interval                  *[2]float64
		}
		Scenarios []struct{ Scenario, Verdict, Reason string }
	}
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
		t.Fatal(err)
	}
	if got.Verdict != "regression" || len(got.Metrics) != 2 || len(got.Scenarios) != 3 || got.Scenarios[2].Verdict != "no baseline" {
		t.Fatalf("%+v; want a regression, two metrics and three scenarios", got)
	}
	if m := got.Metrics[0]; m.Metric != "phases[peak].us.p99" || m.A != 10.0 || m.B != 11.0 || m.P != nil || *m.Change < .09 {
		t.Errorf("the value that differs is %+v; want 10 against 11, no p", m)
	}
	if m := got.Metrics[1]; m.Metric != "p99(get)" || m.P == nil || m.Interval == nil || m.Verdict != "regression" {
		t.Errorf("the metric that was judged is %+v; want p and an interval", m)
	}
}
