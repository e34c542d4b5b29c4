package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loadgen/results"
)

// kept is a run that is kept in a folder: of the n-th night, its reads taking so long.
type kept struct {
	night    int
	takes    time.Duration
	scenario string
	validity string
	change   func(m *results.Manifest)
}

// write writes the run into a folder and returns its name.
func (k kept) write(t testing.TB, folder string) string {
	t.Helper()
	m := results.Manifest{Scenario: results.Scenario{Name: k.scenario, Text: "name: orders\n"}, Target: results.Embedded, Time: "real",
		Started:    time.Date(2026, 3, 1+k.night, 2, 0, 0, 0, time.UTC),
		Operations: []results.Kind{{Name: "get", Group: "GET"}}}
	if k.change != nil {
		k.change(&m)
	}
	dir, err := results.MakeDir(folder, m.Started, k.scenario)
	if err != nil {
		t.Fatal(err)
	}
	recorder, err := results.NewRecorder(dir, m)
	if err != nil {
		t.Fatal(err)
	}
	const reads = 24
	phase := recorder.Phase(results.Phase{Name: "peak", End: time.Second, Rate: reads, Reported: true})
	for n := range reads {
		due := time.Duration(n) * time.Second / reads
		recorder.Scheduled(results.Scheduled{Phase: phase, Intended: due, Sent: due, Entities: 1})
		recorder.Attempt(&results.Attempt{Phase: phase, Number: uint64(n), Intended: due, Sent: due, Done: due + k.takes, Counted: 1, Returned: 1})
		recorder.Completed(&results.Completed{Phase: phase, Number: uint64(n), Intended: due, Done: due + k.takes, Attempts: 1, Entities: 1, Served: 1})
	}
	if err := recorder.Finish(3*time.Second, k.validity, nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := recorder.Seal(nil); err != nil {
		t.Fatal(err)
	}
	return string(dir)
}

// keptNights writes so many nights of orders, which take a fifth longer from the middle
// on, into results/runs of a folder that the test then is in.
func keptNights(t testing.TB, nights int) {
	t.Helper()
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(1, 24))
	for n := range nights {
		micros := 10_000 * (1 + .02*rng.NormFloat64())
		if n >= nights/2 {
			micros *= 1.2
		}
		kept{n, time.Duration(micros) * time.Microsecond, "orders", results.Valid, nil}.write(t, filepath.Join("results", "runs"))
	}
}

// The nights of a scenario are found by its name, by its file and by their folder, and
// told, drawn and exported.
func TestHistoryOfNights(t *testing.T) {
	keptNights(t, 24)
	runs := filepath.Join("results", "runs")
	kept{30, time.Millisecond, "another", results.Valid, nil}.write(t, runs)
	cut := kept{31, time.Millisecond, "orders", results.Valid, nil}.write(t, runs)
	spoil(t, filepath.Join(cut, results.IntervalsFile), func(text string) string { return text[:len(text)-5] })
	newer := kept{32, time.Millisecond, "orders", results.Valid, nil}.write(t, runs)
	spoil(t, filepath.Join(newer, results.RunFile), func(text string) string {
		return strings.Replace(text, `"schema_version": 1`, `"schema_version": 99`, 1)
	})
	kept{33, time.Millisecond, "orders", results.Partial, nil}.write(t, runs)
	kept{34, time.Millisecond, "orders", results.Valid, func(m *results.Manifest) { m.Time = "virtual" }}.write(t, runs)
	code, stdout, stderr := say(t, "runs", "history", "orders", "--metric", "p50(get)", "--png", "trend.PNG")
	for _, says := range []string{"orders: p50(get) steps on 2026-03-13 (+", "p50(get) steps from ", "left out: 1 partial, 1 virtual",
		"left out: " + cut + ": the record is cut off", "left out: " + newer + ": results: record of a newer schema"} {
		if code != codeOk || stderr != "" || !strings.Contains(stdout, says) {
			t.Errorf("runs history = %d, %q\n%s\nwant 0, and %q", code, stderr, stdout, says)
		}
	}
	if strings.Contains(stdout, "another") {
		t.Errorf("the history of one scenario names another:\n%s", stdout)
	}
	if png, err := os.ReadFile("trend.PNG"); err != nil || !strings.HasPrefix(string(png), "\x89PNG") {
		t.Errorf("the chart is %.8q, %v; want a PNG", png, err)
	}
	_, again, _ := say(t, "runs", "history", runs, "orders", runs, "--metric", "p50(get)")
	if !strings.Contains(again, "another: no history: a single run") || !strings.HasSuffix(again, stdout[strings.Index(stdout, "orders:"):]) {
		t.Errorf("of the folder the history is\n%s\nwant that of another, and\n%s", again, stdout)
	}
	code, stdout, stderr = say(t, "runs", "history", "orders", "--format", "csv")
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	if code != codeOk || err != nil || len(rows) != 25 || strings.Count(stderr, "left out: ") != 3 {
		t.Errorf("the CSV has %d rows, %v, %q; want 25, and what was left out beside it", len(rows), err, stderr)
	}
	code, stdout, _ = say(t, "runs", "history", "--format", "json", "--metric", "p50(get)")
	var told struct{ Verdict string }
	if err := json.Unmarshal([]byte(stdout), &told); err != nil || code != codeOk || told.Verdict != "step" {
		t.Errorf("runs history --format json = %d, %v, %q; want a step", code, err, told.Verdict)
	}
}

