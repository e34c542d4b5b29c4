package workflow_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// stored returns an entity with what conditional writes have left in it, and the
// id of the write before.
func stored(last string, history ...string) []entity.Property {
	return []entity.Property{
		{Name: counter, Value: entity.Int64(7)}, {Name: "Name", Value: entity.String("John")},
		{Name: workflow.IDProperty, Value: entity.String(last)},
		{Name: workflow.HistoryProperty, Value: entity.String(strings.Join(history, " "))},
	}
}

// others are the ids of so many writes of others, up to 16.
func others(count int) []string {
	var ids []string
	for i := range count {
		ids = append(ids, "other-"+strconv.Itoa(99-i))
	}
	return ids
}

// entities are those that attempts of [play] read, by their names there.
var entities = map[string][]entity.Property{
	"fresh": stored(""), "before": stored("other-1", "other-1"), "own": stored("r-3", "r-3"), "other": stored("other-3"), "bare": nil,
	"own-then-other": stored("other-2", "other-2", "r-3", "other-1"), "two-others": stored("other-2", "other-2", "other-1"),
	"fifteen-others": stored("other-99", others(15)...), "sixteen-others": stored("other-99", others(16)...),
	"text":  {{Name: counter, Value: entity.String("7")}},
	"end":   {{Name: counter, Value: entity.Int64(math.MaxInt64)}},
	"short": {{Name: counter, Value: entity.Int32(-9)}},
}

// token is that of a page behind which there is another, and pages are those that attempts of
// [play] return: some with the entity that is looked for.
var (
	token = target.Token{Present: true, NextPartitionKey: "m"}
	pages = map[string]target.Outcome{
		"page": {Status: 200, Rows: []target.Row{{Key: runner}, {Key: wanted}}}, "page+": {Status: 200, Rows: []target.Row{{Key: runner}, {Key: wanted}}, Next: token},
		"others": {Status: 200, Rows: []target.Row{{Key: runner}}}, "others+": {Status: 200, Rows: []target.Row{{Key: runner}}, Next: token},
		"200+": {Status: 200, Next: token},
	}
	wanted = entity.Key{Partition: "copy", Row: "1"}
)

// named returns the verb of a request, of a query its partition, too, and a + where it goes on
// at the token.
func named(op *target.Operation) string {
	name := op.Verb.String()
	if op.Verb != entity.Query {
		return name
	}
	if partition, one := op.Query.Range.Partition(); one {
		name += ":" + partition
	}
	if op.Query.Token == token {
		name += "+"
	}
	return name
}

// play tells a workflow of attempts and returns what it did, in words. An attempt is a status
// or the name of an entity or a page that was read; a question mark has something been silent before.
func play(p workflow.Workflow, attempts string) string {
	request := p.Begin()
	done := []string{named(&request)}
	for _, word := range strings.Fields(attempts) {
		word, silent := strings.CutSuffix(word, "?")
		outcome, is := pages[word]
		if read, one := entities[word]; one {
			outcome = target.Outcome{Status: 200, Version: 500, Entity: entity.Pack(nil, 500, read)}
		} else if !is {
			outcome.Version = 500
			outcome.Status, _ = strconv.Atoi(word)
		}
		if outcome.Status == 404 {
			outcome.Code = entity.ResourceNotFound
		}
		move, next := p.Next(workflow.Attempt{Sent: &request, Outcome: &outcome, Silent: silent})
		switch move {
		case workflow.Settle:
			done = append(done, "settle")
		case workflow.Succeed:
			done = append(done, "succeed")
		case workflow.Fail:
			done = append(done, "fail")
		default:
			done = append(done, named(&next))
			request = next
		}
	}
	return strings.Join(done, " ")
}

// described returns a report in words, but for what says whose it is.
func described(r workflow.Report) string {
	words := map[workflow.Written]string{workflow.Absent: "absent", workflow.Unknown: "unknown", workflow.Acknowledged: "acknowledged"}[r.Written]
	for _, one := range []struct {
		name  string
		value int64
	}{{"version", int64(r.Version)}, {"from", r.From}, {"conflicts", int64(r.Conflicts)}} {
		if one.value != 0 {
			words += fmt.Sprintf(" %s %d", one.name, one.value)
		}
	}
	for _, one := range []struct {
		name string
		is   bool
	}{{"own-404", r.Own404}, {"own-409", r.Own409}, {"own-412", r.Own412}, {"superseded", r.Superseded}, {"lingers", r.Lingers}} {
		if one.is {
			words += " " + one.name
		}
	}
	return words
}

