package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"loadgen/report"
	"loadgen/report/compare"
	"loadgen/report/compare/gate"
	look "loadgen/report/text"
	"loadgen/scenarios"
	runner "loadgen/scenarios/run"
	"loadgen/scenarios/series"
)

// committed is the folder of the baselines that are checked in.
var committed = filepath.Join("..", "..", "results", "baselines")

// nightly returns the page about the gates.
func nightly(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/nightly.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var baselineName = regexp.MustCompile(`\d{4}-\d\d-\d\d \([0-9a-f]{12}\)`)

// undated returns a text in which baselines have no day and no digest, which holds it.
func undated(text string) string { return baselineName.ReplaceAllString(text, "a day (a digest)") }

// The commands of the virtual gate are run, in their order, and print what is shown.
func TestNightlyPageShowsWhatTheCommandsPrint(t *testing.T) {
	leftOutWhenShort(t)
	page := nightly(t)
	scenario, err := os.ReadFile("../../docs/registrations.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("registrations.yaml", scenario, 0o600); err != nil {
		t.Fatal(err)
	}
	code, commands := codeOk, 0
	for _, block := range blocksOf(page, "console") {
		for _, c := range commandsOf(undated(block)) {
			var output bytes.Buffer
			if c.typed == "echo $?" {
				output.WriteString(strconv.Itoa(code))
			} else {
				code = execute(context.Background(), undrawn(wordsOf(c.typed)[1:]), strings.NewReader(""), &output, &output)
			}
			lines := strings.Split(strings.TrimSuffix(undated(output.String()), "\n"), "\n")
			if !shows(c.shown, lines) {
				t.Errorf("docs/nightly.md differs from what `%s` prints (-page +printed):\n%s", c.typed, cmp.Diff(c.shown, lines))
			}
			commands++
		}
	}
	if commands != 4 {
		t.Errorf("%d commands were run; want 4: the test reads the page wrongly", commands)
	}
}

// The regression that is shown is what the gate says of it.
func TestNightlyPageShowsARegression(t *testing.T) {
	leftOutWhenShort(t)
	shown := blocksOf(nightly(t), "text")
	if len(shown) != 1 {
		t.Fatalf("the page shows %d outputs; want that of half the partition target", len(shown))
	}
	s, err := scenarios.Builtin("stress-one-partition")
	if err != nil {
		t.Fatal(err)
	}
	altered := *s
	if err := altered.Set("model.partition_target", "1000"); err != nil {
		t.Fatal(err)
	}
	record, err := runner.Run(t.Context(), runner.Plan{Scenario: &altered})
	if err != nil {
		t.Fatal(err)
	}
	// The program takes the scenario for the same as ever.
	before, err := runner.Run(t.Context(), runner.Plan{Scenario: s})
	if err != nil {
		t.Fatal(err)
	}
	record.Manifest.Scenario = before.Manifest.Scenario
	one, err := (&series.Gate{Baselines: committed}).Rule(record, "")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := report.Print(&text, gate.Document([]gate.Result{one}), report.FormText, look.Look{}); err != nil {
		t.Fatal(err)
	}
	page, printed := strings.Split(strings.TrimSpace(undated(shown[0])), "\n"), strings.Split(strings.TrimSpace(undated(text.String())), "\n")
	if !shows(page, printed) {
		t.Errorf("docs/nightly.md differs from what the gate says (-page +printed):\n%s", cmp.Diff(page, printed))
	}
}

// What is fenced as YAML is YAML, and of the kind that it is said to be.
func TestNightlyPageManifestsAreYAML(t *testing.T) {
	blocks := blocksOf(nightly(t), "yaml")
	if len(blocks) != 2 {
		t.Fatalf("the page has %d manifests; want a workflow and a CronJob", len(blocks))
	}
	var workflow struct {
		On   map[string]any `yaml:"on"`
		Jobs map[string]struct {
			RunsOn any `yaml:"runs-on"`
			Steps  []struct {
				Uses, Run, If, Name string
				With                map[string]any
			}
		}
		Name        string
		Permissions map[string]string
	}
	if err := yaml.Unmarshal([]byte(blocks[0]), &workflow); err != nil {
		t.Fatalf("the workflow: %v", err)
	}
	if file := pageOf(t, ".github/workflows/gate.yml"); blocks[0] != file {
		t.Errorf("docs/nightly.md differs from .github/workflows/gate.yml (-page +file):\n%s", cmp.Diff(blocks[0], file))
	}
	for _, name := range []string{"virtual", "live"} {
		job := workflow.Jobs[name]
		if job.RunsOn == nil || len(job.Steps) < 4 {
			t.Errorf("job %s has %d steps and runs on %v", name, len(job.Steps), job.RunsOn)
		}
		for i, step := range job.Steps {
			if (step.Uses == "") == (step.Run == "") {
				t.Errorf("job %s, step %d: uses %q and runs %q; want one of them", name, i+1, step.Uses, step.Run)
			}
		}
	}
	var cron struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Spec       struct {
			Schedule    string
			JobTemplate struct {
				Spec struct {
					Template struct {
						Spec struct {
							InitContainers []container `yaml:"initContainers"`
							Containers     []container
							Volumes        []struct{ Name string }
						}
					}
				}
			} `yaml:"jobTemplate"`
		}
	}
	if err := yaml.Unmarshal([]byte(blocks[1]), &cron); err != nil {
		t.Fatalf("the CronJob: %v", err)
	}
	pod := cron.Spec.JobTemplate.Spec.Template.Spec
	if cron.APIVersion != "batch/v1" || cron.Kind != "CronJob" || cron.Spec.Schedule == "" || len(pod.InitContainers) != 5 || len(pod.Containers) != 1 || len(pod.Volumes) != 1 {
		t.Fatalf("the manifest is %+v; want a CronJob with five runs, a history and a volume", cron)
	}
	names := map[string]bool{}
	for i, c := range append(pod.InitContainers, pod.Containers...) {
		first := "run"
		if i == 5 {
			first = "runs"
		}
		if names[c.Name] || c.Image == "" || len(c.Args) < 2 || c.Args[0] != first || len(c.VolumeMounts) != 1 || c.VolumeMounts[0].Name != pod.Volumes[0].Name {
			t.Errorf("container %d is %+v; want one of its own name with the image, %s and the volume", i, c, first)
		}
		names[c.Name] = true
	}
}

