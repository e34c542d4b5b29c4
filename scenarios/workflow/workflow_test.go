package workflow_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// told is an attempt that a workflow is told of.
type told struct {
	status int
	silent bool
	stored []entity.Property
}

// stored returns an entity with what conditional writes have left in it, and the
// id of the write before.
func stored(last string, history ...string) []entity.Property {
	return []entity.Property{
		{Name: counter, Value: entity.Int64(7)}, {Name: "Name", Value: entity.String("John")},
		{Name: workflow.IDProperty, Value: entity.String(last)},
		{Name: workflow.HistoryProperty, Value: entity.String(strings.Join(history, " "))},
	}
}

// play tells a workflow of attempts and returns what it did, in words.
func play(p workflow.Workflow, attempts []told) []string {
	request := p.Begin()
	done := []string{request.Verb.String()}
	for _, a := range attempts {
		outcome := target.Outcome{Status: a.status, Version: 500}
		switch a.status {
		case 200:
			outcome.Entity = entity.Pack(nil, 500, a.stored)
		case 404:
			outcome.Code = entity.ResourceNotFound
		}
		move, next := p.Next(workflow.Attempt{Sent: &request, Outcome: &outcome, Silent: a.silent})
		switch move {
		case workflow.Settle:
			done = append(done, "settle")
		case workflow.Succeed:
			done = append(done, "succeed")
		case workflow.Fail:
			done = append(done, "fail")
		default:
			done = append(done, next.Verb.String())
			request = next
		}
	}
	return done
}

// sixteen are the ids of so many writes of others.
func sixteen() []string {
	var ids []string
	for i := range 16 {
		ids = append(ids, "other-"+strconv.Itoa(99-i))
	}
	return ids
}

