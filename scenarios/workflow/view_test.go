package workflow_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

var viewed = args{"view": "department", "adds": "Salary"}

// viewIs holds the view of a department to how many there are and what they come to.
func (w *world) viewIs(what, table, department string, count, total int) {
	w.t.Helper()
	stored, there := w.get("Test"+table, entity.Key{Partition: department, Row: "department"})
	assert.Equal(w.t, count > 0, there, what)
	assert.Equal(w.t, [2]int64{int64(count), int64(total)}, [2]int64{value(stored, "SummaryCount").Int(), value(stored, "SummaryTotal").Int()}, what)
}

// Whatever is lost, and whoever makes views at once with those who write, a view is what is
// there once the queue is empty, to the sum that follows from who was written.
func TestViewsAreWhatIsThere(t *testing.T) {
	restarts := int64(0)
	for seed := range uint64(20) {
		table := []string{"", "views"}[seed%2]
		w := newWorld(t, "department="+table)
		loaded := workers(130) // a hundred in d0, thirty in d1
		w.load(loaded...)
		var all []workflow.Workflow
		for n := range 30 {
			all = append(all, w.op("view-put", n, viewed, worker(1000+n, fmt.Sprint("d", n%2))),
				w.op("view-work", 100+n, args{"view": "department", "adds": "Salary", "most": fmt.Sprint(1 + n%4)}, thing{}))
			if n%5 == 0 {
				all = append(all, w.op("view-build", 200+n, viewed, loaded[n]))
			}
		}
		w.raceWell(seed, 4, 16, all)
		restarts += total(all, "restarts")
		w.holds("view-work", viewed, 2)
		for d, total := range []int{100*100 + 99*100/2, 30*100 + (100+129)*30/2} {
			for n := d; n < 30; n += 2 {
				total += 100 + 1000 + n
			}
			w.viewIs(fmt.Sprint("seed ", seed), table, fmt.Sprint("d", d), []int{115, 45}[d], total)
		}
	}
	assert.Truef(t, restarts >= 20, "views were begun anew %d times; want some that contend", restarts)
}

// Who dies before the message leaves a view as it was, and a view made anew is right again: two
// shares of the writes, of which the view tells those before the first death alone.
func TestViewsAreMadeAnew(t *testing.T) {
	for _, row := range []struct{ alive, dead int }{{0, 7}, {5, 3}} {
		w := newWorld(t, "department=views")
		count, total := 0, 0
		put := func(n int, killed string) {
			one := worker(n, "d0")
			w.run(w.op("view-put", n, args{"view": "department", "adds": "Salary", "killed": killed}, one))
			count, total = count+1, total+100+n
		}
		for n := range row.alive {
			put(n, "0")
		}
		before, sum := count, total
		w.run(w.op("view-work", 50, args{"view": "department", "adds": "Salary", "most": "32"}, thing{}))
		for n := range row.dead {
			put(100+n, "100%")
		}
		what := fmt.Sprintf("%d alive, %d dead", row.alive, row.dead)
		w.finds("view-put", viewed, 1, 1)
		w.viewIs(what, "views", "d0", before, sum)
		build := w.op("view-build", 60, viewed, worker(0, "d0"))
		var sent []string
		w.watch(build, func(op *target.Operation) { sent = append(sent, op.Verb.String()) })
		assert.Equalf(t, map[bool]string{true: "[get query replace]", false: "[get query insert]"}[row.alive > 0], fmt.Sprint(sent),
			"%s: it was made anew by %v", what, sent)
		w.viewIs(what+", made anew", "views", "d0", count, total)
		w.holds("view-put", viewed, 1)
	}
}

// Who has read a partition before another did does not write over what that one has made of it.
func TestViewsAreOvertaken(t *testing.T) {
	for _, there := range []int{0, 3} {
		w := newWorld(t, "department=views")
		w.load(worker(9, "d0"))
		for n := range there {
			w.run(w.op("view-put", n, viewed, worker(n, "d0")))
			w.run(w.op("view-work", 10+n, viewed, thing{}))
		}
		late, sent := w.op("view-build", 50, viewed, worker(9, "d0")), ""
		w.watch(late, func(op *target.Operation) {
			if sent += op.Verb.String() + " "; sent == "get query insert " || sent == "get query replace " {
				w.run(w.op("view-put", 60, viewed, worker(60, "d0")))
				w.run(w.op("view-work", 61, viewed, thing{}))
			}
		})
		want := map[bool]string{true: "get query replace get query replace ", false: "get query insert get query replace "}[there > 0]
		assert.Equalf(t, want, sent, "over a view of %d", there)
		w.viewIs(fmt.Sprint("over a view of ", there), "views", "d0", there+2, there*100+there*(there-1)/2+109+160)
	}
}
