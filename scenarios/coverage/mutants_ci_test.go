//go:build ci

package coverage_test

import (
	"cmp"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// Each mutant is killed by its check, for which a run of it has to be told.
func TestMutantsDie(t *testing.T) {
	all := mutants(t)
	t.Run("each", func(t *testing.T) {
		for _, m := range all {
			t.Run(m.example+"/"+m.kills, func(t *testing.T) {
				t.Parallel()
				m.dies(t)
			})
		}
	})
	if used, told := run.CPU(); told {
		t.Logf("%d mutants: the process has used %v of processor time so far", len(all), used)
	}
}

// Each placing of accounts comes to what the rule says of it, by the very command of the page.
func TestAnAccountForEachRegion(t *testing.T) {
	for _, p := range placings() {
		played := play(t, "account-ceiling", strings.Split(strings.TrimPrefix(p.command(), "loadgen simulate account-ceiling --set "), " --set ")...)
		if got := played.of(t, "throttled(save) %"); !p.throttled().has(got) {
			t.Errorf("%s: %s throttles %v; expected %v", p.says, p.command(), got, p.throttled())
		}
		if got := played.of(t, "mean(save)") / 1e6; !p.takes().has(got) {
			t.Errorf("%s: by %s a save takes %v ms; expected %v", p.says, p.command(), got, p.takes())
		}
	}
}

var rewrite = flag.Bool("rewrite", false, "write docs/development/coverage.md anew; read the difference before it is kept")

// All rows are what they were expected to be, by both of their variations, and
// docs/development/coverage.md says so.
func TestAllRows(t *testing.T) {
	observed := playRows(t, func(*row) bool { return true })
	if used, told := run.CPU(); told {
		t.Logf("%d rows, two variations each: the process has used %v of processor time so far", len(observed), used)
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	all := rows()
	if *rewrite {
		require.NoError(t, os.WriteFile(page, []byte(written(string(text), all, observed)), 0o644))
		return
	}
	for i, got := range numbered.FindAllString(string(text), -1) {
		assert.Equalf(t, line(&all[i], observed[i+1]), got, "row %d of docs/development/coverage.md", i+1)
	}
}

// Every command of a row can be run as it is written, and ends with the exit code that the page says.
func TestCommandsOfRows(t *testing.T) {
	bin := t.TempDir()
	out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "loadgen"), "../../cmd/loadgen").CombinedOutput()
	require.NoErrorf(t, err, "%s", out)
	all := make(map[string]string)
	for _, r := range rows() {
		for _, one := range span.FindAllStringSubmatch(r.shows, -1) {
			all[one[1]] = one[2]
		}
	}
	for command, code := range all {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			free, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			address := free.Addr().String()
			require.NoError(t, free.Close())
			moved := strings.ReplaceAll(strings.ReplaceAll(command, local, address), "loadgen serve", "loadgen serve --listen "+address)
			c := exec.Command("sh", "-c", moved)
			c.Dir, c.Env = t.TempDir(), append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			var stdout, stderr strings.Builder
			c.Stdout, c.Stderr = &stdout, &stderr
			_ = c.Run()
			assert.Equalf(t, cmp.Or(code, "0"), fmt.Sprint(c.ProcessState.ExitCode()), "exit code; %s", stderr.String())
			if strings.Contains(command, "curl") {
				assert.Contains(t, stdout.String(), `"RowKey":`, "replies")
			}
		})
	}
}

// The library is to take so much of a processor, played both ways: 40 s in all, and 5 s for
// each example. Two busy processors take half as much again for the same, so that twice that
// is too much.
const (
	mostOfLibrary = 2 * 40 * time.Second
	mostOfExample = 2 * 5 * time.Second
)

// The library is played both ways in little time, and each example of it. What its examples show
// is tested in scenarios/series.
func TestLibraryTakesLittleTime(t *testing.T) {
	whole := time.Duration(0)
	for _, name := range scenarios.Library() {
		s := runtest.Builtin(t, name)
		if s.AntiPattern == nil {
			continue
		}
		opposed, err := s.Opposed()
		require.NoError(t, err)
		before, told := run.CPU()
		if !told {
			t.Skip("what a process uses of a processor is not told here")
		}
		for _, plan := range []run.Plan{{Scenario: s}, {Scenario: opposed, AntiPattern: s.AntiPattern}} {
			_, err := run.Run(t.Context(), plan)
			require.NoError(t, err)
		}
		after, _ := run.CPU()
		whole += after - before
		assert.LessOrEqualf(t, after-before, mostOfExample, "processor time of %s", name)
	}
	t.Logf("the library both ways takes %v of processor time", whole)
	assert.LessOrEqual(t, whole, mostOfLibrary, "processor time of the library")
}
