package durable_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/model"
	"loadgen/engine/store"
	"loadgen/engine/store/durable"
	"loadgen/results/resultstest"
)

// The bounds of a history: what a checker can decide in time. A partition has
// clients * perClient / partitions operations, however the goroutines are scheduled.
const (
	clients      = 16
	partitions   = 4
	perClient    = 72
	atOnce       = clients / partitions
	mostOpen     = atOnce + 1
	checkingTime = 10 * time.Second
	// pause is the time between two steps of load balancing.
	pause = 100 * time.Millisecond
)

// history is what clients of an account did, and were told, partition by partition.
type history struct {
	t    *testing.T
	rng  *rand.Rand
	plan func(engine.Store) engine.Store
	// files are those of a store in a folder, nil in memory; memory is the store there.
	files  *vfs.MemFS
	memory engine.Store
	opened []*durable.Store
	// balanced is how often ranges were split and moved.
	balanced int

	// engine is the one that serves, age how often it was started.
	engine atomic.Pointer[engine.Engine]
	age    atomic.Int64
	gate   sync.RWMutex
	// now is the clock of the engine, ticks that of the history.
	now, ticks, done atomic.Int64

	// slots limit how many operations are under way in a partition: a restart loses all of them.
	slots [partitions]chan struct{}

	mu   sync.Mutex
	of   [partitions][]porcupine.Operation
	open [partitions]int
	// dropped says that a reply was lost that could have been heard.
	dropped [partitions]bool
}

// start starts an engine on what the one before has left.
func (h *history) start() {
	kept := h.memory
	if h.files != nil {
		s, err := durable.Open(durable.Options{Folder: "data", Account: "races", Sync: true, FS: h.files, MemTableBytes: 64 << 10})
		require.NoError(h.t, err, "Open")
		h.opened, kept = append(h.opened, s), s
	}
	if h.plan != nil {
		kept = h.plan(kept)
	}
	m, err := model.New(model.Documented)
	require.NoError(h.t, err)
	// All of a history is some seconds, in which ranges are away for some milliseconds.
	for name, value := range map[string]string{"offline_least": "10ms", "offline_most": "50ms", "split_pause": "10ms", "map_stale": "0s"} {
		require.NoError(h.t, m.Set(name, value))
	}
	e := engine.New(engine.Options{Model: m, Accounts: []string{"races"}, Seed: 1, Cold: true, Stores: map[string]engine.Store{"races": kept}})
	if !e.HasTable("races", table) {
		e.LoadTable(clock.Instant(h.now.Load()), "races", table)
	}
	h.engine.Store(e)
}

// events counts what load balancing has done to the ranges of the engine that serves.
func (h *history) events() { h.balanced += len(h.engine.Load().DrainEvents()) }

// restart ends the engine under load and starts another one. Of a folder the machine
// crashes, and keeps some of what was not synced. What was under way is never answered.
func (h *history) restart() {
	h.gate.Lock()
	defer h.gate.Unlock()
	h.age.Add(1)
	h.events()
	if h.files != nil {
		h.files = h.files.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: h.rng.IntN(101), RNG: h.rng})
	}
	h.start()
}

// balance splits and moves ranges while clients are at work.
func (h *history) balance(rng *rand.Rand) {
	e, now := h.engine.Load(), clock.Instant(h.now.Load())
	key := fmt.Sprint("p", rng.IntN(partitions))
	if rng.IntN(2) == 0 {
		e.Prewarm(now, "races", table, key)
	} else {
		e.Move(now, "races", table, key, rng.IntN(4))
	}
}

// client sends operations, one after the other, of which some never hear.
func (h *history) client(number int, rng *rand.Rand) {
	var seen [partitions][rowsOf]entity.Ticks
	for n, i := range rng.Perm(perClient) {
		p := i % partitions
		h.slots[p] <- struct{}{}
		in := &input{}
		in.draw(rng, &seen[p], int32(number*perClient+n+1))
		h.gate.RLock()
		e, age := h.engine.Load(), h.age.Load()
		now := clock.Instant(h.now.Add(int64(rng.IntN(int(4 * time.Millisecond)))))
		h.gate.RUnlock()
		called := h.ticks.Add(1)
		reply := e.Submit(now, in.request(p, uint64(number*perClient+n)))
		if rng.IntN(3) == 0 {
			runtime.Gosched()
		}
		out := told(in, &reply)
		// What was asked of an engine that has been ended since is not answered.
		lost := h.age.Load() != age || reply.Code == entity.OperationTimedOut
		returned := h.ticks.Add(1)
		h.done.Add(1)
		<-h.slots[p]
		if reply.Code == entity.ServerBusy {
			continue
		}
		for i, v := range out.versions {
			if !in.reads && i < len(in.changes) && v != 0 && !lost {
				seen[p][in.changes[i].row] = v
			}
		}
		h.note(p, porcupine.Operation{ClientId: number, Input: in, Call: called, Output: out, Return: returned}, lost, rng.IntN(30) == 0)
	}
}

