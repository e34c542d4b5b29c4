package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"loadgen/report"
	layout "loadgen/report/text"
	"loadgen/results"
	"loadgen/scenarios/run"
)

// readme is the project's front page.
func readme(t testing.TB) string { return pageOf(t, "README.md") }

// usagePage has the commands that the front page has no room for, outputPage what the first of
// them prints.
const (
	usagePage  = "docs/usage.md"
	outputPage = "docs/output.md"
)

// pageOf is one of the project's pages.
func pageOf(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sample returns the output that docs/output.md shows, screen the first screen of it.
func sample(t testing.TB) string { return shownOutput(t, 1) }
func screen(t testing.TB) string { return shownOutput(t, 0) }

func shownOutput(t testing.TB, n int) string {
	t.Helper()
	blocks := blocksOf(pageOf(t, outputPage), "text")
	if len(blocks) != 2 {
		t.Fatalf("%s shows %d outputs; want the first screen, and the whole", outputPage, len(blocks))
	}
	return blocks[n]
}

var (
	digestPattern = regexp.MustCompile(`[0-9a-f]{64}`)
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
			line = digestPattern.ReplaceAllString(strings.ReplaceAll(line, "–", "0"), "0")
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

func TestOutputPageShowsWhatTheCommandPrints(t *testing.T) {
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
	// The page shows a live run; in shape they differ in nothing else.
	record.Manifest.Time, record.Manifest.Target = "real", results.Embedded
	record.Connections = &results.Connections{Opened: 1, Reused: 1,
		Connects: results.Spell{Count: 1, Total: 1, Max: 1}, FirstByte: results.Spell{Count: 1, Total: 1, Max: 1}}
	free := int64(1)
	record.Generator = &results.Generator{Cores: 2, Workers: 2, CPUKnown: true, Seconds: 1, CPU: time.Second, LeastFree: &free,
		Ceiling: &results.Ceiling{Over: results.OverHTTP, Lanes: 1, Operations: 1, Took: time.Second, CPU: time.Microsecond},
		Busiest: &results.Health{Lasted: time.Second, CPU: time.Second}}
	for _, one := range []struct {
		shown string
		look  layout.Look
	}{{sample(t), layout.Look{Verbose: true}}, {screen(t), layout.Look{}}} {
		var text bytes.Buffer
		if err := report.Screen(&text, report.Document(record, record.Summary), one.look); err != nil {
			t.Fatal(err)
		}
		// In which seconds it was late, how much memory that took and where the record lies
		// is the machine's, which had other things to do.
		shown, _, _ := strings.Cut(latePattern.ReplaceAllString(one.shown, ""), "\n report ")
		got, want := shape(text.String()), shape(strings.ReplaceAll(shown, " MiB", " B"))
		if !one.look.Verbose { // whose lines are folded by their numbers
			got, want = strings.Fields(strings.Join(got, " ")), strings.Fields(strings.Join(want, " "))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("what docs/output.md shows is not of the shape of a run (-docs/output.md +run):\n%s", diff)
		}
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

// What it is, what it prints, what it can be asked and how it is installed are one screen.
func TestReadmeIsOneScreen(t *testing.T) {
	const most = 60
	page := readme(t)
	_, install, has := strings.Cut(page, "\n## Install\n")
	after, _, ends := strings.Cut(install, "\n## ")
	lines := strings.Count(page, "\n") - strings.Count(install, "\n") + strings.Count(after, "\n")
	if !has || !ends || lines > most {
		t.Errorf("README.md has %d lines to the end of Install; want that section, and %d lines at most", lines, most)
	}
	for line := range strings.Lines(page) {
		if text := strings.TrimSuffix(line, "\n"); utf8.RuneCountInString(text) > 130 && !strings.HasPrefix(text, "|") && !strings.HasPrefix(text, "![") {
			t.Errorf("README.md has a line of %d characters: %s", utf8.RuneCountInString(text), text)
		}
	}
	for _, question := range []string{"does my key hold?", "which key?", "is my application's traffic sound?"} {
		if !strings.Contains(page, question) {
			t.Errorf("README.md does not ask %q", question)
		}
	}
}

// The front page shows the beginning of what its first command prints.
func TestReadmeShowsTheAnswer(t *testing.T) {
	const begin, end = "<!-- What stress prints: begin -->\n```text\n", "```\n<!-- What stress prints: end -->"
	_, rest, begins := strings.Cut(readme(t), begin)
	shown, _, ends := strings.Cut(rest, end)
	if !begins || !ends || len(shown) < 100 || !strings.HasPrefix(screen(t), shown) {
		t.Errorf("README.md shows\n%s\nwant the beginning of the screen that %s shows, between %q and %q", shown, outputPage, begin, end)
	}
}
