package engine_test

import (
	"reflect"
	"testing"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/model"
)

// pair returns two engines that differ in nothing but that the second stores
// nothing, each with the table Races.
func pair(t testing.TB, cold bool) [2]*engine.Engine {
	t.Helper()
	var engines [2]*engine.Engine
	for i := range engines {
		m, err := model.New(model.Documented)
		if err != nil {
			t.Fatal(err)
		}
		engines[i] = engine.New(engine.Options{Model: m, Accounts: []string{"one"}, Calendar: clock.Epoch(entity.Ticks(1 << 40).Time()), Seed: 7, Cold: cold, Dataless: i == 1})
		if r := engines[i].Submit(0, &engine.Request{Account: "one", Table: "Races", Verb: entity.CreateTable}); r.Status != 204 {
			t.Fatalf("CreateTable = %d %s; want 204", r.Status, r.Code)
		}
	}
	return engines
}

func writeOf(verb entity.Verb, row string) *engine.Request {
	r := &engine.Request{Account: "one", Table: "Races", Verb: verb}
	key := entity.Key{Partition: "hot", Row: row}
	if verb == entity.Batch {
		r.Changes = []entity.Change{{Verb: entity.InsertOrMerge, Key: key}, {Verb: entity.InsertOrReplace, Key: entity.Key{Partition: "hot", Row: row + "b"}}}
		return r
	}
	r.Change = &entity.Change{Verb: verb, Key: key}
	return r
}

// Writes that succeed with a store are answered alike, instant and versions
// included, without one, refusals among them.
func TestDatalessAnswersWritesAlike(t *testing.T) {
	for _, cold := range []bool{false, true} {
		engines := pair(t, cold)
		refused := 0
		verbs := []entity.Verb{entity.InsertOrMerge, entity.InsertOrReplace, entity.Batch}
		for n := range 12_000 {
			r := writeOf(verbs[n%len(verbs)], "row")
			r.Number = uint64(n)
			at := clock.Instant(n) * second / 5000
			with, without := engines[0].Submit(at, r), engines[1].Submit(at, r)
			if !reflect.DeepEqual(with, without) {
				t.Fatalf("cold %t, write %d: without a store %+v; want %+v", cold, n, without, with)
			}
			if with.Code != entity.OK {
				refused++
			}
		}
		if refused == 0 {
			t.Error("nothing was refused: the test shows too little")
		}
		if engines[0].Counts() != engines[1].Counts() {
			t.Errorf("without a store the counts are %+v; want %+v", engines[1].Counts(), engines[0].Counts())
		}
	}
}

// What such an engine cannot show: that a key is taken, that a condition fails,
// that an entity is missing, that one is there.
func TestDatalessCannotShowWhatATableHolds(t *testing.T) {
	e := pair(t, false)[1]
	for _, tt := range []struct {
		name string
		verb entity.Verb
	}{
		{"an insert of a key that is taken", entity.Insert},
		{"the same insert again", entity.Insert},
		{"a merge of what was never there", entity.Merge},
		{"a delete of what was never there", entity.Delete},
	} {
		r := writeOf(tt.verb, "row")
		r.Change.Match = entity.MatchAny
		if got := e.Submit(0, r); got.Code != entity.OK || got.Counted != 1 || got.Status != 204 {
			t.Errorf("%s = %d %s, counted %d; want success that counts one", tt.name, got.Status, got.Code, got.Counted)
		}
	}
	if got := e.Submit(0, writeOf(entity.Get, "row")); got.Code != entity.ResourceNotFound {
		t.Errorf("Get = %d %s; want that nothing is there", got.Status, got.Code)
	}
	query := &engine.Request{Account: "one", Table: "Races", Verb: entity.Query, Query: engine.Query{Range: filter.All()}}
	if got := e.Submit(0, query); got.Code != entity.OK || len(got.Rows) != 0 {
		t.Errorf("Query = %d with %d rows; want an empty page", got.Status, len(got.Rows))
	}
}

// What is wrong with a transaction in itself shows all the same, and a table has
// to be there.
func TestDatalessStillRefusesWhatIsNoRequest(t *testing.T) {
	engines := pair(t, false)
	bad := writeOf(entity.Batch, "row")
	bad.Changes[1].Key = bad.Changes[0].Key
	elsewhere := writeOf(entity.Insert, "row")
	elsewhere.Table = "Horses"
	for name, r := range map[string]*engine.Request{"a transaction with one key twice": bad, "an empty transaction": {
		Account: "one", Table: "Races", Verb: entity.Batch}, "a table that does not exist": elsewhere} {
		with, without := engines[0].Submit(second, r), engines[1].Submit(second, r)
		if with.Code == entity.OK || with.Code != without.Code || with.FailedIndex != without.FailedIndex {
			t.Errorf("%s = %s at %d without a store; want %s at %d", name, without.Code, without.FailedIndex, with.Code, with.FailedIndex)
		}
	}
}