// note adds an operation to its partition's history. One reply of each is lost that could
// have been heard.
func (h *history) note(p int, op porcupine.Operation, lost, drop bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	lost = lost || drop && !h.dropped[p]
	if lost && op.Input.(*input).reads {
		return // it is no part of what happened
	}
	if lost {
		h.dropped[p] = h.dropped[p] || drop
		h.open[p]++
		op.Output, op.Return = &output{lost: true}, math.MaxInt64
	}
	h.of[p] = append(h.of[p], op)
}

// draw makes an operation up.
func (in *input) draw(rng *rand.Rand, seen *[rowsOf]entity.Ticks, value int32) {
	switch n := rng.IntN(10); {
	case n < 2:
		in.reads, in.row = true, rng.IntN(rowsOf)
	case n < 4:
		in.reads, in.row = true, -1
	default:
		count := 1
		if n > 6 {
			count = 2 + rng.IntN(rowsOf-1)
		}
		for _, r := range rng.Perm(rowsOf)[:count] {
			c := change{verb: entity.Insert + entity.Verb(rng.IntN(6)), row: r, a: value}
			if rng.IntN(2) == 0 {
				c.a, c.b = 0, value
			}
			switch c.verb {
			case entity.Replace, entity.Merge, entity.Delete:
				if c.ifIs = ifAny; seen[r] != 0 && rng.IntN(3) > 0 {
					c.ifIs = seen[r]
				}
			}
			in.changes = append(in.changes, c)
		}
	}
}

func keyOf(p, r int) entity.Key {
	return entity.Key{Partition: fmt.Sprint("p", p), Row: fmt.Sprint(r)}
}

// request is the operation as an engine takes it.
func (in *input) request(p int, number uint64) *engine.Request {
	r := &engine.Request{Account: "races", Table: table, Number: number}
	if in.reads {
		if r.Verb = entity.Query; in.row >= 0 {
			r.Verb, r.Change = entity.Get, &entity.Change{Key: keyOf(p, in.row)}
		} else {
			r.Query.Range = filter.OnePartition(keyOf(p, 0).Partition)
		}
		return r
	}
	for _, c := range in.changes {
		one := entity.Change{Verb: c.verb, Key: keyOf(p, c.row)}
		switch {
		case c.ifIs == ifAny:
			one.Match = entity.MatchAny
		case c.ifIs > 0:
			one.Match = entity.MatchExactly(c.ifIs)
		}
		for name, value := range map[string]int32{"A": c.a, "B": c.b} {
			if value != 0 && c.verb != entity.Delete {
				one.Properties = append(one.Properties, entity.Property{Name: name, Value: entity.Int32(value)})
			}
		}
		r.Changes = append(r.Changes, one)
	}
	if r.Verb = entity.Batch; len(r.Changes) == 1 {
		r.Verb, r.Change, r.Changes = r.Changes[0].Verb, &r.Changes[0], nil
	}
	return r
}

// told is the reply as the checker takes it.
func told(in *input, reply *engine.Reply) *output {
	out := &output{code: reply.Code, failed: reply.FailedIndex}
	if len(in.changes) == 1 {
		out.versions[0] = reply.Version
	}
	copy(out.versions[:], reply.Versions)
	rowOf := func(e entity.Packed) row {
		a, _ := e.Lookup("A")
		b, _ := e.Lookup("B")
		return row{true, int32(a.Int()), int32(b.Int()), e.Timestamp()}
	}
	if in.reads && in.row >= 0 && reply.Code == entity.OK {
		out.rows[in.row] = rowOf(reply.Entity)
	}
	for _, r := range reply.Rows {
		out.rows[r.Key.Row[0]-'0'] = rowOf(r.Entity)
	}
	return out
}

// play has clients write a history through splits and moves, lost replies and a restart.
func play(t *testing.T, seed uint64, inFolder bool, plan func(engine.Store) engine.Store) *history {
	h := &history{t: t, rng: rand.New(rand.NewPCG(seed, 1)), plan: plan, memory: store.New()}
	if inFolder {
		h.files = vfs.NewCrashableMem()
	}
	for p := range h.slots {
		h.slots[p] = make(chan struct{}, atOnce)
	}
	h.start()
	var wait sync.WaitGroup
	for i := range clients {
		wait.Go(func() { h.client(i, rand.New(rand.NewPCG(seed, uint64(100+i)))) })
	}
	wait.Go(func() {
		at := int64(clients * perClient / 4 * (1 + h.rng.IntN(2)))
		rng, restarted, balanced := rand.New(rand.NewPCG(seed, 2)), false, int64(0)
		for last := int64(0); last < clients*perClient; last = h.done.Load() {
			if last >= at && !restarted {
				restarted = true
				h.restart()
			}
			if now := h.now.Load(); now > balanced+int64(pause) {
				balanced = now
				h.balance(rng)
			}
			runtime.Gosched()
		}
	})
	wait.Wait()
	h.events()
	for _, s := range h.opened {
		closed(t, s)
	}
	return h
}

