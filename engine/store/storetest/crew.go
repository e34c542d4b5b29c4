package storetest

import (
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"loadgen/engine/entity"
)

// Crew is workers that write until they are cut off, and know what has to be there
// afterwards. What each writes is a pure function of its number and that of its
// operation; no two write the same entity, and several share a partition.
type Crew struct {
	workers []worker
	// ticks orders what workers begin and what they are told.
	ticks atomic.Int64
}

// worker has begun so many operations, and was told that so many were carried out.
type worker struct {
	begun, done atomic.Int64
	// beganAt and toldAt are when, by the crew's ticks.
	beganAt, toldAt []int64
	// promised is what was done when the crew was sealed.
	promised int64
}

// mostWork bounds the operations of a worker.
const mostWork = 1 << 14

// NewCrew returns a crew of so many.
func NewCrew(workers int) *Crew {
	c := &Crew{workers: make([]worker, workers)}
	for i := range c.workers {
		c.workers[i].beganAt, c.workers[i].toldAt = make([]int64, mostWork), make([]int64, mostWork)
	}
	return c
}

// Work has all workers write, until apply is false for each: of a change that may not
// have been made, or because it is enough. Apply makes several changes as a transaction.
func (c *Crew) Work(apply func(worker int, changes []entity.Change) bool) {
	var wait sync.WaitGroup
	for i := range c.workers {
		wait.Go(func() {
			w := &c.workers[i]
			for n := w.begun.Load(); n < mostWork; n++ {
				w.beganAt[n] = c.ticks.Add(1)
				w.begun.Store(n + 1)
				if !apply(i, changesOf(i, n)) {
					return
				}
				w.toldAt[n] = c.ticks.Add(1)
				w.done.Store(n + 1)
			}
		})
	}
	wait.Wait()
}

// Done returns how many operations were carried out, as far as the workers know.
func (c *Crew) Done() (sum int64) {
	for i := range c.workers {
		sum += c.workers[i].done.Load()
	}
	return sum
}

// Seal notes what has been promised by now: that has to survive.
func (c *Crew) Seal() {
	for i := range c.workers {
		c.workers[i].promised = c.workers[i].done.Load()
	}
}

// kinds is after how many operations a worker does the same again.
const kinds = 5

// changesOf returns what a worker does in an operation: one change, or a transaction. Each
// leaves another state behind than all before.
func changesOf(worker int, n int64) []entity.Change {
	key := func(row string) entity.Key {
		return entity.Key{Partition: fmt.Sprintf("p%d", worker%4), Row: fmt.Sprintf("%02d-%s", worker, row)}
	}
	put := func(row string) entity.Change {
		return entity.Change{Verb: entity.InsertOrReplace, Key: key(row), Properties: []entity.Property{{Name: "N", Value: entity.Int64(n)}}}
	}
	switch n % kinds {
	case 0:
		return []entity.Change{put("own")}
	case 1, 3:
		all := []entity.Change{put("own")}
		for i := range 7 {
			all = append(all, put(fmt.Sprintf("common-%d", i)))
		}
		return all
	case 2:
		one := put(fmt.Sprintf("new-%d", n))
		one.Verb = entity.Insert
		return []entity.Change{one}
	default:
		gone := key(fmt.Sprintf("new-%d", max(2, n-2-kinds)))
		if n < 2*kinds {
			return []entity.Change{put("own")}
		}
		return []entity.Change{{Verb: entity.Delete, Key: gone, Match: entity.MatchAny}}
	}
}

// Check compares what was found with what the workers did, and returns what is wrong.
// Of each worker all operations up to one have to be there, each of them whole, and
// nothing of those after it. With sync that one is not before the last that was promised
// when the crew was sealed; without, no operation may be there that was begun after
// another was promised that is not.
func (c *Crew) Check(found map[entity.Key]int64, sync bool) (faults []string) {
	of := make([]map[string]int64, len(c.workers))
	for key, n := range found {
		var worker int
		if _, err := fmt.Sscanf(key.Row, "%02d-", &worker); err != nil || worker >= len(of) {
			return []string{fmt.Sprintf("nobody wrote %+q", key)}
		}
		if of[worker] == nil {
			of[worker] = map[string]int64{}
		}
		of[worker][key.Row] = n
	}
	earliestLost, latestKept := int64(1<<62), int64(0)
	for i := range c.workers {
		w := &c.workers[i]
		kept := w.kept(i, of[i])
		switch {
		case kept < 0:
			faults = append(faults, fmt.Sprintf("what is there of worker %d was so at no time: %d entities, after %d operations begun and %d promised", i, len(of[i]), w.begun.Load(), w.promised))
			continue
		case sync && kept < w.promised:
			faults = append(faults, fmt.Sprintf("of worker %d %d operations are there; %d were promised", i, kept, w.promised))
		}
		if kept < w.promised {
			earliestLost = min(earliestLost, w.toldAt[kept])
		}
		if kept > 0 {
			latestKept = max(latestKept, w.beganAt[kept-1])
		}
	}
	if earliestLost < latestKept {
		faults = append(faults, fmt.Sprintf("an operation that was promised at %d is lost, and one that was begun at %d is there", earliestLost, latestKept))
	}
	return faults
}

// kept returns after how many operations of a worker there was what is there, -1 for none.
func (w *worker) kept(number int, found map[string]int64) int64 {
	state := map[string]int64{}
	for n := int64(0); ; n++ {
		if maps.Equal(state, found) {
			return n
		}
		if n == w.begun.Load() {
			return -1
		}
		for _, c := range changesOf(number, n) {
			if c.Verb == entity.Delete {
				delete(state, c.Key.Row)
			} else {
				state[c.Key.Row] = n
			}
		}
	}
}

// NumberOf returns what a worker has written into an entity.
func NumberOf(e entity.Packed) int64 {
	n, _ := e.Lookup("N")
	return n.Int()
}
