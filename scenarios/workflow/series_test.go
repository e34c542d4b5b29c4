package workflow_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// step is a write of a single entity.
func step(verb entity.Verb, expected target.Expected) workflow.Step {
	op := target.Operation{Verb: verb, Table: "t", Change: entity.Change{Verb: verb, Key: runner}}
	return workflow.Step{Operation: op, Expected: expected}
}

// together is a transaction of an entity and a copy beside it.
func together(verb entity.Verb) workflow.Step {
	copied := entity.Change{Verb: entity.InsertOrReplace, Key: entity.Key{Partition: runner.Partition, Row: "copy"}}
	if verb == entity.Delete {
		copied.Verb = verb
	}
	return workflow.Step{Operation: target.Operation{Verb: entity.Batch, Table: "t", Changes: []entity.Change{{Verb: verb, Key: runner}, copied}}}
}

func TestSeries(t *testing.T) {
	gone := target.Expected{NotFound: true}
	insert, upsert, remove := step(entity.Insert, target.Expected{}), step(entity.InsertOrReplace, target.Expected{}), step(entity.Delete, gone)
	for _, row := range []struct {
		name          string
		steps         []workflow.Step
		attempts, did string
	}{
		{"one write alone", []workflow.Step{insert}, "201", "insert succeed"},
		{"a write and its copy", []workflow.Step{insert, upsert}, "201 204", "insert insert-or-replace succeed"},
		{"a copy waits for what comes before it", []workflow.Step{insert, upsert}, "503 201 204", "insert settle insert-or-replace succeed"},
		{"a copy is tried again by itself", []workflow.Step{insert, upsert}, "201 503 204", "insert insert-or-replace settle succeed"},
		{"an insert of what is there has no copies", []workflow.Step{insert, upsert}, "409", "insert settle"},
		{"an insert that meets its own success has", []workflow.Step{insert, upsert}, "0? 409? 204", "insert settle insert-or-replace succeed"},
		{"a deletion of what is gone goes on", []workflow.Step{remove, remove}, "404 204", "delete delete succeed"},
		{"what is gone has no copies", []workflow.Step{step(entity.Replace, gone), upsert}, "404", "replace settle"},
		{"an entity that is gone after silence was written", []workflow.Step{remove, remove}, "0? 404? 204", "delete settle delete succeed"},
		{"even after silence", []workflow.Step{step(entity.Replace, gone), upsert}, "0? 404?", "replace settle settle"},
		{"silence alone is no success", []workflow.Step{upsert, upsert}, "0? 500?", "insert-or-replace settle settle"},
		{"a transaction that inserts meets its own success", []workflow.Step{together(entity.Insert), upsert}, "0? 409? 204", "batch settle insert-or-replace succeed"},
		{"one that replaces what is gone has not", []workflow.Step{together(entity.Replace), upsert}, "0? 404?", "batch settle settle"},
		{"one that deletes has", []workflow.Step{together(entity.Delete), remove}, "0? 404? 204", "batch settle delete succeed"},
	} {
		assert.Equalf(t, row.did, play(workflow.NewSeries(nil, row.steps...), row.attempts), "%s: the series did", row.name)
	}
}

// A deletion of what is gone deletes its copies, verified or not: somebody may have
// come no further.
func TestSeriesOfAnAuditedWrite(t *testing.T) {
	insert, upsert := step(entity.Insert, target.Expected{}), step(entity.InsertOrReplace, target.Expected{})
	remove := step(entity.Delete, target.Expected{NotFound: true})
	for _, row := range []struct {
		name          string
		first, copied workflow.Step
		attempts, did string
		written       workflow.Written
	}{
		{"the copy follows", insert, upsert, "201 204", "insert insert-or-replace succeed", workflow.Acknowledged},
		{"also after a write that met its own success", insert, upsert, "0? 409? own 204",
			"insert settle get insert-or-replace succeed", workflow.Acknowledged},
		{"a copy that is given up", insert, upsert, "201 400", "insert insert-or-replace settle", workflow.Acknowledged},
		{"a conflict has no copies", insert, upsert, "409", "insert settle", workflow.Absent},
		{"nor has another's entity", insert, upsert, "0? 409? other", "insert settle get fail", workflow.Absent},
		{"a deletion of what is gone", remove, remove, "404 204", "delete delete succeed", workflow.Absent},
	} {
		p := workflow.NewAuditedSeries(workflow.NewWrite(row.first.Operation, workflow.WriteID{Run: "r", Number: 3}, ""), row.copied)
		assert.Equal(t, row.did, play(p, row.attempts), row.name)
		assert.Equal(t, row.written, p.Report().Written, row.name)
	}
}

