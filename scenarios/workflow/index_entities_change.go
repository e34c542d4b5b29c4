package workflow

import (
	"slices"
	"strings"

	"loadgen/engine/entity"
)

// indexChange writes, deletes or renames an entity and updates its lists. In the entity's
// partition one transaction writes both under the ETags read, and restarts after a conflict.
// Elsewhere a message names the lists, and a worker repairs them:
//
//	announced first:  message, hidden ─► entity    a crash between leaves nothing to repair
//	announced last:   entity ─► message            a crash between leaves a wrong list
//
// A message that is first must stay hidden until the entity is written, or the list stays wrong.
type indexChange struct {
	*indexLists
	call         *Call
	own          entity.Key
	loaded, name string
	// first reports that the message is enqueued before the entity is written.
	first, killed bool
	// changed are the lines of a message: one for each list that needs a repair.
	changed []string
}

func newIndexChange(c *Call) *indexChange {
	attribute := c.Arguments.Text("attribute")
	return &indexChange{indexLists: newIndexLists(c.Setting, c.Arguments), call: c, own: c.Subject.Key(""),
		loaded: c.Subject.Value(attribute), name: c.Fresh.Value(attribute),
		first: c.Arguments.Text("announced") == "first", killed: c.Happens("killed")}
}

// listKey returns the key of the list with a name.
func (x *indexChange) listKey(name string) entity.Key {
	return x.KeyWith(x.call.Subject, x.place, x.call.Arguments.Text("attribute"), name)
}

// add inserts a new entity. No other operation writes its key.
func (x *indexChange) add() *Procedure {
	insert := entity.Change{Verb: entity.Insert, Key: x.own, Properties: x.call.Subject.Properties()}
	return NewProcedure(func(t *Tx) { x.write(t, insert, x.name) }, x.foresee(insert, x.name)...)
}

func (x *indexChange) remove() *Procedure {
	return NewProcedure(func(t *Tx) { x.write(t, deletion(x.own)) }, x.foresee(deletion(x.own), x.loaded)...)
}

// rename gives an entity another name. Executed twice, after a lost reply, it may undo another
// client's rename in between, as if it had been sent later.
func (x *indexChange) rename() *Procedure {
	merge := entity.Change{Verb: entity.Merge, Key: x.own, Match: entity.MatchAny,
		Properties: []entity.Property{{Name: x.property, Value: entity.String(x.name)}}}
	return NewProcedure(func(t *Tx) { x.write(t, merge, x.name) }, x.foresee(merge, x.loaded, x.name)...)
}

// foresee returns the requests without conflicts, which change the lists of some names.
func (x *indexChange) foresee(change entity.Change, names ...string) []Request {
	var requests []Request
	if change.Verb != entity.Insert {
		requests = append(requests, Read(x.Table, x.own))
	} else if x.form != indexInPartition {
		x.needRepair(names...)
	}
	if x.form != indexInPartition {
		writes := []Request{WriteOne(x.Table, change, overtaken...), x.message()}
		if x.first {
			slices.Reverse(writes)
		}
		return append(requests, writes...)
	}
	changes := []entity.Change{change}
	for _, name := range names {
		list, _ := x.writing(x.list(x.listKey(name), name))
		requests, changes = append(requests, x.reading(x.listKey(name))), append(changes, list.Operation.Change)
	}
	return append(requests, transact(x.Table, changes, overtaken...))
}

// write reads an entity, unless it inserts one, and writes its change under the ETag read, with the
// lists that the entity leaves and enters. An entity that is missing, or that has the name already,
// stays as it is.
func (x *indexChange) write(t *Tx, change entity.Change, enters ...string) {
	inserts := change.Verb == entity.Insert
	for restarts := range t.Restarts("conflicts") {
		var leaves []string
		if !inserts {
			stored := t.Send(Read(x.Table, x.own))
			if !stored.OK() && restarts == 0 {
				// Not by this operation's own deletion.
				t.Add("gone", 1)
			}
			name := x.value(stored.Entity)
			if !stored.OK() || slices.Contains(enters, name) {
				break
			}
			leaves, change.Match = []string{name}, entity.MatchExactly(stored.Version)
		}
		var reply Reply
		if x.form == indexInPartition {
			reply = t.Send(transact(x.Table, append([]entity.Change{change}, x.moved(t, leaves, enters)...), overtaken...))
		} else {
			x.needRepair(append(leaves, enters...)...)
			reply = x.writeAnnounced(t, change)
		}
		if reply.OK() || inserts && reply.Status == 409 && reply.FailedIndex <= 0 {
			break
		}
	}
	if x.form != indexInPartition && !x.first && len(x.changed) > 0 {
		t.CrashIf(x.killed)
		t.Send(x.message())
	}
}

// moved returns the writes of the lists that the entity leaves and enters.
func (x *indexChange) moved(t *Tx, leaves, enters []string) (changes []entity.Change) {
	for i, name := range slices.Concat(leaves, enters) {
		l, adds := x.read(t, x.listKey(name), name), i >= len(leaves)
		if adds {
			l.add(x.id(x.own))
		} else {
			l.remove(x.id(x.own))
		}
		list, fits := x.writing(l)
		if adds && !fits {
			t.Add("full", 1)
			t.Fail()
		}
		if l.exists || len(enters) > 0 {
			changes = append(changes, list.Operation.Change)
		}
	}
	return changes
}

// needRepair adds lists to the message.
func (x *indexChange) needRepair(names ...string) {
	for _, name := range names {
		key := x.listKey(name)
		line := strings.Join([]string{key.Partition, key.Row, name, x.form, x.place, x.container, x.property}, "\t")
		if !slices.Contains(x.changed, line) {
			x.changed = append(x.changed, line)
		}
	}
}

// writeAnnounced writes an entity whose lists are elsewhere, after the message if that is first.
func (x *indexChange) writeAnnounced(t *Tx, change entity.Change) Reply {
	if x.first {
		t.Send(x.message())
		t.CrashIf(x.killed)
	}
	return t.Send(WriteOne(x.Table, change, overtaken...))
}

// message returns the request that enqueues the key of the entity and the lists that need a repair.
func (x *indexChange) message() Request {
	hidden := x.hidden
	if !x.first {
		hidden = 0
	}
	lines := append([]string{x.own.Partition + "\t" + x.own.Row}, x.changed...)
	return put(x.StoreOf(x.queue), []byte(strings.Join(lines, "\n")), hidden)
}
