//go:build ci

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/rest/resttest"
	"loadgen/engine/rest/serve"
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
	for _, name := range []string{"point-query", "several-values", "bank-transfer"} {
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
