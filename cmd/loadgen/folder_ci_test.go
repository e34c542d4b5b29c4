//go:build ci

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/rest/resttest"
	"loadgen/engine/rest/serve"
	"loadgen/report"
	"loadgen/results"
	"loadgen/scenarios"
)

// restarted runs a scenario against a service that keeps its tables in a folder and that
// ends, and begins anew on the same address, once so many entities are loaded, before the
// peak. It returns the record.
func restarted(t *testing.T, loaded int64, args ...string) *results.Record {
	t.Helper()
	folder := t.TempDir()
	keep, out, at := []string{"--data-dir", filepath.Join(folder, "data"), "--profile", "off"}, filepath.Join(folder, "run"), filepath.Join(folder, "target")
	s := openShop(t, "", keep...)
	_, address, _ := strings.Cut(s.ready, "http://")
	address, _, _ = strings.Cut(address, "/")
	require.NoError(t, os.WriteFile(at, []byte(s.ready), 0o600))
	type end struct {
		code           int
		stdout, stderr string
	}
	ended := make(chan end, 1)
	go func() {
		code, stdout, stderr := say(t, append(args, "--target", "file:"+at, "--yes", "--quiet", "--no-probe", "--out", out, "--workers", "32")...)
		ended <- end{code, stdout, stderr}
	}()
	resttest.Until(t, "what is loaded", func() bool {
		return slices.ContainsFunc(s.state().Tables, func(t serve.Table) bool { return t.Entities >= loaded })
	})
	if code := s.stop(); code != codeOk {
		t.Fatalf("serve = %d: %s", code, &s.stderr)
	}
	openShop(t, "", append(keep, "--listen", address)...)
	e := <-ended
	// So short a run need not show what the whole does.
	require.Truef(t, slices.Contains([]int{codeOk, codeExpectation, codeInconclusive}, e.code),
		"%v = %d: %s\n%s", args, e.code, e.stderr, e.stdout)
	return read(t, out)
}

// The stress test and its audit find every write that was acknowledged before and after a
// restart between load and peak.
func TestStressOverARestart(t *testing.T) {
	t.Parallel()
	record := restarted(t, 400, "stress", "--verify-writes", "--rate", "300", "--duration", "3s", "--set", "phases.load.entities=400", "--set", "phases.peak.hold=false")
	if audit := record.Audit; audit == nil || audit.Acknowledged == 0 || !audit.Sound() {
		t.Errorf("the audit is %+v; want every acknowledged write found again", audit)
	}
}

// Three examples meet a restart between load and peak like any pause of a service.
func TestExamplesOverARestart(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"point-query", "granularity", "bank-transfer"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := scenarios.Builtin(name)
			require.NoError(t, err)
			loaded := int64(1)
			for i := range s.Phases {
				if load := s.Phases[i].Load; load != nil {
					loaded = max(loaded, int64(load.Entities))
				}
			}
			record := restarted(t, loaded, append([]string{"run", name}, curtailed(s, 4*time.Second)...)...)
			sum := record.Total(results.Everything)
			assert.Truef(t, sum.Ok != 0 && record.Validity != results.Invalid, "%s: %+v; want a run that went on", name, sum)
			if slices.Contains(s.Expect, "violations == 0") {
				leftSound(t, record)
			}
		})
	}
}

// TestAKilledProcess kills a run against a service of its own in mid-load: its record shows
// its whole seconds, and which table it has left there, as it did.
func TestAKilledProcess(t *testing.T) {
	s := newService(t, model.Documented, 0)
	t.Parallel()
	folder := t.TempDir()
	killed := filepath.Join(folder, "killed")
	args := []string{"stress", "--target", s.url, "--key-file", s.keyFile, "--duration", "60s", "--rate", "60", "--out", killed,
		"--set", "phases.load.entities=100", "--workers", "8", "--no-probe", "--quiet", "--yes"}
	var said bytes.Buffer
	c := program(t, nil, args...)
	c.Stdout, c.Stderr = &said, &said
	require.NoError(t, c.Start())
	clk := clock.NewReal()
	intervals := filepath.Join(killed, results.IntervalsFile)
	for written := 0; written < 4; {
		if clk.Now().Offset() > time.Minute {
			break
		}
		if err := clk.Sleep(t.Context(), clk.Now().Add(50*time.Millisecond)); err != nil {
			break
		}
		text, _ := os.ReadFile(intervals)
		written = bytes.Count(text, []byte("\n"))
	}
	require.NoError(t, c.Process.Kill())
	if err := c.Wait(); err == nil || c.ProcessState.ExitCode() >= 0 {
		t.Fatalf("the command came to its end: %v\n%s", err, &said)
	}
	text, err := os.ReadFile(intervals)
	require.NoErrorf(t, err, "%v\n%s", err, &said)
	seconds := bytes.Count(text, []byte("\n"))
	record, err := results.Read(results.Dir(killed))
	require.NoError(t, err)
	left := s.engine.TableNames("races")
	if seconds < 4 || len(left) != 1 || !slices.Equal(record.Manifest.Tables, left) {
		t.Fatalf("%d seconds, the service has the tables %v, the manifest %v; want four, and the same", seconds, left, record.Manifest.Tables)
	}
	code, stdout, stderr := say(t, "report", killed, "--format", "json")
	var summary results.Summary
	if err := json.Unmarshal([]byte(stdout), &summary); code != codeOk || err != nil {
		t.Fatalf("report = %d, %s: %v", code, stderr, err)
	}
	seen := s.handler.Counts()
	if summary.Killed == nil || summary.Killed.Seconds != int64(seconds) || summary.DurationS != float64(seconds) ||
		summary.Attempts == 0 || summary.Attempts > seen.Requests || summary.State != results.CannotTell {
		t.Errorf("the summary is %+v, %d attempts in %v s; want %d s of at most %d requests", summary.Killed, summary.Attempts, summary.DurationS, seconds, seen.Requests)
	}
	if last := summary.Killed.Phases[len(summary.Killed.Phases)-1]; last.Served < 40 || last.Served > 80 {
		t.Errorf("the last phase is %+v; want about 60 entities/s served", last)
	}
	_, page, _ := say(t, "report", "--verbose", killed)
	_, list, _ := say(t, "runs", "list", "--runs", folder)
	for what, text := range map[string]string{"the report": page, "the list": list} {
		if flat := strings.Join(strings.Fields(text), " "); !strings.Contains(flat, left[0]) || !strings.Contains(flat, "killed") {
			t.Errorf("%s does not say that the run was killed and may have left %s:\n%s", what, left[0], text)
		}
	}
	if want := fmt.Sprintf("killed after %d s", seconds); !strings.Contains(strings.Join(strings.Fields(page), " "), want) {
		t.Errorf("the report does not say %q:\n%s", want, page)
	}
	_, spelled, _ := say(t, "runs", "list", "--runs", folder, "--format", "json")
	var runs report.RunList
	if err := json.Unmarshal([]byte(spelled), &runs); err != nil || len(runs.Runs) != 1 || !runs.Runs[0].Killed || !slices.Equal(runs.Runs[0].Tables, left) {
		t.Errorf("the list as JSON: %v, %s", err, spelled)
	}
}
