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
	"loadgen/results/resultstest"
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
func play(p *workflow.Procedure, attempts string) string {
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

// write returns the request of a single write, or of a transaction with a copy.
func write(verb string) workflow.Request {
	verb, transaction := strings.CutPrefix(verb, "transaction:")
	v, _ := entity.ParseVerb(verb)
	change, copied := entity.Change{Verb: v, Key: runner}, entity.Change{Verb: entity.InsertOrReplace, Key: entity.Key{Partition: runner.Partition, Row: "copy"}}
	if v == entity.Delete {
		copied.Verb = v
	}
	r := workflow.Request{Operation: target.Operation{Verb: v, Table: "t", Change: change}}
	if transaction {
		r.Operation = target.Operation{Verb: entity.Batch, Table: "t", Changes: []entity.Change{change, copied}}
	}
	// Copies of a missing entity are not written.
	r.Expected.NotFound = !transaction && v != entity.Insert && v != entity.InsertOrReplace
	return r
}

// workflowOf returns the workflow that testdata/attempts.txt describes in words.
func workflowOf(words ...string) *workflow.Procedure {
	id := workflow.WriteID{Run: "r", Number: 3}
	var writes []workflow.Request
	for _, word := range words[1:] {
		writes = append(writes, write(word))
	}
	switch words[0] {
	case "modify":
		m := workflow.Modification{Verb: writes[0].Operation.Verb, Table: "Races", Key: runner, Counter: counter, ID: id}
		if m.Verb == entity.Delete {
			m.Counter = ""
		}
		return workflow.NewReadModifyWrite(m)
	case "write":
		return workflow.NewWrite(writes[0].Operation, id, "")
	case "series":
		return workflow.NewSeries(nil, false, writes...)
	case "audited-series":
		return workflow.NewSeries(workflow.NewWrite(writes[0].Operation, id, ""), false, writes[1:]...)
	case "find":
		return workflow.NewFindWrite(target.Operation{Verb: entity.Query, Table: "t"}, wanted, workflow.NewSeries(nil, false, writes...))
	default:
		var queries []target.Operation
		for _, partition := range []string{"a", "b", "c"} {
			queries = append(queries, target.Operation{Verb: entity.Query, Table: "log", Query: target.OnePartition(partition)})
		}
		pages, _ := strconv.Atoi(words[1])
		return workflow.NewFanOut(queries, pages)
	}
}

func TestWorkflowsByAttempts(t *testing.T) {
	for _, row := range resultstest.Rows(t, "testdata/attempts.txt", 5) {
		p := workflowOf(strings.Fields(row[0])...)
		assert.Equal(t, row[2], play(p, row[1]), row)
		assert.Equal(t, row[3], described(p.Report()), row)
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

// A transaction of inserts that is rejected after an attempt without a reply reads the rejected entity.
func TestWriteOfATransaction(t *testing.T) {
	op := target.Operation{Verb: entity.Batch, Table: "Races"}
	for _, row := range []string{"1", "2"} {
		op.Changes = append(op.Changes, entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "p", Row: row}})
	}
	for index, want := range map[int]string{-1: "1", 0: "1", 1: "2", 2: "1"} {
		inserts := workflow.NewWrite(op, workflow.WriteID{Run: "r", Number: 3}, "")
		sent := inserts.Begin()
		for _, change := range sent.Changes {
			id, _ := workflow.IDOf(entity.Pack(nil, 1, change.Properties))
			assert.EqualValues(t, 3, id.Number)
		}
		move, read := inserts.Next(workflow.Attempt{Sent: &sent, Outcome: &target.Outcome{Status: 409, FailedIndex: index}, Silent: true})
		assert.Truef(t, move == workflow.Proceed && read.Verb == entity.Get && read.Table == "Races" && read.Change.Key.Row == want,
			"rejected at %d: %d, a %v of %v; want a get of row %s", index, move, read.Verb, read.Change.Key, want)
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