// check returns how many partitions have a history that no order explains, and how many
// that could not be decided in time.
func (h *history) check() (illegal, undecided int) {
	for p := range h.of {
		switch porcupine.CheckOperationsTimeout(oneByOne.ToModel(), h.of[p], checkingTime) {
		case porcupine.Illegal:
			illegal++
		case porcupine.Unknown:
			undecided++
		}
	}
	return illegal, undecided
}

// Whatever clients are told of an account has an order, one operation after the other, that
// explains it.
func TestHistories(t *testing.T) {
	seeds := uint64(resultstest.Cases(3, 40, 200))
	for _, inFolder := range []bool{false, true} {
		t.Run(map[bool]string{false: "memory", true: "folder"}[inFolder], func(t *testing.T) {
			operations, open, checked, undecided, balanced := 0, 0, 0, 0, 0
			for seed := range seeds {
				h := play(t, seed, inFolder, nil)
				illegal, some := h.check()
				assert.Zerof(t, illegal, "seed %d: partitions whose history has no order", seed)
				undecided, balanced = undecided+some, balanced+h.balanced
				for p := range h.of {
					checked++
					assert.LessOrEqualf(t, h.open[p], mostOpen, "seed %d: replies lost of partition %d", seed, p)
					operations, open = operations+len(h.of[p]), open+h.open[p]
				}
			}
			assert.LessOrEqual(t, 50*undecided, checked, "50 times the undecided histories, of which 2% are allowed")
			assert.GreaterOrEqual(t, balanced, int(seeds), "splits and moves of ranges")
			t.Logf("%d histories of %d operations, %d of them without a reply; ranges split and moved %d times; %d undecided", checked, operations, open, balanced, undecided)
		})
	}
}

// bugs are stores with a fault in them that a history has to give away.
var bugs = map[string]func(engine.Store) engine.Store{
	"an entity tag is compared after the change": func(s engine.Store) engine.Store { return lateTag{s} },
	"half a transaction is kept":                 func(s engine.Store) engine.Store { return halves{s} },
	"a delete is lost":                           func(s engine.Store) engine.Store { return &forgets{Store: s} },
}

type lateTag struct{ engine.Store }

func (s lateTag) Apply(name string, c *entity.Change, at entity.Ticks) store.Result {
	before, _ := s.Get(name, c.Key)
	blind := *c
	if _, one := c.Match.Exactly(); one {
		blind.Match = entity.MatchAny
	}
	result := s.Store.Apply(name, &blind, at)
	if result.Code == entity.OK && !c.Match.IsNone() && !c.Match.Accepts(before.Timestamp()) {
		return store.Result{Code: entity.ConditionNotSatisfied, Detail: "too late"}
	}
	return result
}

type halves struct{ engine.Store }

func (s halves) ApplyBatch(name string, changes []entity.Change, at entity.Ticks) store.BatchResult {
	result := s.Store.ApplyBatch(name, changes, at)
	for i := range result.FailedIndex {
		s.Store.Apply(name, &changes[i], at)
	}
	return result
}

type forgets struct {
	engine.Store
	deletes atomic.Int64
}

func (s *forgets) Apply(name string, c *entity.Change, at entity.Ticks) store.Result {
	if _, code := s.Get(name, c.Key); c.Verb == entity.Delete && c.Match == entity.MatchAny && code == entity.OK && s.deletes.Add(1)%4 == 0 {
		return store.Result{}
	}
	return s.Store.Apply(name, c, at)
}

// Each fault that is planted in a store is found within twenty seeds.
func TestHistoriesFindFaults(t *testing.T) {
	const most = 20
	for name, plan := range bugs {
		for _, inFolder := range []bool{false, true} {
			found := -1
			for seed := uint64(0); seed < most && found < 0; seed++ {
				if illegal, _ := play(t, seed, inFolder, plan).check(); illegal > 0 {
					found = int(seed)
				}
			}
			assert.GreaterOrEqualf(t, found, 0, "%s, in a folder %v: the seed that found it", name, inFolder)
			t.Logf("%s, in a folder %v: found by seed %d", name, inFolder, found)
		}
	}
}
