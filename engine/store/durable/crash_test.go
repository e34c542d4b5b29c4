package durable_test

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/store"
	"loadgen/engine/store/durable"
	"loadgen/engine/store/storetest"
)

const (
	table = "Races"
	start = entity.Ticks(636396960326680941)
)

// applyTo returns what applies a crew's changes to a store, until it is told to end.
func applyTo(s *durable.Store, ended *atomic.Bool) func(int, []entity.Change) bool {
	return func(_ int, changes []entity.Change) bool {
		if ended.Load() {
			return false
		}
		if len(changes) == 1 {
			return s.Apply(table, &changes[0], start).Code == entity.OK
		}
		return s.ApplyBatch(table, changes, start).Code == entity.OK
	}
}

// found returns what a crew has left in a store, read page by page.
func found(t *testing.T, s *durable.Store) map[entity.Key]int64 {
	t.Helper()
	all, q := map[entity.Key]int64{}, store.Query{}
	for more := true; more; {
		page, code := s.Scan(table, q)
		require.Equal(t, entity.OK, code, "Scan")
		for _, row := range page.Rows {
			all[row.Key] = storetest.NumberOf(row.Entity)
		}
		more = page.More
		q.Range = q.Range.StartingAt(page.Next)
	}
	assert.EqualValues(t, len(all), s.Count(table), "Count")
	return all
}

// The machine crashes under load, and keeps none, some or all of what was not synced.
func TestCrashesOfTheMachine(t *testing.T) {
	const workers = 16
	for seed := range uint64(tier(3, 20, 200)) {
		for _, sync := range []bool{true, false} {
			rng := rand.New(rand.NewPCG(seed, 7))
			percent := []int{0, 100, rng.IntN(101)}[seed%3]
			t.Run(fmt.Sprintf("seed %d, sync %v, %d %% of the unsynced", seed, sync, percent), func(t *testing.T) {
				fs := vfs.NewCrashableMem()
				// A small memtable, so that tables are written and merged meanwhile.
				o := durable.Options{Folder: "data", Account: "races", Sync: sync, FS: fs, MemTableBytes: 64 << 10}
				s := opened(t, o)
				require.Equal(t, entity.OK, s.CreateTable(table), "CreateTable")
				if !sync {
					// That the table is there is not what is tested.
					closed(t, s)
					s = opened(t, o)
				}
				crew, wanted := storetest.NewCrew(workers), int64(20+rng.IntN(3000))
				var ended, crashed atomic.Bool
				apply := applyTo(s, &ended)
				var after *vfs.MemFS
				crew.Work(func(worker int, changes []entity.Change) bool {
					if crew.Done() >= wanted && crashed.CompareAndSwap(false, true) {
						crew.Seal()
						after = fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rng})
						ended.Store(true)
					}
					return apply(worker, changes)
				})
				closed(t, s)
				o.FS = after
				s = opened(t, o)
				assert.Empty(t, crew.Check(found(t, s), sync), "after the crash")
				closed(t, s)
			})
		}
	}
}
