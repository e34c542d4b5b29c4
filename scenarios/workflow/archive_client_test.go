package workflow_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"loadgen/scenarios/workflow"
)

// A client that moves employees by itself leaves each of whom it died in both tables, or
// in neither.
func TestNaiveMovesAreNotFinished(t *testing.T) {
	for first, left := range map[string]string{"copy": "both", "delete": "neither"} {
		s := newStaff(t, 40)
		died, moved := int64(0), int64(0)
		for n := range s.employees {
			p := s.act("archive-naive", n, n, map[string]string{"first": first, "killed": "40%"})
			if !s.run(p) {
				t.Errorf("%s first: the client of employee %d failed; want that it ended", first, n)
			}
			counts := counted(p)
			died, moved = died+counts["killed"], moved+counts["moved"]
			if got, want := s.where(n), map[bool]string{true: left, false: "archive"}[counts["killed"] > 0]; got != want {
				t.Errorf("%s first: employee %d is in %s; want %s", first, n, got, want)
			}
		}
		check := s.check("archive-naive", map[string]string{"first": first})
		s.run(check)
		if found := check.Findings(); died < 8 || moved != 40-died || found.Faults != died || found.Looked != 40 {
			t.Errorf("%s first: %d died, %d moved, %d faults in %d; want 8 at least, the others, and as many faults", first, died, moved, found.Faults, found.Looked)
		}
	}
}

// Whom one client has left in both tables no other can move: what it inserts is there.
func TestNaiveMovesCannotBeRepeated(t *testing.T) {
	s := newStaff(t, 1)
	s.run(s.act("archive-naive", 0, 0, map[string]string{"killed": "100%"}))
	if again := s.act("archive-naive", 1, 0, nil); s.run(again) || s.where(0) != "both" {
		t.Errorf("the second client ended well, or the employee is in %s; want that it fails, and both", s.where(0))
	}
	// Who was moved need not be.
	s.remove("Test", s.employees[0].Key(""))
	if again := s.act("archive-naive", 2, 0, nil); !s.run(again) || counted(again)["repeated"] != 1 {
		t.Errorf("a third one counted %v; want that all was done", counted(again))
	}
}

// Without deaths, lost replies alone leave nobody in two tables: a client knows its own
// success when it meets it.
func TestNaiveMovesKnowTheirOwnSuccess(t *testing.T) {
	for seed := range uint64(10) {
		for _, first := range []string{"copy", "delete"} {
			s := newStaff(t, 12)
			var all []workflow.Workflow
			for n := range s.employees {
				all = append(all, s.act("archive-naive", n, n, map[string]string{"first": first}))
			}
			ended := s.race(seed, 4, 30, all)
			if slices.Contains(ended, false) {
				t.Errorf("%s first, seed %d: they ended %v; want all well", first, seed, ended)
			}
			s.holds(s.check("archive-naive", nil), 12)
		}
	}
}

// A part of the messages is malformed, as large as is asked, and no other.
func TestShareOfMalformedMessages(t *testing.T) {
	s := newStaff(t, 1)
	counts := map[string]int64{}
	for k := range 200 {
		p := s.act("archive-request", k, 0, map[string]string{"malformed": "25%"})
		s.run(p)
		for name, count := range counted(p) {
			counts[name] += count
		}
	}
	if sum := counts["requested"] + counts["malformed"]; sum != 200 || counts["malformed"] < 30 || counts["malformed"] > 70 {
		t.Errorf("of 200 messages %v; want about 50 malformed", counts)
	}
	bodies := map[string]bool{}
	for {
		some := s.messages("moves")
		for _, b := range some {
			bodies[b] = true
		}
		if len(some) == 0 {
			break
		}
	}
	want := map[string]bool{`{"asks":"archive","partition":"Sales","row":"000456","to_partition":"former","to_row":"000456"}`: true}
	for b := range maps.Clone(bodies) {
		var k int
		if n, _ := fmt.Sscanf(b, "message %d asks for nothing", &k); n == 1 {
			delete(bodies, b)
		}
	}
	if !maps.Equal(bodies, want) {
		t.Errorf("the others are %v; want %v", bodies, want)
	}
}