func TestReadModifyWrite(t *testing.T) {
	const own = "r-3"
	fresh, before := stored(""), stored("other-1", "other-1")
	for _, row := range []struct {
		name     string
		verb     entity.Verb
		attempts []told
		did      string
		want     workflow.Report
	}{
		{"each request once", entity.Merge, []told{{200, false, fresh}, {204, false, nil}}, "get merge settle",
			workflow.Report{Written: workflow.Acknowledged, Version: 500, From: 7}},
		{"a replace", entity.Replace, []told{{200, false, fresh}, {204, false, nil}}, "get replace settle",
			workflow.Report{Written: workflow.Acknowledged, Version: 500, From: 7}},
		{"a delete", entity.Delete, []told{{200, false, fresh}, {204, false, nil}}, "get delete settle",
			workflow.Report{Written: workflow.Acknowledged, Version: 500}},
		{"an entity that is not there is left to the caller", entity.Merge, []told{{404, false, nil}}, "get settle", workflow.Report{}},
		{"or inserted", entity.InsertOrMerge, []told{{404, false, nil}, {204, false, nil}}, "get insert settle",
			workflow.Report{Written: workflow.Acknowledged, Version: 500}},
		{"a busy server leaves it to the policy", entity.Merge, []told{{503, false, nil}, {200, false, fresh}, {503, false, nil}, {204, false, nil}},
			"get settle merge settle settle", workflow.Report{Written: workflow.Acknowledged, Version: 500, From: 7}},
		{"a foreign conflict restarts at the read", entity.Merge, []told{{200, false, fresh}, {412, false, nil}, {200, false, before}, {204, false, nil}},
			"get merge get merge settle", workflow.Report{Written: workflow.Acknowledged, Version: 500, From: 7, Conflicts: 1}},
		{"a silent write that nobody tells of", entity.Merge, []told{{200, false, fresh}, {0, true, nil}},
			"get merge settle", workflow.Report{Written: workflow.Unknown, From: 7}},
		{"a gateway that waited too long", entity.Merge, []told{{200, false, fresh}, {504, false, nil}, {412, false, nil}, {200, false, stored(own, own)}},
			"get merge settle get succeed", workflow.Report{Written: workflow.Acknowledged, Version: 500, From: 7, Own412: true}},
		{"a silent write that is carried out again", entity.Merge, []told{{200, false, fresh}, {0, true, nil}, {204, true, nil}},
			"get merge settle settle", workflow.Report{Written: workflow.Acknowledged, Version: 500, From: 7}},
		{"a silent write that meets its own success", entity.Merge, []told{{200, false, fresh}, {0, true, nil}, {412, true, nil}, {200, false, stored(own, own)}},
			"get merge settle get succeed", workflow.Report{Written: workflow.Acknowledged, Version: 500, From: 7, Own412: true}},
		{"which others have written over", entity.Merge,
			[]told{{200, false, before}, {0, true, nil}, {412, true, nil}, {200, false, stored("other-2", "other-2", own, "other-1")}},
			"get merge settle get succeed", workflow.Report{Written: workflow.Acknowledged, From: 7, Own412: true, Superseded: true}},
		{"a silent write that was not carried out", entity.Merge,
			[]told{{200, false, before}, {0, true, nil}, {412, true, nil}, {200, false, stored("other-2", "other-2", "other-1")}, {200, false, before}, {204, false, nil}},
			"get merge settle get get merge settle", workflow.Report{Written: workflow.Acknowledged, Version: 500, From: 7, Conflicts: 1}},
		{"a silent write that may be forgotten", entity.Merge,
			[]told{{200, false, before}, {0, true, nil}, {412, true, nil}, {200, false, stored("other-99", sixteen()...)}},
			"get merge settle get fail", workflow.Report{Written: workflow.Unknown, From: 7}},
		{"which was the first of all", entity.Merge,
			[]told{{200, false, fresh}, {0, true, nil}, {412, true, nil}, {200, false, stored("other-99", sixteen()...)}},
			"get merge settle get fail", workflow.Report{Written: workflow.Unknown, From: 7}},
		{"not by those of fifteen others", entity.Merge,
			[]told{{200, false, fresh}, {0, true, nil}, {412, true, nil}, {200, false, stored("other-99", sixteen()[:15]...)}},
			"get merge settle get get", workflow.Report{From: 7, Conflicts: 1}},
		{"an entity that somebody replaced tells nothing", entity.Merge,
			[]told{{200, false, before}, {0, true, nil}, {412, true, nil}, {200, false, fresh}},
			"get merge settle get fail", workflow.Report{Written: workflow.Unknown, From: 7}},
		{"nor one that somebody deleted", entity.Merge,
			[]told{{200, false, before}, {0, true, nil}, {412, true, nil}, {404, false, nil}},
			"get merge settle get fail", workflow.Report{Written: workflow.Unknown, From: 7}},
		{"a busy server while it looks", entity.Merge,
			[]told{{200, false, before}, {0, true, nil}, {412, true, nil}, {503, false, nil}},
			"get merge settle get settle", workflow.Report{Written: workflow.Unknown, From: 7}},
		{"an entity deleted since the read", entity.Merge, []told{{200, false, fresh}, {404, false, nil}, {404, false, nil}},
			"get merge get settle", workflow.Report{From: 7, Conflicts: 1}},
		{"an entity deleted after silence", entity.Merge, []told{{200, false, fresh}, {0, true, nil}, {404, true, nil}},
			"get merge settle fail", workflow.Report{Written: workflow.Unknown, From: 7}},
		{"an insert that somebody was quicker with", entity.InsertOrMerge,
			[]told{{404, false, nil}, {409, false, nil}, {200, false, before}, {204, false, nil}},
			"get insert get merge settle", workflow.Report{Written: workflow.Acknowledged, Version: 500, Conflicts: 1}},
		{"an insert that meets its own success", entity.InsertOrReplace,
			[]told{{404, false, nil}, {0, true, nil}, {409, true, nil}, {200, false, stored(own, own)}},
			"get insert settle get succeed", workflow.Report{Written: workflow.Acknowledged, Version: 500, Own409: true}},
		{"an insert that meets another's", entity.InsertOrReplace,
			[]told{{404, false, nil}, {0, true, nil}, {409, true, nil}, {200, false, before}, {200, false, before}},
			"get insert settle get get replace", workflow.Report{Conflicts: 1}},
		{"a delete that meets its own success", entity.Delete, []told{{200, false, fresh}, {0, true, nil}, {404, true, nil}},
			"get delete settle succeed", workflow.Report{Written: workflow.Acknowledged, Own404: true}},
		{"a delete of what somebody has written", entity.Delete, []told{{200, false, fresh}, {0, true, nil}, {412, true, nil}, {200, false, before}},
			"get delete settle get delete", workflow.Report{Conflicts: 1}},
		{"a counter that is a text", entity.Merge, []told{{200, false, []entity.Property{{Name: counter, Value: entity.String("7")}}}},
			"get fail", workflow.Report{}},
		{"a counter at its end", entity.Merge, []told{{200, false, []entity.Property{{Name: counter, Value: entity.Int64(math.MaxInt64)}}}},
			"get fail", workflow.Report{}},
		{"a counter of 32 bits", entity.Merge, []told{{200, false, []entity.Property{{Name: counter, Value: entity.Int32(-9)}}}},
			"get merge", workflow.Report{From: -9}},
		{"bad requests are left to the caller", entity.Merge, []told{{200, false, fresh}, {400, false, nil}}, "get merge settle", workflow.Report{From: 7}},
	} {
		m := workflow.Modification{Verb: row.verb, Table: "Races", Key: runner, Counter: counter, ID: workflow.WriteID{Run: "r", Number: 3}}
		if row.verb == entity.Delete {
			m.Counter = ""
		}
		p := workflow.NewReadModifyWrite(m)
		if did := strings.Join(play(p, row.attempts), " "); did != row.did {
			t.Errorf("%s: it did %q; want %q", row.name, did, row.did)
		}
		compare(t, row.name, p.Report(), row.want)
	}
}