func TestFindWrite(t *testing.T) {
	query := target.Operation{Verb: entity.Query, Table: "t"}
	write, copied := step(entity.Merge, target.Expected{NotFound: true}), step(entity.InsertOrMerge, target.Expected{})
	for _, row := range []struct{ name, attempts, did string }{
		{"what the first page holds is written", "page+ 204 204", "query merge insert-or-merge succeed"},
		{"a page of other entities leads on", "others+ page 204 204", "query query+ merge insert-or-merge succeed"},
		{"nor are others written", "others", "query succeed"},
		{"an empty page with a token leads on", "200+ page 204 204", "query query+ merge insert-or-merge succeed"},
		{"nothing is found and nothing written", "200", "query succeed"},
		{"a busy server leaves it to the policy", "503 page 503 204 204", "query settle merge settle insert-or-merge succeed"},
		{"what is gone by then is no failure", "page 404", "query merge settle"},
	} {
		did := play(workflow.NewFindWrite(query, wanted, workflow.NewSeries(nil, write, copied)), row.attempts)
		assert.Equal(t, row.did, did, row.name)
	}
}

// A blind write has no condition, and what is written over what was read cannot be
// told from what somebody else wrote meanwhile.
func TestBlindWrites(t *testing.T) {
	p := workflow.NewReadModifyWrite(workflow.Modification{Verb: entity.Merge, Key: runner, Counter: counter, Blind: true,
		ID: workflow.WriteID{Run: "r", Number: 3}})
	p.Begin()
	read := target.Outcome{Status: 200, Version: 500, Entity: entity.Pack(nil, 500, stored(""))}
	_, write := p.Next(workflow.Attempt{Outcome: &read})
	assert.Equal(t, entity.MatchAny, write.Change.Match)
	p.Next(workflow.Attempt{Sent: &write, Outcome: &target.Outcome{Status: 0}, Silent: true})
	p.Next(workflow.Attempt{Sent: &write, Outcome: &target.Outcome{Status: 204, Version: 501}})
	if r := p.Report(); r.Conditional || !r.Lingers || r.Written != workflow.Acknowledged {
		t.Errorf("Report() = conditional %v, lingers %v, written %d; want a blind write that lingers", r.Conditional, r.Lingers, r.Written)
	}
}

const counter = "Laps"

var runner = entity.Key{Partition: "2011 New York City Marathon__Full", Row: "1234__John__M__55"}

// race has many errands raise one counter, in an order, with losses and with
// requests that arrive late, all of which chance decides.
func race(t *testing.T, seed uint64, verb entity.Verb, there bool) (unknown, owns int) {
	t.Helper()
	w := newWorld(t)
	if there {
		w.put("Test", runner)
	}
	// raised counts, for each write id, how often it raised the counter.
	raised := map[workflow.WriteID]int{}
	w.late = true
	w.seen = func(op *target.Operation, o target.Outcome) {
		if id, has := workflow.IDOf(entity.Pack(nil, 1, op.Change.Properties)); has && o.Status < 300 {
			raised[id]++
		}
	}
	all := several(40, func(k int) workflow.Workflow {
		return workflow.NewReadModifyWrite(workflow.Modification{Verb: verb, Table: "Test", Key: runner, Counter: counter,
			ID: workflow.WriteID{Run: "r", Number: uint64(k)}})
	})
	rng := rand.New(rand.NewPCG(seed, 6))
	acknowledged := int64(0)
	for k, ok := range w.race(seed, 1+rng.IntN(6), rng.IntN(40), all) {
		r := all[k].(*workflow.ReadModifyWrite).Report()
		times, known := raised[r.ID], r.Written == workflow.Acknowledged
		if ok != known || times > 1 || known && times == 0 || r.Written == workflow.Absent && times > 0 {
			t.Fatalf("seed %d: %v ended well %v, was carried out %d times, and reports %d", seed, r.ID, ok, times, r.Written)
		}
		if known {
			acknowledged++
		} else if r.Written == workflow.Unknown {
			unknown++
		}
		if r.Own409 || r.Own412 {
			owns++
		}
	}
	stored, _ := w.get("Test", runner)
	laps := value(stored, counter).Int()
	require.Truef(t, laps >= acknowledged && laps <= acknowledged+int64(unknown),
		"seed %d: the counter is at %d, %d were acknowledged and of %d nobody knows", seed, laps, acknowledged, unknown)
	return unknown, owns
}

// However attempts interleave, get lost or come late, the counter is what was
// acknowledged.
func TestCountersAreWhatWasAcknowledged(t *testing.T) {
	for _, row := range []struct {
		verb  entity.Verb
		there bool
	}{{entity.Merge, true}, {entity.Replace, true}, {entity.InsertOrMerge, false}, {entity.InsertOrReplace, false}} {
		t.Run(fmt.Sprintf("%v, there: %v", row.verb, row.there), func(t *testing.T) {
			exact, owns := 0, 0
			const runs = 400
			for seed := range uint64(runs) {
				unknown, own := race(t, seed, row.verb, row.there)
				owns += own
				if unknown == 0 {
					exact++
				}
			}
			assert.Truef(t, exact >= runs/4 && owns >= runs,
				"%d of %d runs left nothing unknown, %d writes met their own success; want %d and %d at least, or this shows little", exact, runs, owns, runs/4, runs)
		})
	}
}
