package workflow_test

import (
	"slices"
	"strings"
	"testing"

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
		name     string
		steps    []workflow.Step
		attempts []told
		did      string
	}{
		{"one write alone", []workflow.Step{insert}, []told{{201, false, nil}}, "insert succeed"},
		{"a write and its copy", []workflow.Step{insert, upsert}, []told{{201, false, nil}, {204, false, nil}}, "insert insert-or-replace succeed"},
		{"a copy waits for what comes before it", []workflow.Step{insert, upsert}, []told{{503, false, nil}, {201, false, nil}, {204, false, nil}},
			"insert settle insert-or-replace succeed"},
		{"a copy is tried again by itself", []workflow.Step{insert, upsert}, []told{{201, false, nil}, {503, false, nil}, {204, false, nil}},
			"insert insert-or-replace settle succeed"},
		{"an insert of what is there has no copies", []workflow.Step{insert, upsert}, []told{{409, false, nil}}, "insert settle"},
		{"an insert that meets its own success has", []workflow.Step{insert, upsert}, []told{{0, true, nil}, {409, true, nil}, {204, false, nil}},
			"insert settle insert-or-replace succeed"},
		{"a deletion of what is gone goes on", []workflow.Step{remove, remove}, []told{{404, false, nil}, {204, false, nil}}, "delete delete succeed"},
		{"what is gone has no copies", []workflow.Step{step(entity.Replace, gone), upsert}, []told{{404, false, nil}}, "replace settle"},
		{"an entity that is gone after silence was written", []workflow.Step{remove, remove}, []told{{0, true, nil}, {404, true, nil}, {204, false, nil}},
			"delete settle delete succeed"},
		{"even after silence", []workflow.Step{step(entity.Replace, gone), upsert}, []told{{0, true, nil}, {404, true, nil}}, "replace settle settle"},
		{"silence alone is no success", []workflow.Step{upsert, upsert}, []told{{0, true, nil}, {500, true, nil}}, "insert-or-replace settle settle"},
		{"a transaction that inserts meets its own success", []workflow.Step{together(entity.Insert), upsert}, []told{{0, true, nil}, {409, true, nil}, {204, false, nil}},
			"batch settle insert-or-replace succeed"},
		{"one that replaces what is gone has not", []workflow.Step{together(entity.Replace), upsert}, []told{{0, true, nil}, {404, true, nil}}, "batch settle settle"},
		{"one that deletes has", []workflow.Step{together(entity.Delete), remove}, []told{{0, true, nil}, {404, true, nil}, {204, false, nil}},
			"batch settle delete succeed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if did := strings.Join(play(workflow.NewSeries(nil, row.steps...), row.attempts), " "); did != row.did {
				t.Errorf("the series did %q; want %q", did, row.did)
			}
		})
	}
}

func TestSeriesOfAnAuditedWrite(t *testing.T) {
	copied := step(entity.InsertOrReplace, target.Expected{})
	id := workflow.WriteID{Run: "r", Number: 3}
	for _, row := range []struct {
		name     string
		attempts []told
		did      string
		written  workflow.Written
	}{
		{"the copy follows", []told{{201, false, nil}, {204, false, nil}}, "insert insert-or-replace succeed", workflow.Acknowledged},
		{"also after a write that met its own success", []told{{0, true, nil}, {409, true, nil}, {200, false, stored("r-3")}, {204, false, nil}},
			"insert settle get insert-or-replace succeed", workflow.Acknowledged},
		{"a copy that is given up leaves the write acknowledged", []told{{201, false, nil}, {400, false, nil}}, "insert insert-or-replace settle", workflow.Acknowledged},
		{"a conflict has no copies", []told{{409, false, nil}}, "insert settle", workflow.Absent},
		{"nor has another's entity", []told{{0, true, nil}, {409, true, nil}, {200, false, stored("other-3")}}, "insert settle get fail", workflow.Absent},
	} {
		t.Run(row.name, func(t *testing.T) {
			insert := target.Operation{Verb: entity.Insert, Table: "t", Change: entity.Change{Verb: entity.Insert, Key: runner}}
			p := workflow.NewAuditedSeries(workflow.NewWrite(insert, id, ""), copied)
			if did := strings.Join(play(p, row.attempts), " "); did != row.did {
				t.Errorf("the series did %q; want %q", did, row.did)
			}
			if got := p.Report().Written; got != row.written {
				t.Errorf("Report() = written %d; want %d", got, row.written)
			}
		})
	}
}

