//go:build live

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"testing"

	"loadgen/engine/model"
)

// The doctor on this machine, with a visit, as a user has it. What depends on how
// busy the machine is has three tries; all else holds at once.
func TestLiveDoctor(t *testing.T) {
	s := newService(t, model.Off, 0)
	t.Chdir(t.TempDir())
	for n := 1; n <= 3; n++ {
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), []string{"doctor", "--format", "json", "--target", s.url, "--key-file", s.keyFile}, nil, &stdout, &stderr)
		var d diagnosis
		if err := json.Unmarshal(stdout.Bytes(), &d); err != nil {
			t.Fatalf("doctor = %d, %v\n%s%s", code, err, &stdout, &stderr)
		}
		t.Logf("run %d: exit code %d\n%s", n, code, d.text())
		for _, one := range d.Checks {
			if one.Verdict == checkFails && !slices.Contains([]string{"pacing", "ceiling", "stall"}, one.Name) {
				t.Fatalf("%s failed: %+v", one.Name, one)
			}
		}
		if left := leftIn(t, "."); len(left) != 0 {
			t.Fatalf("doctor left %v behind; want nothing", left)
		}
		if stalled := d.Checks[len(d.Checks)-1]; code == codeOk && stalled.Verdict == checkPasses {
			return
		}
	}
	t.Error("in none of three runs did all checks pass")
}
