package workflow_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// staff is a world with employees, and an archive in a table of its own.
type staff struct {
	*world
	*workflow.Setting
	employees []workflow.Subject
}

// newStaff returns one of so many employees, all of them current.
func newStaff(t *testing.T, count int) *staff {
	w := newWorld(t, "Archive")
	var all []workflow.Subject
	for n := range count {
		key := entity.Key{Partition: []string{"Sales", "Finance"}[n%2], Row: fmt.Sprintf("%06d", 456+n)}
		one := thing{number: uint64(n), keys: map[string]entity.Key{"": key, "archive": {Partition: "former", Row: key.Row}},
			properties: []entity.Property{{Name: "Name", Value: entity.String(fmt.Sprintf("Jones %d", n))}, {Name: "Age", Value: entity.Int32(int32(30 + n))}}}
		all = append(all, one)
		w.put("Test", key, one.properties...)
	}
	return &staff{w, w.setting(map[string]string{"archive": "Archive"}, all...), all}
}

// put writes an entity over whatever is there.
func (w *world) put(table string, key entity.Key, properties ...entity.Property) {
	w.t.Helper()
	c := entity.Change{Verb: entity.InsertOrReplace, Key: key, Properties: properties}
	if o := w.do(&target.Operation{Verb: c.Verb, Table: table, Change: c}); o.Status >= 300 {
		w.t.Fatalf("writing %v into %s: %d %s", key, table, o.Status, o.Code)
	}
}

// remove deletes an entity.
func (w *world) remove(table string, key entity.Key) {
	c := entity.Change{Verb: entity.Delete, Key: key, Match: entity.MatchAny}
	w.do(&target.Operation{Verb: c.Verb, Table: table, Change: c})
}

