package durable_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/store"
	"loadgen/engine/store/durable"
	"loadgen/engine/store/storetest"
	"loadgen/results/resultstest"
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
	for seed := range uint64(resultstest.Cases(3, 20, 200)) {
		for _, sync := range []bool{true, false} {
			rng := rand.New(rand.NewPCG(seed, 7))
			percent := []int{0, 100, rng.IntN(101)}[seed%3]
			t.Run(fmt.Sprintf("seed %d, sync %v, %d%% of the unsynced", seed, sync, percent), func(t *testing.T) {
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

// disk is a file system whose operations of some kinds fail from one of them on.
type disk struct {
	kinds []errorfs.OpKind
	err   error
	left  atomic.Int64
	met   atomic.Bool
}

const never = int64(1 << 60)

func (d *disk) injector() errorfs.Injector {
	return errorfs.InjectorFunc(func(op errorfs.Op) error {
		for _, kind := range d.kinds {
			if op.Kind == kind && d.left.Add(-1) < 0 {
				d.met.Store(true)
				return d.err
			}
		}
		return nil
	})
}

// Each error of the disk ends in InternalError for all who come after it, and nothing that
// was acknowledged before is lost.
func TestErrorsOfTheDisk(t *testing.T) {
	for _, row := range []struct {
		name  string
		kinds []errorfs.OpKind
		err   error
		// step is how many operations of the disk lie between two moments.
		step int64
	}{
		{"the disk is full", []errorfs.OpKind{errorfs.OpFileWrite, errorfs.OpFilePreallocate}, syscall.ENOSPC, 13},
		{"the disk does not sync", []errorfs.OpKind{errorfs.OpFileSync, errorfs.OpFileSyncData}, syscall.EIO, 13},
		{"no file can be made", []errorfs.OpKind{errorfs.OpCreate, errorfs.OpReuseForWrite}, syscall.EROFS, 1},
	} {
		for _, sync := range []bool{true, false} {
			for after := range int64(resultstest.Cases(3, 12, 40)) {
				t.Run(fmt.Sprintf("%s, sync %v, after %d", row.name, sync, after), func(t *testing.T) {
					failsAndRefuses(t, &disk{kinds: row.kinds, err: row.err}, sync, after*row.step)
				})
			}
		}
	}
}

func failsAndRefuses(t *testing.T, d *disk, synced bool, after int64) {
	d.left.Store(never)
	fs := vfs.NewCrashableMem()
	o := durable.Options{Folder: "data", Account: "races", Sync: synced, MemTableBytes: 64 << 10, FS: errorfs.Wrap(fs, d.injector())}
	s := opened(t, o)
	require.Equal(t, entity.OK, s.CreateTable(table), "CreateTable")
	crew := storetest.NewCrew(8)
	var ended atomic.Bool
	var once sync.Once
	apply := applyTo(s, &ended)
	crew.Work(func(worker int, changes []entity.Change) bool {
		const before = 200
		if crew.Done() >= before {
			once.Do(func() { d.left.Store(after) })
		}
		return apply(worker, changes)
	})
	crew.Seal()
	require.True(t, d.met.Load(), "an operation of the disk failed")
	require.ErrorIs(t, s.Err(), d.err, "the store's error")
	<-s.Failed() // it is closed right after the error is set, by the goroutine that met it
	// The disk is well again, the store stays as it is.
	d.left.Store(never)
	change := entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "p", Row: "after"}}
	_, read := s.Get(table, change.Key)
	_, scanned := s.Scan(table, store.Query{})
	for what, code := range map[string]entity.Code{
		"a write":       s.Apply(table, &change, start).Code,
		"a transaction": s.ApplyBatch(table, []entity.Change{change}, start).Code,
		"a new table":   s.CreateTable("Other"), "no table": s.DeleteTable(table, 0, 0), "a note": s.SetNote(table, []byte("x")),
		"a read": read, "a page": scanned,
	} {
		assert.Equalf(t, entity.InternalError, code, "after the error %s is answered with", what)
	}
	closed(t, s)
	o.FS = fs.CrashClone(vfs.CrashCloneCfg{})
	again := opened(t, o)
	defer again.Close()
	if !again.HasTable(table) && !synced {
		return // nothing was promised of what was not synced
	}
	assert.Empty(t, crew.Check(found(t, again), synced), "after the error")
}
