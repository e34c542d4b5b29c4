//go:build long

package durable_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/engine/store/durable"
)

var days = flag.Int("days", 30, "virtual days of the month that is played")

// month is an account that is written to for days, and what has to be in it.
type month struct {
	t      *testing.T
	rng    *rand.Rand
	files  *vfs.MemFS
	store  *durable.Store
	engine *engine.Engine
	now    clock.Instant
	number uint64
	holds  map[entity.Key]int64
}

// monthPartitions times monthRows is how many entities there are at most.
const monthPartitions, monthRows = 12, 400

func (m *month) start() {
	var err error
	m.store, err = durable.Open(durable.Options{Folder: "data", Account: "races", Sync: true, FS: m.files, MemTableBytes: 256 << 10})
	require.NoErrorf(m.t, err, "day %v: Open = %v", m.now.Offset(), err)
	documented, err := model.New(model.Documented)
	require.NoError(m.t, err)
	m.engine = engine.New(engine.Options{Model: documented, Accounts: []string{"races"}, Seed: 1, Cold: true, Stores: map[string]engine.Store{"races": m.store}})
	m.engine.LoadTable(m.now, "races", table)
}

// crash ends the machine, which keeps some of what it had not synced.
func (m *month) crash() {
	after := m.files.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: m.rng.IntN(101), RNG: m.rng})
	require.NoError(m.t, m.store.Close())
	m.files = after
	m.start()
}

// write sends a request and takes down what it did, if it did anything. Nobody hears of
// some: what came of them is looked up.
func (m *month) write() {
	m.number++
	pk := fmt.Sprintf("p%02d", m.rng.IntN(monthPartitions))
	r := &engine.Request{Account: "races", Table: table, Number: m.number, Verb: entity.Batch}
	count := 1
	if m.rng.IntN(10) == 0 {
		count = 5
	}
	for _, row := range m.rng.Perm(monthRows)[:count] {
		c := entity.Change{Verb: entity.InsertOrReplace, Key: entity.Key{Partition: pk, Row: fmt.Sprint(row)},
			Properties: []entity.Property{{Name: "N", Value: entity.Int64(int64(m.number))}}}
		if m.rng.IntN(8) == 0 {
			c.Verb, c.Match, c.Properties = entity.Delete, entity.MatchAny, nil
		}
		r.Changes = append(r.Changes, c)
	}
	if count == 1 {
		r.Verb, r.Change = r.Changes[0].Verb, &r.Changes[0]
	}
	reply := m.engine.Submit(m.now, r)
	if reply.Code != entity.OK {
		return
	}
	for _, c := range r.Changes {
		if delete(m.holds, c.Key); c.Verb != entity.Delete {
			m.holds[c.Key] = int64(m.number)
		}
	}
}

// verify compares all that is there with what has to be.
func (m *month) verify() {
	there := found(m.t, m.store)
	assert.Truef(m.t, len(there) == len(m.holds),
		"after %v: %d entities; want %d", m.now.Offset(), len(there), len(m.holds))
	for key, n := range m.holds {
		if there[key] != n {
			m.t.Fatalf("after %v: %+v holds %d; want %d", m.now.Offset(), key, there[key], n)
		}
	}
}

// A month at a thousandth of the canonical 12,000 writes a second, on the virtual clock, with
// ranges that are split and moved, and a crash of the machine a day, loses nothing; at its
// end there are as many goroutines, and as much memory, as after its first day.
func TestSoakMonth(t *testing.T) {
	const perSecond = 12
	m := &month{t: t, rng: rand.New(rand.NewPCG(30, 1)), files: vfs.NewCrashableMem(), holds: map[entity.Key]int64{}}
	m.start()
	var goroutines, memory, served int64
	for day := range *days {
		crash := clock.Instant(day)*clock.Instant(24*time.Hour) + clock.Instant(m.rng.Int64N(int64(24*time.Hour)))
		for end := clock.Instant(24 * time.Hour * time.Duration(day+1)); m.now < end; m.now += clock.Instant(time.Second / perSecond) {
			if crash >= 0 && m.now >= crash {
				m.crash()
				m.verify()
				crash = -1
			}
			if m.rng.IntN(40_000) == 0 {
				m.engine.Prewarm(m.now, "races", table, fmt.Sprintf("p%02d", m.rng.IntN(monthPartitions)))
				m.engine.Move(m.now, "races", table, fmt.Sprintf("p%02d", m.rng.IntN(monthPartitions)), m.rng.IntN(4))
				m.engine.DrainEvents()
			}
			m.write()
		}
		m.verify()
		served = int64(m.number)
		runtime.GC()
		runtime.GC()
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		if day == 0 {
			goroutines, memory = int64(runtime.NumGoroutine()), int64(now.HeapAlloc)
		}
		if g, h := int64(runtime.NumGoroutine()), int64(now.HeapAlloc); g > goroutines+10 || h > 2*memory+(32<<20) {
			t.Fatalf("day %d: %d goroutines and %d MiB; %d and %d after the first", day+1, g, h>>20, goroutines, memory>>20)
		} else if day == *days-1 {
			t.Logf("%d days, %d writes: %d goroutines and %d MiB; %d and %d after the first day", *days, served, g, h>>20, goroutines, memory>>20)
		}
	}
	assert.NoError(t, m.store.Close())
}
