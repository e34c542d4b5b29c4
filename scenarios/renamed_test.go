package scenarios_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"loadgen/engine/model"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
)

// Each name of before is told at its line, by the name of now, and nothing else is said.
func TestRenamedFields(t *testing.T) {
	holders := map[string]string{"workflow": "workflows.yaml", "anti_pattern": ""}
	texts := textsIn(t, "testdata/valid")
	for _, one := range fields.Renamed() {
		was, is := one[0], one[1]
		text := example("phases.peak.each: 7s")
		if name := holders[is]; name != "" {
			text = texts[name]
		}
		before, after, found := strings.Cut(text, is+":")
		if !found {
			t.Fatalf("no text of the tests has %s", is)
		}
		_, err := scenarios.Parse("own.yaml", []byte(before+was+":"+after))
		column := len(before) - strings.LastIndex(before, "\n")
		want := fmt.Sprintf("own.yaml:%d:%d: %s is called %s now; expected that name", 1+strings.Count(before, "\n"), column, was, is)
		if !errors.Is(err, fields.ErrInvalid) || err.Error() != want {
			t.Errorf("Parse with %s = %v; want %s", was, err, want)
		}
	}
}

// So is each parameter of the model, in a file, in --set and where it is set by itself.
func TestRenamedParameters(t *testing.T) {
	for _, one := range model.Renamed() {
		was, is := one[0], one[1]
		want := was + " is called " + is + " now; expected that name"
		if slices.Contains(model.Names(), was) || !slices.Contains(model.Names(), is) {
			t.Errorf("%s and %s: want the second alone to be a parameter", was, is)
		}
		s, err := scenarios.Builtin("stress")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Set("model."+was, "5"); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("Set(model.%s) = %v; want %s", was, err, want)
		}
		m, err := model.New(model.Documented)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Set(was, "5"); !errors.Is(err, model.ErrValue) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("the model's Set(%s) = %v; want %s", was, err, want)
		}
	}
}

// So is each figure of before, at its place within the claim.
func TestRenamedFiguresOfAScenario(t *testing.T) {
	for _, one := range figure.RenamedMetrics() {
		_, err := scenarios.Parse("own.yaml", []byte(race+"expect:\n  - p99 < 1s\n  - "+one[0]+" < 1\n"))
		line := 3 + strings.Count(race, "\n")
		want := fmt.Sprintf("own.yaml:%d:5: %s is called %s now; expected that name", line, one[0], one[1])
		if err == nil || err.Error() != want {
			t.Errorf("Parse = %v; want %s", err, want)
		}
	}
}

// So is each scenario of before, by all who take the name of one.
func TestRenamedExamples(t *testing.T) {
	for _, one := range [][2]string{
		{"or-trap", "or-is-a-partition-scan"},
		{"range-moved", "retries-bridge-a-move"},
		{"one-value-few-entities", "granularity"},
		{"one-value-many-entities", "granularity"},
		{"unique-values", "granularity"},
		{"two-servers", "hot-partition-starves-neighbours"},
	} {
		was, is := one[0], one[1]
		if names := scenarios.Library(); slices.Contains(names, was) || !slices.Contains(names, is) {
			t.Errorf("%s and %s: want the second alone to be built in", was, is)
		}
		want := "scenarios: the scenario " + was + " is called " + is + " now; expected that name"
		_, opened := scenarios.Builtin(was)
		_, _, named := scenarios.Open(was)
		for _, err := range []error{opened, named} {
			if !errors.Is(err, scenarios.ErrUnknown) || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: %v; want %s", was, err, want)
			}
		}
	}
}
