package engine_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/model"
	"loadgen/engine/partition"
)

var (
	seeds   = flag.Int("seeds", 4, "how many random simulations to run")
	oneSeed = flag.Uint64("seed", 0, "the only random simulation to run; 0 runs them all")
)

// TestRandomSimulation draws a model and a load for each seed, and holds what
// comes of them against the checkers after every step.
func TestRandomSimulation(t *testing.T) {
	t.Parallel()
	kinds := map[partition.EventKind]int{}
	run := func(seed uint64) {
		s := newSimulation(seed)
		for s.fault == "" && s.step() {
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
		assert.Falsef(t, kinds[kind] == 0 && *seeds >= 20, "no seed brought about a %s", kind)
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
	s := &simulation{draw: clock.NewStream(seed, "simulation").Draw(0), live: map[simTable]bool{}, kinds: map[partition.EventKind]int{}}
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
	s.layout = layout{servers: int(s.model.Stamp.Servers), tables: map[simTable]uint32{}}
	s.writes.acknowledged = map[simEntity]int64{}
	return s
}

// drawModel draws a model whose times are short, so that much happens in the few
// minutes that a simulation lasts.
func (s *simulation) drawModel() *model.Model {
	profile := []string{model.Documented, model.Documented, model.Headroom, model.Measured2010}[s.draw.IntN(4)]
	m, _ := model.New(profile)
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
	m.Stamp.PageBoundary = between(model.AtServer, model.AtPartition)
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
	s.submit(s.request())
	return true
}

// submit sends an attempt and has the checkers see it.
func (s *simulation) submit(r *engine.Request) *engine.Reply {
	s.number++
	r.Number = s.number
	sent := s.engine.Submit(s.now, r)
	reply := &sent
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
	return reply
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
			reply := s.submit(&engine.Request{Account: one.account, Table: one.table, Verb: entity.Get, Change: &entity.Change{Key: one.key}})
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

// books check that submitted = ok + refused + failed + in flight at every step,
// as the client sees it, and that the engine counted the same.
type books struct {
	submitted, ok, refused, failed int64
	entities                       int64
	flying                         clock.Queue[entity.Code]
}

func (b *books) add(now clock.Instant, reply *engine.Reply, counts engine.Counts) string {
	if reply.Done < now {
		return fmt.Sprintf("a reply at %v to an attempt at %v", reply.Done.Offset(), now.Offset())
	}
	b.submitted++
	b.entities += reply.Counted
	b.flying.Push(reply.Done, uint64(b.submitted), reply.Code)
	for at, _, some := b.flying.Peek(); some && at <= now; at, _, some = b.flying.Peek() {
		switch _, code := b.flying.Pop(); code {
		case entity.OK:
			b.ok++
		case entity.ServerBusy, entity.OperationTimedOut:
			b.refused++
		default:
			b.failed++
		}
	}
	if sum := b.ok + b.refused + b.failed + int64(b.flying.Len()); sum != b.submitted {
		return fmt.Sprintf("%d ok, %d refused, %d failed, %d in flight of %d submitted", b.ok, b.refused, b.failed, b.flying.Len(), b.submitted)
	}
	if counts.Requests != b.submitted || counts.Entities != b.entities || counts.Ok+counts.Throttled+counts.Failed != counts.Requests {
		return fmt.Sprintf("the engine counted %+v; %d were submitted and counted %d entities", counts, b.submitted, b.entities)
	}
	return ""
}

// layout checks the map: that ranges cover each table exactly once, that each
// has one owner, and that the events explain every change.
type layout struct {
	servers int
	ranges  []partition.Range
	tables  map[simTable]uint32
	fault   string
}

// change takes in a new map, after it has been derived from the old one by the
// events.
func (l *layout) change(m partition.Map, events []engine.Event) {
	for _, e := range events {
		if at := l.index(e.Range); at >= 0 {
			l.apply(at, e)
		}
	}
	for _, r := range m.Ranges {
		at := l.index(r.Number)
		if at < 0 {
			continue
		}
		if old := l.ranges[at]; old.Low != r.Low || old.High != r.High || old.Last != r.Last || old.Server != r.Server {
			l.fault = fmt.Sprintf("by the events range %d is %+v; the map has %+v", r.Number, old, r)
		}
	}
	l.ranges = m.Ranges
	l.cover(m)
}

func (l *layout) index(number uint64) int {
	return slices.IndexFunc(l.ranges, func(r partition.Range) bool { return r.Number == number })
}

func (l *layout) apply(at int, e engine.Event) {
	r := &l.ranges[at]
	switch e.Kind {
	case partition.EventSplit, partition.EventSizeSplit:
		upper := *r
		upper.Number, upper.Low = e.Other, e.Key
		r.High, r.Last = e.Key, false
		l.ranges = append(l.ranges, upper)
	case partition.EventMove:
		if r.Server != e.From {
			l.fault = fmt.Sprintf("%v; the range was on server %d", e, r.Server)
		}
		r.Server = e.To
	case partition.EventMerge:
		if right := l.index(e.Other); right >= 0 {
			r.High, r.Last = l.ranges[right].High, l.ranges[right].Last
		}
	}
}

// cover checks the map by itself.
func (l *layout) cover(m partition.Map) {
	count := make([]int, l.servers)
	for i, r := range m.Ranges {
		if r.Server < 0 || r.Server >= l.servers {
			l.fault = fmt.Sprintf("%+v is on a server that is not there", r)
			return
		}
		count[r.Server]++
		first := i == 0 || m.Ranges[i-1].Table != r.Table
		switch {
		case first && r.Low != "":
			l.fault = fmt.Sprintf("table %d begins at %q; want the first possible key", r.Table, r.Low)
		case !first && m.Ranges[i-1].High != r.Low:
			l.fault = fmt.Sprintf("%+v does not begin where %+v ends", r, m.Ranges[i-1])
		case !r.Last && entity.Compare(r.Low, r.High) >= 0:
			l.fault = fmt.Sprintf("%+v holds no key", r)
		case r.Last != (i+1 == len(m.Ranges) || m.Ranges[i+1].Table != r.Table):
			l.fault = fmt.Sprintf("%+v is not the only last range of its table", r)
		}
	}
	for i, s := range m.Servers {
		if s.Ranges != count[i] {
			l.fault = fmt.Sprintf("server %d says that it has %d ranges; it has %d", i, s.Ranges, count[i])
		}
	}
}

// learn notes the number of a table that was just created: the only one of its
// account that is not known yet.
func (l *layout) learn(t simTable) {
	for _, r := range l.ranges {
		known := slices.Contains(slices.Collect(maps.Values(l.tables)), r.Table)
		if simAccounts[r.Account] == t.account && r.Table > l.tables[t] && !known {
			l.tables[t] = r.Table
		}
	}
}

// of returns the range of a key by asking every range, and how many say that it
// is theirs.
func (l *layout) of(t simTable, pk string) (found partition.Range, times int) {
	for _, r := range l.ranges {
		if r.Table == l.tables[t] && entity.Compare(r.Low, pk) <= 0 && (r.Last || entity.Compare(pk, r.High) < 0) {
			found = r
			times++
		}
	}
	return found, times
}

// owns checks that a PartitionKey lies in one range, and that a request to a
// range that is being handed over is served after that only.
func (l *layout) owns(now clock.Instant, r *engine.Request, reply *engine.Reply) string {
	t, pk := simTable{r.Account, r.Table}, addressed(r)
	if r.Verb == entity.CreateTable || r.Verb == entity.DeleteTable || l.tables[t] == 0 {
		return ""
	}
	found, times := l.of(t, pk)
	switch {
	case times != 1:
		return fmt.Sprintf("the key %q of %v lies in %d ranges", pk, t, times)
	case reply.Code != entity.ServerBusy && reply.Code != entity.OperationTimedOut && reply.Done < found.Offline:
		return fmt.Sprintf("the key %q of %v is served at %v; its range is offline until %v", pk, t, reply.Done.Offset(), found.Offline.Offset())
	}
	return ""
}

// addressed returns the PartitionKey that a request goes to first.
func addressed(r *engine.Request) string {
	switch {
	case r.Change != nil:
		return r.Change.Key.Partition
	case len(r.Changes) > 0:
		return r.Changes[0].Key.Partition
	default:
		return r.Query.Range.From.Partition
	}
}

// limits check that in no window more is admitted than capacity, burst and the
// largest single charge: of keys, ranges, servers and accounts. What a bucket is
// beyond its capacity by never exceeds burst and largest charge, whatever window
// one looks at.
type limits struct {
	model    *model.Model
	crossing bool
	of       map[string]*excess
}

// excess is by how much more was admitted than the capacity allows, at its
// greatest over all windows that end now, in billionths of an entity.
type excess struct {
	at           clock.Instant
	sum, largest int64
}

func newLimits(m *model.Model, crossing bool) *limits {
	return &limits{model: m, crossing: crossing, of: map[string]*excess{}}
}

const nano = 1_000_000_000

func (l *limits) add(now clock.Instant, r *engine.Request, reply *engine.Reply, m *layout) string {
	refused := reply.Code == entity.ServerBusy || reply.Code == entity.OperationTimedOut
	if refused || reply.Counted == 0 {
		return ""
	}
	pk := addressed(r)
	burst := int64(l.model.Stamp.Burst)
	fault := l.see("account "+r.Account, now, reply.Counted, l.model.AccountTarget, int64(l.model.AccountBurst))
	// A query that crosses partitions asks the first and is charged in all.
	if l.crossing || fault != "" {
		return fault
	}
	fault = l.see(fmt.Sprintf("key %d %s", m.tables[simTable{r.Account, r.Table}], pk), now, reply.Counted, l.model.PartitionTarget, int64(l.model.PartitionBurst))
	if o, times := m.of(simTable{r.Account, r.Table}, pk); times == 1 && fault == "" {
		fault = cmp.Or(l.see(fmt.Sprint("range ", o.Number), now, reply.Counted, l.model.Stamp.RangeTarget, burst),
			l.see(fmt.Sprint("server ", o.Server), now, reply.Counted, l.model.Stamp.ServerTarget, burst))
	}
	return fault
}

func (l *limits) see(what string, now clock.Instant, cost, rate, burst int64) string {
	e := l.of[what]
	if e == nil {
		e = &excess{at: now}
		l.of[what] = e
	}
	if elapsed := int64(now - e.at); elapsed > e.sum/rate {
		e.sum = 0
	} else {
		e.sum -= elapsed * rate
	}
	e.at = now
	e.sum += cost * nano
	e.largest = max(e.largest, cost*nano)
	if allowed := max(nano, rate*burst) + e.largest; e.sum > allowed {
		return fmt.Sprintf("%s was given %d billionths of an entity beyond its %d/s; at most %d are its burst and largest charge", what, e.sum, rate, allowed)
	}
	return ""
}

// simEntity is an entity of a simulation.
type simEntity struct {
	account, table string
	key            entity.Key
}

// writes check that no acknowledged write is lost: every entity holds the number
// of a write, and none is read that is older than what was acknowledged.
type writes struct {
	count int64
	// acknowledged is the number of the latest write of each entity that a reply
	// has told of, by the instant of its arrival; pending are the replies to come.
	acknowledged map[simEntity]int64
	pending      clock.Queue[acknowledgement]
	replies      uint64
}

type acknowledgement struct {
	of     simEntity
	number int64
}

// change returns a write that nothing but its number tells from others.
func (w *writes) change(key entity.Key) entity.Change {
	w.count++
	return entity.Change{Verb: entity.InsertOrReplace, Key: key,
		Properties: []entity.Property{{Name: "Number", Value: entity.Int64(w.count)}}}
}

// add takes in an attempt.
func (w *writes) add(now clock.Instant, r *engine.Request, reply *engine.Reply) string {
	w.settle(now)
	if reply.Code != entity.OK {
		return ""
	}
	changes := r.Changes
	if r.Change != nil && r.Verb != entity.Get {
		changes = append(changes, *r.Change)
	}
	for i := range changes {
		number := changes[i].Properties[0].Value.Int()
		w.replies++
		w.pending.Push(reply.Done, w.replies, acknowledgement{simEntity{r.Account, r.Table, changes[i].Key}, number})
	}
	if r.Verb != entity.Get {
		return ""
	}
	one := simEntity{r.Account, r.Table, r.Change.Key}
	value, _ := reply.Entity.Lookup("Number")
	if number := value.Int(); number < w.acknowledged[one] {
		return fmt.Sprintf("%v holds write %d; write %d was acknowledged", one, number, w.acknowledged[one])
	}
	return ""
}

// settle takes in the replies up to an instant.
func (w *writes) settle(now clock.Instant) {
	for at, _, some := w.pending.Peek(); some && at <= now; at, _, some = w.pending.Peek() {
		_, a := w.pending.Pop()
		w.acknowledged[a.of] = max(w.acknowledged[a.of], a.number)
	}
}

// drop forgets what a table held, replies on their way included.
func (w *writes) drop(account, table string) {
	w.settle(clock.Never - 1)
	maps.DeleteFunc(w.acknowledged, func(one simEntity, _ int64) bool { return one.account == account && one.table == table })
}

// all returns the entities that must be there, in order.
func (w *writes) all() []simEntity {
	return slices.SortedFunc(maps.Keys(w.acknowledged), func(a, b simEntity) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.table, b.table), a.key.Compare(b.key))
	})
}