// act returns operation k of a kind about an employee.
func (s *staff) act(kind string, k int, employee int, given map[string]string) workflow.Workflow {
	s.t.Helper()
	with := map[string]string{"place": "archive"}
	maps.Copy(with, given)
	return perform(s.t, s.Setting, kind, uint64(k), with, s.employees[employee].(thing))
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

// check returns how what was left behind is looked at.
func (s *staff) check(kind string, given map[string]string) workflow.Check {
	one := workflow.Find(kind)
	with := map[string]string{"place": "archive"}
	maps.Copy(with, given)
	return one.Check(s.Setting, one.Settle(with))
}

// checks returns a workflow, after the check that it rests on, if it is a check.
func checks(check workflow.Workflow) []workflow.Workflow {
	if late, some := check.(workflow.Preceded); some {
		return []workflow.Workflow{late.Before(), check}
	}
	return []workflow.Workflow{check}
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

// At whichever step workers die, however they overtake each other and whatever replies
// are lost: who was asked to be moved is in the archive in the end, and nobody else is.
func TestMovesAreFinishedWhoeverDies(t *testing.T) {
	const employees, asked, twice = 10, 8, 3
	for _, after := range []string{"received", "read", "copied", "deleted", "any"} {
		died, again := int64(0), int64(0)
		for seed := range uint64(12) {
			s := newStaff(t, employees)
			given := map[string]string{"killed": "40%", "after": after, "hidden": "20s", "attempts": "0", "most": "2"}
			for k := range asked + twice {
				s.run(s.act("archive-request", k, k%asked, nil))
			}
			var turns []workflow.Workflow
			for k := range 16 {
				turns = append(turns, s.act("archive-work", int(seed)*100+k, 0, given))
			}
			s.race(seed, 4, 20, turns)
			for _, p := range turns {
				died, again = died+counted(p)["killed"], again+counted(p)["again"]
			}
			s.holds(s.check("archive-work", given), employees)
			for n := range employees {
				if got, want := s.where(n), map[bool]string{true: "archive", false: "current"}[n < asked]; got != want {
					t.Errorf("workers die after %s, seed %d: employee %d is in %s; want %s", after, seed, n, got, want)
				}
			}
			s.now = s.now.Add(200 * time.Second)
			if left := s.messages("moves"); len(left) > 0 {
				t.Errorf("workers die after %s, seed %d: %q is left on the queue; want nothing", after, seed, left)
			}
		}
		if died < 20 || again < 5 {
			t.Errorf("after %s %d workers died, and %d messages came back; want 20 and 5 at least", after, died, again)
		}
	}
}

// A turn is what is foreseen of it, and what it counts.
func TestTurnOfAWorker(t *testing.T) {
	s := newStaff(t, 2)
	s.run(s.act("archive-request", 1, 0, nil))
	s.run(s.act("archive-request", 2, 0, nil))
	for _, row := range []struct {
		name   string
		counts map[string]int64
		sent   map[string]int
	}{
		{"an employee is moved", map[string]int64{"moved": 1},
			map[string]int{"receive-messages": 1, "get": 1, "insert-or-replace": 1, "delete": 1, "delete-message": 1}},
		{"the second message finds it done", map[string]int64{"repeated": 1}, map[string]int{"receive-messages": 1, "get": 1, "delete-message": 1}},
		{"and then there is none", map[string]int64{"idle": 1}, map[string]int{"receive-messages": 1}},
	} {
		s.requests = map[string]int{}
		turn := s.act("archive-work", 3, 0, nil)
		foreseen := map[string]int{}
		for _, op := range workflow.Requests(turn) {
			foreseen[requestName(&op)]++
		}
		if !s.run(turn) || !maps.Equal(counted(turn), row.counts) || !maps.Equal(s.requests, row.sent) {
			t.Errorf("%s: counted %v by %v; want %v by %v", row.name, counted(turn), s.requests, row.counts, row.sent)
		}
		if row.counts["moved"] > 0 && !maps.Equal(foreseen, row.sent) {
			t.Errorf("%s: foreseen was %v; want %v", row.name, foreseen, row.sent)
		}
	}
}

// A turn of several messages carries all of them out, and dies of one at most.
func TestTurnOfSeveralMessages(t *testing.T) {
	s := newStaff(t, 4)
	for n := range 4 {
		s.run(s.act("archive-request", n, n, nil))
	}
	turn := s.act("archive-work", 1, 0, map[string]string{"most": "3"})
	if s.run(turn); counted(turn)["moved"] != 3 || s.requests["receive-messages"] != 1 {
		t.Errorf("a turn of three messages counted %v by %v; want three moves by one request for messages", counted(turn), s.requests)
	}
}

// A worker that meets its own success after a lost reply has moved the employee, and was
// not overtaken.
func TestTurnMeetsItsOwnSuccess(t *testing.T) {
	for _, lost := range []string{"get", "insert-or-replace", "delete", "delete-message"} {
		s := newStaff(t, 1)
		s.run(s.act("archive-request", 1, 0, nil))
		turn := s.act("archive-work", 1, 0, nil)
		if s.losing(turn, func(op *target.Operation, _ int) bool { return requestName(op) == lost }); !maps.Equal(counted(turn), map[string]int64{"moved": 1}) {
			t.Errorf("the first reply to %s is lost: counted %v; want one move", lost, counted(turn))
		}
	}
}

// requestName returns the verb of a request.
func requestName(op *target.Operation) string {
	if op.Beside != nil {
		return op.Beside.Verb.String()
	}
	return op.Verb.String()
}

// losing carries a workflow out, with ten milliseconds to a request, and loses the first
// reply of which a function says so, after the request was carried out. It returns how
// many requests there were.
func (w *world) losing(p workflow.Workflow, which func(op *target.Operation, number int) bool) int {
	w.t.Helper()
	number, lost := 0, false
	for _, one := range checks(p) {
		number, lost = w.losingFrom(number, lost, one, which)
	}
	return number
}

func (w *world) losingFrom(number int, lost bool, p workflow.Workflow, which func(op *target.Operation, number int) bool) (int, bool) {
	w.t.Helper()
	c := begun(p)
	for ; !c.ended; number++ {
		request := c.request
		w.now = w.now.Add(10*time.Millisecond - time.Second) // do adds a second
		o := w.do(&request)
		if !lost && which(&request, number) {
			lost, o = true, target.Outcome{}
		}
		c.tell(w, o)
	}
	if !c.ok {
		w.t.Error("the workflow failed; want that it ends well")
	}
	return number, lost
}

// A message that is none of ours is malformed, whatever it holds.
func TestForeignMessages(t *testing.T) {
	s := newStaff(t, 1)
	for _, body := range []string{"", "{}", "null", `{"asks":"lunch","partition":"Sales","row":"000456"}`} {
		s.do(&target.Operation{Beside: &target.Beside{Verb: target.PutMessage, Store: s.StoreOf("moves"), Body: []byte(body)}})
		turn := s.act("archive-work", 1, 0, map[string]string{"hidden": "2m"})
		if s.run(turn); !maps.Equal(counted(turn), map[string]int64{"malformed": 1}) {
			t.Errorf("message %q counted %v; want that it is malformed", body, counted(turn))
		}
	}
}

// Who takes longer than its message is hidden finds that another has it.
func TestOvertakenWorker(t *testing.T) {
	s := newStaff(t, 1)
	s.run(s.act("archive-request", 1, 0, nil))
	slow := begun(s.act("archive-work", 1, 0, map[string]string{"hidden": "1s"}))
	for range 3 { // received, read, copied
		request := slow.request
		slow.tell(s.world, s.do(&request))
	}
	fast := s.act("archive-work", 2, 0, map[string]string{"hidden": "90s", "killed": "100%", "after": "deleted"})
	s.run(fast)
	for !slow.ended {
		request := slow.request
		slow.tell(s.world, s.do(&request))
	}
	if got := counted(slow.Workflow); !slow.ok || got["overtaken"] != 1 || got["repeated"] != 1 || got["moved"] != 0 {
		t.Errorf("the slow worker ended well: %v, and counted %v; want that it was overtaken, and moved nobody", slow.ok, got)
	}
	if got := counted(fast); got["moved"] != 1 || got["killed"] != 1 || got["again"] != 1 {
		t.Errorf("the fast one counted %v; want a message that came again, a move, and that it died", got)
	}
	// The message is hidden still, for longer than any wait of the check's own.
	s.holds(s.check("archive-work", map[string]string{"hidden": "90s"}), 1)
	if left := s.messages("moves"); len(left) > 0 {
		t.Errorf("%q is left on the queue; want nothing", left)
	}
}

// A message that nobody can carry out is put aside after so many attempts, whatever
// replies are lost, and keeps nobody from being moved.
func TestPoisonGoesToItsOwnQueue(t *testing.T) {
	for seed := range uint64(12) {
		s := newStaff(t, 6)
		for k := range 6 {
			s.run(s.act("archive-request", k, k, map[string]string{"malformed": map[bool]string{true: "100%", false: "0"}[k%3 == 0]}))
		}
		given := map[string]string{"hidden": "60s", "attempts": "3"}
		var turns []workflow.Workflow
		for k := range 20 {
			turns = append(turns, s.act("archive-work", k, 0, given))
		}
		lost := int(seed%3) * 10
		s.race(seed, 3, lost, turns)
		s.holds(s.check("archive-work", given), 6)
		s.now = s.now.Add(100 * time.Second)
		aside := s.messages("poison")
		slices.Sort(aside)
		if lost > 0 {
			aside = slices.Compact(aside)
		}
		if want := []string{"message 0 asks for nothing", "message 3 asks for nothing"}; !slices.Equal(aside, want) {
			t.Errorf("seed %d: %q were put aside; want %q", seed, aside, want)
		}
		if left := s.messages("moves"); len(left) > 0 {
			t.Errorf("seed %d: %q is left on the queue; want nothing", seed, left)
		}
		for n, want := range []string{"current", "archive", "archive", "current", "archive", "archive"} {
			if got := s.where(n); got != want {
				t.Errorf("seed %d: employee %d is in %s; want %s", seed, n, got, want)
			}
		}
	}
}

// A message is carried out so many times, and then put aside.
func TestAttemptsBeforePoison(t *testing.T) {
	s := newStaff(t, 1)
	s.run(s.act("archive-request", 1, 0, map[string]string{"malformed": "100%"}))
	var told []string
	for k := range 4 {
		turn := s.act("archive-work", k, 0, map[string]string{"hidden": "1s", "attempts": "2"})
		s.run(turn)
		told = append(told, strings.Join(slices.Sorted(maps.Keys(counted(turn))), "+"))
		s.now = s.now.Add(2 * time.Second)
	}
	if want := []string{"malformed", "again+malformed", "poisoned", "idle"}; !slices.Equal(told, want) {
		t.Errorf("four turns counted %q; want %q", told, want)
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
			func() { s.put("TestArchive", one.Key("archive"), one.Properties()...) },
			func() { s.remove("Test", one.Key("")) },
		}
		for _, step := range steps[:row.before] {
			step()
		}
		look := begun(s.act("archive-look", 0, 0, map[string]string{"first": row.first, "pause": "2s"}))
		request, from := look.request, s.now
		look.tell(s.world, s.do(&request))
		if rested := s.now.Sub(from); rested != 3*time.Second {
			t.Errorf("%s: the reader went on after %v; want its pause of 2s more than a request", row.name, rested)
		}
		for _, step := range steps[row.before : row.before+row.between] {
			step()
		}
		request = look.request
		look.tell(s.world, s.do(&request))
		if got := counted(look.Workflow); !look.ok || !maps.Equal(got, map[string]int64{row.want: 1}) {
			t.Errorf("%s: the reader counted %v; want %s", row.name, got, row.want)
		}
	}
}
