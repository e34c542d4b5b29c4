package engine_test

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/model"
	"loadgen/engine/partition"
)

var (
	seeds   = flag.Int("seeds", 8, "how many random simulations to run")
	oneSeed = flag.Uint64("seed", 0, "the only random simulation to run; 0 runs them all")
)

// TestRandomSimulation draws a model and a load for each seed, and holds what
// comes of them against the checkers after every step.
func TestRandomSimulation(t *testing.T) {
	kinds := map[partition.EventKind]int{}
	run := func(seed uint64) {
		s := newSimulation(seed)
		for s.step() {
			if s.fault != "" {
				break
			}
		}
		if s.fault == "" {
			s.readBack()
		}
		if s.fault != "" {
			t.Fatalf("seed %d, attempt %d at %v: %s\nrepeat with: go test ./engine -run 'TestRandomSimulation$' -seed %d",
				seed, s.number, s.now.Offset(), s.fault, seed)
		}
		for kind, count := range s.kinds {
			kinds[kind] += count
		}
	}
	if *oneSeed != 0 {
		run(*oneSeed)
		return
	}
	if testing.Short() {
		*seeds = min(*seeds, 2)
	}
	for seed := range *seeds {
		run(uint64(seed) + 1)
	}
	t.Logf("events of all seeds: %v", kinds)
	for _, kind := range []partition.EventKind{partition.EventSplit, partition.EventSizeSplit, partition.EventMove, partition.EventMerge, partition.EventKept} {
		if kinds[kind] == 0 && *seeds >= 20 {
			t.Errorf("no seed brought about a %s; the simulations show too little", kind)
		}
	}
}

// simulation is an engine under a random load, with its checkers.
type simulation struct {
	draw   clock.Draw
	engine *engine.Engine
	model  *model.Model
	// crossing says that queries cross partitions.
	crossing bool
	left     int
	now      clock.Instant
	number   uint64
	phase    phase
	// live are the tables that exist, by account and name.
	live map[simTable]bool

	books  books
	layout layout
	limits *limits
	writes writes
	kinds  map[partition.EventKind]int
	fault  string
}

type simTable struct{ account, name string }

// phase is a stretch of load with one way to choose keys.
type phase struct {
	attempts int
	every    int
	choose   func(n int) string
}

var simAccounts = []string{"one", "two", "three"}

func newSimulation(seed uint64) *simulation {
	s := &simulation{draw: clock.NewStream(seed, "simulation").At(0), live: map[simTable]bool{}, kinds: map[partition.EventKind]int{}}
	s.left = 5000 + s.draw.IntN(45_000)
	s.crossing = s.draw.IntN(4) == 0
	s.model = s.drawModel()
	if faults := s.model.Validate(); len(faults) > 0 {
		s.fault = fmt.Sprintf("the model that was drawn is not valid: %v", faults)
	}
	s.engine = engine.New(engine.Options{Model: s.model, Accounts: simAccounts, Seed: seed, Cold: true})
	if s.model.Profile == model.Documented {
		s.limits = newLimits(s.model, s.crossing)
	}
	s.layout.servers = int(s.model.Stamp.Servers)
	s.writes.acknowledged = map[simEntity]int64{}
	return s
}

// drawModel draws a model whose times are short, so that much happens in the few
// minutes that a simulation lasts.
func (s *simulation) drawModel() *model.Model {
	profile := []string{model.Documented, model.Documented, model.Headroom, model.Measured2010}[s.draw.IntN(4)]
	m, err := model.New(profile)
	if err != nil {
		panic(err)
	}
	between := func(low, high int) int64 { return int64(low + s.draw.IntN(high-low+1)) }
	m.PartitionTarget, m.AccountTarget = between(5, 50), between(50, 1000)
	m.PartitionBurst = time.Duration(between(50, 2000)) * time.Millisecond
	m.Stamp.Servers = between(1, 12)
	if profile == model.Documented {
		m.Stamp.RangeTarget = between(5, 60)
	}
	m.Stamp.ServerTarget = between(20, 150)
	m.Stamp.Burst = m.PartitionBurst
	m.Stamp.MergeBelow = between(0, 3)
	m.Stamp.Tick = time.Duration(between(1, 5)) * time.Second
	m.Stamp.LoadMemory = m.Stamp.Tick * time.Duration(between(1, 6))
	m.Stamp.Detection = m.Stamp.Tick * time.Duration(between(1, 8))
	m.Stamp.Gap = m.Stamp.Tick * time.Duration(between(0, 3))
	m.Stamp.Quiet = m.Stamp.Tick * time.Duration(between(1, 20))
	m.Stamp.Pause = time.Duration(between(0, 1000)) * time.Millisecond
	m.Stamp.OfflineLeast = time.Duration(between(0, 5)) * time.Second
	m.Stamp.OfflineMost = m.Stamp.OfflineLeast + time.Duration(between(0, 5))*time.Second
	m.Stamp.OfflineThrottled = between(0, 1000)
	m.Stamp.SplitsPerTick = between(1, 4)
	m.Stamp.LowWatermark, m.Stamp.HighWatermark = between(1, 5), between(1, 10)
	m.Stamp.Timeout = time.Duration(between(1, 10)) * time.Second
	m.Stamp.PageBoundary = between(0, 1)
	if s.draw.IntN(2) == 0 {
		m.Stamp.RangeBytes = between(10_000, 100_000)
	}
	return m
}

