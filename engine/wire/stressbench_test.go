package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/store"
	"loadgen/engine/wire"
)

var raceBase = wire.Base{URL: "http://127.0.0.1:10002/races", Account: "races"}

const stressPartition = "2011 New York City Marathon__Full"

// stressEntity is what the stress scenario writes: a kibibyte by the billing
// rule, most of it in one text. The truth value makes the last byte unreachable.
func stressEntity(i int) (entity.Key, []entity.Property) {
	k := entity.Key{Partition: stressPartition, Row: fmt.Sprintf("%d__Emily__F__37", 100_000+i*7919%1_000_003)}
	all := properties(
		"Event", entity.String("2011 New York City Marathon"), "Distance", entity.String("Full"),
		"Bib", entity.Int64(int64(100_000+i)), "Name", entity.String("Emily"), "Sex", entity.String("F"), "Age", entity.Int32(37),
		"Paid", entity.Boolean(true), "Fee", entity.Double(129), "Registered", entity.DateTime(ticks("2011-05-17T18:42:00Z")),
		"Notes", entity.String(""))
	notes := &all[len(all)-1].Value
	*notes = entity.String(strings.Repeat("the course is closed at six; ", 40)[:(1024-entity.Size(k, all))/2])
	return k, all
}

func TestTheStressEntityIsOfOneKibibyte(t *testing.T) {
	if got := entity.Size(stressEntity(1)); got != 1023 {
		t.Errorf("Size(stressEntity(1)) = %d; want 1023", got)
	}
}

// stressBatches returns n transactions of a hundred inserts each.
func stressBatches(n int) []string {
	texts := make([]string, n)
	changes := make([]entity.Change, entity.MaxBatchChanges)
	for at := range texts {
		for i := range changes {
			k, all := stressEntity(at*len(changes) + i)
			changes[i] = entity.Change{Verb: entity.Insert, Key: k, Properties: all}
		}
		texts[at] = string(wire.AppendBatch(nil, "1", raceBase, "Races", changes, nil))
	}
	return texts
}

// racesStore returns a store with an empty table.
func racesStore(t testing.TB) *store.Store {
	t.Helper()
	s := store.New()
	if code := s.CreateTable("Races"); code != entity.OK {
		t.Fatalf("CreateTable(Races) = %q; want success", code)
	}
	return s
}

// stressStore returns a store that holds n entities in one partition.
func stressStore(t testing.TB, n int) *store.Store {
	s := racesStore(t)
	for i := range n {
		k, all := stressEntity(i)
		if r := s.Apply("Races", &entity.Change{Verb: entity.Insert, Key: k, Properties: all}, stressTime); r.Code != entity.OK {
			t.Fatalf("Apply() = %+v; want success", r)
		}
	}
	return s
}

const stressTime entity.Ticks = 636396960326680941

// BenchmarkTransaction100 is all that a transaction of a hundred inserts costs
// apart from HTTP: it is parsed, checked, carried out and answered. The table
// begins anew every 20,000 entities.
func BenchmarkTransaction100(b *testing.B) {
	texts := stressBatches(200)
	s := racesStore(b)
	var request wire.BatchRequest
	reply := wire.BatchReply{ID: "1", Rendering: wire.Rendering{Base: raceBase, Table: "Races"}}
	var room []byte
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%len(texts) == 0 {
			s.DeleteTable("Races", 0, 0)
			s.CreateTable("Races")
		}
		if code, _, detail := request.Parse("batch_1", texts[i%len(texts)]); code != entity.OK {
			b.Fatal(code, detail)
		}
		result := s.ApplyBatch(request.Table, request.Changes, stressTime)
		if result.Code != entity.OK {
			b.Fatal(result)
		}
		room = reply.AppendSuccess(room[:0], &request, result.Versions, nil)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1e3/float64(b.N)/entity.MaxBatchChanges, "µs/entity")
}

// BenchmarkPage1000 reads a page of a thousand entities and renders it.
func BenchmarkPage1000(b *testing.B) {
	const entities = 20_000
	s := stressStore(b, entities)
	r := wire.Rendering{Base: raceBase, Table: "Races"}
	query := store.Query{Range: filter.OnePartition(stressPartition)}
	var room []byte
	b.ReportAllocs()
	for b.Loop() {
		page, code := s.Scan("Races", query)
		if code != entity.OK || len(page.Rows) != store.MaxPage {
			b.Fatal(code, len(page.Rows))
		}
		room = r.AppendPageStart(room[:0])
		for i := range page.Rows {
			room = r.AppendRow(room, i == 0, page.Rows[i].Key, page.Rows[i].Entity, nil)
		}
		room = r.AppendPageEnd(room)
		// The next page begins where this one ended, and all over at the end.
		query.Range = query.Range.StartingAt(page.Next)
		if !page.More {
			query.Range = filter.OnePartition(stressPartition)
		}
	}
	b.SetBytes(int64(len(room)))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1e3/float64(b.N)/store.MaxPage, "µs/row")
}

// BenchmarkDecodePage1000 is what a client makes of that page.
func BenchmarkDecodePage1000(b *testing.B) {
	r := wire.Rendering{Base: raceBase, Table: "Races"}
	text := r.AppendPageStart(nil)
	for i := range store.MaxPage {
		k, all := stressEntity(i)
		text = r.AppendRow(text, i == 0, k, entity.Pack(nil, stressTime, all), nil)
	}
	page := string(r.AppendPageEnd(text))
	var rows []wire.Row
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if rows, err = wire.ParsePage(rows[:0], page); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1e3/float64(b.N)/store.MaxPage, "µs/row")
}

// BenchmarkPointOperations are an insert and a get without HTTP: from the body
// to the store, and from the store to the body.
func BenchmarkPointOperations(b *testing.B) {
	const entities = 20_000
	bodies, keys := make([]string, entities), make([]entity.Key, entities)
	for i := range bodies {
		k, all := stressEntity(i)
		keys[i], bodies[i] = k, string(wire.AppendEntityBody(nil, k, all))
	}
	b.Run("insert", func(b *testing.B) {
		s := racesStore(b)
		var body wire.EntityBody
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if i%entities == 0 {
				s.DeleteTable("Races", 0, 0)
				s.CreateTable("Races")
			}
			if code, detail := body.Parse(bodies[i%entities]); code != entity.OK {
				b.Fatal(code, detail)
			}
			change := entity.Change{Verb: entity.Insert, Key: body.Key, Properties: body.Properties}
			if r := s.Apply("Races", &change, stressTime); r.Code != entity.OK {
				b.Fatal(r)
			}
		}
	})
	b.Run("get", func(b *testing.B) {
		s := stressStore(b, entities)
		r := wire.Rendering{Base: raceBase, Table: "Races"}
		var room []byte
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			k := keys[i*7919%entities]
			stored, code := s.Get("Races", k)
			if code != entity.OK {
				b.Fatal(code)
			}
			room = r.AppendEntity(room[:0], k, stored)
		}
	})
}
