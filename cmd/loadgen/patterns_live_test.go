//go:build live

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"loadgen/results"
)

// lived runs a scenario of the library over HTTP in real time and returns its summary.
// Only what the load was like may differ from machine to machine: a run that the
// generator limited has to keep its word, too.
func lived(t *testing.T, args ...string) *results.Summary {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args = append([]string{"run", "--format", "json", "--quiet", "--no-probe", "--out", t.TempDir()}, args...)
	if code := run(context.Background(), args, nil, &stdout, &stderr); code != codeOk && code != codeExpectation {
		t.Fatalf("%v ended with %d\n%s", args, code, &stderr)
	}
	var s results.Summary
	if err := json.Unmarshal(stdout.Bytes(), &s); err != nil {
		t.Fatalf("%v in\n%s", err, &stdout)
	}
	if s.Validity == results.Invalid || s.Attempts != s.Ok+s.Refused+s.Failed || s.Scheduled != s.Sent+s.Dropped {
		t.Fatalf("%v: the books do not close: %v %+v", args, s.Reasons, s)
	}
	return &s
}

// heldFaults returns at how many things was looked that must hold after a run, and in how
// many it does not.
func heldFaults(t *testing.T, s *results.Summary) (looked, faults int64) {
	t.Helper()
	if len(s.Invariants) == 0 {
		t.Fatalf("nothing was looked at that must hold; want a check of what was left behind")
	}
	for _, one := range s.Invariants {
		t.Logf("%s: %d faults in %d looked at", one.Name, one.Faults, one.Looked)
		looked, faults = looked+one.Looked, faults+one.Faults
		for _, example := range one.Examples {
			t.Log(example)
		}
	}
	return looked, faults
}

// The balances of a bank sum to zero over HTTP, whatever dies.
func TestLiveBankBalances(t *testing.T) {
	t.Parallel()
	s := lived(t, "bank-transfer")
	if looked, faults := heldFaults(t, s); looked < 1000 || faults != 0 {
		t.Errorf("%d transfers looked at, of %d the legs do not sum to zero; want 1,000 at least, and none", looked, faults)
	}
	if _, faults := heldFaults(t, lived(t, "bank-transfer", "--opposite")); faults == 0 {
		t.Error("keyed by account no transfer has lost a leg; want some")
	}
}
