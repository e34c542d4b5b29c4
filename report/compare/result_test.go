package compare_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/compare"
	"loadgen/report/document"
	"loadgen/results/resultstest"
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
		var list []compare.Result
		for _, o := range row.of {
			list = append(list, compare.Result{Outcome: o})
		}
		assert.Equalf(t, row.code, compare.ExitCode(list), "%s: Code()", row.name)
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
	const repeat, accept = "loadgen simulate s", `loadgen gate s --accept "why"`
	for _, row := range []struct {
		name, is, state string
		lines           []string
	}{
		{"nothing differs", was, "holds", []string{repeat}},
		{"values and digests differ", `{"digest": "b", "phases": [{"name": "peak", "us": {"p99": 11, "digest": "y"}}], "seed": 1, "model": [{"name": "target", "value": "1000"}]}`,
			"does not hold", []string{`model[target].value: was "2000", is "1000"`, "phases[peak].us.p99: was 10, is 11 (+10.0%)", "and 2 more", accept, repeat}},
		{"a digest alone differs", strings.Replace(was, `"x"`, `"y"`, 1), "does not hold",
			[]string{`phases[peak].us.digest: was "x", is "y"`, accept, repeat}},
	} {
		d := compare.ResultsDocument([]compare.Result{compare.Differs("s", "the baseline of yesterday", differing(t, row.is))})
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
	trial := compare.Trial{Metric: compare.Metric{Name: "p99(get)"}, Paired: true}
	for i := range pairs {
		a := 100 + float64(i)
		trial.A, trial.B = append(trial.A, a), append(trial.B, a*by)
	}
	return []compare.Trial{trial}
}

// Files have the form of their ending in any case, and each is there once.
func TestFilesOfKnownForms(t *testing.T) {
	for _, row := range []struct {
		files compare.Files
		says  string
	}{
		{nil, ""},
		{compare.Files{"a.xml", "a.XML", "b.md", "c.json", "d.txt", "e.github", "g.csv", "h.html"}, ""},
		{compare.Files{"a.md", "gate"}, "gate: expected"},
		{compare.Files{"gate.pdf"}, "gate.pdf: expected"},
		{compare.Files{"a.md", "b.md", "a.md"}, "a.md is repeated"},
	} {
		if err := row.files.Validate(); (err == nil) != (row.says == "") || err != nil && !strings.HasPrefix(err.Error(), row.says) {
			t.Errorf("Validate() of %q = %v; want %q", row.files, err, row.says)
		}
	}
}

// What an earlier gate left is gone at once; what is new is gone again where there is no
// result, or where one of the files cannot be written.
func TestFilesFromBeginToEnd(t *testing.T) {
	t.Chdir(t.TempDir())
	left := func() string {
		entries, err := filepath.Glob("*")
		require.NoError(t, err)
		var all []string
		for _, name := range entries {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			all = append(all, name+"="+strings.SplitN(string(text), "\n", 2)[0])
		}
		return strings.Join(all, " ")
	}
	for name, text := range map[string]string{"old.md": "all passed", "kept.txt": "mine"} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	if err := (compare.Files{"new.xml", "nowhere/a.md"}).Begin(); !errors.Is(err, fs.ErrNotExist) || left() != "kept.txt=mine old.md=all passed" {
		t.Errorf("Begin() = %v, left %s; want what was there before", err, left())
	}
	files := compare.Files{"old.md", "new.txt"}
	err := files.Begin()
	require.Equal(t, []any{nil, "kept.txt=mine new.txt= old.md="}, []any{err, left()}, "Begin()")
	list := []compare.Result{{Scenario: "own", Reason: "it repeats"}}
	if err := files.Write(list); err != nil || !strings.Contains(left(), "new.txt=loadgen gate · 1 scenario") || !strings.Contains(left(), "old.md=# loadgen gate") {
		t.Errorf("Write() = %v, left %s; want the ruling in both", err, left())
	}
	require.NoError(t, os.WriteFile("old.md", nil, 0o600))
	if err := files.Withdraw(); err != nil || !strings.HasPrefix(left(), "kept.txt=mine new.txt=loadgen gate") || strings.Contains(left(), "old.md") {
		t.Errorf("Withdraw() = %v, left %s; want those gone that nothing was written to", err, left())
	}
	assert.Error(t, (compare.Files{"nowhere/a.md"}).Write(list), "Write() to a folder that is not there = no error")
}

// soundForm holds a form to what must be true of it whatever it is about.
func soundForm(t testing.TB, f compare.Form, list []compare.Result) {
	t.Helper()
	text := printed(t, f, list)
	for _, r := range text {
		if (unicode.IsControl(r) && r != '\n' || unicode.Is(unicode.Bidi_Control, r)) && f.Name != "json" {
			t.Errorf("%s holds %q:\n%q", f.Name, r, text)
			break
		}
	}
	switch lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n"); f.Name {
	case "junit":
		if s := resultstest.ReadJUnit(t, text).Suites[0]; s.Tests != len(list) || len(s.Cases) != len(list) || s.Failures+s.Errors+s.Skipped > len(list) {
			t.Errorf("the suite is %+v; want %d cases", s, len(list))
		}
	case "github":
		if len(list) > 0 {
			soundAnnotations(t, lines)
		}
	}
}

// soundAnnotations checks that each line is one command, and how many there are.
func soundAnnotations(t testing.TB, lines []string) {
	t.Helper()
	kinds := map[string]int{}
	for _, line := range lines {
		kind, rest, found := strings.Cut(strings.TrimPrefix(line, "::"), " title=")
		title, _, ended := strings.Cut(rest, "::")
		assert.Truef(t, found && ended && strings.HasPrefix(line, "::") && !strings.ContainsAny(title, ":,") && (kind == "error" || kind == "warning" || kind == "notice"),
			"%q is no annotation", line)
		if kinds[kind]++; kinds[kind] > 10 {
			t.Errorf("%d annotations of kind %s; want 10 at most", kinds[kind], kind)
		}
	}
}
