package coverage_test

import (
	"cmp"
	"fmt"
	"testing"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/model"
	"loadgen/engine/rest/resttest"
)

// table is a table of the embedded engine, asked without a wire.
type table struct {
	testing.TB
	*engine.Engine
	number uint64
}

// newTable returns a table of one range after a cold start, under the documented profile.
func newTable(t testing.TB, settings ...string) *table { return newTables(t, 1, true, settings) }

// newTables returns Races, and as many more as it takes to be n: Races2, Races3, ....
func newTables(t testing.TB, n int, cold bool, settings []string) *table {
	t.Helper()
	e := resttest.New(t, resttest.Options{Profile: model.Documented, Settings: settings,
		Engine: engine.Options{Seed: 1, Cold: cold}}).Engine
	for i := range n {
		if code, detail := e.LoadTable(0, account, nameOf(i)); code != entity.OK {
			t.Fatal(code, detail)
		}
	}
	return &table{TB: t, Engine: e}
}

// nameOf returns the name of a table by its number, from 0.
func nameOf(i int) string {
	if i == 0 {
		return "Races"
	}
	return fmt.Sprint("Races", i+1)
}

// load puts an entity in without asking for admission.
func (e *table) load(partition, row string) {
	e.Helper()
	change := entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: partition, Row: row}}
	if code, detail := e.Load(0, account, "Races", &change); code != entity.OK {
		e.Fatal(code, detail)
	}
}

// ask sends a request at an instant.
func (e *table) ask(now clock.Instant, r engine.Request) engine.Reply {
	e.number++
	r.Account, r.Number = account, e.number
	r.Table = cmp.Or(r.Table, "Races")
	return e.Submit(now, &r)
}

// insert is a request for an insert.
func insert(partition, row string) engine.Request {
	return engine.Request{Verb: entity.Insert, Change: &entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: partition, Row: row}}}
}

// read reads a range from an instant on, page by page, and returns its entities and how many
// requests that took.
func (e *table) read(now clock.Instant, over filter.Range) (entities, requests int) {
	e.Helper()
	for {
		reply := e.ask(now, engine.Request{Verb: entity.Query, Query: engine.Query{Range: over}})
		if reply.Code != entity.OK {
			e.Fatal(reply.Code, reply.Detail)
		}
		entities, requests, now = entities+len(reply.Rows), requests+1, reply.Done
		if !reply.More {
			return entities, requests
		}
		over = over.StartingAt(reply.Next)
	}
}
