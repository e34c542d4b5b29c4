package main

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loadgen/report"
	layout "loadgen/report/text"
	"loadgen/results"
	"loadgen/scenarios/run"
)

// readme is the project's front page.
func readme(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sample returns the output that the front page shows.
func sample(t testing.TB) string {
	t.Helper()
	_, rest, begins := strings.Cut(readme(t), "```text\n")
	text, _, ends := strings.Cut(rest, "```")
	if !begins || !ends {
		t.Fatal("README.md shows no output")
	}
	return text
}

var (
	numberPattern = regexp.MustCompile(`[0-9][0-9,.]*( ?[mµ]?s\b)?`)
	blankPattern  = regexp.MustCompile(`\s+`)
	rulePattern   = regexp.MustCompile(`-{2,}`)
	latePattern   = regexp.MustCompile(`\n  late in [^\n]*(\n  [^\n]+)*`)
)

// shape returns the lines of a report without what differs from run to run: a
// number becomes N, a quantile that could not be told counts as one, and lists
// of findings are left out. Paragraphs become one line each.
func shape(text string) []string {
	var lines []string
	skip := false
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		for i, line := range strings.Split(unwrapped(paragraph), "\n") {
			if i == 0 {
				skip = strings.HasPrefix(line, "Findings")
			}
			if skip && i > 0 {
				continue
			}
			line = strings.ReplaceAll(line, "–", "0")
			line = numberPattern.ReplaceAllString(line, "N")
			line = rulePattern.ReplaceAllString(line, "-")
			lines = append(lines, strings.TrimSpace(blankPattern.ReplaceAllString(line, " ")))
		}
	}
	return lines
}

// unwrapped joins the lines of a section that continue the one before: where
// both are text, not rows of a table or items of a list.
func unwrapped(section string) string {
	var out strings.Builder
	for i, line := range strings.Split(section, "\n") {
		continues := i > 1 && !isRow(line) && strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "  -")
		if i > 0 && !continues {
			out.WriteByte('\n')
		}
		out.WriteString(line)
	}
	return out.String()
}

// isRow reports whether a line belongs to a table: columns stand apart.
func isRow(line string) bool { return strings.Contains(strings.TrimLeft(line, " "), "  ") }

func TestReadmeShowsWhatTheCommandPrints(t *testing.T) {
	leftOutWhenShort(t)
	plan, err := planned(t)
	if err != nil {
		t.Fatal(err)
	}
	plan.On, plan.Runs, plan.Command = run.Simulated, "", []string{"loadgen", "stress"}
	plan.Scenario.Workers = 1024 // which a live run has by default, and its scenario's digest knows
	record, err := run.Run(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	// The front page shows a live run; in shape they differ in nothing else.
	record.Manifest.Time, record.Manifest.Target = "real", results.Embedded
	record.Connections = &results.Connections{Opened: 1, Reused: 1,
		Connects: results.Spell{Count: 1, Total: 1, Max: 1}, FirstByte: results.Spell{Count: 1, Total: 1, Max: 1}}
	free := int64(1)
	record.Generator = &results.Generator{Cores: 2, Workers: 2, CPUKnown: true, Seconds: 1, CPU: time.Second, LeastFree: &free,
		Ceiling: &results.Ceiling{Over: results.OverHTTP, Lanes: 1, Operations: 1, Took: time.Second, CPU: time.Microsecond},
		Busiest: &results.Health{Lasted: time.Second, CPU: time.Second}}
	var text bytes.Buffer
	if err := report.Screen(&text, report.Document(record, record.Summary), layout.Look{Verbose: true}); err != nil {
		t.Fatal(err)
	}
	// In which seconds it was late is the machine's, which had other things to do.
	got, want := shape(text.String()), shape(latePattern.ReplaceAllString(sample(t), ""))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the sample of README.md is not of the shape of a run (-README.md +run):\n%s", diff)
	}
}

func TestReadmeBeginsWithItsTwoCommands(t *testing.T) {
	_, rest, begins := strings.Cut(readme(t), "```sh\n")
	block, _, ends := strings.Cut(rest, "```")
	lines := strings.Split(strings.TrimSpace(block), "\n")
	if !begins || !ends || len(lines) != 2 ||
		!strings.HasPrefix(lines[0], "go run ./cmd/loadgen stress ") || !strings.HasPrefix(lines[1], "go test ./... ") {
		t.Errorf("the first commands of README.md = %q; want the stress test and the tests", lines)
	}
}

// Every other command of the front page is understood, too.
func TestReadmeCommandsParse(t *testing.T) {
	commands := regexp.MustCompile(`(?m)^go run ./cmd/loadgen stress( .*?)?\s*(#.*)?$`).FindAllStringSubmatch(readme(t), -1)
	if len(commands) < 5 {
		t.Fatalf("README.md has %d stress commands; the test reads it wrongly", len(commands))
	}
	for _, match := range commands {
		if strings.Contains(match[1], "--target") {
			continue // what it names is not there
		}
		if _, err := planned(t, strings.Fields(match[1])...); err != nil {
			t.Errorf("%s: %v", match[0], err)
		}
	}
}

// So are those of the other verbs.
func TestReadmeCommandsOfEveryVerbParse(t *testing.T) {
	commands := regexp.MustCompile(`(?m)^go run ./cmd/loadgen (.*?)\s*(#.*)?$`).FindAllStringSubmatch(readme(t), -1)
	verbs := make(map[string]int)
	for _, match := range commands {
		root := newRoot(io.Discard, io.Discard)
		c, rest, err := root.Find(strings.Fields(match[1]))
		if err == nil {
			err = c.ParseFlags(rest)
		}
		if err != nil {
			t.Errorf("%s: %v", match[0], err)
			continue
		}
		verbs[c.Name()]++
	}
	for _, verb := range []string{"stress", "serve", "simulate"} {
		if verbs[verb] == 0 {
			t.Errorf("README.md has no command of %s among %v", verb, verbs)
		}
	}
}
