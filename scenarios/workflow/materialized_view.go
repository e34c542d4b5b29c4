package workflow

import (
	"maps"
	"slices"
	"strings"
	"time"

	"loadgen/engine/entity"
	"loadgen/target"
)

// viewOf is the property of a view with its PartitionKey.
const viewOf = "ViewOf"

// viewParameters returns the common parameters of views, and more.
func viewParameters(more ...Parameter) []Parameter {
	return append([]Parameter{
		required("view", "The view's place.", OfPlace),
		addedProperty,
		{Name: "queue", Says: "The queue of view changes.", Type: OfName, Default: "views"},
		queueHidden,
	}, more...)
}

func viewLacks(d *Design, a Arguments) []Lack { return partitionSumLacks(d, a, "view") }

// viewKinds are the workflows of materialized views: a worker stores a query's result next to the
// data and can rebuild it at any time.
var viewKinds = []Kind{{
	Name: "view-put", Says: "Inserts an entity, then enqueues a rebuild of its view.",
	Inserts: true, Counters: []string{"killed"}, Serves: viewLacks, Stores: queues("queue"), Check: newViewCheck,
	Parameters: viewParameters(share("killed", "The share of clients that crash before the message.")),
	New: func(c *Call) Workflow {
		key, view := c.Subject.Key(""), c.Subject.Key(c.Arguments.Text("view"))
		note := strings.Join([]string{key.Partition, view.Partition, view.Row}, "\t")
		announce := put(c.StoreOf(c.Arguments.Text("queue")), []byte(note), 0)
		// No other operation writes its key.
		insert := WriteOne(c.Table, entity.Change{Verb: entity.Insert, Key: key, Properties: c.Subject.Properties()}, 409)
		return NewProcedure(func(t *Tx) { t.both(insert, announce, false, c.Happens("killed")) }, insert, announce)
	},
}, {
	Name: "view-work", Says: "Receives messages and rebuilds the views that they name.",
	Alone: true, Counters: []string{"handled", "idle", "made", "restarts"}, Serves: viewLacks, Stores: queues("queue"), Check: newViewCheck,
	Parameters: viewParameters(queueBatch),
	New: func(c *Call) Workflow {
		v := newViews(c.Setting, c.Arguments)
		most := max(1, c.Arguments.Count("most"))
		return NewProcedure(func(t *Tx) {
			work(t, func(t *Tx) (int, bool) { return v.handle(t, most) })
		}, receive(v.queue, most, v.hidden))
	},
}, {
	Name: "view-build", Says: "Rebuilds the view of an entity's partition.",
	Counters: []string{"made", "restarts"}, Serves: viewLacks, Stores: queues("queue"), Check: newViewCheck, Parameters: viewParameters(),
	New: func(c *Call) Workflow {
		v, partition, key := newViews(c.Setting, c.Arguments), c.Subject.Key("").Partition, c.Subject.Key(c.Arguments.Text("view"))
		return NewProcedure(func(t *Tx) { v.rebuild(t, partition, key) }, Read(v.table, key))
	},
}}

// views are those of the partitions of a table. It is immutable.
type views struct {
	*Setting
	table, adds, queue string
	hidden             time.Duration
}

func newViews(s *Setting, a Arguments) *views {
	return &views{s, s.TableOf(a.Text("view")), a.Text("adds"), s.StoreOf(a.Text("queue")), a.Duration("hidden")}
}

// rebuild reads a view, adds up its partition, and writes the view under the ETag read. Of two
// concurrent rebuilds the later one restarts.
//
//	get view ─► read the partition, add it up ─► write the view, If-Match ─┬─ 204: done
//	    ▲                                                                  └─ 412, 409 ─┐
//	    └───────────────────────────────────────────────────────────────────────────────┘
func (v *views) rebuild(t *Tx, partition string, key entity.Key) {
	for range t.Restarts("restarts") {
		change := entity.Change{Verb: entity.Insert, Key: key}
		if view := t.Send(Read(v.table, key)); view.OK() {
			change.Verb, change.Match = entity.Replace, entity.MatchExactly(view.Version)
		}
		all := t.sum(v.Table, partition, v.adds, key)
		change.Properties = append(all.properties(), entity.Property{Name: viewOf, Value: entity.String(partition)})
		if t.Send(WriteOne(v.table, change, overtaken...)).OK() {
			t.Add("made", 1)
			return
		}
	}
}

// handle receives messages, rebuilds the views that they name, and deletes them.
func (v *views) handle(t *Tx, most int) (handled int, silent bool) {
	received := t.Send(receive(v.queue, most, v.hidden))
	var notes []string
	for _, m := range received.Found {
		if note := string(m.Body); strings.Count(note, "\t") == 2 && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	for _, note := range notes {
		parts := strings.Split(note, "\t")
		v.rebuild(t, parts[0], entity.Key{Partition: parts[1], Row: parts[2]})
	}
	for _, m := range received.Found {
		t.Send(remove(v.queue, m))
		t.Add("handled", 1)
	}
	return len(received.Found), received.Silent
}

// newViewCheck makes the check that each partition has a view of its content, after the queue was
// processed.
var newViewCheck = checkOf("each view is what is there", func(t *Tx, f *Findings, s *Setting, a Arguments) {
	v := newViews(s, a)
	drain(t, v.hidden, func(t *Tx) (int, bool) { return v.handle(t, maxReceived) })
	sums, views := make(map[string]sum), make(map[string]sum)
	read := func(r Request) {
		for row := range t.Rows(r) {
			if of, view := row.Entity.Lookup(viewOf); view {
				views[of.Text()] = sumOf(row.Entity)
			} else if value, found := row.Entity.Lookup(v.adds); found {
				sums[row.Key.Partition] = sums[row.Key.Partition].plus(value)
			}
		}
	}
	if read(Query(v.Table, target.Query{})); v.table != v.Table {
		read(Query(v.table, target.Query{}, 404))
	}
	for _, partition := range slices.Sorted(maps.Keys(sums)) {
		compareSum(f, "view", partition, views[partition], sums[partition])
	}
})
