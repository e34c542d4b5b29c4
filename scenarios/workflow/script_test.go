package workflow_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// A script goes on where its request was answered as expected, and leaves everything
// else to the retry policy.
func TestScriptGoesOn(t *testing.T) {
	key := entity.Key{Partition: "p", Row: "r"}
	type then = func(workflow.Attempt) workflow.Turn
	insert := func(next then) workflow.Request {
		return workflow.WriteOne("T", entity.Change{Verb: entity.Insert, Key: key}, target.Expected{}, next)
	}
	remove := func(next then) workflow.Request {
		return workflow.WriteOne("T", entity.Change{Verb: entity.Delete, Key: key, Match: entity.MatchAny}, target.Expected{}, next)
	}
	end := func(workflow.Attempt) workflow.Turn { return workflow.End() }
	for _, row := range []struct {
		name      string
		first     workflow.Request
		told, did string
	}{
		{"what is answered well and has no sequel ends", insert(nil), "201", "insert succeed"},
		{"what is answered well goes on", insert(func(workflow.Attempt) workflow.Turn { return workflow.Send(remove(end)) }), "201 204", "insert delete succeed"},
		{"a busy server is waited for", insert(end), "503 0? 201?", "insert settle settle succeed"},
		{"a conflict nobody expected is no success", insert(end), "409", "insert settle"},
		{"an insert after silence meets its own success", insert(end), "0? 409?", "insert settle succeed"},
		{"so does a deletion", remove(end), "0? 404?", "delete settle succeed"},
		{"a deletion of nothing is none", remove(end), "404", "delete settle"},
		{"what is read need not be there", workflow.Read("T", key, end), "404", "get succeed"},
		{"what gives up fails", workflow.Read("T", key, func(workflow.Attempt) workflow.Turn { return workflow.GiveUp() }), "bare", "get fail"},
	} {
		p := workflow.NewScript(func(*workflow.Script) workflow.Request { return row.first })
		assert.Equalf(t, row.did, play(p, row.told), "%s: it did", row.name)
	}
}

// A pause is of the request that follows it alone.
func TestScriptPauses(t *testing.T) {
	read := func(then func(workflow.Attempt) workflow.Turn) workflow.Request {
		return workflow.Read("T", entity.Key{}, then)
	}
	p := workflow.NewScript(func(*workflow.Script) workflow.Request {
		return read(func(workflow.Attempt) workflow.Turn {
			return workflow.SendAfter(3*time.Second, read(func(workflow.Attempt) workflow.Turn { return workflow.Send(read(nil)) }))
		})
	})
	var pauses []time.Duration
	for _, status := range []int{200, 200, 503, 200} {
		sent := p.Begin()
		p.Next(workflow.Attempt{Sent: &sent, Outcome: &target.Outcome{Status: status}})
		pauses = append(pauses, p.Pause())
	}
	assert.Equal(t, []time.Duration{3 * time.Second, 0, 0, 0}, pauses)
	// Nothing else is foreseen than the first request, unless the script says so.
	first := p.Begin()
	assert.Equal(t, []target.Operation{first}, workflow.Requests(p))
	p.Foresee(first, target.Operation{Verb: entity.Merge})
	assert.Len(t, workflow.Requests(p), 2)
}

// ReadAll sees every row of every page, in the order of the index, and once.
func TestReadAllReadsEveryPage(t *testing.T) {
	w := newWorld(t)
	const many = 2500
	for from := 0; from < many; from += entity.MaxBatchChanges {
		op := target.Operation{Verb: entity.Batch, Table: "Test"}
		for n := from; n < from+entity.MaxBatchChanges; n++ {
			op.Changes = append(op.Changes, entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "p", Row: fmt.Sprintf("%05d", n)}})
		}
		require.Less(t, w.do(&op).Status, 300)
	}
	var rows []string
	p := workflow.NewScript(func(*workflow.Script) workflow.Request {
		return workflow.ReadAll("Test", target.OnePartition("p"), func(r target.Row) { rows = append(rows, r.Key.Row) }, workflow.End)
	})
	if !w.run(p) || len(rows) != many || !slices.IsSorted(rows) || len(slices.Compact(rows)) != many || w.requests["query"] != 3 {
		t.Errorf("%d rows were seen, sorted %v, by %d requests; want %d in order, each once, by 3", len(rows), slices.IsSorted(rows), w.requests["query"], many)
	}
}