// compare holds reports against each other, but for what says whose they are.
func compare(t *testing.T, name string, got, want workflow.Report) {
	t.Helper()
	if got.Written != want.Written || got.Version != want.Version || got.Superseded != want.Superseded || got.Lingers != want.Lingers ||
		got.Own409 != want.Own409 || got.Own412 != want.Own412 || got.Own404 != want.Own404 ||
		got.Conflicts != want.Conflicts || got.From != want.From {
		t.Errorf("%s: Report() = %+v; want %+v", name, got, want)
	}
}

// What is written is what was read, changed, with the counter raised and the ids.
func TestReadModifyWriteWrites(t *testing.T) {
	for _, row := range []struct {
		name string
		verb entity.Verb
		want []string
	}{
		{"a merge sends what changes", entity.Merge, []string{"Paid", workflow.IDProperty, counter, workflow.HistoryProperty}},
		{"a replace sends the rest before it", entity.Replace, []string{"Name", "Paid", workflow.IDProperty, counter, workflow.HistoryProperty}},
		{"a delete sends nothing", entity.Delete, nil},
	} {
		p := workflow.NewReadModifyWrite(workflow.Modification{Verb: row.verb, Key: runner, Counter: counter,
			Properties: []entity.Property{{Name: "Paid", Value: entity.Boolean(true)}}, ID: workflow.WriteID{Run: "r", Number: 3}})
		history := sixteen()
		outcome := target.Outcome{Status: 200, Version: 41, Entity: entity.Pack(nil, 41, stored("other-99", history...))}
		_, op := p.Next(workflow.Attempt{Sent: new(target.Operation), Outcome: &outcome})
		var names []string
		for _, property := range op.Change.Properties {
			names = append(names, property.Name)
		}
		if !slices.Equal(names, row.want) || op.Verb != row.verb || op.Change.Verb != row.verb {
			t.Errorf("%s: a %v of %q; want a %v of %q", row.name, op.Verb, names, row.verb, row.want)
		}
		if version, exactly := op.Change.Match.Exactly(); !exactly || version != 41 {
			t.Errorf("%s: If-Match %d, exactly %v; want the version read, 41", row.name, version, exactly)
		}
		if row.verb == entity.Delete {
			continue
		}
		packed := entity.Pack(nil, 42, op.Change.Properties)
		raised, _ := packed.Lookup(counter)
		kept, _ := packed.Lookup(workflow.HistoryProperty)
		id, _ := workflow.IDOf(packed)
		if want := "r-3 " + strings.Join(history[:15], " "); raised.Int() != 8 || kept.Text() != want || id.String() != "r-3" {
			t.Errorf("%s: the counter is %d, the id %v, the history %q; want 8, r-3 and %q", row.name, raised.Int(), id, kept.Text(), want)
		}
		if code, detail := op.Change.Validate(); code != entity.OK {
			t.Errorf("%s: Validate() = %s, %s; want a valid change", row.name, code, detail)
		}
	}
}

