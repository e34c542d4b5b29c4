//go:build ci

package house_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A count that is added to results.Counts, and counted in its one place, reaches the kinds of a run, its
// seconds, what merges runs, a fleet, a baseline and what is shown live, without another edit.
func TestAPlantedCountReachesEverything(t *testing.T) {
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	source := filepath.Join(root, "results", "attempt.go")
	text, err := os.ReadFile(source)
	require.NoError(t, err)
	planted := string(text)
	for _, edit := range [][2]string{
		{"`json:\"first_attempts_throttled\"`\n", "`json:\"first_attempts_throttled\"`\n\tPlanted int64 `json:\"planted\"`\n"},
		{"\tc.Attempts++\n", "\tc.Attempts++\n\tc.Planted++\n"},
	} {
		require.Equal(t, 1, strings.Count(planted, edit[0]), edit[0])
		planted = strings.Replace(planted, edit[0], edit[1], 1)
	}
	folder := t.TempDir()
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {source: filepath.Join(folder, "attempt.go")}})
	require.NoError(t, err)
	for name, content := range map[string]string{"attempt.go": planted, "overlay.json": string(overlay), "small.yaml": small} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644))
	}
	run := func(program string, arguments ...string) string {
		command := exec.Command(program, arguments...)
		command.Dir = folder
		var said strings.Builder
		command.Stderr = &said
		out, err := command.Output()
		require.NoError(t, err, "%s %s: %s%s", program, strings.Join(arguments, " "), out, said.String())
		return string(out) + said.String()
	}
	build := exec.Command("go", "build", "-overlay", filepath.Join(folder, "overlay.json"), "-o", filepath.Join(folder, "loadgen"), "./cmd/loadgen")
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	loadgen := filepath.Join(folder, "loadgen")
	live := run(loadgen, "run", "small.yaml", "--out", "one", "--no-probe", "--no-charts", "--ui", "json")
	run(loadgen, "run", "small.yaml", "--out", "two", "--no-probe", "--no-charts", "--set", "seed=6")
	run(loadgen, "runs", "merge", "one", "two", "--out", "both")
	run(loadgen, "run", "small.yaml", "--out", "fleet", "--no-probe", "--no-charts", "--processes", "2")
	run(loadgen, "gate", "small.yaml", "--baselines", "baselines", "--accept", "the first")
	baselines, err := filepath.Glob(filepath.Join(folder, "baselines", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, baselines)
	for name, path := range map[string]string{"a baseline": baselines[0], "a run": "one/run.json", "its seconds": "one/intervals.ndjson",
		"merged runs": "both/run.json", "their seconds": "both/intervals.ndjson", "a fleet": "fleet/run.json"} {
		if !filepath.IsAbs(path) {
			path = filepath.Join(folder, path)
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Contains(t, string(text), `"planted":`, name)
	}
	assert.Contains(t, live, `"planted":`, "what is shown live")
	var record struct {
		Manifest struct {
			Fleet struct {
				Members []struct{ Attempts, Planted int64 }
			}
		}
		Phases []struct {
			Kinds []struct {
				Attempts, Planted int64
				Half              struct{ Planted int64 } `json:"last_half"`
			}
		}
	}
	text, err = os.ReadFile(filepath.Join(folder, "fleet", "run.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &record))
	require.Len(t, record.Manifest.Fleet.Members, 2)
	for _, member := range record.Manifest.Fleet.Members {
		assert.Equal(t, member.Attempts, member.Planted, "a member")
	}
	attempts, half := int64(0), int64(0)
	for _, phase := range record.Phases {
		for _, kind := range phase.Kinds {
			assert.Equal(t, kind.Attempts, kind.Planted, "a kind")
			attempts, half = attempts+kind.Attempts, half+kind.Half.Planted
		}
	}
	assert.True(t, attempts > half && half > 0, fmt.Sprintf("%d attempts, %d of them of the last half", attempts, half))
}

// small is a scenario of a second that several processes can offer.
const small = `name: small
seed: 5
workers: 8
attributes:
  id: {sequence: 1}
entity: {size: 300, filler: Notes}
design: {partition_key: "p", row_key: "{id}"}
phases:
  - name: load
    load: {entities: 10}
  - name: rush
    traffic: {arrivals: {constant: 100}, for: 2s, drain: 1s, operations: [{verb: insert}]}
`
