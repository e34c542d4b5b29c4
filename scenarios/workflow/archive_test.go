package workflow_test

import (
	"fmt"
	"maps"
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

// staff is a world with employees, and an archive in a table of its own.
type staff struct {
	*world
	employees []thing
}

// newStaff returns one of so many employees, all of them current.
func newStaff(t *testing.T, count int) *staff {
	s := &staff{world: newWorld(t, "archive=Archive")}
	for n := range count {
		key := entity.Key{Partition: []string{"Sales", "Finance"}[n%2], Row: fmt.Sprintf("%06d", 456+n)}
		s.employees = append(s.employees, thing{number: uint64(n), keys: map[string]entity.Key{"": key, "archive": {Partition: "former", Row: key.Row}},
			properties: []entity.Property{text("Name", fmt.Sprint("Jones ", n)), number("Age", 30+n)}})
	}
	s.load(s.employees...)
	return s
}

// act returns operation k of a kind about an employee.
func (s *staff) act(kind string, k int, employee int, given args) *workflow.Procedure {
	s.t.Helper()
	return s.op(kind, k, archived(given), s.employees[employee])
}

// archived are parameters with the place of the archive.
func archived(given args) args {
	with := args{"place": "archive"}
	maps.Copy(with, given)
	return with
}

// where says in which tables an employee is.
func (s *staff) where(employee int) string {
	look := s.act("archive-look", 0, employee, nil)
	s.run(look)
	for name := range counted(look) {
		return name
	}
	return "nowhere told"
}

// are complains unless employees are in these tables.
func (s *staff) are(what string, want ...string) {
	s.t.Helper()
	for n := range want {
		assert.Equalf(s.t, want[n], s.where(n), "%s: employee %d is in", what, n)
	}
}

// messages returns the bodies of the messages of a queue that can be seen.
func (s *staff) messages(queue string) []string {
	o := s.do(&target.Operation{Beside: &target.Beside{Verb: target.ReceiveMessages, Store: s.StoreOf(queue), Most: 32, Hidden: time.Hour}})
	var bodies []string
	for _, m := range o.Found {
		bodies = append(bodies, string(m.Body))
	}
	return bodies
}

// idle complains unless a queue is empty.
func (s *staff) idle(what string) {
	s.t.Helper()
	assert.Emptyf(s.t, s.messages("moves"), "%s: left on the queue", what)
}

// At whichever step workers die, however they overtake each other and whatever replies
// are lost: who was asked to be moved is in the archive in the end, and nobody else is.
func TestMovesAreFinishedWhoeverDies(t *testing.T) {
	const asked, twice = 8, 3
	where := append(slices.Repeat([]string{"archive"}, asked), "current", "current")
	for _, after := range []string{"received", "read", "copied", "deleted", "any"} {
		died, again := int64(0), int64(0)
		for seed := range uint64(12) {
			s := newStaff(t, len(where))
			given := args{"killed": "40%", "after": after, "hidden": "20s", "attempts": "0", "most": "2"}
			for k := range asked + twice {
				s.run(s.act("archive-request", k, k%asked, nil))
			}
			turns := several(16, func(k int) *workflow.Procedure { return s.act("archive-work", int(seed)*100+k, 0, given) })
			s.race(seed, 4, 20, turns)
			died, again = died+total(turns, "killed"), again+total(turns, "again")
			s.holds("archive-work", archived(given), int64(len(where)))
			what := fmt.Sprintf("workers die after %s, seed %d", after, seed)
			s.are(what, where...)
			s.now = s.now.Add(200 * time.Second)
			s.idle(what)
		}
		assert.Truef(t, died >= 20 && again >= 5,
			"after %s %d workers died, and %d messages came back; want 20 and 5 at least", after, died, again)
	}
}

// A turn is what is foreseen of it, and what it counts; one of several messages carries all
// of them out.
func TestTurnOfAWorker(t *testing.T) {
	s := newStaff(t, 4)
	for k, employee := range []int{0, 0, 1, 2, 3} {
		s.run(s.act("archive-request", k, employee, nil))
	}
	for _, row := range []struct {
		name, most, counts, sent string
	}{
		{"an employee is moved", "1", "map[moved:1]", "map[delete:1 delete-message:1 get:1 insert-or-replace:1 receive-messages:1]"},
		{"the second message finds it done", "1", "map[repeated:1]", "map[delete-message:1 get:1 receive-messages:1]"},
		{"three at once", "3", "map[moved:3]", "map[delete:3 delete-message:3 get:3 insert-or-replace:3 receive-messages:1]"},
		{"and then there is none", "1", "map[idle:1]", "map[receive-messages:1]"},
	} {
		clear(s.requests)
		turn := s.act("archive-work", 3, 0, args{"most": row.most})
		assert.Truef(t, row.counts != "map[moved:1]" || fmt.Sprint(foreseen(turn)) == row.sent,
			"%s: foreseen was %v; want %s", row.name, foreseen(turn), row.sent)
		assert.Truef(t, s.run(turn) && fmt.Sprint(counted(turn)) == row.counts && fmt.Sprint(s.requests) == row.sent,
			"%s: counted %v by %v; want %s by %s", row.name, counted(turn), s.requests, row.counts, row.sent)
	}
}

// A worker that meets its own success after a lost reply has moved the employee, and was
// not overtaken.
func TestTurnMeetsItsOwnSuccess(t *testing.T) {
	for _, lost := range []string{"get", "insert-or-replace", "delete", "delete-message"} {
		s := newStaff(t, 1)
		s.run(s.act("archive-request", 1, 0, nil))
		turn := s.act("archive-work", 1, 0, nil)
		s.lose([]*workflow.Procedure{turn}, func(op *target.Operation, _ int) bool { return requestName(op) == lost })
		assert.Truef(t, maps.Equal(counted(turn), map[string]int64{"moved": 1}),
			"the first reply to %s is lost: counted %v; want one move", lost, counted(turn))
	}
}

// A message that is none of ours is malformed, whatever it holds.
func TestForeignMessages(t *testing.T) {
	s := newStaff(t, 1)
	for _, body := range []string{"", "{}", "null", `{"asks":"lunch","partition":"Sales","row":"000456"}`} {
		s.do(&target.Operation{Beside: &target.Beside{Verb: target.PutMessage, Store: s.StoreOf("moves"), Body: []byte(body)}})
		turn := s.act("archive-work", 1, 0, args{"hidden": "2m"})
		s.run(turn)
		assert.Equal(t, map[string]int64{"malformed": 1}, counted(turn), body)
	}
}

// Who takes longer than its message is hidden finds that another has it.
func TestOvertakenWorker(t *testing.T) {
	s := newStaff(t, 1)
	s.run(s.act("archive-request", 1, 0, nil))
	slow := begun(s.act("archive-work", 1, 0, args{"hidden": "1s"}))
	s.steps(slow, 3) // received, read, copied
	fast := s.act("archive-work", 2, 0, args{"hidden": "90s", "killed": "100%", "after": "deleted"})
	s.run(fast)
	s.finish(slow)
	assert.True(t, slow.ok)
	assert.Equal(t, "map[overtaken:1 repeated:1]", fmt.Sprint(counted(slow.Procedure)), "the slow one counted")
	assert.Equal(t, "map[again:1 killed:1 moved:1]", fmt.Sprint(counted(fast)), "the fast one counted")
	// The message is hidden still, for longer than any wait of the check's own.
	s.holds("archive-work", args{"place": "archive", "hidden": "90s"}, 1)
	s.idle("overtaken")
}

// A message that nobody can carry out is put aside after so many attempts, whatever
// replies are lost, and keeps nobody from being moved.
func TestPoisonGoesToItsOwnQueue(t *testing.T) {
	for seed := range uint64(12) {
		s := newStaff(t, 6)
		for k := range 6 {
			s.run(s.act("archive-request", k, k, args{"malformed": []string{"100%", "0", "0"}[k%3]}))
		}
		given := args{"place": "archive", "hidden": "60s", "attempts": "3"}
		turns := several(20, func(k int) *workflow.Procedure { return s.act("archive-work", k, 0, given) })
		lost := int(seed%3) * 10
		s.race(seed, 3, lost, turns)
		s.holds("archive-work", given, 6)
		s.now = s.now.Add(100 * time.Second)
		aside := s.messages("poison")
		slices.Sort(aside)
		if lost > 0 {
			aside = slices.Compact(aside)
		}
		assert.Equalf(t, []string{"message 0 asks for nothing", "message 3 asks for nothing"}, aside, "seed %d", seed)
		what := fmt.Sprint("seed ", seed)
		s.idle(what)
		s.are(what, "current", "archive", "archive", "current", "archive", "archive")
	}
}

// What a reader sees of a move that stands still after each of its steps, by the table
// that it reads first; and of one that goes on between its two reads.
func TestReadersOfAMove(t *testing.T) {
	for _, row := range []struct {
		name, first string
		// before are how many of the two writes come before the reads, between those
		// in between.
		before, between int
		want            string
	}{
		{"nothing is done", "current", 0, 0, "current"},
		{"the copy is written", "current", 1, 0, "both"},
		{"all is done", "current", 2, 0, "archive"},
		{"the copy is written, archive first", "archive", 1, 0, "both"},
		{"a whole move in between is seen twice", "current", 0, 2, "both"},
		{"a deletion in between is seen twice", "current", 1, 1, "both"},
		{"a copy in between is missed by who reads the archive first", "archive", 0, 1, "current"},
		{"and so is the employee where the whole move is", "archive", 0, 2, "neither"},
	} {
		s := newStaff(t, 1)
		one := s.employees[0]
		steps := []func(){
			func() { s.put("TestArchive", one.keys["archive"], one.properties...) },
			func() { s.change(entity.Delete, "Test", one.keys[""]) },
		}
		for _, step := range steps[:row.before] {
			step()
		}
		look := begun(s.act("archive-look", 0, 0, args{"first": row.first, "pause": "2s"}))
		from := s.now
		s.steps(look, 1)
		assert.Equalf(t, 3*time.Second, s.now.Sub(from), "%s: the reader went on after", row.name)
		for _, step := range steps[row.before : row.before+row.between] {
			step()
		}
		s.finish(look)
		assert.True(t, look.ok, row.name)
		assert.Equal(t, map[string]int64{row.want: 1}, counted(look.Procedure), row.name)
	}
}

// A client that moves employees by itself leaves each of whom it died in both tables, or
// in neither.
func TestNaiveMovesAreNotFinished(t *testing.T) {
	for first, left := range map[string]string{"copy": "both", "delete": "neither"} {
		s := newStaff(t, 40)
		var all []*workflow.Procedure
		for n := range s.employees {
			p := s.act("archive-naive", n, n, args{"first": first, "killed": "40%"})
			all = append(all, p)
			assert.Truef(t, s.run(p), "%s first: the client of employee %d failed; want that it ended", first, n)
			assert.Equalf(t, map[bool]string{true: left, false: "archive"}[counted(p)["killed"] > 0], s.where(n),
				"%s first: employee %d is in", first, n)
		}
		died := total(all, "killed")
		assert.GreaterOrEqual(t, died, int64(8))
		assert.Equal(t, 40-died, total(all, "moved"))
		s.finds("archive-naive", archived(args{"first": first}), died, 40)
	}
}

// The check says of each employee what became of it, and of a message that would come
// back for ever.
func TestArchivedFinds(t *testing.T) {
	const both, neither, other = `"Finance" / "000457" is in both tables`, `"Finance" / "000457" is in neither table`, `"Finance" / "000457" differs from the loaded entity`
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
			`message "message 1 asks for nothing" was received 1 times and is malformed`},
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
			"die": func() { // after the copy, and the message is put aside
				s.run(s.act("archive-request", 1, 1, nil))
				for k := range 2 {
					work := s.act("archive-work", k, 0, args{"hidden": "1s", "attempts": "1", "killed": "100%", "after": "copied"})
					s.run(work)
					assert.EqualValuesf(t, k, counted(work)["poisoned"], "%s: poisoned messages of worker %d", row.name, k)
					s.now = s.now.Add(2 * time.Second)
				}
			},
		}
		for _, step := range strings.Fields(row.spoiled) {
			steps[step]()
		}
		check := s.checkOf("archive-work", archived(args{"attempts": row.attempts}))
		for _, one := range checks(check) {
			require.True(t, s.run(one), row.name)
		}
		found := check.Findings
		assert.Equal(t, row.faults, strings.Join(found.Examples, ", "), row.name)
		assert.Truef(t, (found.Faults > 0) == (row.faults != "") && (row.messages != "" || found.Looked >= 3), "%s: %+v", row.name, found)
		assert.Equal(t, row.messages, strings.Join(check.Before.Findings.Examples, ", "), row.name)
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
		requests = s.lose(checks(check), func(_ *target.Operation, at int) bool { return at == number })
		if found := check.Findings; found.Faults != 0 || found.Looked != employees {
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
	s.lose(checks(check), func(*target.Operation, int) bool { return false })
	// Five times it comes back soon, and is put aside the sixth time.
	if took := s.now.Sub(from); took < 108*time.Second || took > 109*time.Second {
		t.Errorf("the check took %v; want the time-out of 100.5 s once, and 1.5 s for each of five attempts", took)
	}
	s.now = s.now.Add(time.Minute)
	assert.Len(t, s.messages("poison"), 1, "were put aside")
}