func TestReadModifyWriteGivesUp(t *testing.T) {
	p := workflow.NewReadModifyWrite(workflow.Modification{Verb: entity.Merge, Key: runner, ID: workflow.WriteID{Run: "r"}})
	attempts := []told{}
	for range workflow.MaxRestarts + 1 {
		attempts = append(attempts, told{200, false, nil}, told{412, false, nil})
	}
	did := play(p, attempts)
	if did[len(did)-1] != "fail" || slices.Index(did, "fail") != len(did)-1 {
		t.Errorf("after %d conflicts it did %q; want it to fail at the last", workflow.MaxRestarts+1, did[len(did)-3:])
	}
	compare(t, "given up", p.Report(), workflow.Report{Conflicts: workflow.MaxRestarts + 1})
}

func TestWrite(t *testing.T) {
	own, other := stored("r-3"), stored("other-3")
	for _, row := range []struct {
		name     string
		verb     entity.Verb
		attempts []told
		did      string
		want     workflow.Report
	}{
		{"an insert", entity.Insert, []told{{201, false, nil}}, "insert settle", workflow.Report{Written: workflow.Acknowledged, Version: 500}},
		{"an insert of what is there", entity.Insert, []told{{409, false, nil}}, "insert settle", workflow.Report{Conflicts: 1}},
		{"an insert that meets its own success", entity.Insert, []told{{0, true, nil}, {409, true, nil}, {200, false, own}},
			"insert settle get succeed", workflow.Report{Written: workflow.Acknowledged, Version: 500, Own409: true}},
		{"an insert that meets another's", entity.Insert, []told{{0, true, nil}, {409, true, nil}, {200, false, other}},
			"insert settle get fail", workflow.Report{Conflicts: 1}},
		{"an insert that meets what carries no id", entity.Insert, []told{{0, true, nil}, {409, true, nil}, {200, false, nil}},
			"insert settle get fail", workflow.Report{Conflicts: 1}},
		{"an insert that meets what is gone", entity.Insert, []told{{0, true, nil}, {409, true, nil}, {404, false, nil}},
			"insert settle get fail", workflow.Report{Written: workflow.Unknown}},
		{"a busy server while it looks", entity.Insert, []told{{0, true, nil}, {409, true, nil}, {503, false, nil}, {200, false, own}},
			"insert settle get settle succeed", workflow.Report{Written: workflow.Acknowledged, Version: 500, Own409: true}},
		{"an insert behind a gateway that waited too long", entity.Insert, []told{{504, false, nil}, {409, false, nil}, {200, false, own}},
			"insert settle get succeed", workflow.Report{Written: workflow.Acknowledged, Version: 500, Own409: true}},
		{"a silent insert", entity.Insert, []told{{0, true, nil}}, "insert settle", workflow.Report{Written: workflow.Unknown}},
		{"a silent insert that is done at last", entity.Insert, []told{{0, true, nil}, {201, true, nil}},
			"insert settle settle", workflow.Report{Written: workflow.Acknowledged, Version: 500}},
		{"a refused insert", entity.Insert, []told{{503, false, nil}}, "insert settle", workflow.Report{}},
		{"a transaction that meets its own success", entity.Batch, []told{{0, true, nil}, {409, true, nil}, {200, false, own}},
			"batch settle get succeed", workflow.Report{Written: workflow.Acknowledged, Version: 500, Own409: true}},
		{"a transaction of what is there", entity.Batch, []told{{409, false, nil}}, "batch settle", workflow.Report{Conflicts: 1}},
		{"a delete", entity.Delete, []told{{204, false, nil}}, "delete settle", workflow.Report{Written: workflow.Acknowledged, Version: 500}},
		{"a delete of nothing", entity.Delete, []told{{404, false, nil}}, "delete settle", workflow.Report{}},
		{"a delete that meets its own success", entity.Delete, []told{{0, true, nil}, {404, true, nil}},
			"delete settle succeed", workflow.Report{Written: workflow.Acknowledged, Own404: true, Lingers: true}},
		{"a merge", entity.Merge, []told{{204, false, nil}}, "merge settle", workflow.Report{Written: workflow.Acknowledged, Version: 500}},
		{"a merge of nothing", entity.Merge, []told{{404, false, nil}}, "merge settle", workflow.Report{}},
		{"a silent merge", entity.Merge, []told{{0, true, nil}}, "merge settle", workflow.Report{Written: workflow.Unknown, Lingers: true}},
		{"a merge done twice", entity.Merge, []told{{0, true, nil}, {204, true, nil}},
			"merge settle settle", workflow.Report{Written: workflow.Acknowledged, Version: 500, Lingers: true}},
	} {
		change := entity.Change{Verb: row.verb, Key: runner}
		op := target.Operation{Verb: row.verb, Change: change}
		if row.verb == entity.Batch {
			change.Verb = entity.Insert
			op = target.Operation{Verb: row.verb, Changes: []entity.Change{change}}
		}
		p := workflow.NewWrite(op, workflow.WriteID{Run: "r", Number: 3}, "")
		if did := strings.Join(play(p, row.attempts), " "); did != row.did {
			t.Errorf("%s: it did %q; want %q", row.name, did, row.did)
		}
		compare(t, row.name, p.Report(), row.want)
	}
}