func TestReadModifyWrite(t *testing.T) {
	for _, row := range []struct {
		name                string
		verb                entity.Verb
		attempts, did, want string
	}{
		{"each request once", entity.Merge, "fresh 204", "get merge succeed", "acknowledged version 500 from 7"},
		{"a replace", entity.Replace, "fresh 204", "get replace succeed", "acknowledged version 500 from 7"},
		{"a delete", entity.Delete, "fresh 204", "get delete succeed", "acknowledged version 500"},
		{"an entity that is not there is left to the caller", entity.Merge, "404", "get settle", "absent"},
		{"or inserted", entity.InsertOrMerge, "404 204", "get insert succeed", "acknowledged version 500"},
		{"a busy server leaves it to the policy", entity.Merge, "503 fresh 503 204", "get settle merge settle succeed", "acknowledged version 500 from 7"},
		{"a foreign conflict restarts at the read", entity.Merge, "fresh 412 before 204", "get merge get merge succeed", "acknowledged version 500 from 7 conflicts 1"},
		{"a silent write that nobody tells of", entity.Merge, "fresh 0?", "get merge settle", "unknown from 7"},
		{"a gateway that waited too long", entity.Merge, "fresh 504 412 own", "get merge settle get succeed", "acknowledged version 500 from 7 own-412"},
		{"a silent write that is carried out again", entity.Merge, "fresh 0? 204?", "get merge settle succeed", "acknowledged version 500 from 7"},
		{"a silent write that meets its own success", entity.Merge, "fresh 0? 412? own", "get merge settle get succeed", "acknowledged version 500 from 7 own-412"},
		{"which others have written over", entity.Merge, "before 0? 412? own-then-other", "get merge settle get succeed", "acknowledged from 7 own-412 superseded"},
		{"a silent write that was not carried out", entity.Merge, "before 0? 412? two-others before 204", "get merge settle get get merge succeed", "acknowledged version 500 from 7 conflicts 1"},
		{"a silent write that may be forgotten", entity.Merge, "before 0? 412? sixteen-others", "get merge settle get fail", "unknown from 7"},
		{"which was the first of all", entity.Merge, "fresh 0? 412? sixteen-others", "get merge settle get fail", "unknown from 7"},
		{"not by those of fifteen others", entity.Merge, "fresh 0? 412? fifteen-others", "get merge settle get get", "absent from 7 conflicts 1"},
		{"an entity that somebody replaced tells nothing", entity.Merge, "before 0? 412? fresh", "get merge settle get fail", "unknown from 7"},
		{"nor one that somebody deleted", entity.Merge, "before 0? 412? 404", "get merge settle get fail", "unknown from 7"},
		{"a busy server while it looks", entity.Merge, "before 0? 412? 503", "get merge settle get settle", "unknown from 7"},
		{"an entity deleted since the read", entity.Merge, "fresh 404 404", "get merge get settle", "absent from 7 conflicts 1"},
		{"an entity deleted after silence", entity.Merge, "fresh 0? 404?", "get merge settle fail", "unknown from 7"},
		{"an insert that somebody was quicker with", entity.InsertOrMerge, "404 409 before 204", "get insert get merge succeed", "acknowledged version 500 conflicts 1"},
		{"an insert that meets its own success", entity.InsertOrReplace, "404 0? 409? own", "get insert settle get succeed", "acknowledged version 500 own-409"},
		{"an insert that meets another's", entity.InsertOrReplace, "404 0? 409? before before", "get insert settle get get replace", "absent conflicts 1"},
		{"a delete that meets its own success", entity.Delete, "fresh 0? 404?", "get delete settle succeed", "acknowledged own-404"},
		{"a delete of what somebody has written", entity.Delete, "fresh 0? 412? before", "get delete settle get delete", "absent conflicts 1"},
		{"a counter that is a text", entity.Merge, "text", "get fail", "absent"},
		{"a counter at its end", entity.Merge, "end", "get fail", "absent"},
		{"a counter of 32 bits", entity.Merge, "short", "get merge", "absent from -9"},
		{"bad requests are left to the caller", entity.Merge, "fresh 400", "get merge settle", "absent from 7"},
	} {
		m := workflow.Modification{Verb: row.verb, Table: "Races", Key: runner, Counter: counter, ID: workflow.WriteID{Run: "r", Number: 3}}
		if row.verb == entity.Delete {
			m.Counter = ""
		}
		p := workflow.NewReadModifyWrite(m)
		assert.Equal(t, row.did, play(p, row.attempts), row.name)
		assert.Equal(t, row.want, described(p.Report()), row.name)
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
		history := others(16)
		outcome := target.Outcome{Status: 200, Version: 41, Entity: entity.Pack(nil, 41, stored("other-99", history...))}
		_, op := p.Next(workflow.Attempt{Sent: new(target.Operation), Outcome: &outcome})
		var names []string
		for _, property := range op.Change.Properties {
			names = append(names, property.Name)
		}
		assert.Equal(t, row.want, names, row.name)
		assert.Equal(t, [2]entity.Verb{row.verb, row.verb}, [2]entity.Verb{op.Verb, op.Change.Verb}, row.name)
		version, _ := op.Change.Match.Exactly()
		assert.EqualValues(t, 41, version, "If-Match has the version that was read")
		if row.verb == entity.Delete {
			continue
		}
		packed := entity.Pack(nil, 42, op.Change.Properties)
		id, _ := workflow.IDOf(packed)
		assert.Equal(t, "8 r-3 r-3 "+strings.Join(history[:15], " "), fmt.Sprint(value(packed, counter).Int(), " ", id, " ", value(packed, workflow.HistoryProperty).Text()), row.name)
		code, detail := op.Change.Validate()
		assert.Equal(t, entity.OK, code, detail)
	}
}

