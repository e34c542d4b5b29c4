package workflow_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// A blind write has no condition, and what is written over what was read cannot be
// told from what somebody else wrote meanwhile.
func TestBlindWrites(t *testing.T) {
	p := workflow.NewReadModifyWrite(workflow.Modification{Verb: entity.Merge, Key: runner, Counter: counter, Blind: true, ID: workflow.WriteID{Run: "r", Number: 3}})
	assert.Equal(t, "get merge settle succeed", play(p, "fresh 0? 204?"))
	assert.Equal(t, "acknowledged version 500 from 7 lingers", described(p.Report()))
	assert.False(t, p.Report().Conditional)
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
	all := several(40, func(k int) *workflow.Procedure {
		return workflow.NewReadModifyWrite(workflow.Modification{Verb: verb, Table: "Test", Key: runner, Counter: counter,
			ID: workflow.WriteID{Run: "r", Number: uint64(k)}})
	})
	rng := rand.New(rand.NewPCG(seed, 6))
	acknowledged := int64(0)
	for k, ok := range w.race(seed, 1+rng.IntN(6), rng.IntN(40), all) {
		r := all[k].Report()
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

// newShops returns a world with so many shops that have a series at the place "days".
func newShops(t *testing.T, count int) *world {
	w := newWorld(t, "days=Days")
	w.Loaded, w.Member = uint64(count), func(n uint64) workflow.Subject { return shop(int(n)) }
	return w
}

func shop(n int) thing {
	own := entity.Key{Partition: fmt.Sprintf("s%02d", n), Row: "shop"}
	return thing{number: uint64(n), keys: map[string]entity.Key{"": own, "days": {Partition: own.Partition, Row: "2014"}}}
}

// series returns so many operations of a kind on series at "days".
func (w *world) series(kind string, operations int, given args) []*workflow.Procedure {
	given = maps.Clone(given)
	given["at"] = "days"
	return several(operations, func(k int) *workflow.Procedure { return w.op(kind, k, given, shop(0)) })
}

// Several at a time, of whose replies some are lost: merges and writes under the ETag
// lose nothing, however the counts lie; replacing what was read does.
func TestCountsOfASeriesAreAllThere(t *testing.T) {
	for _, row := range []struct {
		name, each, write string
		loses, conflicts  bool
	}{
		{"merges into one entity do not meet", "24", "merge", false, false},
		{"merges into two entities do not either", "12", "merge", false, false},
		{"nor does an entity to each count", "1", "merge", false, false},
		{"one ETag is a matter of conflicts", "24", "etag", false, true},
		{"two are a matter of fewer", "12", "etag", false, true},
		{"replacing what was read loses counts", "24", "replace", true, false},
		{"but not where nobody else writes the entity", "1", "replace", false, false},
	} {
		faults, conflicts := int64(0), int64(0)
		for seed := range uint64(10) {
			w := newShops(t, 3)
			given := args{"per-entity": row.each, "write": row.write, "complete": "true", "at": "days"}
			all := w.series("series-put", 3*24, given)
			w.raceWell(seed, 6, 20, all)
			conflicts += total(all, "conflicts")
			found := w.check("series-put", given)
			faults += found.Faults
			assert.EqualValuesf(t, 3, found.Looked, "%s, seed %d", row.name, seed)
		}
		assert.Equalf(t, row.loses, faults > 0, "%s: %d series have lost counts", row.name, faults)
		assert.Equalf(t, row.conflicts, conflicts > 0, "%s: %d conflicts", row.name, conflicts)
	}
}

// A write under the ETag begins anew where somebody else was faster, and knows its own
// success where nobody told it.
func TestCountsUnderTheETag(t *testing.T) {
	other := func(w *world, verb entity.Verb) {
		w.change(verb, "TestDays", entity.Key{Partition: "s00", Row: "2014"}, number("Count002", 7))
		w.requests[verb.String()]--
	}
	for _, row := range []struct {
		name                          string
		there, lost                   bool
		between                       entity.Verb
		gets, inserts, merges, counts int
	}{
		{"nobody in between", true, false, 0, 1, 0, 1, 2},
		{"nobody in between, nor anything there", false, false, 0, 1, 1, 0, 1},
		{"changed in between", true, false, entity.InsertOrMerge, 2, 0, 2, 2},
		{"inserted in between", false, false, entity.InsertOrMerge, 2, 1, 1, 2},
		{"deleted in between", true, false, entity.Delete, 2, 1, 1, 1},
		{"merged, and nobody said so", true, true, 0, 2, 0, 2, 2},
		{"inserted, and nobody said so", false, true, 0, 2, 2, 0, 1},
	} {
		w := newShops(t, 1)
		if row.there {
			other(w, entity.Insert)
		}
		c := begun(w.series("series-put", 1, args{"write": "etag"})[0])
		for c.request.Verb == entity.Get {
			w.steps(c, 1)
		}
		if row.between != 0 {
			other(w, row.between)
		}
		if request := c.request; row.lost {
			w.do(&request)
			c.tell(w, target.Outcome{})
		}
		w.finish(c)
		assert.True(t, c.ok, row.name)
		assert.Equal(t, [3]int{row.gets, row.inserts, row.merges}, [3]int{w.requests["get"], w.requests["insert"], w.requests["merge"]}, row.name)
		look := w.series("series-get", 1, args{})[0]
		w.run(look)
		assert.EqualValues(t, row.counts, counted(look)["counts"], row.name)
	}
}

// A series is written by as few transactions as hold it, and read as it lies.
func TestSeriesAreWrittenAndReadWhole(t *testing.T) {
	for _, row := range []struct {
		name, slots, each, by       string
		written, gets, queries, got int
	}{
		{"a day in one entity", "24", "24", "points", 1, 1, 0, 24},
		{"a day in an entity to each hour is one range of rows", "24", "1", "range", 1, 0, 1, 24},
		{"or as many point queries", "24", "1", "points", 1, 24, 0, 24},
		{"a year in two entities", "365", "183", "points", 1, 2, 0, 365},
		{"a year in two entities is a range of two rows", "365", "183", "range", 1, 0, 1, 365},
		{"a year in an entity to each day takes four transactions", "365", "1", "range", 4, 0, 1, 365},
		{"a hundred entities are one transaction still", "100", "1", "range", 1, 0, 1, 100},
		{"an entity that could hold more holds what there is", "7", "24", "points", 1, 1, 0, 7},
	} {
		w := newShops(t, 2)
		given := args{"slots": row.slots, "per-entity": row.each, "complete": "true", "at": "days"}
		w.race(1, 2, 20, w.series("series-write", 2, given))
		w.change(entity.Insert, "TestDays", entity.Key{Partition: "s00", Row: "2014_x"}, number("Count001", 1))
		w.holds("series-write", given, 2)
		clear(w.requests)
		write := w.series("series-write", 1, given)[0]
		assert.Len(t, write.Requests(), row.written, row.name)
		assert.True(t, w.run(write), row.name)
		delete(given, "complete")
		given["by"] = row.by
		read := w.series("series-get", 1, given)[0]
		assert.True(t, w.run(read), row.name)
		got := [4]int{w.requests["batch"], w.requests["get"], w.requests["query"], int(counted(read)["counts"])}
		assert.Equal(t, [4]int{row.written, row.gets, row.queries, row.got}, got, row.name)
	}
}

// Writers take turns: each count of a series, then the next series, then from the start. The
// entities of a series are numbered from 01, as many digits as the last one takes.
func TestSeriesTakeTurns(t *testing.T) {
	for _, row := range []struct {
		each, slots string
		k           int
		want        string
	}{
		{"24", "24", 0, "s00 2014 Count001"}, {"24", "24", 23, "s00 2014 Count024"}, {"24", "24", 24, "s01 2014 Count001"},
		{"24", "24", 71, "s02 2014 Count024"}, {"24", "24", 72, "s00 2014 Count001"}, {"183", "365", 0, "s00 2014_01 Count001"},
		{"183", "365", 183, "s00 2014_02 Count184"}, {"1", "365", 8, "s00 2014_009 Count009"},
	} {
		given := args{"at": "days", "per-entity": row.each, "slots": row.slots}
		one := newShops(t, 3).op("series-put", row.k, given, shop(0)).Begin().Change
		assert.Equalf(t, row.want, one.Key.Partition+" "+one.Key.Row+" "+one.Properties[0].Name, "operation %d", row.k)
	}
}
