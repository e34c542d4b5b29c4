//go:build live

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/results"
)

// TestLiveArchive moves employees over the wire, with workers that die after each of
// their steps in turn: whoever dies, each employee is in one table in the end, whole.
func TestLiveArchive(t *testing.T) {
	for _, after := range []string{"received", "read", "copied", "deleted"} {
		t.Run(after, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			code := execute(context.Background(), []string{"run", "eventual-transaction", "--quiet", "--format", "json", "--out", t.TempDir(),
				"--set", "phases.leave.for=4s",
				"--set", "phases.leave.operations=" + fmt.Sprintf(`[
					{name: request, workflow: archive-request, weight: 15, with: {place: archive}},
					{name: work, workflow: archive-work, weight: 30, with: {place: archive, hidden: 1s, killed: 30%%, after: %s}},
					{name: look, workflow: archive-look, weight: 15, with: {place: archive}}]`, after),
				"--set", "expect=[violations == 0, 'counter(look, neither) == 0', 'counter(work, killed) > 10', 'counter(work, again) > 10', 'counter(work, moved) > 20']",
			}, nil, &stdout, &stderr)
			var s results.Summary
			if err := json.Unmarshal(stdout.Bytes(), &s); err != nil {
				t.Fatalf("the run ended with %d: %v\n%s", code, err, &stderr)
			}
			for _, e := range s.Checks {
				t.Logf("%s: observed %s", e.Expr, e.Observed)
				assert.Truef(t, e.Holds(), "workers die after %s: %s: observed %s; want it to hold", after, e.Expr, e.Observed)
			}
			assert.Truef(t, len(s.Checks) == 5 && code == codeOk,
				"the run ended with %d and %d expectations; want 0 and five\n%s", code, len(s.Checks), &stderr)
		})
	}
}
