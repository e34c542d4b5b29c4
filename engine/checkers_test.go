package engine_test

import (
	"cmp"
	"fmt"
	"slices"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/engine/partition"
)

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
	if l.tables == nil {
		l.tables = map[simTable]uint32{}
	}
	for _, r := range l.ranges {
		if simAccounts[r.Account] == t.account && r.Table > l.tables[t] {
			known := false
			for _, number := range l.tables {
				known = known || number == r.Table
			}
			if !known {
				l.tables[t] = r.Table
			}
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
	for one := range w.acknowledged {
		if one.account == account && one.table == table {
			delete(w.acknowledged, one)
		}
	}
}

// all returns the entities that must be there, in order.
func (w *writes) all() []simEntity {
	var list []simEntity
	for one := range w.acknowledged {
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b simEntity) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.table, b.table), a.key.Compare(b.key))
	})
	return list
}
