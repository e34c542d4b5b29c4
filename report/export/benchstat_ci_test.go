//go:build ci

package export_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
		require.NoError(t, os.WriteFile(name, []byte(all.String()), 0o644))
		names = append(names, side+"="+name)
	}
	out, err := exec.Command("go", append([]string{"tool"}, names...)...).CombinedOutput()
	require.NoErrorf(t, err, "benchstat: %v\n%s", err, out)
	text := string(out)
	for _, says := range []string{"retry: short", "validity: valid", "Load/scenario=stress/of=get", "Load/scenario=stress/of=insert_(full)", "p99-sec", "served-entities/s", "throttled/attempt", "p=0.000 n=8"} {
		assert.Containsf(t, text, says, "benchstat does not say %q:\n%s", says, text)
	}
	assert.Truef(t, !strings.Contains(text, "of=load") && strings.Count(text, "validity:") == 1,
		"benchstat has a line of the preparation, or more tables than one:\n%s", text)
}
