//go:build ci

package export_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loadgen/report/export"
)

// benchstat reads runs, sets them side by side, and calls what is worse worse.
func TestBenchstatReads(t *testing.T) {
	folder := t.TempDir()
	names := []string{"-modfile=" + filepath.Join("..", "..", ".ci", "tools", "go.mod"), "benchstat"}
	for _, side := range []string{"a", "b"} {
		var all strings.Builder
		for n := range 8 {
			r := race()
			r.each += 2 * n
			if side == "b" {
				r.tail = 2 * time.Millisecond
			}
			all.WriteString(form{"benchfmt", "", export.Benchmarks}.text(t, r.record(t)))
		}
		name := filepath.Join(folder, side+".bench")
		if err := os.WriteFile(name, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		names = append(names, side+"="+name)
	}
	out, err := exec.Command("go", append([]string{"tool"}, names...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("benchstat: %v\n%s", err, out)
	}
	text := string(out)
	for _, says := range []string{"retry: short", "validity: valid", "Load/scenario=stress/of=get", "Load/scenario=stress/of=insert_(full)", "p99-sec", "served-entities/s", "throttled/attempt", "p=0.000 n=8"} {
		if !strings.Contains(text, says) {
			t.Errorf("benchstat does not say %q:\n%s", says, text)
		}
	}
	if strings.Contains(text, "of=load") || strings.Count(text, "validity:") != 1 {
		t.Errorf("benchstat has a line of the preparation, or more tables than one:\n%s", text)
	}
}
