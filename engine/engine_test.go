package engine_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/model"
)

const second = clock.Instant(time.Second)

// bench is an engine with a table, and a counter for request numbers.
type bench struct {
	*engine.Engine
	number uint64
}

// newBench returns a bench whose accounts one and two have the table Races.
func newBench(t testing.TB, profile string) *bench {
	return openBench(t, modelOf(t, profile), engine.Options{})
}

// modelOf returns a profile's model, changed so: NAME=VALUE.
func modelOf(t testing.TB, profile string, settings ...string) *model.Model {
	t.Helper()
	m, err := model.New(profile)
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		err = errors.Join(err, m.Set(name, value))
	}
	require.NoError(t, err)
	return m
}

// openBench returns a bench of a model and further options.
func openBench(t testing.TB, m *model.Model, o engine.Options) *bench {
	t.Helper()
	o.Model, o.Accounts, o.Seed = m, []string{"one", "two"}, 1
	b := &bench{Engine: engine.New(o)}
	for _, account := range o.Accounts {
		require.Equal(t, 204, b.Submit(0, &engine.Request{Account: account, Table: "Races", Verb: entity.CreateTable}).Status)
	}
	return b
}

// do submits a change, or a Get of the change's key.
func (b *bench) do(now clock.Instant, account, table string, verb entity.Verb, pk, rk string) engine.Reply {
	b.number++
	change := &entity.Change{Verb: verb, Key: entity.Key{Partition: pk, Row: rk}}
	switch verb {
	case entity.Replace, entity.Merge, entity.Delete:
		change.Match = entity.MatchAny
	}
	return b.Submit(now, &engine.Request{Account: account, Table: table, Verb: verb, Change: change, Number: b.number})
}

func TestRepliesAndWhatTheyCount(t *testing.T) {
	rows := []struct {
		sentence, account, table string
		verb                     entity.Verb
		row                      string
		status                   int
		code                     entity.Code
		counted                  int64
	}{
		{"an insert counts one", "one", "Races", entity.Insert, "1", 204, entity.OK, 1},
		{"a second insert conflicts and counts all the same", "one", "Races", entity.Insert, "1", 409, entity.EntityAlreadyExists, 1},
		{"a get counts one", "one", "Races", entity.Get, "1", 200, entity.OK, 1},
		{"table names compare without regard to case", "one", "rACES", entity.Get, "1", 200, entity.OK, 1},
		{"a get that finds nothing counts one", "one", "Races", entity.Get, "2", 404, entity.ResourceNotFound, 1},
		{"another account has other entities", "two", "Races", entity.Get, "1", 404, entity.ResourceNotFound, 1},
		{"a table that is missing counts nothing", "one", "Racers", entity.Get, "1", 404, entity.TableNotFound, 0},
		{"an account that is missing counts nothing", "three", "Races", entity.Get, "1", 404, entity.ResourceNotFound, 0},
		{"a merge counts one", "one", "Races", entity.Merge, "1", 204, entity.OK, 1},
		{"a verb without a meaning is refused as input", "one", "Races", 99, "1", 400, entity.InvalidInput, 1},
		{"a delete counts one", "one", "Races", entity.Delete, "1", 204, entity.OK, 1},
	}
	b := newBench(t, model.Documented)
	before := b.Counts()
	var counted int64
	for i, row := range rows {
		got := b.do(clock.Instant(i)*second, row.account, row.table, row.verb, "hot", row.row)
		assert.Equalf(t, row.status, got.Status, "%s: %v", row.sentence, row.verb)
		assert.Equal(t, row.code, got.Code, row.sentence)
		assert.Equalf(t, row.counted, got.Counted, "%s: counted", row.sentence)
		counted += row.counted
	}
	after := b.Counts()
	assert.EqualValues(t, len(rows), after.Requests-before.Requests, "requests")
	assert.Equal(t, counted, after.Entities-before.Entities, "entities")
	assert.Equalf(t, after.Ok+after.Throttled+after.Failed, after.Requests,
		"Counts() = %+v; want requests = ok + refused + failed", after)
}

