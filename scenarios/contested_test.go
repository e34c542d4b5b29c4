package scenarios_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"loadgen/scenarios"
	"loadgen/scenarios/fields"
)

// contested is a scenario of three designs of which one alone serves every operation.
const contested = `name: contested
attributes:
  at: {time: 2026-03-01T00:00:00Z, every: 1s}
  page: {list: [home, shop, help]}
  id: {sequence: 1}
entity: {size: 300, properties: [{name: Page, value: "{page}"}]}
use: %s
designs:
  - {name: page, partition_key: "{page}", row_key: "{id}"}
  - {name: id, partition_key: "{id}", row_key: "{page}"}
  - {name: hour, partition_key: "{at:hour}", row_key: "{at:ticks}_{id}"%s}
phases:
  - {name: load, load: {entities: 50, transaction: 10}}
  - name: measure
    traffic:
      arrivals: {constant: 10}
      for: 5s
      operations:
        - {name: open, verb: get, by: [id, page]}
        - {name: save, verb: batch, entities: 3, together: [page]%s}
`

func contestedWith(use, copies, more string) []byte {
	return fmt.Appendf(nil, contested, use, copies, more)
}

// What one design alone cannot do is an obstacle of it and no fault of the scenario,
// whichever design is in use.
func TestObstacles(t *testing.T) {
	for _, use := range []string{"page", "id", "hour"} {
		s, err := scenarios.ParseContested("c.yaml", contestedWith(use, "", ""))
		if err != nil {
			t.Fatalf("use %s: %v; want a scenario that can be contested", use, err)
		}
		for _, row := range []struct {
			sentence, design string
			want             []string
		}{
			{"nothing is in the way", "page", nil},
			{"a transaction across partitions", "id", []string{"save: an entity group transaction lies in one partition, and the PartitionKey \"{id}\" holds {id}"}},
			{"a point whose key is not known", "hour", []string{
				"open: a point read needs both keys, and PartitionKey begins with {at:hour}, which the reader does not know"}},
		} {
			got := s.Obstacles(row.design)
			if len(got) != len(row.want) {
				t.Errorf("use %s, %s: %+v; want %d", use, row.sentence, got, len(row.want))
				continue
			}
			for i, want := range row.want {
				if text := got[i].Operation + ": " + got[i].Why; !strings.HasPrefix(text, want) {
					t.Errorf("use %s, %s: %q; want %q", use, row.sentence, text, want)
				}
			}
		}
		if s.Use != use {
			t.Errorf("the scenario uses %s; want %s as before", s.Use, use)
		}
	}
}

// A copy under the keys that the reader knows makes the point one.
func TestACopyServesAPoint(t *testing.T) {
	s, err := scenarios.ParseContested("c.yaml", contestedWith("hour", `, copies: [{name: number, partition_key: "n{id}", row_key: "{page}"}]`, ""))
	if err != nil {
		t.Fatal(err)
	}
	// What is left is that the copies of a transaction lie apart, which is no fault.
	if got := s.Obstacles("hour"); len(got) != 0 {
		t.Errorf("Obstacles(hour) = %+v; want none", got)
	}
}

// What is wrong under every design is the scenario's, with its place.
func TestFaultsThatAllDesignsShare(t *testing.T) {
	for _, row := range []struct {
		sentence, use, copies, more string
		want                        string
	}{
		{"a value that is none", "page", "", ", weight: -1", `c.yaml:20:76: weight is -1`},
		{"an attribute that does not exist", "page", "", "}\n        - {name: ask, verb: query, by: [pages]", `unknown attribute "pages"; did you mean "page"?`},
		{"a design that is at fault", "page", `, copies: [{name: x, partition_key: "{nobody}", row_key: "{id}"}]`, "", `nobody`},
		{"a design that does not exist in use", "pages", "", "", `unknown design "pages"; did you mean "page"?`},
	} {
		_, err := scenarios.ParseContested("c.yaml", contestedWith(row.use, row.copies, row.more))
		var faults fields.Faults
		if !errors.As(err, &faults) || !strings.Contains(err.Error(), row.want) || !strings.HasPrefix(err.Error(), "c.yaml:") || len(faults) != 1 {
			t.Errorf("%s: %v; want one fault with its place and %q", row.sentence, err, row.want)
		}
	}
	if _, err := scenarios.ParseContested("c.yaml", []byte("name: [")); err == nil {
		t.Error("a text that is no YAML was taken")
	}
}

// Where a scenario has one design without a name, all that is wrong is its own.
func TestOneDesignSharesItsFaults(t *testing.T) {
	text := strings.NewReplacer("use: page\n", "", "designs:\n", "design: {partition_key: \"{id}\", row_key: \"{page}\"}\n").Replace(string(contestedWith("page", "", "")))
	var kept []string
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, "  - {name: page") && !strings.HasPrefix(line, "  - {name: id") && !strings.HasPrefix(line, "  - {name: hour") {
			kept = append(kept, line)
		}
	}
	_, err := scenarios.ParseContested("c.yaml", []byte(strings.Join(kept, "\n")))
	if err == nil || !strings.Contains(err.Error(), "an entity group transaction lies in one partition") {
		t.Errorf("ParseContested = %v; want the fault of the only design", err)
	}
}

// Faults that concern no operation name the phase, or the part of the scenario.
func TestWhatAnObstacleConcerns(t *testing.T) {
	s, err := scenarios.ParseContested("c.yaml", contestedWith("page", "", ""))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"phases.1.traffic.operations.1.together": "save", "phases.1.traffic.operations.7": "measure", "phases.1.traffic": "measure",
		"phases.0.load.entities": "load", "phases.9.load": "phases", "accounts.by": "accounts", "": "",
	} {
		if got := s.ObstaclesOf(fields.Faults{{Path: path, What: "x"}}); got[0].Operation != want {
			t.Errorf("a fault at %q is of %q; want %q", path, got[0].Operation, want)
		}
	}
}

// Under one design the anti-pattern of another is no business of anybody's.
func TestUnderADesignThereIsNoAntiPattern(t *testing.T) {
	s, err := scenarios.Builtin("day-key")
	if err != nil {
		t.Fatal(err)
	}
	for _, design := range []string{"", "hour"} {
		other, err := s.Under(design)
		if err != nil || other.AntiPattern != nil || s.AntiPattern == nil {
			t.Errorf("Under(%q) has the anti-pattern %v, %v; want none, and the scenario as it was", design, other.AntiPattern, err)
		}
		if design != "" && (other.Use != design || other.Design.Name != design) {
			t.Errorf("Under(%q) uses %q", design, other.Use)
		}
	}
	if _, err := s.Under("hours"); err != nil && !strings.Contains(err.Error(), "hours") {
		t.Errorf("Under(hours): %v", err)
	}
}
