package chart_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/chart"
	"loadgen/report/document"
	"loadgen/results"
)

func TestAxisSelectsAnotherScale(t *testing.T) {
	for _, axis := range []chart.Axis{chart.Linear, chart.Logarithmic} {
		for name, suits := range map[string]chart.Axis{"percentiles": chart.Logarithmic, "response": chart.Logarithmic, "heat": chart.Linear} {
			record := heated(t, stress(), 2, 1, 1)
			own, got := file(t, figure(t, name, record), "svg"), file(t, figure(t, name, record, axis), "svg")
			assert.Equalf(t, axis == suits, bytes.Equal(got, own), "%s drawn %s is as by itself", name, axis)
		}
	}
}

// A drawing for a page shows what the file shows, has no style of its own and takes its
// inks from the page.
func TestInline(t *testing.T) {
	record := heated(t, stress(), 12, 1, 1)
	record.Manifest.Scenario.Name = `<script>" style="fill:red" id='x'`
	inks := chart.Inks()
	used := make(map[string]bool)
	for _, f := range chart.Figures(record, "") {
		name := f.Name
		drawn, err := f.Inline(false)
		require.NoError(t, err)
		file := []byte(drawn)
		again, _ := f.Inline(false)
		assert.Truef(t, drawn == again, "%s differs the second time", name)
		seen := inlined(t, file)
		for _, bad := range []string{"<?xml", "<!--", "<script", "style=\"", "url(", "http://", "https://"} {
			text := strings.NewReplacer(`xmlns="http://www.w3.org/2000/svg"`, "", `xmlns:xlink="http://www.w3.org/1999/xlink"`, "").Replace(string(file))
			assert.NotContainsf(t, text, bad, "%s holds %q", name, bad)
		}
		assert.Falsef(t, bytes.Contains(file, []byte(` id="`)), "%s holds an identifier, which a page may have", name)
		for _, use := range regexp.MustCompile(`"var\((--ink-\w+),(#[0-9A-F]{6})\)"`).FindAllStringSubmatch(string(file), -1) {
			used[use[1]] = true
			if inks[use[1]] != use[2] {
				t.Errorf("%s uses %s for %s; want %q", name, use[1], use[2], inks[use[1]])
			}
		}
		for _, fixed := range regexp.MustCompile(`(fill|stroke)="(#[0-9A-F]{6})"`).FindAllStringSubmatch(string(file), -1) {
			if colour := fixed[2]; colour != "#FDFDFD" { // the ground of heat
				t.Errorf("%s has the colour %s, which no page can set", name, colour)
			}
		}
		assert.Truef(t, seen["text"] != 0 && seen["title"] == 0 && seen["svg"] == 1 && !bytes.Contains(file, []byte("scenario ")),
			"%s has the elements %v; want texts in one svg, without the title that the page says", name, seen)
		narrow, err := f.Inline(true)
		assert.Truef(t, err == nil && strings.Contains(string(narrow), ` viewBox="0 0 360 `),
			"%s is not narrow where it is to be: %v", name, err)
	}
	for _, property := range []string{"--ink-text", "--ink-faded", "--ink-served", "--ink-throttled", "--ink-get", "--ink-put", "--ink-axis", "--ink-grid", "--ink-paper", "--ink-lost"} {
		assert.Truef(t, used[property], "no chart takes %s from the page", property)
	}
	for property, colour := range inks {
		assert.Truef(t, regexp.MustCompile(`^--ink-[a-z]+$`).MatchString(property) && regexp.MustCompile(`^#[0-9A-F]{6}$`).MatchString(colour),
			"ink %s is %s", property, colour)
	}
}

// inlined returns how many elements there are of each name.
func inlined(t *testing.T, file []byte) map[string]int {
	t.Helper()
	counts := make(map[string]int)
	walk(t, file, func(name, _ string, _ int, attributes map[string]string) {
		counts[name]++
		assert.Truef(t, name != "path" || attributes["fill"] != "" || attributes["stroke"] != "",
			"a path has no colour: %v", attributes)
		assert.Truef(t, name != "text" || attributes["font-size"] != "" && attributes["font-family"] != "" && attributes["textLength"] != "",
			"a text has the attributes %v", attributes)
	})
	return counts
}

// What was throttled is told by its answers, and what operations took by attempts.
func TestThrottleNamesAnswers(t *testing.T) {
	record := *stress()
	record.Intervals = slices.Clone(record.Intervals)
	var want int64
	for i := range record.Intervals {
		second := &record.Intervals[i]
		const busy = results.Throttled
		second.Causes = results.Causes{{Class: busy, Status: 503, Code: "ServerBusy", Attempts: second.Throttled}, {Class: busy, Code: "Timeout", Attempts: 1},
			{Class: busy, Status: 500, Code: "<b>", Attempts: 2}, {Class: busy, Status: 429, Attempts: 1}, {Class: results.Failed, Status: 400, Attempts: 9000}}
		if slices.ContainsFunc(record.Phases, func(p results.Phase) bool { return p.Reported && p.Name == second.Phase }) {
			want += second.Throttled
		}
	}
	var attempts, operations int64
	for p := range record.Phases {
		if record.Phases[p].Reported {
			attempts, operations = attempts+record.Phases[p].Kinds[0].Attempts, operations+record.Phases[p].Kinds[0].Operations
		}
	}
	waits := drawn(t, &record)["waits"]
	waits.checkWords(t, "waits", "attempts per operation: get "+document.Figures(float64(attempts)/float64(operations)))
	seen := drawn(t, &record)["throttle"]
	seen.checkWords(t, "throttle", "503 ServerBusy "+document.Figures(float64(want))+"|500 <b> 16|2 other answers")
}