// A filler gives room to the id, so that the entity keeps its size.
func TestWriteKeepsTheSize(t *testing.T) {
	for _, row := range []struct {
		name   string
		filler string
		grows  bool
	}{
		{"a filler", strings.Repeat("x", 100), false},
		{"a filler of exactly that size", strings.Repeat("x", 23), false},
		{"a filler that is too short", strings.Repeat("x", 22), true},
		{"no filler", "", true},
	} {
		properties := []entity.Property{{Name: "Bib", Value: entity.Int64(1)}, {Name: "Notes", Value: entity.String(row.filler)}}
		op := target.Operation{Verb: entity.Insert, Change: entity.Change{Verb: entity.Insert, Key: runner, Properties: properties}}
		p := workflow.NewWrite(op, workflow.WriteID{Run: "run", Number: 3}, "Notes")
		sent := p.Begin()
		before, after := entity.Size(runner, properties), entity.Size(runner, sent.Change.Properties)
		if (after != before) != row.grows {
			t.Errorf("%s: %d bytes with the id, %d without; want more: %v", row.name, after, before, row.grows)
		}
		if properties[1].Value.Text() != row.filler {
			t.Errorf("%s: the caller's properties were altered", row.name)
		}
	}
}

// A transaction of deletions that finds nothing after silence met its own success;
// one of inserts looks for the entity that was refused.
func TestWriteOfATransaction(t *testing.T) {
	keys := []entity.Key{{Partition: "p", Row: "1"}, {Partition: "p", Row: "2"}}
	batch := func(verb entity.Verb) *workflow.Write {
		op := target.Operation{Verb: entity.Batch, Table: "Races"}
		for _, key := range keys {
			op.Changes = append(op.Changes, entity.Change{Verb: verb, Key: key})
		}
		return workflow.NewWrite(op, workflow.WriteID{Run: "r", Number: 3}, "")
	}
	deletes := batch(entity.Delete)
	if did := strings.Join(play(deletes, []told{{0, true, nil}, {404, true, nil}}), " "); did != "batch settle succeed" {
		t.Errorf("deletes: it did %q; want it to succeed", did)
	}
	if r := deletes.Report(); !r.Own404 || r.Verb != entity.Delete || !slices.Equal(r.Keys, keys) {
		t.Errorf("deletes: Report() = %+v; want an own-404 of both entities", r)
	}
	inserts := batch(entity.Insert)
	sent := inserts.Begin()
	for i, change := range sent.Changes {
		if id, _ := workflow.IDOf(entity.Pack(nil, 1, change.Properties)); id.Number != 3 {
			t.Errorf("inserts: change %d carries %v; want the id", i, change.Properties)
		}
	}
	for index, want := range map[int]string{-1: "1", 0: "1", 1: "2", 2: "1"} {
		inserts = batch(entity.Insert)
		outcome := target.Outcome{Status: 409, FailedIndex: index}
		move, op := inserts.Next(workflow.Attempt{Sent: &sent, Outcome: &outcome, Silent: true})
		if move != workflow.Proceed || op.Verb != entity.Get || op.Table != "Races" || op.Change.Key.Row != want {
			t.Errorf("inserts: refused at %d it goes on with %d, a %v of %v; want a get of row %s", index, move, op.Verb, op.Change.Key, want)
		}
	}
}
