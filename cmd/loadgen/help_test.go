package main

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
)

var flagLine = regexp.MustCompile(`(?m)^ +(?:-\w, )?--([\w-]+)`)

// flagsIn are the flags that a page lists, but --help.
func flagsIn(page string) []string {
	var names []string
	_, page, _ = strings.Cut(page, "\nUsage:")
	for _, match := range flagLine.FindAllStringSubmatch(page, -1) {
		if match[1] != "help" {
			names = append(names, match[1])
		}
	}
	return names
}

// The help of a verb shows no more flags than one looks at, and help VERB shows all of them.
func TestHelpShowsWhatIsUsedMost(t *testing.T) {
	for _, c := range verbsOf(newRoot(io.Discard, io.Discard)) {
		if c.Name() == "loadgen" || !c.Runnable() || strings.HasPrefix(c.CommandPath(), "loadgen completion") {
			continue
		}
		words := strings.Fields(c.CommandPath())[1:]
		_, few, _ := say(t, append(slices.Clone(words), "--help")...)
		_, all, _ := say(t, append([]string{"help"}, words...)...)
		var want []string
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" {
				want = append(want, f.Name)
			}
		})
		got := slices.Sorted(slices.Values(flagsIn(all)))
		assert.Truef(t, slices.Equal(got, want),
			"help %v shows %v; want all flags once, %v: put each into a group", words, got, want)
		shown := flagsIn(few)
		if len(shown) > mostShown || len(shown) < min(5, len(want)) || strings.Contains(few, "shows all") != (len(shown) < len(want)) {
			t.Errorf("%v --help shows %d of %d flags; want %d at most, and where all of them are", words, len(shown), len(want), mostShown)
		}
	}
}

// A word of a flag's text that stands in backquotes is what its value is called.
func TestFlagsCallTheirValuesByAWord(t *testing.T) {
	for _, c := range verbsOf(newRoot(io.Discard, io.Discard)) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if name, says := pflag.UnquoteUsage(f); strings.Contains(name, " ") || strings.Contains(says, "\n") {
				t.Errorf("%s --%s calls its value %q, and says %q; want a word, and one line", c.CommandPath(), f.Name, name, says)
			}
		})
	}
}

// What is typed comes before the environment, that before the scenario, and a bad value is told
// of by its variable.
func TestEnvironment(t *testing.T) {
	t.Chdir(t.TempDir())
	small := []string{"simulate", "stress", "--quiet", "--one-profile", "--set", "phases.load.entities=100", "--set", "phases.peak.rates=[50]", "--set", "phases.peak.each=1s"}
	for _, row := range []struct {
		sentence, variable, value string
		args                      []string
		code                      int
		stdout, stderr            string
	}{
		{"a form", "LOADGEN_FORMAT", "json", []string{"scenarios", "list"}, codeOk, `"name": "stress"`, ""},
		{"a form that was typed", "LOADGEN_FORMAT", "json", []string{"scenarios", "list", "--format", "text"}, codeOk, "\n  stress ", ""},
		{"nothing", "LOADGEN_FORMAT", "", []string{"scenarios", "list"}, codeOk, "\n  stress ", ""},
		{"a form that the verb has not", "LOADGEN_FORMAT", "hlog", []string{"scenarios", "list"}, codeUsage, "", "loadgen: LOADGEN_FORMAT=hlog: expected text, json"},
		{"a bad form that was typed", "LOADGEN_FORMAT", "json", []string{"scenarios", "list", "--format", "yaml"}, codeUsage, "", `loadgen: --format "yaml": expected text, json`},
		{"a form that a verb of its own has not", "LOADGEN_FORMAT", "hlog", []string{"runs", "list"}, codeUsage, "", "hlog"},
		{"a seed before the scenario's", "LOADGEN_SEED", "77", append(small, "--format", "json"), codeOk, `"seed": 77`, ""},
		{"a seed that was typed", "LOADGEN_SEED", "77", append(small, "--format", "json", "--seed", "78"), codeOk, `"seed": 78`, ""},
		{"a seed that is none", "LOADGEN_SEED", "dice", small, codeUsage, "", "loadgen: LOADGEN_SEED=dice: expected a whole number of 0 or more\n"},
		{"a way to show that is none", "LOADGEN_UI", "jsn", small, codeUsage, "", "loadgen: LOADGEN_UI=jsn: expected auto, plain, none, json; the nearest is json\n"},
		{"no progress", "LOADGEN_QUIET", "true", append(slices.DeleteFunc(slices.Clone(small), func(s string) bool { return s == "--quiet" }), "--format", "json"), codeOk, "verdict", ""},
		{"where runs are kept", "LOADGEN_RUNS", "kept", []string{"runs", "list"}, codeUsage, "", "the folder kept cannot be read"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			t.Setenv(row.variable, row.value)
			code, stdout, stderr := say(t, row.args...)
			if code != row.code || !strings.Contains(stdout, row.stdout) || !strings.Contains(stderr, row.stderr) || row.code == codeOk && row.stderr == "" && stderr != "" {
				t.Errorf("%s=%s %v = %d, %q on stderr, and\n%.400s\nwant %d, %q and %q", row.variable, row.value, row.args, code, stderr, stdout, row.code, row.stderr, row.stdout)
			}
		})
	}
}