func TestLimitsOfPartitionAndAccount(t *testing.T) {
	e := openBench(t, modelOf(t, model.Documented, "account_target=10000", "partition_target=2000"), engine.Options{})
	details := map[string]int{}
	// Eight partitions at 2,500/s each for 4 s: each is held to 2,000/s, and of
	// those 16,000/s the account takes 10,000/s.
	for n := range 80_000 {
		at := second + clock.Instant(n)*50_000
		r := e.Submit(at, &engine.Request{Account: "one", Table: "Races", Verb: entity.Get, Number: uint64(n),
			Change: &entity.Change{Key: entity.Key{Partition: fmt.Sprint("hot", n%8)}}})
		if r.Code == entity.ServerBusy {
			details[r.Detail]++
			if r.Counted != 0 || r.Status != 503 || r.Done != at.Add(3*time.Millisecond) {
				t.Fatalf("refusal = %+v; want 503 after 3 ms, counting nothing", r)
			}
		} else {
			details["admitted"]++
		}
	}
	want := map[string]int{
		"admitted": 40_000,
		"The server is currently unable to receive requests. Please retry your request.": 16_000,
		"Operations per second is over the account limit.":                               24_000,
	}
	for detail, count := range want {
		// The bursts of partitions and account are 1,600 and 2,500 entities.
		assert.InDeltaf(t, count, details[detail], 4200, "replies %q", detail)
	}
}

func TestQueryIsChargedWhatItScans(t *testing.T) {
	b := newBench(t, model.Documented)
	for _, pk := range []string{"a", "b", "c"} {
		b.fill(t, pk, 100)
	}
	assert.EqualValues(t, 300, b.CountsOf(entity.Batch).Entities)
	none := func(entity.Key, entity.Packed) bool { return false }
	rows := []struct {
		sentence          string
		query             engine.Query
		returned, counted int
		more              bool
	}{
		{"a partition scan counts the partition", engine.Query{Range: filter.OnePartition("b")}, 100, 100, false},
		{"a row range counts its rows", engine.Query{Range: filter.Rows("b", "000010", "000020")}, 10, 10, false},
		{"a page counts what it read", engine.Query{Range: filter.OnePartition("b"), Top: 30}, 30, 30, true},
		{"what a filter drops was scanned", engine.Query{Range: filter.OnePartition("b"), Keep: none}, 0, 100, false},
		{"a table scan counts the table", engine.Query{Range: filter.WholeTable()}, 300, 300, false},
		{"an empty range counts one", engine.Query{Range: filter.OnePartition("x")}, 0, 1, false},
		{"a range from a partition that is missing counts what it found", engine.Query{Range: filter.PartitionRange("aa", "c")}, 100, 100, false},
	}
	for i, row := range rows {
		got := b.query(clock.Instant(i+2)*second, row.query)
		assert.Equal(t, 200, got.Status, row.sentence)
		assert.Lenf(t, got.Rows, row.returned, "%s: rows", row.sentence)
		assert.EqualValuesf(t, row.counted, got.Counted, "%s: counted", row.sentence)
		assert.Equalf(t, row.more, got.More, "%s: more", row.sentence)
	}
	// Three scans of 100 at one instant: the burst of 200 admits two, and the
	// third finds the bucket empty.
	const later = 100 * second
	for i, want := range []int{200, 200, 503} {
		assert.Equalf(t, want, b.query(later, engine.Query{Range: filter.OnePartition("b")}).Status, "scan %d at one instant", i+1)
	}
	// They left nothing: a point read is admitted half a millisecond later.
	assert.Equal(t, 503, b.do(later+400_000, "one", "Races", entity.Get, "b", "000001").Status, "Get 0.4 ms after the scans")
	assert.Equal(t, 200, b.do(later+500_000, "one", "Races", entity.Get, "b", "000001").Status, "Get 0.5 ms after the scans")
}

func TestChanceBelongsToTheRequest(t *testing.T) {
	done := func(number uint64, attempt int, noise int) clock.Instant {
		b := newBench(t, model.Documented)
		for i := range noise {
			b.do(0, "two", "Races", entity.Get, "x", fmt.Sprint(i))
		}
		r := b.Submit(second, &engine.Request{Account: "one", Table: "Races", Verb: entity.Get, Number: number, Attempt: attempt,
			Change: &entity.Change{Key: entity.Key{Partition: "hot"}}})
		return r.Done
	}
	assert.Equal(t, done(7, 0, 0), done(7, 0, 50), "Done after other requests")
	assert.NotEqual(t, done(7, 0, 0), done(7, 1, 0), "Done of two attempts")
	assert.NotEqual(t, done(7, 0, 0), done(8, 0, 0), "Done of two requests")
}

