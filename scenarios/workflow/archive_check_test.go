package workflow_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// The check says of each employee what became of it, and of a message that would come
// back for ever.
func TestArchivedFinds(t *testing.T) {
	const both, neither, other = `"Finance" / "000457" is in both tables`, `"Finance" / "000457" is in neither table`, `"Finance" / "000457" is not what was loaded`
	for _, row := range []struct {
		name, spoiled string
		attempts      string
		// faults are those of the employees, messages what the check of messages finds.
		faults, messages string
	}{
		{"all is as it was", "", "5", "", ""},
		{"an employee was moved", "copy remove", "5", "", ""},
		{"what a run adds to verify its writes is no fault", "mark", "5", "", ""},
		{"one is copied and not deleted", "copy", "5", both, ""},
		{"one is deleted and not copied", "remove", "5", neither, ""},
		{"one lacks a property in the archive", "copy-part remove", "5", other, ""},
		{"one has another value where it was", "age", "5", other, ""},
		{"one is copied, and its message is on the queue", "copy ask", "5", "", ""},
		{"one is copied, and its message was put aside", "die", "1", "", ""},
		{"one is lost, whatever was put aside", "die remove remove-copy", "1", neither, ""},
		{"a message of which nobody is rid", "malformed", "0", "",
			`message "message 1 asks for nothing" was received 1 times, and nobody can carry it out`},
	} {
		s := newStaff(t, 3)
		from, to, all := s.employees[1].keys[""], s.employees[1].keys["archive"], s.employees[1].properties
		steps := map[string]func(){
			"copy":        func() { s.put("TestArchive", to, all...) },
			"copy-part":   func() { s.put("TestArchive", to, all[:1]...) },
			"remove":      func() { s.change(entity.Delete, "Test", from) },
			"remove-copy": func() { s.change(entity.Delete, "TestArchive", to) },
			"mark":        func() { s.put("Test", from, append(all, text("Run", "r"))...) },
			"age":         func() { s.put("Test", from, all[0], number("Age", 7)) },
			"ask":         func() { s.run(s.act("archive-request", 1, 1, nil)) },
			"malformed":   func() { s.run(s.act("archive-request", 1, 1, args{"malformed": "100%"})) },
			"die":         func() { s.halfway(1) },
		}
		for _, step := range strings.Fields(row.spoiled) {
			steps[step]()
		}
		check := s.checkOf("archive-work", archived(args{"attempts": row.attempts}))
		for _, one := range checks(check) {
			require.True(t, s.run(one), row.name)
		}
		found := check.Findings()
		assert.Equal(t, row.faults, strings.Join(found.Examples, ", "), row.name)
		assert.Truef(t, (found.Faults > 0) == (row.faults != "") && (row.messages != "" || found.Looked >= 3), "%s: %+v", row.name, found)
		assert.Equal(t, row.messages, strings.Join(check.(workflow.Preceded).Before().Findings().Examples, ", "), row.name)
	}
}

// halfway has the worker of an employee's message die after the copy, and the message
// put aside.
func (s *staff) halfway(employee int) {
	s.run(s.act("archive-request", 1, employee, nil))
	for k := range 2 {
		s.run(s.act("archive-work", k, 0, args{"hidden": "1s", "attempts": "1", "killed": "100%", "after": "copied"}))
		s.now = s.now.Add(2 * time.Second)
	}
}

// Whichever reply to the check is lost, it carries out what is on the queue and knows of
// every message that was put aside, of which there are more than one request returns.
func TestArchivedLosesNothing(t *testing.T) {
	const employees, queued = 40, 3
	for number, requests := 0, 1; number < requests; number++ {
		s := newStaff(t, employees)
		for n, one := range s.employees {
			queue := map[bool]string{true: "moves", false: "poison"}[n < queued]
			s.put("TestArchive", one.keys["archive"], one.properties...)
			s.run(s.act("archive-request", n, n, args{"queue": queue}))
		}
		// A worker takes all of them and dies: they come back while the check waits.
		s.run(s.act("archive-work", 1, 0, args{"hidden": "20s", "most": "3", "killed": "100%", "after": "received"}))
		check := s.checkOf("archive-work", args{"place": "archive", "hidden": "20s"})
		requests = s.lose(check, func(_ *target.Operation, at int) bool { return at == number })
		if found := check.Findings(); found.Faults != 0 || found.Looked != employees {
			t.Errorf("reply %d is lost: %d faults in %d, %q; want none in %d", number, found.Faults, found.Looked, found.Examples, employees)
		}
		s.are(fmt.Sprintf("reply %d is lost", number), slices.Repeat([]string{"archive"}, queued)...)
	}
}

// The check does not wait for messages that it has left itself as long as for those of
// workers.
func TestArchivedDoesNotWaitInVain(t *testing.T) {
	s := newStaff(t, 1)
	s.run(s.act("archive-request", 1, 0, args{"malformed": "100%"}))
	from := s.now
	check := s.checkOf("archive-work", args{"place": "archive", "hidden": "100s", "attempts": "5"})
	s.lose(check, func(*target.Operation, int) bool { return false })
	// Five times it comes back soon, and is put aside the sixth time.
	if took := s.now.Sub(from); took < 108*time.Second || took > 109*time.Second {
		t.Errorf("the check took %v; want the time-out of 100.5 s once, and 1.5 s for each of five attempts", took)
	}
	s.now = s.now.Add(time.Minute)
	assert.Len(t, s.messages("poison"), 1, "were put aside")
}
