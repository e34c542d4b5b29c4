package gate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/compare"
	"loadgen/report/compare/gate"
	"loadgen/report/document"
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
		assert.Equalf(t, row.code, gate.Code(list), "%s: Code()", row.name)
	}
}

const was = `{"digest": "a", "phases": [{"name": "peak", "us": {"p99": 10, "digest": "x"}}], "seed": 1, "model": [{"name": "target", "value": "2000"}]}`

func differing(t testing.TB, is string) compare.Difference {
	t.Helper()
	d, err := compare.Diff([]byte(was), []byte(is))
	require.NoError(t, err)
	return d
}

// What is of the whole run is read first, and a digest only where nothing else differs.
func TestDocumentOfADifference(t *testing.T) {
	const repeat, accept = "loadgen simulate s", `loadgen gate s --accept --reason "why"`
	for _, row := range []struct {
		name, is, state string
		lines           []string
	}{
		{"nothing differs", was, "holds", []string{repeat}},
		{"values and digests differ", `{"digest": "b", "phases": [{"name": "peak", "us": {"p99": 11, "digest": "y"}}], "seed": 1, "model": [{"name": "target", "value": "1000"}]}`,
			"does not hold", []string{`model[target].value: was "2000", is "1000"`, "phases[peak].us.p99: was 10, is 11 (+10.0 %)", "and 2 more", accept, repeat}},
		{"a digest alone differs", strings.Replace(was, `"x"`, `"y"`, 1), "does not hold",
			[]string{`phases[peak].us.digest: was "x", is "y"`, accept, repeat}},
	} {
		d := gate.Document([]gate.Result{gate.Differs("s", "the baseline of yesterday", differing(t, row.is))})
		var lines []string
		for _, block := range d.Screen {
			lines = append(lines, block.(document.Facts).Lines...)
		}
		same := slices.EqualFunc(lines, row.lines, strings.HasSuffix)
		assert.Truef(t, d.Answer.State == row.state && same && strings.Contains(d.Answer.Says[1], "the baseline of yesterday"),
			"%s: %+v, %q; want %s, %q", row.name, d.Answer, lines, row.state, row.lines)
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
