package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"loadgen/engine/model"
	"loadgen/report/compare/contest"
)

// ordersIn returns a folder of its own that has a scenario of five designs, and its text.
func ordersIn(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../scenarios/series/testdata/orders.yaml")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("orders.yaml", text, 0o600))
	return string(text)
}

// shortly keeps a contest of the orders short.
func shortly(args ...string) []string {
	return append([]string{"contest", "orders.yaml", "--set", "phases.trade.for=1s", "--set", "phases.trade.arrivals.constant=40",
		"--seeds", "1", "--designs", "day,shop", "--format", "json"}, args...)
}

// contestBy runs a contest and returns its exit code, what it came to, and what was said.
func contestBy(t *testing.T, ctx context.Context, args ...string) (int, contest.Contest, string) {
	t.Helper()
	var out, told bytes.Buffer
	code := execute(ctx, args, strings.NewReader(""), &out, &told)
	var c contest.Contest
	if err := json.Unmarshal(out.Bytes(), &c); err != nil && out.Len() > 0 {
		t.Fatalf("%v in %s", err, &out)
	}
	return code, c, told.String()
}

// Against a service, which is asked for nothing without consent and within a budget of all
// runs together; each run leaves its record, and is of no profile.
func TestContestOfAService(t *testing.T) {
	leftOutWhenShort(t)
	ordersIn(t)
	s := newService(t, model.Off, 0)
	there := shortly("--no-probe", "--workers", "8", "--target", s.url, "--key-file", s.keyFile)
	code, _, stderr := contestBy(t, context.Background(), append(there, "--out", "none")...)
	if code != codeUsage || !strings.Contains(stderr, "nothing was sent: add --yes") || !strings.Contains(stderr, "loadgenloadgen…, a new one for each run\n") || s.engine.Counts().Requests != 0 {
		t.Errorf("without consent: %d, %s, %d requests; want none", code, stderr, s.engine.Counts().Requests)
	}
	code, c, stderr := contestBy(t, context.Background(), append(there, "--out", "some", "--yes", "--budget", "200")...)
	if code != codeOk || !strings.Contains(c.Verdict, "by 1 of 2 runs: the budget of billed transactions was spent. Not run: shop.") || c.Profile != "" || c.Ranking[0].Sustained == nil {
		t.Errorf("with a budget: %d, %+v, %s; want an early end, after a run under no profile", code, c, stderr)
	}
	record := read(t, filepath.Join("some", "day"))
	if _, err := os.Stat(filepath.Join("some", "day", "report.html")); err != nil || record.Manifest.Time != "real" ||
		!strings.HasPrefix(strings.Join(record.Manifest.Command, " "), "loadgen run orders.yaml --set ") {
		t.Errorf("%v, the record is of %s time by %v; want a page, and that of a run in real time", err, record.Manifest.Time, record.Manifest.Command)
	}
}
