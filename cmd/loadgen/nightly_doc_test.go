package main

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/compare"
	"loadgen/report/compare/gate"
	look "loadgen/report/text"
	"loadgen/scenarios/run/runtest"
	"loadgen/scenarios/series"
)

// The regression that the page shows is what the gate says of half the partition target.
func TestNightlyPageShowsARegression(t *testing.T) {
	leftOutWhenShort(t)
	shown := blocksOf(pageOf(t, "docs/nightly.md"), "text")
	record := runtest.Simulate(t, runtest.Builtin(t, "stress-one-partition", "model.partition_target=1000"))
	// The program takes the scenario for the same as ever.
	record.Manifest.Scenario = runtest.Simulate(t, runtest.Builtin(t, "stress-one-partition")).Manifest.Scenario
	one, err := (&series.Gate{Baselines: filepath.Join("..", "..", "results", "baselines")}).Rule(record.Record, "")
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, report.Print(&text, gate.Document([]gate.Result{one}), report.FormText, look.Look{}))
	page, printed := strings.Split(strings.TrimSpace(undated(shown[0])), "\n"), strings.Split(strings.TrimSpace(undated(text.String())), "\n")
	if !shows(page, printed) {
		t.Errorf("docs/nightly.md differs from what the gate says (-page +printed):\n%s", cmp.Diff(page, printed))
	}
}

// The workflow of the page is the one that is run, and its CronJob is one of runs and a history.
func TestNightlyPageManifestsAreYAML(t *testing.T) {
	blocks := blocksOf(pageOf(t, "docs/nightly.md"), "yaml")
	if file := pageOf(t, ".github/workflows/gate.yml"); blocks[0] != file {
		t.Errorf("docs/nightly.md differs from .github/workflows/gate.yml (-page +file):\n%s", cmp.Diff(blocks[0], file))
	}
	var cron struct {
		Kind string
		Spec struct {
			JobTemplate struct {
				Spec struct {
					Template struct {
						Spec struct {
							InitContainers, Containers []struct{ Args []string }
						}
					}
				}
			} `yaml:"jobTemplate"`
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(strings.ReplaceAll(blocks[1], "initContainers", "initcontainers")), &cron),
		"the CronJob")
	pod := cron.Spec.JobTemplate.Spec.Template.Spec
	if cron.Kind != "CronJob" || len(pod.InitContainers) != 5 || len(pod.Containers) != 1 || pod.Containers[0].Args[0] != "runs" {
		t.Errorf("the manifest is %+v; want a CronJob with five runs and a history", cron)
	}
	for _, c := range pod.InitContainers {
		assert.Truef(t, len(c.Args) >= 2 && c.Args[0] == "run", "a container runs %v; want run", c.Args)
	}
}

// The page, the tool's help and what the gates return tell of the same exit codes.
func TestNightlyPageHasTheExitCodes(t *testing.T) {
	page := pageOf(t, "docs/nightly.md")
	told := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(page, -1) {
		told[row[1]] = true
	}
	for o := compare.Same; o <= compare.Invalid; o++ {
		code := strconv.Itoa(gate.Code([]gate.Result{{Outcome: o}}))
		assert.Truef(t, told[code], "the page does not tell of exit code %s, which is that of %q", code, o)
		assert.Truef(t, regexp.MustCompile(`(?m)^ +`+code+` {3}\S`).MatchString(exitCodes),
			"`loadgen help exit-codes` does not tell of %s", code)
	}
	const order = "13 comes before 10, that before 11, and 11 before 12"
	assert.Truef(t, len(told) == 6 && strings.Contains(page, order) && strings.Contains(exitCodes, order),
		"the page tells of %d codes, want 6, and in which order they come: %s", len(told), order)
	for _, form := range gate.Forms() {
		assert.Containsf(t, page, "| `"+form.Name+"` | `"+form.Ending+"` |",
			"the page does not tell of form %s, in files that end in %s", form.Name, form.Ending)
	}
}
