package engine_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/model"
)

// steady takes the chance out of how long requests take, and the limits away.
func steady(m *model.Model) {
	unlimited(m)
	m.TimeSpread = 0
}

// transaction is an upsert of some rows of a partition.
func transaction(number uint64, rows ...int) *engine.Request {
	r := &engine.Request{Account: "one", Table: "Races", Verb: entity.Batch, Number: number}
	for _, row := range rows {
		r.Changes = append(r.Changes, entity.Change{Verb: entity.InsertOrReplace,
			Key: entity.Key{Partition: "p", Row: fmt.Sprint(row)}})
	}
	return r
}

// Drawn transactions and writes, held to a plain queue for each entity.
func TestHoldsAgainstAQueueForEachEntity(t *testing.T) {
	for seed := range uint64(20) {
		chance := rand.New(rand.NewPCG(seed, 48))
		b := newCold(t, model.Documented, steady)
		m := modelOf(t, model.Documented)
		free := make(map[int]clock.Instant)
		now := clock.Instant(time.Hour)
		for number := range uint64(200) {
			now = now.Add(time.Duration(chance.IntN(10)) * time.Millisecond)
			rows := chance.Perm(12)[:1+chance.IntN(4)]
			r := transaction(1000+number, rows...)
			work := m.WriteTime + time.Duration(len(rows)-1)*m.EntityTime
			single := len(rows) == 1 && chance.IntN(2) == 0
			if single {
				r = &engine.Request{Account: "one", Table: "Races", Verb: entity.InsertOrReplace, Number: r.Number, Change: &r.Changes[0]}
			}
			begins := now
			for _, row := range rows {
				begins = max(begins, free[row])
			}
			if !single {
				for _, row := range rows {
					free[row] = begins.Add(work)
				}
			}
			if got, want := b.Submit(now, r).Done, begins.Add(work+m.RoundTrip); got != want {
				t.Fatalf("seed %d: request %d over %v at %v is done at %v; want %v", seed, number, rows, now.Offset(), got.Offset(), want.Offset())
			}
		}
	}
}

// pair returns two engines that differ in nothing but that the second stores nothing.
func pair(t testing.TB, cold bool) [2]*bench {
	t.Helper()
	var pair [2]*bench
	for i := range pair {
		o := engine.Options{Calendar: clock.Epoch(entity.Ticks(1 << 40).Time()), Cold: cold, Dataless: i == 1}
		pair[i] = openBench(t, modelOf(t, model.Documented), o)
	}
	return pair
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
		assert.Positive(t, refused, "refused writes")
		assert.Equal(t, engines[0].Counts(), engines[1].Counts(), "counts without a store")
	}
}

// What such an engine cannot show: that a key is taken, that a condition fails,
// that an entity is missing, that one is there.
func TestDatalessCannotShowWhatATableHolds(t *testing.T) {
	e := pair(t, false)[1]
	for i, verb := range []entity.Verb{entity.Insert, entity.Insert, entity.Merge, entity.Delete} {
		r := writeOf(verb, "row")
		r.Change.Match = entity.MatchAny
		got := e.Submit(0, r)
		assert.Truef(t, got.Code == entity.OK && got.Counted == 1 && got.Status == 204, "write %d, %v = %+v; want success that counts one", i, verb, got)
	}
	assert.Equal(t, entity.ResourceNotFound, e.Submit(0, writeOf(entity.Get, "row")).Code, "Get")
	page := e.query(0, engine.Query{Range: filter.WholeTable()})
	assert.Equal(t, entity.OK, page.Code, "Query")
	assert.Empty(t, page.Rows, "Query")
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
		assert.Truef(t, with.Code != entity.OK && with.Code == without.Code && with.FailedIndex == without.FailedIndex,
			"%s = %s at %d without a store; want %s at %d", name, without.Code, without.FailedIndex, with.Code, with.FailedIndex)
	}
}