// Each query is sent once the one before has no further page, or has had its pages; what
// is refused is left to the retry policy.
func TestFanOut(t *testing.T) {
	for _, row := range []struct {
		name           string
		pages          int
		attempts, want string
	}{
		{"a page of each", 0, "200 200 200", "query:a query:b query:c succeed"},
		{"further pages of the second", 0, "200 200+ 200+ 200 200", "query:a query:b query:b+ query:b+ query:c succeed"},
		{"two pages of each at most", 2, "200+ 200+ 200 200+ 200+", "query:a query:a+ query:b query:c query:c+ succeed"},
		{"one page of each at most", 1, "200+ 200+ 200+", "query:a query:b query:c succeed"},
		{"a refusal", 0, "200 503 200 200", "query:a query:b settle query:c succeed"},
	} {
		var queries []target.Operation
		for _, partition := range []string{"a", "b", "c"} {
			queries = append(queries, target.Operation{Verb: entity.Query, Table: "log", Query: target.OnePartition(partition)})
		}
		p := workflow.NewFanOut(queries, row.pages)
		assert.Equal(t, row.want, play(p, row.attempts), row.name)
		assert.Len(t, workflow.Requests(p), 3, "the first page of each is foreseen")
	}
}

// However the partitions are divided, and whatever replies are lost, as many operations
// as there are sets read each of them once.
func TestSetsMakeUpAllPartitions(t *testing.T) {
	sizes := map[string]int{"a": 1, "b": 40, "c": 3, "d": 1200, "e": 7, "f": 2, "g": 11}
	for _, row := range []struct {
		sentence         string
		sets, operations int
		// lengths are the numbers of partitions in the sets.
		lengths []int64
	}{
		{"one set is all", 1, 1, []int64{7}},
		{"sets differ by one at most", 3, 3, []int64{2, 2, 3}},
		{"a set for each", 7, 7, []int64{1, 1, 1, 1, 1, 1, 1}},
		{"there are no more sets than partitions", 50, 7, []int64{1, 1, 1, 1, 1, 1, 1}},
	} {
		w := newWorld(t)
		for partition, size := range sizes {
			for i := range size {
				w.put("Test", entity.Key{Partition: partition, Row: fmt.Sprintf("%05d", i)})
			}
		}
		w.Partitions = func() []string { return []string{"a", "b", "c", "d", "e", "f", "g"} }
		given := args{"sets": fmt.Sprint(row.sets)}
		all := several(row.operations, func(k int) workflow.Workflow { return w.op("read-set", k, given, thing{}) })
		w.raceWell(3, 3, 20, all)
		var lengths []int64
		for _, p := range all {
			lengths = append(lengths, counted(p)["partitions"])
		}
		assert.Equal(t, row.lengths, lengths, row.sentence)
		assert.EqualValues(t, 1264, total(all, "entities"), row.sentence)
	}
}

// Operations beyond the sets begin again with the first, and forecasts know of a query
// for each partition.
func TestSetsAreCountedRound(t *testing.T) {
	w := newWorld(t)
	w.Partitions = func() []string { return []string{"a", "b", "c", "d"} }
	for k, want := range []string{" Test query:a Test query:b", " Test query:c Test query:d", " Test query:a Test query:b", " Test query:c Test query:d"} {
		got := ""
		for _, op := range workflow.Requests(w.op("read-set", k, args{"sets": "2"}, thing{})) {
			got += " " + op.Table + " " + named(&op)
		}
		assert.Equalf(t, want, got, "operation %d reads", k)
	}
}
