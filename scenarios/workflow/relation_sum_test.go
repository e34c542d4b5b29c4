package workflow_test

import (
	"fmt"
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/scenarios/workflow/machine"
	"loadgen/target"
)

// hires returns the writes of so many workers in two departments, on top of what was
// loaded.
func hires(t *testing.T, s *machine.Setting, count int, killed string) (all []machine.Workflow) {
	given := map[string]string{"summary": "department", "adds": "Salary", "killed": killed}
	for n := range count {
		all = append(all, perform(t, s, "summed-insert", uint64(n), given, worker(1000+n, fmt.Sprint("d", n%2))))
	}
	return all
}

// checked carries the check of a kind out and returns what it found.
func (w *world) checked(s *machine.Setting, kind string, given map[string]string) machine.Findings {
	w.t.Helper()
	one := workflow.Find(kind)
	check := one.Check(s, one.Settle(given))
	if !w.run(check) {
		w.t.Fatalf("the check that %s did not come to its end", check.Name())
	}
	return check.Findings()
}

// In one partition summaries are what is there, whatever is lost and whoever is first,
// and every entity is written once.
func TestSummariesInOnePartition(t *testing.T) {
	restarts := int64(0)
	for seed := range uint64(20) {
		w := newWorld(t)
		w.store("Test", workers(130)...)
		s := w.setting(nil)
		all := hires(t, s, 40, "50%")
		for n, ended := range w.race(seed, 6, 30, all) {
			if !ended {
				t.Errorf("seed %d: write %d failed", seed, n)
			}
			restarts += counted(all[n])["restarts"]
		}
		w.holds(workflow.Find("summed-insert").Check(s, machine.Arguments{"summary": "department", "adds": "Salary"}), 2)
		stored, _ := w.get("Test", entity.Key{Partition: "d0", Row: "department"})
		if count, _ := stored.Lookup("SummaryCount"); count.Int() != 100+20 {
			t.Errorf("seed %d: the summary tells of %d; want the 100 that were there and 20 more", seed, count.Int())
		}
	}
	if restarts < 20 {
		t.Errorf("writes began anew %d times; want clients that contend", restarts)
	}
}

// In separate tables each client that dies leaves one of whom the summary does not know,
// and nobody else does, as long as they come one after another.
func TestSummariesApart(t *testing.T) {
	for _, killed := range []string{"0", "50%"} {
		w := newWorld(t, "sums")
		w.store("Test", workers(130)...)
		s := w.setting(map[string]string{"department": "sums"})
		all := hires(t, s, 41, killed)
		// Who dies before there is a summary is in it once it is made; with these draws
		// some die afterwards in each department.
		died := map[string]bool{}
		for n, p := range all {
			w.race(uint64(n), 1, 30, []machine.Workflow{p})
			if counted(p)["killed"] > 0 {
				died[fmt.Sprint("d", n%2)] = true
			}
		}
		found := w.checked(s, "summed-insert", map[string]string{"summary": "department", "adds": "Salary"})
		if int(found.Faults) != len(died) || found.Looked != 2 || (killed == "0") != (len(died) == 0) {
			t.Errorf("killed %s: clients of %d departments died, %d of %d summaries are wrong, %q; want as many", killed, len(died), found.Faults, found.Looked, found.Examples)
		}
	}
}

// The requests of a write are two where the summary is there, and as foreseen.
func TestSummedInsertRequests(t *testing.T) {
	for _, row := range []struct{ says, table, first, second string }{
		{"together", "", "get query batch", "get batch"},
		{"apart", "sums", "insert-or-replace get query insert", "insert-or-replace get merge"},
	} {
		w := newWorld(t, "sums")
		s := w.setting(map[string]string{"department": row.table})
		for n, want := range []string{row.first, row.second} {
			p := perform(t, s, "summed-insert", uint64(n), map[string]string{"summary": "department", "adds": "Salary"}, worker(n, "a"))
			var foreseen, sent []string
			for _, op := range machine.Requests(p) {
				foreseen = append(foreseen, op.Verb.String())
			}
			w.watch(p, func(op *target.Operation) { sent = append(sent, op.Verb.String()) })
			if strings.Join(sent, " ") != want || strings.Join(foreseen, " ") != row.second {
				t.Errorf("%s, write %d: it sent %q, foreseen were %q; want %q and %q", row.says, n, sent, foreseen, want, row.second)
			}
		}
	}
}

// Who is overtaken goes back to the summary and nowhere else.
func TestSummedInsertIsOvertaken(t *testing.T) {
	for _, row := range []struct{ says, table, want string }{
		{"together", "", "get batch get batch"},
		{"apart", "sums", "insert-or-replace get merge get merge"},
	} {
		w := newWorld(t, "sums")
		s := w.setting(map[string]string{"department": row.table})
		hired := func(n int) machine.Workflow {
			return perform(t, s, "summed-insert", uint64(n), map[string]string{"summary": "department", "adds": "Salary"}, worker(n, "a"))
		}
		w.run(hired(1))
		var sent []string
		w.watch(hired(2), func(op *target.Operation) {
			if op.Verb == entity.Batch || op.Verb == entity.Merge {
				if len(sent) < 3 {
					w.run(hired(3))
				}
			}
			sent = append(sent, op.Verb.String())
		})
		w.holds(workflow.Find("summed-insert").Check(s, machine.Arguments{"summary": "department", "adds": "Salary"}), 1)
		if strings.Join(sent, " ") != row.want {
			t.Errorf("%s: it sent %q; want %s", row.says, sent, row.want)
		}
	}
}

// A summary is wrong by its count, or by its total.
func TestSumsAreHeldAgainstBoth(t *testing.T) {
	for _, row := range []struct {
		says         string
		count, total int64
		faults       int64
	}{{"right", 2, 203, 0}, {"another count", 3, 203, 1}, {"another total", 2, 204, 1}} {
		w := newWorld(t)
		w.store("Test", worker(1, "a"), worker(2, "a"), worker(3, "b"), thing{keys: map[string]entity.Key{"": {Partition: "a", Row: "department"}},
			properties: []entity.Property{{Name: "SummaryCount", Value: entity.Int64(row.count)}, {Name: "SummaryTotal", Value: entity.Int64(row.total)}}})
		if found := w.checked(w.setting(nil), "summed-insert", map[string]string{"summary": "department", "adds": "Salary"}); found.Faults != row.faults || found.Looked != 1 {
			t.Errorf("%s: %d faults in %d, %q; want %d in 1", row.says, found.Faults, found.Looked, found.Examples, row.faults)
		}
	}
}