// step makes one attempt, or lets time pass, or alters the tables, and checks
// everything. It returns false at the end.
func (s *simulation) step() bool {
	if s.left == 0 {
		return false
	}
	if s.phase.attempts == 0 {
		s.nextPhase()
	}
	s.left--
	s.phase.attempts--
	s.now += clock.Instant(s.draw.IntN(2 * s.phase.every))
	r := s.request()
	s.number++
	r.Number = s.number
	reply := s.engine.Submit(s.now, r)
	s.follow(r, &reply)
	return true
}

// follow has the checkers see an attempt.
func (s *simulation) follow(r *engine.Request, reply *engine.Reply) {
	if r.Verb == entity.CreateTable && reply.Code == entity.OK {
		s.live[simTable{r.Account, r.Table}] = true
	}
	if r.Verb == entity.DeleteTable && reply.Code == entity.OK {
		delete(s.live, simTable{r.Account, r.Table})
		s.writes.drop(r.Account, r.Table)
	}
	events := s.engine.DrainEvents()
	for _, e := range events {
		s.kinds[e.Kind]++
	}
	changed := len(events) > 0 || r.Verb == entity.CreateTable || r.Verb == entity.DeleteTable
	if changed {
		s.layout.change(s.engine.Map(), events)
	}
	if r.Verb == entity.CreateTable && reply.Code == entity.OK {
		s.layout.learn(simTable{r.Account, r.Table})
	}
	s.check(s.layout.fault)
	s.check(s.layout.owns(s.now, r, reply))
	s.check(s.books.add(s.now, reply, s.engine.Counts()))
	s.check(s.writes.add(s.now, r, reply))
	if s.limits != nil {
		s.check(s.limits.add(s.now, r, reply, &s.layout))
	}
}

func (s *simulation) check(fault string) {
	if s.fault == "" {
		s.fault = fault
	}
}

// nextPhase draws how keys are chosen and how fast, after a pause in which
// everything may come to rest.
func (s *simulation) nextPhase() {
	if s.draw.IntN(3) == 0 {
		s.now += clock.Instant(s.model.Stamp.Quiet) * clock.Instant(1+s.draw.IntN(10))
	}
	first := s.draw.IntN(1000)
	few, hot := 1+s.draw.IntN(20), s.draw.IntN(20)
	s.phase = phase{attempts: 500 + s.draw.IntN(8000), every: 1_000_000 * (2 + s.draw.IntN(40))}
	switch s.draw.IntN(5) {
	case 0:
		s.phase.choose = func(n int) string { return fmt.Sprintf("k%04d", first+n/20) }
	case 1:
		s.phase.choose = func(n int) string { return fmt.Sprintf("k%04d", 9999-n/20) }
	case 2:
		s.phase.choose = func(int) string {
			if s.draw.IntN(3) > 0 {
				return fmt.Sprintf("k%04d", hot*50)
			}
			return fmt.Sprintf("k%04d", s.draw.IntN(few)*50)
		}
	default:
		s.phase.choose = func(int) string { return fmt.Sprintf("k%04d", s.draw.IntN(few)*50) }
	}
}

// request draws an attempt.
func (s *simulation) request() *engine.Request {
	r := &engine.Request{Account: simAccounts[s.draw.IntN(len(simAccounts))], Table: "Races"}
	if s.draw.IntN(10) == 0 {
		r.Table = "Results"
	}
	if !s.live[simTable{r.Account, r.Table}] {
		r.Verb = entity.CreateTable
		return r
	}
	pk := s.phase.choose(s.phase.attempts)
	key := entity.Key{Partition: pk, Row: fmt.Sprint(s.draw.IntN(5))}
	if s.draw.IntN(8) == 0 {
		r.Timeout = time.Duration(1+s.draw.IntN(4000)) * time.Millisecond
	}
	switch draw := s.draw.IntN(10_000); {
	case draw < 2:
		r.Verb = entity.DeleteTable
	case draw < 4:
		s.engine.Move(s.now, r.Account, r.Table, pk, s.draw.IntN(s.layout.servers))
		fallthrough
	case draw < 2000:
		r.Verb, r.Change = entity.Get, &entity.Change{Key: key}
	case draw < 2300:
		r.Verb, r.Query = entity.Query, engine.Query{Range: filter.OnePartition(pk)}
		if s.crossing {
			r.Query.Range = filter.PartitionRange(pk, "l")
		}
	case draw < 3000:
		r.Verb = entity.Batch
		for i := range 1 + s.draw.IntN(5) {
			r.Changes = append(r.Changes, s.writes.change(entity.Key{Partition: pk, Row: fmt.Sprint(i)}))
		}
	default:
		change := s.writes.change(key)
		r.Verb, r.Change = change.Verb, &change
	}
	return r
}

// readBack lets everything come to rest and reads what was acknowledged.
func (s *simulation) readBack() {
	s.now += clock.Instant(time.Hour)
	s.writes.settle(s.now)
	for _, one := range s.writes.all() {
		for attempt := 0; ; attempt++ {
			s.now += clock.Instant(time.Second)
			s.number++
			r := &engine.Request{Account: one.account, Table: one.table, Verb: entity.Get, Number: s.number,
				Change: &entity.Change{Key: one.key}}
			reply := s.engine.Submit(s.now, r)
			s.follow(r, &reply)
			if reply.Code == entity.OK || s.fault != "" {
				break
			}
			if attempt == 60 {
				s.check(fmt.Sprintf("%v cannot be read for a minute: %s", one, reply.Code))
				return
			}
		}
	}
}