// spoil changes a file.
func spoil(t *testing.T, name string, change func(string) string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if change(string(text)) == string(text) {
		t.Fatalf("%s is not changed", name)
	}
	if err := os.WriteFile(name, []byte(change(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
}

// What has nothing to be compared with says so, and ends with 12.
func TestHistoryOfTooLittle(t *testing.T) {
	for _, row := range []struct {
		name string
		of   kept
		says string
	}{
		{"a single run", kept{0, time.Millisecond, "orders", results.Valid, nil}, "orders: no history: a single run has nothing to be compared with"},
		{"none that is valid", kept{0, time.Millisecond, "orders", results.ClientLimited, nil}, "none of its runs is valid\n  left out: 1 client-limited"},
	} {
		t.Chdir(t.TempDir())
		folder := row.of.write(t, "runs")
		for _, args := range [][]string{{folder}, {"runs"}, {"orders", "--runs", "runs"}, {"runs", "--png", "x.svg"}} {
			code, stdout, stderr := say(t, append([]string{"runs", "history"}, args...)...)
			if code != 12 || stderr != "" || !strings.Contains(stdout, row.says) {
				t.Errorf("%s: %v = %d, %q, %q; want 12 and %q", row.name, args, code, stdout, stderr, row.says)
			}
		}
		if left := leftIn(t, "."); len(left) != 5 {
			t.Errorf("%s: left %v; want the run alone", row.name, left)
		}
	}
}

func TestHistoryBadInput(t *testing.T) {
	t.Chdir(t.TempDir())
	for n := range 2 {
		kept{n, time.Millisecond, "orders", results.Valid, nil}.write(t, "runs")
		kept{n, time.Millisecond, "invoices", results.Valid, nil}.write(t, "runs")
	}
	if err := os.Mkdir("empty", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("broken.yaml", []byte("name: ["), 0o600); err != nil {
		t.Fatal(err)
	}
	before := len(leftIn(t, "."))
	for _, row := range []struct {
		name string
		args []string
		says string
	}{
		{"no folder of runs", []string{"orders"}, "the folder results/runs cannot be read: no such file"},
		{"no folder of runs, and no scenario", nil, "the folder results/runs cannot be read"},
		{"an empty folder", []string{"empty"}, "the folder empty holds no run; expected folders with a run.json each"},
		{"a scenario without runs", []string{"ordrs", "--runs", "runs"}, `no run in runs: unknown scenario "ordrs"; did you mean "orders"?`},
		{"another without runs", []string{"x", "--runs", "runs"}, "expected invoices or orders"},
		{"a file that is none", []string{"none.yaml", "--runs", "runs"}, "none.yaml cannot be read"},
		{"a file that is broken", []string{"broken.yaml", "--runs", "runs"}, "broken.yaml:1"},
		{"an unknown metric", []string{"runs", "--metric", "sered"}, `--metric: unknown figure "sered"; did you mean "served"?`},
		{"no metric", []string{"runs", "--metric", "p99(get) < 5ms"}, "expected its end"},
		{"a metric twice", []string{"runs", "--metric", "p99(get)", "--metric", "p99( get )"}, "p99(get) is named twice"},
		{"an operation that no run has", []string{"runs", "--metric", "p99(gett)"}, `unknown operation or phase "gett"; did you mean "get"?`},
		{"an unknown form", []string{"runs", "--format", "xml"}, "--format xml: expected"},
		{"a picture of another kind", []string{"runs", "--png", "x.gif"}, "--png x.gif: expected a file that ends in"},
		{"a picture of two scenarios", []string{"runs", "--png", "x.png"}, "--png draws one scenario, and there are 2; expected one of invoices or orders"},
		{"a picture in no folder", []string{"orders", "--runs", "runs", "--png", "nowhere/x.png"}, "--png nowhere/x.png cannot be written: no such file"},
		{"too many metrics", append([]string{"runs"}, strings.Fields(strings.Repeat("--metric p99 ", 25))...), "25 are more than 24"},
	} {
		code, stdout, stderr := say(t, append([]string{"runs", "history"}, row.args...)...)
		if code != codeUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) {
			t.Errorf("%s: %v = %d, %q, %q; want 2 and one line with %q", row.name, row.args, code, stdout, stderr, row.says)
		}
	}
	if code, _, stderr := say(t, "runs", "histry"); code != codeUsage || !strings.Contains(stderr, `did you mean "history"?`) {
		t.Errorf("runs histry = %d, %q", code, stderr)
	}
	if left := leftIn(t, "."); len(left) != before {
		t.Errorf("left %v; want nothing new", left)
	}
}

// Ctrl-C ends the reading.
func TestHistoryIsInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	for n := range 3 {
		kept{n, time.Millisecond, "orders", results.Valid, nil}.write(t, "runs")
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(interruption{os.Interrupt})
	var stdout, stderr strings.Builder
	if code := run(ctx, []string{"runs", "history", "runs"}, strings.NewReader(""), &stdout, &stderr); code != codeInterrupted || stdout.Len() > 0 {
		t.Errorf("interrupted, runs history = %d, %q, %q; want %d", code, &stdout, &stderr, codeInterrupted)
	}
}
