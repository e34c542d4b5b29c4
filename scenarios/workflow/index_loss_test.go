package workflow_test

import (
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// Lists that are written over whatever is there by then lose what somebody else has
// entered, and the check says so.
func TestIndexesWrittenBlindlyLose(t *testing.T) {
	for _, form := range indexForms {
		given := indexGiven(form, map[string]string{"blind": "true", "announced": "last"})
		w, s := indexSetting(t, form)
		loaded := loadedEmployees(w, form, 8)
		s.Loaded, s.Member = 8, func(n uint64) workflow.Subject { return loaded[n] }
		w.race(1, 6, 0, indexBustle(t, s, form, given))
		if found := indexFaults(w, s, given); found.Faults == 0 || len(found.Examples) == 0 {
			t.Errorf("form %s: %d faults in %d, examples %q; want some", form, found.Faults, found.Looked, found.Examples)
		}
	}
}

// A client that dies after it has written, and before it has said so, leaves an entity
// that no list names; one that has said so before does not.
func TestIndexesOfClientsThatDie(t *testing.T) {
	for _, row := range []struct {
		says, announced string
		faults, died    int64
	}{
		{"the message comes last, and was never put", "last", 10, 10},
		{"the message comes first, and the entity was never written", "first", 0, 10},
	} {
		given := indexGiven("place", map[string]string{"announced": row.announced, "killed": "100%"})
		w, s := indexSetting(t, "place")
		died := int64(0)
		for k := range 10 {
			p := perform(t, s, "index-add", uint64(k), given, employee("place", k, 3))
			w.run(p)
			died += counted(p)["killed"]
		}
		if found := indexFaults(w, s, given); found.Faults != row.faults || died != row.died {
			t.Errorf("%s: %d faults, %d died; want %d and %d", row.says, found.Faults, died, row.faults, row.died)
		}
	}
}

// A worker that dies leaves its message to the next, wherever it dies.
func TestIndexWorkersThatDieLoseNothing(t *testing.T) {
	for _, form := range []string{"place", "blob"} {
		given := indexGiven(form, map[string]string{"hidden": "1s"})
		w, s := indexSetting(t, form)
		for k := range 12 {
			w.run(perform(t, s, "index-add", uint64(k), given, employee(form, k, 3)))
			w.run(perform(t, s, "index-work", uint64(k), indexWith("index-work", given), employee(form, k, 3)))
		}
		for k := range 12 {
			w.run(perform(t, s, "index-rename", uint64(k), given, employee(form, k, 3), employee(form, k+1, 3)))
		}
		given["killed"] = "100%"
		died := map[int]bool{}
		for k := range 24 {
			w.requests = map[string]int{}
			p := perform(t, s, "index-work", uint64(k), indexWith("index-work", given), employee(form, k, 3))
			if w.run(p); counted(p)["killed"] != 1 || counted(p)["handled"] != 0 || w.requests["delete-message"] != 0 {
				t.Errorf("form %s: a turn counted %v, of requests %v; want one killed, nothing handled and no message deleted", form, counted(p), w.requests)
			}
			died[w.requests["put-blob"]+w.requests["insert"]+w.requests["replace"]] = true
		}
		if len(died) != 3 {
			t.Errorf("form %s: workers died after so many lists: %v; want none, one and two", form, died)
		}
		w.holds(workflow.Find("index-add").Check(s, workflow.Find("index-add").Settle(indexWith("index-add", given))), 24)
	}
}

// The requests of each operation, on lists that nobody else writes.
func TestIndexRequests(t *testing.T) {
	list := func(form string) (*world, *workflow.Setting) {
		w, s := indexSetting(t, form)
		for k := range 4 {
			given := indexGiven(form, map[string]string{"announced": "last"})
			w.run(perform(t, s, "index-add", uint64(k), indexWith("index-add", given), employee(form, 2*k, 2)))
			if form != "partition" {
				w.run(perform(t, s, "index-work", uint64(k), indexWith("index-work", given), employee(form, 2*k, 2)))
			}
		}
		w.requests = map[string]int{}
		return w, s
	}
	for _, row := range []struct {
		kind, form, says string
		requests         map[string]int
		counters         map[string]int64
	}{
		{"index-add", "partition", "the list is read, and written with the entity", map[string]int{"get": 1, "batch": 1}, nil},
		{"index-delete", "partition", "the entity is read, and its list", map[string]int{"get": 2, "batch": 1}, nil},
		{"index-rename", "partition", "three are read, and written at once", map[string]int{"get": 3, "batch": 1}, nil},
		{"index-lookup", "partition", "the list, and each of four", map[string]int{"get": 5}, map[string]int64{"found": 4}},
		{"index-add", "place", "a message, and the entity", map[string]int{"put-message": 1, "insert": 1}, nil},
		{"index-delete", "place", "what it was is read first", map[string]int{"get": 1, "put-message": 1, "delete": 1}, nil},
		{"index-rename", "blob", "what it was is read first", map[string]int{"get": 1, "put-message": 1, "merge": 1}, nil},
		{"index-lookup", "blob", "the blob, and each of four", map[string]int{"get-blob": 1, "get": 4}, map[string]int64{"found": 4}},
		{"index-work", "place", "nothing is there to do", map[string]int{"receive-messages": 1}, map[string]int64{"idle": 1}},
		{"index-build", "blob", "what was entered is written once more", map[string]int{"get-blob": 1, "get": 1, "put-blob": 1}, nil},
	} {
		w, s := list(row.form)
		about := employee(row.form, 0, 2)
		if row.kind == "index-add" {
			about = employee(row.form, 20, 2)
		}
		p := perform(t, s, row.kind, 9, indexWith(row.kind, indexGiven(row.form, nil)), about, employee(row.form, 21, 2))
		if row.kind == "index-add" {
			p = perform(t, s, row.kind, 9, indexWith(row.kind, indexGiven(row.form, nil)), about)
		}
		foreseen := map[string]int{}
		for _, op := range workflow.Requests(p) {
			if op.Beside != nil {
				foreseen[op.Beside.Verb.String()]++
			} else {
				foreseen[op.Verb.String()]++
			}
		}
		ended := w.run(p)
		if !ended || !sameCounts(w.requests, row.requests) || row.counters != nil && !sameCounts(counted(p), row.counters) {
			t.Errorf("%s, form %s (%s): ended well %t, requests %v, counted %v; want %v and %v",
				row.kind, row.form, row.says, ended, w.requests, counted(p), row.requests, row.counters)
		}
		if row.kind != "index-lookup" && row.kind != "index-work" && !sameCounts(foreseen, row.requests) {
			t.Errorf("%s, form %s: foreseen %v; want %v", row.kind, row.form, foreseen, row.requests)
		}
	}
}

func sameCounts[N int | int64](a, b map[string]N) bool {
	if len(a) != len(b) {
		return false
	}
	for name, n := range a {
		if b[name] != n {
			return false
		}
	}
	return true
}

// A list in an entity ends at 1 MiB: the entity is not written with it, or not listed.
// In a blob it goes on.
func TestIndexesThatAreFull(t *testing.T) {
	long := func(form string, k int) thing {
		one := employee(form, 2*k, 1)
		one.keys[""] = entity.Key{Partition: "department0", Row: strings.Repeat("x", 400) + one.keys[""].Row}
		return one
	}
	for _, row := range []struct {
		form, says   string
		ended        bool
		full, faults int64
	}{
		{"partition", "neither is written", false, 1, 0},
		{"place", "it is there, and in no list", true, 1, 1},
		{"blob", "it is listed", true, 0, 0},
	} {
		w, s := indexSetting(t, row.form)
		// Lists as they are after long use, under the names of employees nobody has seen.
		last := long(row.form, 1<<20)
		var ids []string
		for size := 0; size < entity.MaxEntityBytes-850; size += len(ids[len(ids)-1]) + 1 {
			id := long(row.form, len(ids)).keys[""].Row
			if row.form != "partition" {
				id = "department0\t" + id
			}
			ids = append(ids, id)
		}
		presetList(w, row.form, last.keys["names"], append([]string{"LastName\tname0"}, ids...))
		given := indexGiven(row.form, map[string]string{"announced": "last"})
		p := perform(t, s, "index-add", 1, given, last)
		ended, full := w.run(p), counted(p)["full"]
		if row.form != "partition" {
			work := perform(t, s, "index-work", 1, indexWith("index-work", given), last)
			w.run(work)
			full += counted(work)["full"]
		}
		found := indexFaults(w, s, given)
		// Whom the list names has never been there: all but the one that was added.
		if faults := found.Faults - int64(len(ids)); ended != row.ended || full != row.full || faults != row.faults {
			t.Errorf("form %s (%s): ended well %t, full %d, faults %d; want %t, %d, %d", row.form, row.says, ended, full, faults, row.ended, row.full, row.faults)
		}
	}
}

// presetList writes a list whole.
func presetList(w *world, form string, key entity.Key, lines []string) {
	w.t.Helper()
	text := strings.Join(lines, "\n")
	if form == "blob" {
		w.do(&target.Operation{Beside: &target.Beside{Verb: target.PutBlob, Store: "test-lists", Name: key.Partition + "/" + key.Row, Body: []byte(text)}})
		return
	}
	c := entity.Change{Verb: entity.Insert, Key: key}
	for number := 1; text != ""; number++ {
		name := "Ids"
		if number > 1 {
			name = "Ids" + string([]byte{'0' + byte(number/10), '0' + byte(number%10)})
		}
		size := min(len(text), entity.MaxBinaryBytes)
		c.Properties = append(c.Properties, entity.Property{Name: name, Value: entity.Binary([]byte(text[:size]))})
		text = text[size:]
	}
	table := "Test"
	if form == "place" {
		table = "TestLists"
	}
	if o := w.do(&target.Operation{Verb: entity.Insert, Table: table, Change: c}); o.Status >= 300 {
		w.t.Fatalf("writing a list of %d lines: %d %s", len(lines), o.Status, o.Code)
	}
}

// A check that loses the reply with what was left on the queue waits for it to come back,
// rather than fault a list that a worker would have set right.
func TestIndexCheckWaitsForWhatItLost(t *testing.T) {
	for _, form := range []string{"place", "blob"} {
		for lost := range 3 {
			given := indexGiven(form, nil)
			w, s := indexSetting(t, form)
			if !w.run(perform(t, s, "index-add", 0, given, employee(form, 0, 3))) {
				t.Fatal("the employee was not added")
			}
			check := workflow.Find("index-add").Check(s, workflow.Find("index-add").Settle(indexWith("index-add", given)))
			for c, received := begun(check), 0; !c.ended; {
				request := c.request
				o := w.do(&request)
				if b := request.Beside; b != nil && b.Verb == target.ReceiveMessages {
					if received == lost {
						o = target.Outcome{}
					}
					received++
				}
				c.tell(w, o)
			}
			if found := check.Findings(); found.Faults > 0 || found.Looked < 2 {
				t.Errorf("form %s, reply %d lost: %d faults in %d looked at, %q; want none, in 2", form, lost, found.Faults, found.Looked, found.Examples)
			}
		}
	}
}