// A deleted table's name is kept back for as long as the model says, in any case, in its
// own account, and from each deletion anew.
func TestNameOfADeletedTableIsKeptBack(t *testing.T) {
	const create, drop = entity.CreateTable, entity.DeleteTable
	rows := []struct {
		sentence       string
		at             clock.Instant
		account, table string
		verb           entity.Verb
		want           entity.Code
	}{
		{"a table that is there is in use", 0, "one", "Races", create, entity.TableAlreadyExists},
		{"a table is deleted at once", 5 * second, "one", "Races", drop, entity.OK},
		{"deleted again, it is not there", 5 * second, "one", "Races", drop, entity.ResourceNotFound},
		{"its name cannot be used", 6 * second, "one", "Races", create, entity.TableBeingDeleted},
		{"nor in another case", 44 * second, "one", "rACES", create, entity.TableBeingDeleted},
		{"another account has names of its own", 44 * second, "two", "Races", create, entity.TableAlreadyExists},
		{"another name is free", 44 * second, "one", "Races2", create, entity.OK},
		{"to the last nanosecond", 45*second - 1, "one", "Races", create, entity.TableBeingDeleted},
		{"then it is free", 45 * second, "one", "rACES", create, entity.OK},
		{"the new one is deleted", 46 * second, "one", "Races", drop, entity.OK},
		{"from when on time counts anew", 85 * second, "one", "Races", create, entity.TableBeingDeleted},
		{"until it is over again", 86 * second, "one", "Races", create, entity.OK},
		{"a name that no table may have is no deleted one's", 86 * second, "one", "a-b", create, entity.InvalidResourceName},
	}
	b := newBench(t, model.Documented)
	for _, row := range rows {
		reply := b.Submit(row.at, &engine.Request{Account: row.account, Table: row.table, Verb: row.verb})
		assert.Equalf(t, row.want, reply.Code, "%s: %v of %s at %v", row.sentence, row.verb, row.table, row.at)
		if row.want == entity.TableBeingDeleted {
			assert.Equalf(t, entity.TableNotFound, b.do(row.at, "one", "Races", entity.Get, "hot", "1").Code, "%s: a Get meanwhile", row.sentence)
		}
	}
	for _, keeps := range []string{"0", "1m"} {
		e := openBench(t, modelOf(t, model.Off, "name_delay="+keeps), engine.Options{})
		e.Submit(0, &engine.Request{Account: "one", Table: "Races", Verb: drop})
		code := e.Submit(0, &engine.Request{Account: "one", Table: "Races", Verb: create}).Code
		assert.Equalf(t, keeps == "0", code == entity.OK, "a name used again at once where it is kept for %s = %q", keeps, code)
	}
}

// What passes requests by passes the delay by: a table put in is there, and in use.
func TestLoadedTableNeedsNoFreeName(t *testing.T) {
	b := newBench(t, model.Documented)
	b.Submit(0, &engine.Request{Account: "one", Table: "Races", Verb: entity.DeleteTable})
	code, _ := b.LoadTable(second, "one", "Races")
	assert.Equal(t, entity.OK, code, "LoadTable of a deleted table's name")
	r := b.Submit(second, &engine.Request{Account: "one", Table: "Races", Verb: entity.CreateTable})
	assert.Equal(t, entity.TableAlreadyExists, r.Code, "CreateTable of a loaded table")
}

func TestConcurrentSubmitsKeepTheBooks(t *testing.T) {
	b := newBench(t, model.Documented)
	var workers sync.WaitGroup
	for w := range 8 {
		workers.Go(func() {
			for i := range 500 {
				b.Submit(clock.Instant(i)*second/1000, &engine.Request{Account: "one", Table: "Races", Verb: entity.InsertOrReplace,
					Change: &entity.Change{Verb: entity.InsertOrReplace, Key: entity.Key{Partition: "hot", Row: fmt.Sprint(w, i)}}})
			}
		})
	}
	workers.Wait()
	c := b.CountsOf(entity.InsertOrReplace)
	want := engine.Counts{Requests: 4000, Ok: c.Ok, Throttled: 4000 - c.Ok, Entities: c.Ok}
	assert.Equal(t, want, c, "each request is ok or refused, with one entity for each ok")
}

func BenchmarkSubmitGet(b *testing.B) {
	e := newBench(b, model.Off)
	e.do(0, "one", "Races", entity.Insert, "hot", "1")
	r := &engine.Request{Account: "one", Table: "Races", Verb: entity.Get, Change: &entity.Change{Key: entity.Key{Partition: "hot", Row: "1"}}}
	b.ReportAllocs()
	var now clock.Instant
	for b.Loop() {
		now += 1000
		e.Submit(now, r)
	}
}

