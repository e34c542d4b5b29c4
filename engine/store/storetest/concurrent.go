package storetest

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/store"
)

// together runs n goroutines and waits for them.
func together(n int, do func(worker int)) {
	var wait sync.WaitGroup
	for worker := range n {
		wait.Go(func() { do(worker) })
	}
	wait.Wait()
}

func numbered(n int32) []entity.Property {
	return []entity.Property{{Name: "N", Value: entity.Int32(n)}}
}

// Each batch writes the same number to all rows of the partition, or removes
// them all; whoever reads them in one page sees one number in all, or none.
func readersSeeWholeBatchesOnly(t *testing.T, open Opener) {
	const rows, writers, rounds = 20, 2, 150
	s := Filled(t, open)
	var done atomic.Int32
	var torn, whole atomic.Int32
	together(writers+2, func(worker int) {
		if worker < writers {
			defer done.Add(1)
			for round := range rounds {
				changes := make([]entity.Change, rows)
				for i := range changes {
					changes[i] = entity.Change{Verb: entity.InsertOrReplace, Key: Key("Full", fmt.Sprintf("%02d", i)),
						Properties: numbered(int32(worker*rounds + round))}
					if round%5 == 4 {
						changes[i].Verb, changes[i].Match = entity.Delete, entity.MatchAny
					}
				}
				s.ApplyBatch(Table, changes, Start)
			}
			return
		}
		query := store.Query{Range: filter.OnePartition("Full")}
		if worker%2 == 1 {
			query.Range = filter.WholeTable()
		}
		for done.Load() < writers {
			page, _ := s.Scan(Table, query)
			if len(page.Rows) == 0 {
				continue
			}
			first, _ := page.Rows[0].Entity.Lookup("N")
			mixed := slices.ContainsFunc(page.Rows, func(r store.Row) bool {
				v, _ := r.Entity.Lookup("N")
				return !v.Equal(first)
			})
			if mixed || len(page.Rows) != rows {
				torn.Add(1)
			}
			whole.Add(1)
		}
	})
	assert.Truef(t, torn.Load() <= 0, "%d of %d pages show a part of a batch; want none", torn.Load(), whole.Load())
}

// Workers insert and delete rows of one partition, so that it is emptied and
// made anew again and again; no write may be lost to a partition that is gone.
func partitionsComeAndGo(t *testing.T, open Opener) {
	const workers, rounds = 4, 500
	s := Filled(t, open)
	var lost atomic.Int32
	together(workers, func(worker int) {
		for round := range rounds {
			k := Key("Full", fmt.Sprint(worker))
			insert := entity.Change{Verb: entity.Insert, Key: k, Properties: numbered(int32(round))}
			remove := entity.Change{Verb: entity.Delete, Key: k, Match: entity.MatchAny}
			written := s.Apply(Table, &insert, Start)
			if worker%2 == 1 {
				runtime.Gosched()
			}
			read, code := s.Get(Table, k)
			n, _ := read.Lookup("N")
			removed := s.Apply(Table, &remove, Start)
			if written.Code != entity.OK || code != entity.OK || n.Int() != int64(round) ||
				read.Timestamp() != written.Version || removed.Code != entity.OK {
				lost.Add(1)
			}
		}
	})
	if lost.Load() > 0 || s.Count(Table) != 0 || partitions(s, Table, 0) != 0 {
		t.Errorf("%d rounds lost, %d entities and %d partitions left; want none", lost.Load(), s.Count(Table), partitions(s, Table, 0))
	}
}

// A counter under compare-and-swap loses no increment, since each version is
// given out once.
func conditionsGuardAgainstLostUpdates(t *testing.T, open Opener) {
	const workers, rounds = 4, 200
	k := Key("Full", "counter")
	s := Filled(t, open)
	MustApply(t, s, &entity.Change{Verb: entity.Insert, Key: k, Properties: numbered(0)}, Start)
	together(workers, func(int) {
		for range rounds {
			for {
				read, _ := s.Get(Table, k)
				n, _ := read.Lookup("N")
				// Every write happens at the same instant: only the store
				// tells the versions apart.
				swap := entity.Change{Verb: entity.Merge, Key: k, Properties: numbered(int32(n.Int() + 1)),
					Match: entity.MatchExactly(read.Timestamp())}
				if s.Apply(Table, &swap, Start).Code == entity.OK {
					break
				}
			}
		}
	})
	read, _ := s.Get(Table, k)
	if n, _ := read.Lookup("N"); n.Int() != workers*rounds {
		t.Errorf("counter after %d increments = %d; want %d", workers*rounds, n.Int(), workers*rounds)
	}
}

// Pages read while others write hold every entity that was there all the time,
// each once and in order.
func pagesDuringWritesMissNothingThatStays(t *testing.T, open Opener) {
	const partitions, rows = 6, 150
	var steady []entity.Key
	for p := range partitions {
		for i := range rows {
			steady = append(steady, Key(fmt.Sprintf("p%d", p), fmt.Sprintf("%03d", i)))
		}
	}
	s := Filled(t, open, steady...)
	var stop atomic.Bool
	together(3, func(worker int) {
		if worker > 0 {
			for round := 0; !stop.Load(); round++ {
				k := Key(fmt.Sprintf("p%d", round%(partitions+2)), fmt.Sprintf("%03d-%d", round%rows, worker))
				s.Apply(Table, &entity.Change{Verb: entity.InsertOrReplace, Key: k}, Start)
				if round%3 > 0 {
					s.Apply(Table, &entity.Change{Verb: entity.Delete, Key: k, Match: entity.MatchAny}, Start)
				}
			}
			return
		}
		defer stop.Store(true)
		for range 10 {
			var seen []entity.Key
			query := store.Query{Top: 37}
			for more := true; more; {
				page, _ := s.Scan(Table, query)
				for _, r := range page.Rows {
					seen = append(seen, r.Key)
				}
				more = page.More
				query.Range = query.Range.StartingAt(page.Next)
			}
			assert.True(t, slices.IsSortedFunc(seen, entity.Key.Compare) && len(slices.Compact(slices.Clone(seen))) == len(seen),
				"pages during writes hold keys out of order or twice")
			kept := slices.DeleteFunc(seen, func(k entity.Key) bool { return len(k.Row) != 3 })
			assert.Truef(t, slices.Equal(kept, steady),
				"pages during writes hold %d of the entities that stay; want %d", len(kept), len(steady))
		}
	})
}

// Tables are dropped and made under load; every answer is one that fits.
func tablesComeAndGo(t *testing.T, open Opener) {
	s := open(t)
	var wrong atomic.Int32
	together(4, func(worker int) {
		for range 300 {
			if worker == 0 {
				s.CreateTable(Table)
				s.TableNames()
				s.DeleteTable(Table, 0, 0)
				continue
			}
			k := Key("a", fmt.Sprint(worker))
			c := entity.Change{Verb: entity.InsertOrReplace, Key: k}
			page, found := s.Scan(Table, store.Query{})
			s.Count(Table)
			for _, code := range []entity.Code{s.Apply(Table, &c, Start).Code, found} {
				if code != entity.OK && code != entity.TableNotFound {
					wrong.Add(1)
				}
			}
			if len(page.Rows) > 3 {
				wrong.Add(1)
			}
		}
	})
	assert.Truef(t, wrong.Load() <= 0, "%d answers that fit no moment; want none", wrong.Load())
}
