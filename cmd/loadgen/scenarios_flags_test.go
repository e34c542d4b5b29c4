package main

import (
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
	if code, stdout, _ := say(t, "simulate", "choice.yaml", "--quiet", "--one-profile"); code != codeOk || strings.Contains(stdout, "anti-pattern") {
		t.Errorf("as it stands it = %d, and says\n%s\nwant %d, and nothing of an anti-pattern", code, stdout, codeOk)
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
