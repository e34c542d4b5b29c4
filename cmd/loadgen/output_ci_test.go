//go:build ci || long

package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	layout "loadgen/report/text"
	"loadgen/results"
	"loadgen/scenarios/run"
)

// sample is the complete report of a stress test in real time, screen its first screen, which a page shows.
func sample(t testing.TB) string { return pageOf(t, "cmd/loadgen/testdata/stress-verbose.txt") }
func screen(t testing.TB) string { return blocksOf(pageOf(t, "docs/reading-a-report.md"), "text")[0] }

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
	require.NoError(t, err)
	plan.On, plan.Runs, plan.Command = run.Simulated, "", []string{"loadgen", "stress"}
	plan.Scenario.Workers = 1024 // which a live run has by default, and its scenario's digest knows
	record, err := run.Run(t.Context(), plan)
	require.NoError(t, err)
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
		require.NoError(t, report.Screen(&text, report.Document(record, record.Summary), one.look))
		// In which seconds it was late, how much memory that took and where the record lies
		// is the machine's, which had other things to do.
		shown, _, _ := strings.Cut(latePattern.ReplaceAllString(one.shown, ""), "\n report ")
		got, want := shape(text.String()), shape(strings.ReplaceAll(shown, " MiB", " B"))
		if !one.look.Verbose { // whose lines are folded by their numbers
			got, want = strings.Fields(strings.Join(got, " ")), strings.Fields(strings.Join(want, " "))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the sample does not have the shape of a run (-sample +run):\n%s", diff)
		}
	}
}
