package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/model"
	"loadgen/report/compare/contest"
)

// Against a service, which is asked for nothing without consent and within a budget of all
// runs together; each run leaves its record, and is of no profile.
func TestContestOfAService(t *testing.T) {
	leftOutWhenShort(t)
	orders, err := filepath.Abs("../../scenarios/series/testdata/orders.yaml")
	require.NoError(t, err)
	t.Parallel()
	s := newService(t, model.Off, 0)
	args := []string{"contest", orders, "--set", "phases.trade.for=1s", "--set", "phases.trade.arrivals.constant=40",
		"--seeds", "1", "--designs", "day,shop", "--format", "json", "--no-probe", "--workers", "8", "--target", s.url, "--key-file", s.keyFile, "--out", s.out}
	code, _, stderr := say(t, args...)
	if code != codeUsage || !strings.Contains(stderr, "--yes") || !strings.Contains(stderr, "loadgenloadgen…") || s.engine.Counts().Requests != 0 {
		t.Errorf("without consent: %d, %s, %d requests; want none", code, stderr, s.engine.Counts().Requests)
	}
	code, stdout, stderr := say(t, append(args, "--yes", "--budget", "200")...)
	var c contest.Contest
	require.NoErrorf(t, json.Unmarshal([]byte(stdout), &c), "contest = %d, %s", code, stderr)
	if code != codeOk || !strings.Contains(c.Verdict, "by 1 of 2 runs") || !strings.Contains(c.Verdict, "Not run: shop.") || c.Profile != "" || c.Ranking[0].Sustained == nil {
		t.Errorf("with a budget: %d, %+v, %s; want an early end, after a run under no profile", code, c, stderr)
	}
	m := read(t, filepath.Join(s.out, "day")).Manifest
	assert.Equal(t, "real", m.Time, "the time of the run")
	assert.Truef(t, strings.HasPrefix(strings.Join(m.Command, " "), "loadgen run ") && strings.Contains(strings.Join(m.Command, " "), " --set "),
		"the record is of %v; want the command that runs one design", m.Command)
	assert.FileExists(t, filepath.Join(s.out, "day", "report.html"))
}