func TestReadModifyWriteGivesUp(t *testing.T) {
	p := workflow.NewReadModifyWrite(workflow.Modification{Verb: entity.Merge, Key: runner, ID: workflow.WriteID{Run: "r"}})
	did := strings.Fields(play(p, strings.Repeat("bare 412 ", workflow.MaxRestarts+1)))
	if slices.Index(did, "fail") != len(did)-1 || p.Report().Conflicts != workflow.MaxRestarts+1 {
		t.Errorf("after %d conflicts it did %q; want it to fail at the last", p.Report().Conflicts, did[len(did)-3:])
	}
}

func TestWrite(t *testing.T) {
	for _, row := range []struct {
		name                string
		verb                entity.Verb
		attempts, did, want string
	}{
		{"an insert", entity.Insert, "201", "insert succeed", "acknowledged version 500"},
		{"an insert of what is there", entity.Insert, "409", "insert settle", "absent conflicts 1"},
		{"an insert that meets its own success", entity.Insert, "0? 409? own", "insert settle get succeed", "acknowledged version 500 own-409"},
		{"an insert that meets another's", entity.Insert, "0? 409? other", "insert settle get fail", "absent conflicts 1"},
		{"an insert that meets what carries no id", entity.Insert, "0? 409? bare", "insert settle get fail", "absent conflicts 1"},
		{"an insert that meets what is gone", entity.Insert, "0? 409? 404", "insert settle get fail", "unknown"},
		{"a busy server while it looks", entity.Insert, "0? 409? 503 own", "insert settle get settle succeed", "acknowledged version 500 own-409"},
		{"an insert behind a gateway that waited too long", entity.Insert, "504 409 own", "insert settle get succeed", "acknowledged version 500 own-409"},
		{"a silent insert", entity.Insert, "0?", "insert settle", "unknown"},
		{"a silent insert that is done at last", entity.Insert, "0? 201?", "insert settle succeed", "acknowledged version 500"},
		{"a refused insert", entity.Insert, "503", "insert settle", "absent"},
		{"a transaction that meets its own success", entity.Batch, "0? 409? own", "batch settle get succeed", "acknowledged version 500 own-409"},
		{"a transaction of what is there", entity.Batch, "409", "batch settle", "absent conflicts 1"},
		{"a delete", entity.Delete, "204", "delete succeed", "acknowledged version 500"},
		{"a delete of nothing", entity.Delete, "404", "delete settle", "absent"},
		{"a delete that meets its own success", entity.Delete, "0? 404?", "delete settle succeed", "acknowledged own-404 lingers"},
		{"a merge", entity.Merge, "204", "merge succeed", "acknowledged version 500"},
		{"a merge of nothing", entity.Merge, "404", "merge settle", "absent"},
		{"a silent merge", entity.Merge, "0?", "merge settle", "unknown lingers"},
		{"a merge done twice", entity.Merge, "0? 204?", "merge settle succeed", "acknowledged version 500 lingers"},
	} {
		change := entity.Change{Verb: row.verb, Key: runner}
		op := target.Operation{Verb: row.verb, Change: change}
		if row.verb == entity.Batch {
			change.Verb = entity.Insert
			op = target.Operation{Verb: row.verb, Changes: []entity.Change{change}}
		}
		p := workflow.NewWrite(op, workflow.WriteID{Run: "r", Number: 3}, "")
		assert.Equal(t, row.did, play(p, row.attempts), row.name)
		assert.Equal(t, row.want, described(p.Report()), row.name)
	}
}

