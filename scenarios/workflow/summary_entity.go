package workflow

import (
	"loadgen/engine/entity"
	"loadgen/target"
)

// The properties of a summary: the count of entities, and their total.
const (
	summaryCount = "SummaryCount"
	summaryTotal = "SummaryTotal"
)

// sumKinds is the insert that keeps a summary of its partition.
var sumKinds = []Kind{{
	Name: "summed-insert", Says: "Inserts an entity and adds it to its partition's summary.",
	Inserts: true, Counters: []string{"restarts", "killed", "unknown"},
	Parameters: []Parameter{
		required("summary", "The summary's place.", OfPlace),
		required("adds", "The property to add up.", OfProperty),
		share("killed", "The share of clients that crash between two writes."),
	},
	Serves: func(d *Design, a Arguments) []Lack {
		p := d.Property(a.Text("adds"))
		return append(d.PartitionWide("summary", a.Text("summary")),
			lackIf(p.Type != entity.TypeInt32 && p.Type != entity.TypeInt64, "adds", "expected an Int32 or an Int64")...)
	},
	New: func(c *Call) *Procedure {
		place := c.Arguments.Text("summary")
		w := &summedInsert{call: c, key: c.Subject.Key(place), table: c.TableOf(place)}
		w.entity = entity.Change{Verb: entity.Insert, Key: c.Subject.Key(""), Properties: c.Subject.Properties()}
		w.value, _ = lookup(w.entity.Properties, c.Arguments.Text("adds"))
		w.killed = c.Happens("killed")
		w.read = Read(w.table, w.key)
		if w.table == c.Table && w.key.Partition == w.entity.Key.Partition {
			return NewProcedure(w.inTransaction, w.read, transact(c.Table, []entity.Change{w.entity, w.raise(sum{}, entity.MatchExactly(1))}))
		}
		return NewProcedure(w.separately, w.read, w.store(), WriteOne(w.table, w.raise(sum{}, entity.MatchExactly(1))))
	},
	Check: checkOf("each summary is what is there", func(t *Tx, f *Findings, s *Setting, a Arguments) {
		sums := make(map[string]sum)
		for row, value := range t.values(Query(s.Table, target.Query{}), a.Text("adds")) {
			sums[row.Key.Partition] = sums[row.Key.Partition].plus(value)
		}
		for row := range t.values(Query(s.TableOf(a.Text("summary")), target.Query{}), summaryCount) {
			stored, want := sumOf(row.Entity), sums[row.Key.Partition]
			f.Look(stored == want, "summary of partition %s: %d entities, sum %d; want %d, sum %d",
				row.Key.Partition, stored.count, stored.total, want.count, want.total)
		}
	}),
}}

// sum is a count of entities and the total of their values.
type sum struct{ count, total int64 }

func (s sum) plus(value entity.Value) sum { return sum{s.count + 1, s.total + value.Int()} }

// sumOf returns the sum that an entity holds.
func sumOf(p entity.Packed) sum {
	count, _ := p.Lookup(summaryCount)
	total, _ := p.Lookup(summaryTotal)
	return sum{count.Int(), total.Int()}
}

// properties returns the properties of a summary.
func (s sum) properties() []entity.Property {
	return []entity.Property{{Name: summaryCount, Value: entity.Int64(s.count)}, {Name: summaryTotal, Value: entity.Int64(s.total)}}
}

// summedInsert writes an entity and the summary of its partition.
//
//	one partition: get summary ─► insert + merge summary, If-Match ─┬─ 204: done
//	                   ▲                                            ├─ 412, 409: restart
//	                   │                                            └─ no reply ─► get entity ─► 200: done, else restart
//	                   └── 404 ─► read the partition, add it up ─► insert + insert summary
//	several:       get summary ─► write entity ─► (crash: not in the summary) ─► merge summary, If-Match ─┬─ 204: done
//	                   │                                    ▲                                            ├─ 412 ─► get summary
//	                   │                                    │                                            └─ no reply ─► get summary
//	                   └── 404 ─► read the partition, add it up ─► insert summary
//
// In the second form no entity is written before a summary exists, so the initial sum never
// includes an entity that is added again later. A summary holds the ids of its last writers, so
// that a client recognizes its own success after a lost reply. If more writes followed than it
// holds, the operation fails as unknown rather than count twice.
type summedInsert struct {
	call   *Call
	key    entity.Key
	table  string
	entity entity.Change
	value  entity.Value
	killed bool
	read   Request
}

func (w *summedInsert) inTransaction(t *Tx) {
	for range t.Restarts("restarts") {
		summary := t.Send(w.read)
		raised := w.raise(sumOf(summary.Entity), entity.MatchExactly(summary.Version))
		if !summary.OK() {
			raised = w.raise(w.partition(t), entity.Match{})
			raised.Verb = entity.Insert
		}
		reply := t.Send(transact(w.call.Table, []entity.Change{w.entity, raised}, 409, 412))
		if reply.OK() || reply.Silent && t.Send(Read(w.call.Table, w.entity.Key)).OK() {
			return
		}
	}
}

func (w *summedInsert) separately(t *Tx) {
	for restarts := range t.Restarts("restarts") {
		was, ids, version := w.summary(t)
		if restarts == 0 {
			t.Send(w.store())
			t.CrashIf(w.killed)
		}
		raised := w.raise(was, entity.MatchExactly(version))
		raised.Properties = append(raised.Properties, entity.Property{Name: HistoryProperty, Value: entity.String(ids.Prepend(w.call.ID))})
		switch reply := t.Send(WriteOne(w.table, raised, 409, 412)); {
		case reply.OK():
			return
		case reply.Silent:
			done, known := historyOf(t.Send(w.read).Entity).Recall(w.call.ID, ids.Newest())
			if done {
				return
			}
			if !known {
				t.Add("unknown", 1)
				t.Fail()
			}
		}
	}
}

// summary reads the summary. Without one it adds up the partition and inserts the summary, unless
// another client did.
func (w *summedInsert) summary(t *Tx) (was sum, ids History, version entity.Ticks) {
	for {
		if summary := t.Send(w.read); summary.OK() {
			return sumOf(summary.Entity), historyOf(summary.Entity), summary.Version
		}
		was = w.partition(t)
		made := entity.Change{Verb: entity.Insert, Key: w.key, Properties: was.properties()}
		if reply := t.Send(WriteOne(w.table, made, 409)); reply.OK() {
			return was, nil, reply.Version
		}
	}
}

// partition adds up the partition without the operation's own entity.
func (w *summedInsert) partition(t *Tx) (all sum) {
	query := Query(w.call.Table, target.OnePartition(w.entity.Key.Partition))
	for row, value := range t.values(query, w.call.Arguments.Text("adds")) {
		if row.Key != w.entity.Key {
			all = all.plus(value)
		}
	}
	return all
}

// store returns the separate request that writes the entity. The key is unique to the operation, so
// a repeated write is safe.
func (w *summedInsert) store() Request {
	c := w.entity
	c.Verb = entity.InsertOrReplace
	return WriteOne(w.call.Table, c)
}

// raise returns the write that adds the entity to the summary.
func (w *summedInsert) raise(was sum, match entity.Match) entity.Change {
	return entity.Change{Verb: entity.Merge, Key: w.key, Match: match, Properties: was.plus(w.value).properties()}
}