// A deletion of what is gone deletes its copies, verified or not: somebody may have
// come no further.
func TestSeriesOfAnAuditedDeletion(t *testing.T) {
	remove := step(entity.Delete, target.Expected{NotFound: true})
	p := workflow.NewAuditedSeries(workflow.NewWrite(remove.Operation, workflow.WriteID{Run: "r", Number: 3}, ""), remove)
	if did := strings.Join(play(p, []told{{404, false, nil}, {204, false, nil}}), " "); did != "delete delete succeed" {
		t.Errorf("the series did %q; want %q", did, "delete delete succeed")
	}
	if got := p.Report().Written; got != workflow.Absent {
		t.Errorf("Report() = written %d; want %d", got, workflow.Absent)
	}
}

func TestFindWrite(t *testing.T) {
	query := target.Operation{Verb: entity.Query, Table: "t"}
	write := workflow.Step{Expected: target.Expected{NotFound: true}, Operation: target.Operation{Verb: entity.Merge, Table: "t",
		Change: entity.Change{Verb: entity.Merge, Key: runner, Match: entity.MatchAny}}}
	copied := step(entity.InsertOrMerge, target.Expected{})
	wanted := entity.Key{Partition: "copy", Row: "1"}
	token := target.Token{Present: true, NextPartitionKey: "m"}
	page, others := []target.Row{{Key: runner}, {Key: wanted}}, []target.Row{{Key: runner}}
	for _, row := range []struct {
		name     string
		outcomes []target.Outcome
		did      string
	}{
		{"what the first page holds is written", []target.Outcome{{Status: 200, Rows: page, Next: token}, {Status: 204}, {Status: 204}}, "query merge insert-or-merge succeed"},
		{"a page of other entities leads on", []target.Outcome{{Status: 200, Rows: others, Next: token}, {Status: 200, Rows: page}, {Status: 204}, {Status: 204}},
			"query query merge insert-or-merge succeed"},
		{"nor are others written", []target.Outcome{{Status: 200, Rows: others}}, "query succeed"},
		{"an empty page with a token leads on", []target.Outcome{{Status: 200, Next: token}, {Status: 200, Rows: page}, {Status: 204}, {Status: 204}}, "query query merge insert-or-merge succeed"},
		{"nothing is found and nothing written", []target.Outcome{{Status: 200}}, "query succeed"},
		{"a busy server leaves it to the policy", []target.Outcome{{Status: 503}, {Status: 200, Rows: page}, {Status: 503}, {Status: 204}, {Status: 204}}, "query settle merge settle insert-or-merge succeed"},
		{"what is gone by then is no failure", []target.Outcome{{Status: 200, Rows: page}, {Status: 404, Code: entity.ResourceNotFound}}, "query merge settle"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := workflow.NewFindWrite(query, wanted, workflow.NewSeries(nil, write, copied))
			request := p.Begin()
			did := []string{request.Verb.String()}
			var sent []target.Operation
			for i := range row.outcomes {
				sent = append(sent, request)
				move, next := p.Next(workflow.Attempt{Sent: &request, Outcome: &row.outcomes[i]})
				switch move {
				case workflow.Proceed:
					request = next
					did = append(did, next.Verb.String())
				case workflow.Succeed:
					did = append(did, "succeed")
				default:
					did = append(did, "settle")
				}
			}
			if got := strings.Join(did, " "); got != row.did {
				t.Errorf("the workflow did %q; want %q", got, row.did)
			}
			last := sent[len(sent)-1]
			if last.Verb == entity.Merge && (last.Change.Key != runner || last.Change.Match != entity.MatchAny) {
				t.Errorf("it wrote %v under %v; want %v under any version", last.Change.Key, last.Change.Match, runner)
			}
			followed := slices.ContainsFunc(sent[1:], func(op target.Operation) bool { return op.Verb == entity.Query && op.Query.Token == token })
			if want := strings.Contains(row.did, "query query"); followed != want {
				t.Errorf("a token was followed: %v; want %v", followed, want)
			}
		})
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
	if write.Change.Match != entity.MatchAny {
		t.Errorf("the write has the condition %v; want any version", write.Change.Match)
	}
	p.Next(workflow.Attempt{Sent: &write, Outcome: &target.Outcome{Status: 0}, Silent: true})
	p.Next(workflow.Attempt{Sent: &write, Outcome: &target.Outcome{Status: 204, Version: 501}})
	if r := p.Report(); r.Conditional || !r.Lingers || r.Written != workflow.Acknowledged {
		t.Errorf("Report() = conditional %v, lingers %v, written %d; want a blind write that lingers", r.Conditional, r.Lingers, r.Written)
	}
}
