package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"loadgen/results"
)

// An override that only the anti-pattern cannot bear is in nobody's way.
func TestOverrideThatTheOppositeCannotBear(t *testing.T) {
	choiceIn(t)
	set := []string{"scenarios", "show", "choice.yaml", "--effective", "--set", "designs.0.name=by-race"}
	code, stdout, stderr := say(t, set...)
	if code != codeOk || strings.Contains(stdout, "anti-pattern") {
		t.Errorf("show = %d %q, and\n%s\nwant a scenario without an anti-pattern", code, stderr, stdout)
	}
	if code, _, stderr := say(t, append(set, "--set", "seed=x")...); code != codeUsage || !strings.Contains(stderr, "seed is x") {
		t.Errorf("show with another fault = %d %q; want that fault", code, stderr)
	}
	if code, _, stderr := say(t, append(set, "--use", "by-bob")...); code != codeUsage || !strings.Contains(stderr, "by-bob") {
		t.Errorf("show with a design that is not there = %d %q; want that fault", code, stderr)
	}
}

// What an anti-pattern promises to fail decides of its exit code, and is told by both sides.
func TestPromiseOfAnAntiPattern(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, row := range []struct {
		sentence, fails string
		code            int
		args            []string
		says            string
	}{
		{"both of its checks are promised to fail, and do", "[throttled < 1%, offered(hottest) < 100]", codeOk, []string{"--anti-pattern"}, "Why it fails: a partition bears 100.\n"},
		{"one of them, and the other fails as well", "[offered(hottest) < 100]", codeOk, []string{"--anti-pattern"}, "Why it fails"},
		{"promised, and the load is small", "[throttled < 1%]", codeExpectation, []string{"--anti-pattern", "--set", "phases.measure.arrivals.constant=50"},
			"PROMISED to fail, and holds: throttled < 1%."},
		{"as it stands, it says what would fail", "[throttled < 1%]", codeOk, nil, "--anti-pattern fails throttled < 1%: all of an event in one partition."},
		{"a check that is not there", "[throttled < 2%]", codeUsage, nil, `choice.yaml:33:11: unknown check of expect "throttled < 2%"; did you mean "throttled < 1%"?`},
		{"a check that is set otherwise", "[throttled < 1%]", codeUsage, []string{"--anti-pattern", "--set", "expect=[throttled < 2%]"},
			"promises that throttled < 1% fails, which is no check of choice as it is set here"},
	} {
		text := strings.Replace(twoDesigns, "  set: {use", "  why: a partition bears 100.\n  fails: "+row.fails+"\n  set: {use", 1)
		if err := os.WriteFile("choice.yaml", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := say(t, append([]string{"simulate", "choice.yaml", "--quiet", "--one-profile"}, row.args...)...)
		if told := strings.Join(strings.Fields(stdout+stderr), " ") + "\n"; code != row.code || !strings.Contains(told, strings.TrimSpace(row.says)) {
			t.Errorf("%s: exit code %d, and\n%s%s\nwant %d and %q", row.sentence, code, stdout, stderr, row.code, row.says)
		}
	}
}

func TestOppositeIsToldEverywhere(t *testing.T) {
	choiceIn(t)
	const contrary = "All of an event in one partition."
	code, stdout, stderr := say(t, "simulate", "choice.yaml", "--anti-pattern", "--out", "o", "--one-profile")
	if code != codeOk || !strings.Contains(stdout, "\n   The anti-pattern of choice: "+contrary+"\n") ||
		!strings.HasPrefix(stderr, "this is the anti-pattern of choice: "+contrary+"\n") {
		t.Errorf("the anti-pattern = %d, %q on stderr, and\n%.300s\nwant %d, and what it is above all else", code, stderr, stdout, codeOk)
	}
	record := read(t, "o")
	if record.Manifest.AntiPattern != contrary || !slices.Contains(record.Manifest.Command, "--anti-pattern=true") {
		t.Errorf("the manifest says %q of the anti-pattern, and is repeated by %q", record.Manifest.AntiPattern, record.Manifest.Command)
	}
	if code, stdout, _ := say(t, "simulate", "choice.yaml", "--quiet", "--one-profile"); code != codeOk || strings.Contains(stdout, "The anti-pattern") ||
		!strings.Contains(stdout, "\n   Spread over its bibs the load holds. By event it does not.\n") {
		t.Errorf("as it stands it = %d, and says\n%s\nwant %d, what it shows, and that it is no anti-pattern", code, stdout, codeOk)
	}
	if code, _, stderr := say(t, "simulate", "choice.yaml", "--quiet", "--one-profile", "--use", "by-event"); code != codeExpectation {
		t.Errorf("--use by-event = %d %q; want %d, for the expectations are of the other design", code, stderr, codeExpectation)
	}
	synctest.Test(t, func(t *testing.T) {
		code, stdout, _ = say(t, "run", "choice.yaml", "--target", "in-process", "--anti-pattern", "--out", "live")
	})
	if live := read(t, "live"); code != codeOk || live.Manifest.AntiPattern != contrary || !strings.Contains(stdout, "\n   The anti-pattern of choice: "+contrary) {
		t.Errorf("the anti-pattern, live, = %d, and says\n%.300s\nwant %d, and what it is above all else", code, stdout, codeOk)
	}
	if record.Validity != results.Valid {
		t.Errorf("the anti-pattern is %s %v; want a valid run", record.Validity, record.Reasons)
	}
}

// Of a scenario whose own design cannot serve an operation of it, one that can is chosen.
func TestUseOfADesignWhereTheOwnOneCannotServe(t *testing.T) {
	t.Chdir(t.TempDir())
	text := strings.Replace(twoDesigns, "[{verb: get}]", "[{name: pair, verb: batch, entities: 2, together: [event]}]", 1)
	text, _, _ = strings.Cut(text, "expect:")
	if err := os.WriteFile("pairs.yaml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	const fault = `loadgen: pairs.yaml:25:69: an entity group transaction lies in one partition`
	for _, row := range []struct {
		args []string
		code int
	}{
		{[]string{"simulate", "pairs.yaml", "--use", "by-event"}, codeOk},
		{[]string{"simulate", "pairs.yaml", "--set", "use=by-event"}, codeOk},
		{[]string{"simulate", "pairs.yaml", "--sweep", "use=by-event"}, codeOk},
		{[]string{"explain", "pairs.yaml", "--use", "by-event"}, codeExpectation},
		{[]string{"scenarios", "show", "pairs.yaml", "--effective", "--use", "by-event"}, codeOk},
		{[]string{"simulate", "pairs.yaml"}, codeUsage},
		{[]string{"simulate", "pairs.yaml", "--use", "by-bib"}, codeUsage},
		{[]string{"explain", "pairs.yaml"}, codeUsage},
	} {
		code, stdout, stderr := say(t, row.args...)
		if code != row.code || code == codeUsage && !strings.HasPrefix(stderr, fault) {
			t.Errorf("%q: exit code %d, %q on stderr, and\n%.300s\nwant %d", row.args, code, stderr, stdout, row.code)
		}
	}
}

// Whoever sets other operations is told what to do about the checks of those of before.
func TestChecksOfOperationsThatAreReplaced(t *testing.T) {
	choiceIn(t)
	replaced := []string{"scenarios", "show", "choice.yaml", "--effective", "--set", "phases.measure.operations=[{name: other, verb: get}]",
		"--set", "expect=[throttled(get) < 1%]"}
	for _, row := range []struct {
		sentence, check, says string
		set                   []string
	}{
		{"the file's own check", "throttled(get) < 1%", `; --set expect=[] checks nothing, or give the operations the names that are checked`, replaced[:6]},
		{"one that is set as well", "throttled < 1%", `unknown operation or phase "get"; expected other, load or measure` + "\n", replaced},
	} {
		text := strings.Replace(twoDesigns, "  - throttled < 1%", "  - "+row.check, 1)
		if err := os.WriteFile("choice.yaml", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := say(t, row.set...); code != codeUsage || !strings.Contains(stderr, row.says) {
			t.Errorf("%s: exit code %d, %q; want %d and %q", row.sentence, code, stderr, codeUsage, row.says)
		}
	}
	if code, _, stderr := say(t, append(replaced[:6:6], "--set", "expect=[]")...); code != codeOk {
		t.Errorf("with no checks: exit code %d, %q; want %d", code, stderr, codeOk)
	}
}