// container is one of the CronJob's.
type container struct {
	Name, Image  string
	Args         []string
	VolumeMounts []struct{ Name string } `yaml:"volumeMounts"`
}

// The page, the tool's help and what the gates return tell of the same exit codes.
func TestNightlyPageHasTheExitCodes(t *testing.T) {
	page := nightly(t)
	told := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(page, -1) {
		told[row[1]] = true
	}
	for o := compare.Same; o <= compare.Invalid; o++ {
		code := strconv.Itoa(gate.Code([]gate.Result{{Outcome: o}}))
		if !told[code] {
			t.Errorf("the page does not tell of exit code %s, which is that of %q", code, o)
		}
		if !regexp.MustCompile(`(?m)^ +` + code + ` {3}\S`).MatchString(exitCodes) {
			t.Errorf("`loadgen help exit-codes` does not tell of %s", code)
		}
	}
	const order = "13 comes before 10, that before 11, and 11 before 12"
	if len(told) != 6 || !strings.Contains(page, order) || !strings.Contains(exitCodes, order) {
		t.Errorf("the page tells of %d codes, want 6, and in which order they come: %s", len(told), order)
	}
	for _, form := range gate.Forms() {
		if !strings.Contains(page, "| `"+form.Name+"` | `"+form.Ending+"` |") {
			t.Errorf("the page does not tell of form %s, in files that end in %s", form.Name, form.Ending)
		}
	}
	if _, err := os.Stat(filepath.Join(committed, "README.md")); err != nil {
		t.Error(err)
	}
}