// A filler gives room to the id, so that the entity keeps its size.
func TestWriteKeepsTheSize(t *testing.T) {
	for _, row := range []struct {
		name, filler string
		grows        bool
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
		assert.Equalf(t, row.grows, after != before, "%s: %d bytes with the id, %d without", row.name, after, before)
		assert.Equalf(t, row.filler, properties[1].Value.Text(), "%s: the caller's properties were altered", row.name)
	}
}

// A transaction of deletions that finds nothing after silence met its own success;
// one of inserts looks for the entity that was refused.
func TestWriteOfATransaction(t *testing.T) {
	keys := []entity.Key{{Partition: "p", Row: "1"}, {Partition: "p", Row: "2"}}
	batch := func(verb entity.Verb) workflow.Write {
		op := target.Operation{Verb: entity.Batch, Table: "Races"}
		for _, key := range keys {
			op.Changes = append(op.Changes, entity.Change{Verb: verb, Key: key})
		}
		return workflow.NewWrite(op, workflow.WriteID{Run: "r", Number: 3}, "")
	}
	deletes := batch(entity.Delete)
	assert.Equal(t, "batch settle succeed", play(deletes, "0? 404?"), "deletes: it did")
	r := deletes.Report()
	assert.Truef(t, r.Own404 && r.Verb == entity.Delete && slices.Equal(r.Keys, keys), "%+v; want an own-404 of both", r)
	inserts := batch(entity.Insert)
	sent := inserts.Begin()
	for _, change := range sent.Changes {
		id, _ := workflow.IDOf(entity.Pack(nil, 1, change.Properties))
		assert.EqualValues(t, 3, id.Number, "inserts")
	}
	for index, want := range map[int]string{-1: "1", 0: "1", 1: "2", 2: "1"} {
		inserts = batch(entity.Insert)
		outcome := target.Outcome{Status: 409, FailedIndex: index}
		move, op := inserts.Next(workflow.Attempt{Sent: &sent, Outcome: &outcome, Silent: true})
		assert.Truef(t, move == workflow.Proceed && op.Verb == entity.Get && op.Table == "Races" && op.Change.Key.Row == want,
			"inserts: refused at %d it goes on with %d, a %v of %v; want a get of row %s",
			index, move, op.Verb, op.Change.Key, want)
	}
}

func TestWriteIDsReadAsTheyAreWritten(t *testing.T) {
	for text, want := range map[string]workflow.WriteID{
		"k3f9-12": {Run: "k3f9", Number: 12}, "K-0": {Run: "K"}, "1-18446744073709551615": {Run: "1", Number: math.MaxUint64},
		strings.Repeat("r", 32) + "-1": {Run: strings.Repeat("r", 32), Number: 1},
	} {
		got, ok := workflow.ParseWriteID(text)
		assert.Truef(t, ok && got == want, "ParseWriteID(%q) = %+v, %v; want %+v", text, got, ok, want)
	}
	// A mark or a number that is too long, signs, zeros before a number, parts that are missing, and other letters.
	for _, text := range []string{strings.Repeat("r", 33) + "-1", "1-18446744073709551616", "r--1", "r-+1", "r-01", "-1", "r-", "r1", "", "r -1", "ö-1"} {
		got, ok := workflow.ParseWriteID(text)
		assert.Falsef(t, ok, "ParseWriteID(%q) = %+v", text, got)
	}
}
