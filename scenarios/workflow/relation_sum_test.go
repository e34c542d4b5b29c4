package workflow_test

import (
	"fmt"
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// hires returns the writes of so many workers in two departments, on top of what was
// loaded.
func hires(t *testing.T, s *workflow.Setting, count int, killed string) (all []workflow.Workflow) {
	given := map[string]string{"summary": "department", "adds": "Salary", "killed": killed}
	for n := range count {
		all = append(all, perform(t, s, "summed-insert", uint64(n), given, worker(1000+n, fmt.Sprint("d", n%2))))
	}
	return all
}

// checked carries the check of a kind out and returns what it found.
func (w *world) checked(s *workflow.Setting, kind string, given map[string]string) workflow.Findings {
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
		w.holds(workflow.Find("summed-insert").Check(s, workflow.Arguments{"summary": "department", "adds": "Salary"}), 2)
		stored, _ := w.get("Test", entity.Key{Partition: "d0", Row: "department"})
		if count, _ := stored.Lookup("SummaryCount"); count.Int() != 100+20 {
			t.Errorf("seed %d: the summary tells of %d; want the 100 that were there and 20 more", seed, count.Int())
		}
	}
	if restarts < 20 {
		t.Errorf("writes began anew %d times; want clients that contend", restarts)
	}
}

// In separate tables summaries are what is there as well, whatever is lost and whoever is
// first, but for who dies between the two writes, and for who cannot know: the entity is
// there, and the summary lacks it, or an unknown one.
func TestSummariesApart(t *testing.T) {
	restarts, died, unknown := int64(0), int64(0), int64(0)
	for seed := range uint64(40) {
		killed := []string{"0", "30%"}[seed%2]
		w := newWorld(t, "sums")
		if seed%4 < 2 {
			w.store("Test", workers(130)...)
		}
		s := w.setting(map[string]string{"department": "sums"})
		all := hires(t, s, 40, killed)
		lacks, doubts := map[string]int64{}, map[string]int64{}
		for n, ended := range w.race(seed, 6, 30, all) {
			counts, department := counted(all[n]), fmt.Sprint("d", n%2)
			restarts, died, unknown = restarts+counts["restarts"], died+counts["killed"], unknown+counts["unknown"]
			lacks[department] += counts["killed"]
			if doubts[department] += counts["unknown"]; !ended && counts["unknown"] == 0 {
				t.Errorf("seed %d: write %d failed", seed, n)
			}
		}
		for department := range lacks {
			there := int64(len(w.do(&target.Operation{Verb: entity.Query, Table: "Test", Query: target.OnePartition(department)}).Rows))
			stored, _ := w.get("Testsums", entity.Key{Partition: department, Row: "department"})
			count, _ := stored.Lookup("SummaryCount")
			if most, least := there-lacks[department], there-lacks[department]-doubts[department]; count.Int() > most || count.Int() < least {
				t.Errorf("seed %d, %s: the summary tells of %d; want %d to %d: %d are there, and %d clients died", seed, department, count.Int(), least, most, there, lacks[department])
			}
		}
		found := w.checked(s, "summed-insert", map[string]string{"summary": "department", "adds": "Salary"})
		if killed == "0" && unknown == 0 && found.Faults > 0 || found.Looked != 2 {
			t.Errorf("seed %d: %d of %d summaries are wrong, %q", seed, found.Faults, found.Looked, found.Examples)
		}
	}
	if restarts < 40 || died < 40 {
		t.Errorf("writes began anew %d times, and %d clients died; want clients that contend, and some that die", restarts, died)
	}
	t.Logf("%d began anew, %d died, %d could not know", restarts, died, unknown)
}

// The requests of a write are two where the summary is there, and as foreseen.
func TestSummedInsertRequests(t *testing.T) {
	for _, row := range []struct{ says, table, first, second string }{
		{"together", "", "get query batch", "get batch"},
		{"apart", "sums", "get query insert insert-or-replace merge", "get insert-or-replace merge"},
	} {
		w := newWorld(t, "sums")
		s := w.setting(map[string]string{"department": row.table})
		for n, want := range []string{row.first, row.second} {
			p := perform(t, s, "summed-insert", uint64(n), map[string]string{"summary": "department", "adds": "Salary"}, worker(n, "a"))
			var foreseen, sent []string
			for _, op := range workflow.Requests(p) {
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
		{"apart", "sums", "get insert-or-replace merge get merge"},
	} {
		w := newWorld(t, "sums")
		s := w.setting(map[string]string{"department": row.table})
		hired := func(n int) workflow.Workflow {
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
		w.holds(workflow.Find("summed-insert").Check(s, workflow.Arguments{"summary": "department", "adds": "Salary"}), 1)
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

// Whose success was not heard finds it as long as the summary keeps its id; past that the
// operation fails rather than to count twice.
func TestSummedInsertUnheard(t *testing.T) {
	for _, row := range []struct {
		others  int
		ended   bool
		unknown int64
	}{{0, true, 0}, {1, true, 0}, {15, true, 0}, {16, false, 1}, {40, false, 1}} {
		w := newWorld(t, "sums")
		s := w.setting(map[string]string{"department": "sums"})
		hired := func(n int) workflow.Workflow {
			return perform(t, s, "summed-insert", uint64(n), map[string]string{"summary": "department", "adds": "Salary"}, worker(n, "a"))
		}
		w.run(hired(100))
		c := begun(hired(1))
		for unheard := false; !c.ended; {
			request := c.request
			outcome := w.do(&request)
			if request.Verb == entity.Merge && !unheard {
				unheard, outcome = true, target.Outcome{}
				for n := range row.others {
					w.run(hired(2 + n))
				}
			}
			c.tell(w, outcome)
		}
		stored, _ := w.get("Testsums", entity.Key{Partition: "a", Row: "department"})
		count, _ := stored.Lookup("SummaryCount")
		if c.ok != row.ended || counted(c.Workflow)["unknown"] != row.unknown || count.Int() != int64(2+row.others) {
			t.Errorf("%d others: ended %v, %v, and the summary tells of %d; want %v, %d unknown and %d", row.others, c.ok, counted(c.Workflow), count.Int(), row.ended, row.unknown, 2+row.others)
		}
	}
}
