package workflow_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

var summed = args{"summary": "department", "adds": "Salary"}

// hires returns the writes of so many workers in two departments, on top of what was
// loaded.
func (w *world) hires(count int, killed string) []*workflow.Procedure {
	given := args{"summary": "department", "adds": "Salary", "killed": killed}
	return several(count, func(n int) *workflow.Procedure {
		return w.op("summed-insert", n, given, worker(1000+n, fmt.Sprint("d", n%2)))
	})
}

// hired is the write of one worker.
func (w *world) hired(n int) *workflow.Procedure {
	return w.op("summed-insert", n, summed, worker(n, "a"))
}

// summary returns how many a summary tells of.
func (w *world) summary(table, department string) int64 {
	stored, _ := w.get(table, entity.Key{Partition: department, Row: "department"})
	return value(stored, "SummaryCount").Int()
}

// In one partition summaries are what is there, whatever is lost and whoever is first,
// and every entity is written once.
func TestSummariesInOnePartition(t *testing.T) {
	restarts := int64(0)
	for seed := range uint64(20) {
		w := newWorld(t)
		w.load(workers(130)...)
		all := w.hires(40, "50%")
		w.raceWell(seed, 6, 30, all)
		restarts += total(all, "restarts")
		w.holds("summed-insert", summed, 2)
		assert.EqualValuesf(t, 100+20, w.summary("Test", "d0"), "seed %d: the summary tells of", seed)
	}
	assert.Truef(t, restarts >= 20, "writes began anew %d times; want clients that contend", restarts)
}

// In separate tables summaries are what is there as well, whatever is lost and whoever is
// first, but for who dies between the two writes, and for who cannot know: the entity is
// there, and the summary lacks it, or an unknown one.
func TestSummariesApart(t *testing.T) {
	restarts, died, unknown := int64(0), int64(0), int64(0)
	for seed := range uint64(40) {
		killed := []string{"0", "30%"}[seed%2]
		w := newWorld(t, "department=sums")
		if seed%4 < 2 {
			w.load(workers(130)...)
		}
		all := w.hires(40, killed)
		lacks, doubts := map[string]int64{}, map[string]int64{}
		for n, ended := range w.race(seed, 6, 30, all) {
			counts, department := counted(all[n]), fmt.Sprint("d", n%2)
			lacks[department] += counts["killed"]
			if doubts[department] += counts["unknown"]; !ended && counts["unknown"] == 0 {
				t.Errorf("seed %d: write %d failed", seed, n)
			}
		}
		restarts, died, unknown = restarts+total(all, "restarts"), died+total(all, "killed"), unknown+total(all, "unknown")
		for department, lack := range lacks {
			there := int64(len(w.do(&target.Operation{Verb: entity.Query, Table: "Test", Query: target.OnePartition(department)}).Rows))
			if count := w.summary("Testsums", department); count > there-lack || count < there-lack-doubts[department] {
				t.Errorf("seed %d, %s: the summary tells of %d; %d are there, %d clients died, %d do not know", seed, department, count, there, lack, doubts[department])
			}
		}
		if found := w.check("summed-insert", summed); killed == "0" && unknown == 0 && found.Faults > 0 || found.Looked != 2 {
			t.Errorf("seed %d: %d of %d summaries are wrong, %q", seed, found.Faults, found.Looked, found.Examples)
		}
	}
	assert.Truef(t, restarts >= 40 && died >= 40,
		"writes began anew %d times, and %d clients died; want clients that contend, and some that die", restarts, died)
}

// The requests of a write are two where the summary is there, and as foreseen; who is
// overtaken goes back to the summary and nowhere else.
func TestSummedInsertRequests(t *testing.T) {
	for _, row := range []struct{ table, first, second, overtaken string }{
		{"", "get query batch", "get batch", "get batch get batch"},
		{"sums", "get query insert insert-or-replace merge", "get insert-or-replace merge", "get insert-or-replace merge get merge"},
	} {
		w := newWorld(t, "department="+row.table)
		for n, want := range []string{row.first, row.second, row.overtaken} {
			p := w.hired(n)
			var foreseen, sent []string
			for _, op := range p.Requests() {
				foreseen = append(foreseen, op.Verb.String())
			}
			w.watch(p, func(op *target.Operation) {
				if writes := op.Verb == entity.Batch || op.Verb == entity.Merge; n == 2 && writes && len(sent) < 3 {
					w.run(w.hired(3))
				}
				sent = append(sent, op.Verb.String())
			})
			assert.Truef(t, strings.Join(sent, " ") == want && strings.Join(foreseen, " ") == row.second,
				"summary in %q, write %d: it sent %q, foreseen were %q; want %q and %q", row.table, n, sent, foreseen, want, row.second)
		}
		w.holds("summed-insert", summed, 1)
	}
}

// Whose success was not heard finds it as long as the summary keeps its id; past that the
// operation fails rather than to count twice.
func TestSummedInsertUnheard(t *testing.T) {
	for others, knows := range map[int]bool{0: true, 1: true, 15: true, 16: false, 40: false} {
		w := newWorld(t, "department=sums")
		w.run(w.hired(100))
		c := begun(w.hired(1))
		for c.request.Verb != entity.Merge {
			w.steps(c, 1)
		}
		request := c.request
		w.do(&request)
		for n := range others {
			w.run(w.hired(2 + n))
		}
		c.tell(w, target.Outcome{})
		w.finish(c)
		unknown, count := counted(c.Procedure)["unknown"], w.summary("Testsums", "a")
		assert.Truef(t, c.ok == knows && (unknown == 0) == knows && count == int64(2+others),
			"%d others: ended well %v, unknown %d, the summary tells of %d; want %v and %d", others, c.ok, unknown, count, knows, 2+others)
	}
}
