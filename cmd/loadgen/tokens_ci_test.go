//go:build ci

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/results"
)

// job is a scenario whose first part reads some pages of 2,500 entities and breaks off,
// and whose second goes on, each with what is said of where; without a load it works on
// what is there.
func job(t *testing.T, name, load, begins, goesOn string) {
	t.Helper()
	phases := "phases:\n" + load
	for _, part := range []struct{ name, operation string }{{"begin", begins}, {"goes-on", goesOn}} {
		if part.operation != "" {
			phases += fmt.Sprintf("  - {name: %s, traffic: {partitions: [journal], arrivals: {constant: 2}, for: 1s, operations: [{name: %s, verb: query, class: partition-scan, %s}]}}\n", part.name, part.name, part.operation)
		}
	}
	text := `name: job
retry: none
model: {profile: "off"}
attributes: {id: {sequence: 100000}}
design: {partition_key: journal, row_key: "{id}"}
` + phases
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

const jobLoad = "  - {name: load, load: {entities: 2500}}\n"

// counted returns how many entities operations of a name counted, each.
func counted(record *results.Record, name string) float64 {
	all := record.Total(func(_ *results.Phase, k results.Kind) bool { return k.Name == name })
	return float64(all.Counted) / float64(all.Sent)
}

// A process that reads a table of a service is killed after the first part of its job. The
// service ends as well and comes back with what it held; the next process goes on at the
// token that the record of the first has, which is that service's own text.
func TestATokenOverARestart(t *testing.T) {
	for _, row := range []struct{ top, pages int }{{1000, 2}, {130, 3}} {
		t.Chdir(t.TempDir())
		first := openShop(t, "", "--profile", "off", "--export", "all.jsonl")
		job(t, "begin.yaml", jobLoad, fmt.Sprintf("top: %d, pages: %d, save: here", row.top, row.pages),
			"from: {saved: here}}]}}\n  - {name: long, traffic: {partitions: [journal], arrivals: {constant: 1}, for: 60s, operations: [{verb: get")
		there := []string{"--target", "env:LOADGEN_TOKEN_TEST", "--table", "loadgenJournal", "--keep", "--no-probe", "--quiet", "--yes"}
		c := program(t, []string{"LOADGEN_TOKEN_TEST=" + first.ready}, append([]string{"run", "begin.yaml", "--out", "first"}, there...)...)
		var said bytes.Buffer
		c.Dir, c.Stdout, c.Stderr = ".", &said, &said
		require.NoError(t, c.Start())
		clk := clock.NewReal()
		for told := false; !told && clk.Now().Offset() < 20*time.Second; {
			if err := clk.Sleep(t.Context(), clk.Now().Add(20*time.Millisecond)); err != nil {
				break
			}
			text, _ := os.ReadFile(filepath.Join("first", results.EventsFile))
			told = bytes.Contains(text, []byte(results.TokenSaved))
		}
		require.NoError(t, c.Process.Kill())
		_ = c.Wait()
		if code := first.stop(); code != codeOk {
			t.Fatalf("serve = %d %s", code, &first.stderr)
		}
		code, token, stderr := say(t, "report", "first", "--saved", "here")
		require.Truef(t, code == codeOk && strings.HasPrefix(token, "from."),
			"report --saved = %d %q %s; the run said %s", code, token, stderr, &said)
		require.NoError(t, os.WriteFile("token.txt", []byte(token), 0o600))
		second := openShop(t, "", "--profile", "off", "--import", "all.jsonl")
		t.Setenv("LOADGEN_TOKEN_TEST", second.ready)
		job(t, "on.yaml", "", "", "from: {file: token.txt}")
		if code, _, stderr := say(t, append([]string{"run", "on.yaml", "--reuse", "--out", "second"}, there...)...); code != codeOk {
			t.Fatalf("run = %d %s", code, stderr)
		}
		assert.Equalf(t, float64(2500-row.top*row.pages), counted(read(t, "second"), "goes-on"),
			"%d pages of %d: the second process read", row.pages, row.top)
		if code := second.stop(); code != codeOk {
			t.Fatalf("serve = %d", code)
		}
	}
}
