package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"loadgen/report"
	"loadgen/report/text"
)

// Every verb says what it has to say in every form: on one screen, as a whole, and as what
// the form promises.
func TestEveryVerbInEveryForm(t *testing.T) {
	leftOutWhenShort(t)
	choiceIn(t)
	keys := "PartitionKey,RowKey,Timestamp\n" + strings.Repeat("NYC,1,2026-01-01T00:00:00Z\nRome,2,2026-01-01T00:00:01Z\n", 200)
	if err := os.WriteFile("keys.csv", []byte(keys), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{"a", "b"} {
		if code, _, stderr := say(t, "simulate", "choice.yaml", "--quiet", "--one-profile", "--out", "results/runs/"+out); code != codeOk {
			t.Fatalf("simulate = %d: %s", code, stderr)
		}
	}
	if code, _, stderr := say(t, "gate", "choice.yaml", "--accept", "--reason", "a first one"); code != codeOk {
		t.Fatalf("gate --accept = %d: %s", code, stderr)
	}
	for _, verb := range []struct {
		name string
		args []string
		// lists says that it is a list, which answers nothing and may be longer than a screen.
		lists bool
	}{
		{"simulate", []string{"simulate", "choice.yaml", "--quiet", "--one-profile"}, false},
		{"a sweep", []string{"simulate", "choice.yaml", "--quiet", "--one-profile", "--sweep", "seed=1,2"}, false},
		{"a contest", []string{"contest", "choice.yaml", "--quiet", "--seeds", "1"}, false},
		{"compare", []string{"compare", "results/runs/a", "results/runs/b"}, false},
		{"gate", []string{"gate", "choice.yaml"}, false},
		{"history", []string{"runs", "history", "choice"}, false},
		{"explain", []string{"explain", "choice.yaml"}, false},
		{"explain of keys", []string{"explain", "--from", "keys.csv", "--rate", "50"}, false},
		{"retry schedules", []string{"backoff", "show"}, true},
		{"a contest of retry policies", []string{"backoff", "contest", "--clients", "20", "--outage", "2s"}, true},
		{"report", []string{"report", "results/runs/a"}, false},
		{"the list of scenarios", []string{"scenarios", "list"}, true},
	} {
		for _, form := range report.PrintForms() {
			code, stdout, stderr := say(t, append(slices.Clone(verb.args), "--format", form)...)
			if !slices.Contains([]int{codeOk, codeExpectation, codeInconclusive}, code) {
				t.Errorf("%s as %s = %d: %s", verb.name, form, code, stderr)
				continue
			}
			if fault := promised(form, stdout); fault != "" && !(verb.lists && form == report.FormText) {
				t.Errorf("%s as %s: %s\n%.300s", verb.name, form, fault, stdout)
			}
			if lines := strings.Count(stdout, "\n"); form == report.FormText && !verb.lists && lines > 31 {
				t.Errorf("%s: %d lines; want one screen:\n%s", verb.name, lines, stdout)
			}
		}
		if code, stdout, stderr := say(t, append(slices.Clone(verb.args), "--verbose")...); len(stdout) < 100 || strings.Contains(stdout, "--verbose shows all") {
			t.Errorf("%s, the whole, = %d %s\n%s", verb.name, code, stderr, stdout)
		}
	}
}

// promised returns what is wrong with an output in a form, empty where nothing is.
func promised(form, output string) string {
	switch form {
	case report.FormText:
		for line := range strings.Lines(output) {
			if columns := text.Columns(strings.TrimSuffix(line, "\n")); columns > 80 {
				return "a line is wider than 80 columns: " + line
			}
		}
	case report.FormJSON:
		if !json.Valid([]byte(output)) {
			return "it is no JSON"
		}
	case report.FormMarkdown:
		if !strings.HasPrefix(output, "# ") {
			return "it begins with no heading"
		}
	case report.FormPage:
		if !strings.HasPrefix(strings.ToLower(output), "<!doctype html>") || !strings.Contains(output, "</html>") {
			return "it is no page"
		}
	case report.FormCSV:
		if rows, err := csv.NewReader(strings.NewReader(output)).ReadAll(); err != nil || len(rows) < 2 {
			return "it is no table"
		}
	}
	return ""
}
