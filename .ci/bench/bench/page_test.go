package bench

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"loadgen/report"
	"loadgen/report/text"
)

var rewrite = flag.Bool("rewrite", false, "write docs/development/performance.md anew from docs/development/performance.json; read the difference before it is kept")

// Where the committed report is, and the page that is made of it.
const (
	committed = "../../../docs/development/performance.json"
	page      = "../../../docs/development/performance.md"
)

const preamble = `This page is generated from [performance.json](performance.json): ` + "`go -C .ci/bench test ./bench -run Performance -rewrite`" + `.

It compares the cost of loadgen with tools that do the same. ` + "`.ci/bench`" + ` measures it. Ratios are ratios of CPU time of processes
that take turns on one machine: the median of the rounds, with the 95% interval. A question mark means that the bound of the aim lies
in the interval. To measure on your machine:

    go build -o /tmp/loadgen ./cmd/loadgen
    go -C .ci/bench run . -program /tmp/loadgen -peers -out /tmp/bench    # these figures
    go -C .ci/bench run . -program /tmp/loadgen commands                  # whole commands: minutes

` + "`.ci/run`" + ` compares ratios and allocations with this page. It fails if a ratio exceeds 1.15 times the committed one with disjoint
intervals, or if there are more allocations, twice in a row. A result that a busy machine leaves open does not fail.

`

// committedReport returns the report in docs/development.
func committedReport(t *testing.T) *Report {
	t.Helper()
	file, err := os.Open(committed)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The page shows the committed report with the current aims.
func TestPerformancePage(t *testing.T) {
	r := committedReport(t)
	var want bytes.Buffer
	if err := report.Markdown(&want, r.Document()); err != nil {
		t.Fatal(err)
	}
	title, rest, _ := strings.Cut(want.String(), "\n")
	made := []byte(title + "\n\n" + preamble + strings.TrimLeft(rest, "\n"))
	if *rewrite {
		whole, err := json.MarshalIndent(r, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string][]byte{page: made, committed: append(whole, '\n')} {
			if err := os.WriteFile(name, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	got, err := os.ReadFile(page)
	if err != nil || !bytes.Equal(got, made) {
		t.Errorf("docs/development/performance.md is not what docs/development/performance.json says (%v); run go -C .ci/bench test ./bench -run Performance -rewrite", err)
	}
}

// The committed report has all that the gate holds: the server and the driver at their busiest,
// with ratios of so many rounds that there are intervals, and allocations.
func TestCommittedReportHasWhatTheGateHolds(t *testing.T) {
	r := committedReport(t)
	for _, what := range []string{whatInsert, whatGet, whatBatch, whatPage, whatScan} {
		if q := r.ratio(ratioName(GroupServer, what, busiest, ofServe, ofBare)); q == nil || q.Interval == nil {
			t.Errorf("%s: %+v; want a ratio with its interval", what, q)
		}
		if f := r.figure(Cell{GroupServer, what, atHandler, ofServe}.Name()); f == nil || f.Allocations == nil {
			t.Errorf("%s: %+v; want allocations of the handler", what, f)
		}
	}
	for _, what := range []string{whatInsert, whatGet} {
		for _, to := range []string{ofBareClient, ofVegeta} {
			if q := r.ratio(ratioName(GroupDriver, what, busiest, ofDriver, to)); q == nil || q.Interval == nil {
				t.Errorf("%s to %s: %+v; want a ratio with its interval", what, to, q)
			}
		}
	}
	again := committedReport(t)
	again.CompareTo(r)
	if again.Regressed() || len(again.Held) < 9 {
		t.Errorf("held to itself: %+v; want all of it, and nothing worse", again.Held)
	}
}

// The answer comes first, and a screen has 25 lines at most.
func TestScreenOfAReport(t *testing.T) {
	r := committedReport(t)
	var screen bytes.Buffer
	if err := report.Screen(&screen, r.Document(), text.Look{}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(screen.String(), "\n"), "\n")
	if len(lines) > 30 || !strings.Contains(strings.Join(lines[:4], "\n"), "met") {
		t.Errorf("%d lines, the first %q; want 30 at most with all groups measured, and the answer first", len(lines), lines[:4])
	}
}
