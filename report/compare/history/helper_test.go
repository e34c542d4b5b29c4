package history_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/compare"
	"loadgen/report/compare/history"
	look "loadgen/report/text"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// first is the night on which the tests' histories begin.
var first = time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)

// night returns an instant of the n-th night.
func night(n int) time.Time { return first.AddDate(0, 0, n) }

// run is a run of some reads, each of which takes as long.
type run struct {
	manifest results.Manifest
	// takes is how long a read takes; of so many reads one is lost, 0 is none.
	takes time.Duration
	lost  int
	// late is by how much they are sent too late.
	late     time.Duration
	validity string
}

// nightly is a run of the n-th night whose reads take so many milliseconds.
func nightly(n int, millis float64) *run {
	return &run{takes: time.Duration(millis * 1e6), validity: results.Valid, manifest: results.Manifest{
		Scenario: results.Scenario{Name: "orders", Text: "name: orders\nseed: 1\nworkers: 8\n"}, Target: results.Embedded,
		Start: "warm", Profile: "documented", Retry: "none", Time: "real", Started: night(n),
		Tool: results.Tool{System: "linux/amd64", Commit: "c0ffee"}, Environment: results.Environment{CPUs: 2, GOMAXPROCS: 2, Workers: 8},
		Operations: []results.Kind{{Name: "get", Group: "GET"}},
	}}
}

// with changes the run's manifest.
func (r *run) with(change func(m *results.Manifest)) *run {
	change(&r.manifest)
	return r
}

// reads is how many reads a run has: enough to tell a median.
const reads = 24

// record plays the run and reads the record back.
func (r *run) record(t testing.TB) *results.Record {
	t.Helper()
	played := resultstest.Run{Manifest: r.manifest, Validity: r.validity, End: 3 * time.Second,
		Phases:    []resultstest.Phase{{Phase: results.Phase{Name: "peak 24/s", Stage: "peak", End: time.Second, Rate: reads, Reported: true}}},
		Operation: func(op *resultstest.Operation) { op.Sent += r.late },
		Attempt: func(op *resultstest.Operation, a *results.Attempt) {
			if a.Done = a.Sent + r.takes; r.lost > 0 && int(op.Number)%r.lost == 0 {
				a.Class = results.Throttled
			}
		}}
	return played.Record(t)
}

// metrics parses what has to be metrics.
func metrics(t testing.TB, texts ...string) []compare.Metric {
	t.Helper()
	list, err := history.ParseMetrics(texts)
	require.NoError(t, err)
	return list
}

// archived takes in runs under numbers.
func archived(t testing.TB, of []compare.Metric, runs ...*run) *history.Archive {
	t.Helper()
	a := history.New(of)
	for i, r := range runs {
		a.Add(fmt.Sprintf("run-%03d", i), r.record(t))
	}
	return a
}

// document returns the history of an archive.
func document(t testing.TB, a *history.Archive) *history.Document {
	t.Helper()
	d, err := a.Document()
	require.NoError(t, err)
	return d
}

// stepped are so many nights around 10 ms, and as many around 12.
func stepped(each int) []*run {
	rng := rand.New(rand.NewPCG(1, 12))
	var runs []*run
	for n := range 2 * each {
		millis := 10 * (1 + .02*rng.NormFloat64())
		if n >= each {
			millis *= 1.2
		}
		runs = append(runs, nightly(n, millis))
	}
	return runs
}

// text prints all of a history for people, on one line.
func text(t testing.TB, d *history.Document) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, report.Print(&out, history.Report(d), report.FormText, look.Look{Verbose: true}))
	return strings.Join(strings.Fields(out.String()), " ")
}
