package compare_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/compare"
	"loadgen/report/document"
	"loadgen/results/resultstest"
)

// tens are ten pairs of runs of three metrics: one much slower, one that serves a
// little less, and one that differs by nothing.
func tens(t testing.TB) []compare.Trial {
	trials := []compare.Trial{
		{Metric: named(t, "p99(get, peak 20/s)"), Paired: true},
		{Metric: named(t, "served"), Paired: true},
		{Metric: named(t, "share_lost"), Paired: true},
	}
	add := func(i int, a, b float64) { trials[i].A, trials[i].B = append(trials[i].A, a), append(trials[i].B, b) }
	for i := range 10 {
		noise := 1 + float64(i%4)/100
		add(0, 5e3*noise, 5.75e3*(2-noise))
		add(1, 2000*noise, 1980*(2-noise))
		add(2, 0, 0)
	}
	return trials
}

// named parses what has to be a metric.
func named(t testing.TB, text string) compare.Metric {
	t.Helper()
	m, err := compare.ParseMetric(text)
	require.NoError(t, err)
	return m
}

// tonight is a result of every kind.
func tonight(t testing.TB) []compare.Result {
	t.Helper()
	judged := func(scenario string, trials []compare.Trial) compare.Result {
		j, err := compare.Gate{}.Judge(trials)
		require.NoError(t, err)
		return compare.Judged(scenario, "/builds/loadgen-1.4", j)
	}
	baseline := "the baseline of 2026-11-22 (5b55218c5719)"
	kept := judged("stress", tens(t))
	failed := compare.Differs("votes", baseline, differing(t, was))
	failed.Outcome, failed.Reason, failed.Notes = compare.Failed, "it repeats, and a check of the scenario fails", []string{"lost_writes == 0: observed 3"}
	return []compare.Result{
		compare.Differs("density", baseline, differing(t, was)),
		compare.Differs("row-range-scan", baseline, differing(t, `{"digest": "b", "phases": [{"name": "peak", "us": {"p99": 11, "digest": "y"}}], "seed": 1, "model": [{"name": "target", "value": "1000"}]}`)),
		kept,
		judged("serve", trials(10, .9)),
		judged("short", trials(5, 1.1)),
		{Scenario: "new-one", Outcome: compare.NoBaseline, Virtual: true, Reason: "there is no results/baselines/new-one.json",
			Notes: []string{`to make this run the baseline: loadgen gate new-one --accept "why"`}},
		failed,
		{Scenario: "stall", Outcome: compare.Invalid, Virtual: true, Reason: "the run is invalid", Notes: []string{"second 3 is missing"}},
	}
}

func printed(t testing.TB, f compare.Form, list []compare.Result) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, f.Print(&out, list), f.Name)
	return out.String()
}

func TestForms(t *testing.T) {
	for _, f := range compare.Forms() {
		if f.Name == report.FormPage || f.Name == report.FormMarkdown || f.Name == report.FormCSV {
			continue // as any document in that form
		}
		resultstest.CheckGolden(t, "testdata/night"+f.Ending, printed(t, f, tonight(t)))
	}
}

// A writer that fails is told of by every form, and no list at all is one.
func TestFormsAtTheEdges(t *testing.T) {
	for _, f := range compare.Forms() {
		assert.ErrorIsf(t, f.Print(resultstest.FullWriter{}, tonight(t)), resultstest.ErrFull, "%s to a full disk", f.Name)
		soundForm(t, f, nil)
	}
}

// What bars a change is a failure or an error, what cannot be told is skipped, and the
// counts are those of the cases.
func TestJUnitReadsBack(t *testing.T) {
	list := tonight(t)
	s := resultstest.ReadJUnit(t, printed(t, compare.Form{Print: compare.JUnit}, list)).Suites[0]
	if s.Name != "loadgen gate" || s.Tests != 8 || s.Failures != 3 || s.Errors != 1 || s.Skipped != 2 || len(s.Cases) != 8 {
		t.Fatalf("the suite is %+v; want 8 cases, 3 failures, 1 error, 2 skipped", s)
	}
	for i, c := range s.Cases {
		o := list[i].Outcome
		failure, wrong, skipped := o == compare.Regression || o == compare.Failed, o == compare.Invalid, o == compare.Inconclusive || o == compare.NoBaseline
		if c.Name != list[i].Scenario || (c.Failure != nil) != failure || (c.Error != nil) != wrong || (c.Skipped != nil) != skipped {
			t.Errorf("%s, %s: %+v", list[i].Scenario, o, c)
		}
	}
	if f := s.Cases[1].Failure; f.Type != "regression" || !strings.Contains(f.Text, `model[target].value: was "2000", is "1000"`) {
		t.Errorf("the failure is %+v; want a regression that names what differs", f)
	}
}

// about is a result of every kind that says so.
func about(text string) []compare.Result {
	var list []compare.Result
	change := .5
	for _, o := range outcomes() {
		list = append(list, compare.Result{
			Scenario: text, Outcome: o, Virtual: o%2 == 0, Reason: text, Against: text, Notes: []string{text, "x" + text}, Repeat: text,
			Difference: &compare.Difference{Total: 7, Entries: []compare.Entry{{Path: text, Was: text, Is: text}, {Path: text, Was: "2", Is: "3", Change: &change}}},
			Findings:   []compare.Finding{{Metric: text, A: &change, B: &change, Runs: [2]int{10, 10}}},
		})
	}
	return list
}

func FuzzForms(f *testing.F) {
	for _, text := range resultstest.HostileTexts() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, one := range compare.Forms() {
			soundForm(t, one, about(text))
		}
	})
}

// What is long is left out and says so; what bars a change is told first.
func TestLongForms(t *testing.T) {
	var list []compare.Result
	for i := range 3000 {
		list = append(list, compare.Result{Scenario: fmt.Sprintf("s%d", i), Reason: strings.Repeat("r", 50), Notes: []string{strings.Repeat("n", 300)}})
	}
	list[2999].Outcome = compare.Regression
	d := compare.ResultsDocument(list)
	rows := d.Sections[0].Blocks[0].(document.Table).Rows
	if len(rows) != 3000 || rows[0][0].Text != "s2999" || len(d.Sections) != 52 || !strings.Contains(d.Sections[51].Blocks[0].(document.Paragraph).Text, "2950") {
		t.Errorf("%d rows, the first %q, %d sections; want all scenarios, s2999 first, and what there is to say of fifty", len(rows), rows[0][0].Text, len(d.Sections))
	}
	for i := range list {
		list[i].Outcome = outcomes()[i%7]
	}
	lines := strings.Split(strings.TrimSpace(printed(t, compare.Form{Print: compare.Annotations}, list)), "\n")
	soundAnnotations(t, lines)
	if len(lines) != 30 || !strings.Contains(lines[9], "title=1275 more scenarios::s25: regression%0As") {
		t.Errorf("%d annotations, the tenth %q; want 30, and the rest counted", len(lines), lines[9])
	}
}

// outcomes are those of results, in their order.
func outcomes() []compare.Outcome {
	return []compare.Outcome{compare.Same, compare.Improvement, compare.Inconclusive, compare.NoBaseline, compare.Regression, compare.Failed, compare.Invalid}
}
