package main

import (
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/report"
	"loadgen/report/text"
)

// Every verb takes every form. Those that run load are run once, for what they made is shown by the
// forms of report; the others are asked for each form, on one screen and as a whole.
func TestEveryVerbInEveryForm(t *testing.T) {
	leftOutWhenShort(t)
	choiceIn(t)
	put(t, map[string]string{"keys.csv": twoCities()})
	for _, verb := range []struct {
		name, typed string
		// forms are those that it is run for, all unless one is named.
		forms []string
		// lists says that it is a list, which answers nothing and may be longer than a screen.
		lists bool
	}{
		{"simulate", "simulate choice.yaml --quiet --one-profile --out results/runs/a", []string{report.FormText}, false},
		{"a second run", "simulate choice.yaml --quiet --one-profile --out results/runs/b", []string{report.FormMarkdown}, false},
		{"a sweep", "simulate choice.yaml --quiet --one-profile --sweep seed=1,2 --out swept", []string{report.FormText}, false},
		{"a contest", "contest choice.yaml --quiet --count 1 --one-profile --out contest", []string{report.FormText}, false},
		{"gate", "gate choice.yaml --accept first", []string{report.FormText}, true},
		{"the gate of a baseline", "gate choice.yaml", []string{report.FormPage}, false},
		{"explain", "explain choice.yaml", []string{report.FormCSV}, false},
		{"a contest of retry policies", "backoff contest --clients 5 --outage 2s none js", []string{report.FormMarkdown}, true},
		{"compare", "compare results/runs/a results/runs/b", report.PrintForms(), false},
		{"history", "runs history choice", report.PrintForms(), false},
		{"explain of keys", "keys keys.csv --rate 50", report.PrintForms(), false},
		{"retry schedules", "backoff show", []string{report.FormPage}, true},
		{"report", "report results/runs/a", report.PrintForms(), false},
		{"report of a contest", "report contest", report.PrintForms(), false},
		{"the list of scenarios", "scenarios list", []string{report.FormPage}, true},
	} {
		args := strings.Fields(verb.typed)
		shown := 0
		for _, form := range verb.forms {
			code, stdout, stderr := say(t, append(slices.Clone(args), "--format", form)...)
			if !slices.Contains([]int{codeOk, codeExpectation, codeInconclusive}, code) {
				t.Errorf("%s as %s = %d: %s", verb.name, form, code, stderr)
				continue
			}
			if form == report.FormText {
				shown = len(stdout)
			}
			if fault := promised(form, stdout); fault != "" && !(verb.lists && form == report.FormText) {
				t.Errorf("%s as %s: %s\n%.300s", verb.name, form, fault, stdout)
			}
			if lines := strings.Count(stdout, "\n"); form == report.FormText && !verb.lists && lines > 31 {
				t.Errorf("%s: %d lines; want one screen:\n%s", verb.name, lines, stdout)
			}
		}
		code, _, stderr := say(t, append(slices.Clone(args), "--format", "xml")...)
		for _, form := range report.PrintForms() {
			assert.Truef(t, code == codeUsage && strings.Contains(stderr, form),
				"%s takes no form %s: %d %s", verb.name, form, code, stderr)
		}
		if len(verb.forms) > 1 {
			if code, all, stderr := say(t, append(args, "--verbose")...); len(all) < shown || strings.Contains(all, "--verbose") {
				t.Errorf("%s, the whole, = %d %s\n%s", verb.name, code, stderr, all)
			}
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