func TestSizeWeightCountsWithEveryStart(t *testing.T) {
	// An entity of 4 KiB costs 1 + 3 × weight. Of 4,000/s for 5 s a partition admits
	// 2,000/s × 5 s and 200 that it has saved up, over that cost.
	for _, row := range []struct {
		weight string
		cold   bool
		want   float64
	}{
		{"0", false, 10_200}, {"0", true, 10_200},
		{"500", false, 10_200 / 2.5}, {"500", true, 10_200 / 2.5},
		{"1000", false, 10_200 / 4}, {"1000", true, 10_200 / 4},
	} {
		b := openBench(t, modelOf(t, model.Documented, "size_weight="+row.weight), engine.Options{Cold: row.cold})
		admitted := 0
		for n := range 20_000 {
			b.number++
			change := &entity.Change{Verb: entity.InsertOrReplace, Key: entity.Key{Partition: "hot", Row: "1"}}
			reply := b.Submit(second+clock.Instant(n)*second/4000, &engine.Request{Account: "one", Table: "Races", Verb: change.Verb, Change: change, Billed: 4096, Number: b.number})
			if reply.Status == 204 {
				admitted++
			}
		}
		assert.InEpsilonf(t, row.want, admitted, 0.01, "size_weight %s, cold %v: admitted entities of 4 KiB", row.weight, row.cold)
	}
}

// What is loaded takes nobody's allowance and is in nobody's books.
func TestLoadIsNoRequest(t *testing.T) {
	b := newBench(t, model.Documented)
	before := b.Counts()
	const many = 2500 // more than one partition may take in its burst, and more than a page
	for i := range many {
		c := entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "hot", Row: fmt.Sprintf("%04d", i)}}
		if code, detail := b.Load(0, "one", "Races", &c); code != entity.OK {
			t.Fatal(detail)
		}
	}
	assert.Equal(t, before, b.Counts(), "Counts after loading")
	assert.Equal(t, 0, b.Partitions(), "Partitions after loading")
	assert.Equal(t, entity.OK, b.do(0, "one", "Races", entity.Get, "hot", "2499").Code, "Get of what was loaded")
	assert.Equal(t, 1, b.Partitions(), "Partitions after a request to one")

	var rows []string
	for k := range b.Entities("one", "rACES") {
		rows = append(rows, k.Row)
	}
	assert.Len(t, rows, many, "Entities yielded")
	assert.True(t, slices.IsSorted(rows), "Entities are in order")
	for range b.Entities("one", "Races") {
		break
	}
}

// What is loaded is as old as a request's entity would be that arrived then.
func TestLoadIsDated(t *testing.T) {
	epoch := entity.EarliestDateTime + 7
	e := engine.New(engine.Options{Model: modelOf(t, model.Off), Accounts: []string{"one"}, Calendar: clock.Epoch(epoch.Time())})
	e.LoadTable(0, "one", "Races")
	c := entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "p", Row: "r"}}
	code, detail := e.Load(second, "one", "Races", &c)
	require.Equal(t, entity.OK, code, detail)
	for _, packed := range e.Entities("one", "Races") {
		assert.InDelta(t, int64(epoch+10_000_000), int64(packed.Timestamp()), 10, "the timestamp")
	}
}

func TestLoadRefusesWhatARequestCannotDo(t *testing.T) {
	b := newBench(t, model.Off)
	insert := func(row string) *entity.Change {
		return &entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "p", Row: row}}
	}
	for _, row := range []struct {
		name, account, table string
		// change is loaded, the table itself where there is none.
		change *entity.Change
		want   entity.Code
	}{
		{"an entity", "one", "Races", insert("1"), entity.OK},
		{"the same again", "one", "races", insert("1"), entity.EntityAlreadyExists},
		{"the same in another account", "two", "Races", insert("1"), entity.OK},
		{"a key that cannot be", "one", "Races", insert("a/b"), entity.OutOfRangeInput},
		{"a table that is missing", "one", "Racers", insert("1"), entity.TableNotFound},
		{"an account that is missing", "three", "Races", insert("1"), entity.ResourceNotFound},
		{"a new table", "one", "Runners", nil, entity.OK},
		{"a table that is there", "one", "runnerS", nil, entity.OK},
		{"a name that cannot be", "one", "a-b", nil, entity.InvalidResourceName},
		{"a name that is too short", "one", "ab", nil, entity.OutOfRangeInput},
		{"a table of a missing account", "three", "Runners", nil, entity.ResourceNotFound},
	} {
		var code entity.Code
		var detail string
		if row.change == nil {
			code, detail = b.LoadTable(second, row.account, row.table)
		} else {
			code, detail = b.Load(second, row.account, row.table, row.change)
		}
		assert.Truef(t, code == row.want && (detail == "") == (code == entity.OK),
			"%s: loading = %q %q; want %q and why", row.name, code, detail, row.want)
	}
	want := []engine.TableState{{Name: "Races", Entities: 1}, {Name: "Runners"}}
	assert.Equal(t, want, b.Tables("one"))
	assert.Empty(t, b.Tables("three"), "tables of an account that is missing")
	assert.Empty(t, maps.Collect(b.Entities("three", "Races")), "an account that is missing")
	assert.Empty(t, maps.Collect(b.Entities("one", "Racers")), "a table that is missing")
}
