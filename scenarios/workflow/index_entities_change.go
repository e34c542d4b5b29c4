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
	// changed are the lists that a message has to name.
	changed []indexNote
}

// indexNote names a list and its index in a message: several indexes may share a queue.
type indexNote struct {
	key  entity.Key
	name string
	indexOf
}

func newIndexChange(c *Call) *indexChange {
	attribute := c.Arguments.Text("attribute")
	return &indexChange{indexLists: newIndexLists(c.Setting, c.Arguments), call: c, own: c.Subject.Key(""),
		loaded: c.Subject.Value(attribute), name: c.Fresh.Value(attribute),
		first: c.Arguments.Text("announced") == "first", killed: c.Happens("killed")}
}

// together reports whether one transaction writes the entity and its lists.
func (x *indexChange) together() bool { return x.form == indexTogether }

// listed returns the key of the list with a name.
func (x *indexChange) listed(name string) entity.Key {
	return x.KeyWith(x.call.Subject, x.place, x.call.Arguments.Text("attribute"), name)
}

// add inserts a new entity. No other operation writes its key.
func (x *indexChange) add() *Procedure {
	insert := entity.Change{Verb: entity.Insert, Key: x.own, Properties: x.call.Subject.Properties()}
	if !x.together() {
		x.touch(x.name)
		return NewProcedure(func(t *Tx) {
			x.write(t, insert, 409)
			x.finish(t)
		}, x.apart(insert, 409)...)
	}
	return NewProcedure(func(t *Tx) {
		for range t.Restarts("conflicts") {
			to := x.read(t, x.listed(x.name), x.name)
			x.enter(t, to)
			reply := t.Send(transact(x.Table, []entity.Change{insert, x.change(to)}, overtaken...))
			if reply.OK() || reply.Status == 409 && reply.FailedIndex == 0 {
				return
			}
		}
	}, x.foresee(insert, x.name)...)
}

func (x *indexChange) remove() *Procedure { return x.update(deletion(x.own), x.loaded) }

// rename gives an entity the new one's name. Carried out twice, as where its reply was
// lost and another client renamed the entity in between, it is as if it had come late.
func (x *indexChange) rename() *Procedure {
	return x.update(entity.Change{Verb: entity.Merge, Key: x.own, Match: entity.MatchAny,
		Properties: []entity.Property{{Name: x.property, Value: entity.String(x.name)}}}, x.loaded, x.name)
}

// update returns the change of an entity that leaves the list of a name, and enters those of others.
func (x *indexChange) update(change entity.Change, leaves string, enters ...string) *Procedure {
	return NewProcedure(func(t *Tx) {
		x.readAndWrite(t, change, enters)
	}, append([]Request{Read(x.Table, x.own)}, x.foresee(change, append([]string{leaves}, enters...)...)...)...)
}

// readAndWrite reads an entity, and writes its change under the ETag read, with the lists that it
// leaves and enters. An entity that is missing, or that has the name already, stays as it is.
func (x *indexChange) readAndWrite(t *Tx, change entity.Change, enters []string) {
	for restarts := range t.Restarts("conflicts") {
		stored := t.Send(Read(x.Table, x.own))
		if !stored.OK() && restarts == 0 {
			// Not by this operation's own deletion.
			t.Add("gone", 1)
		}
		name := x.value(stored.Entity)
		if !stored.OK() || slices.Contains(enters, name) {
			break
		}
		names := append([]string{name}, enters...)
		change.Match = entity.MatchExactly(stored.Version)
		if x.together() {
			if t.Send(transact(x.Table, append([]entity.Change{change}, x.moved(t, names)...), overtaken...)).OK() {
				return
			}
			continue
		}
		for _, name := range names {
			x.touch(name)
		}
		if x.write(t, change, overtaken...).OK() {
			break
		}
	}
	x.finish(t)
}

// moved returns the writes of the list that the entity leaves and, for another name, of the one that
// it enters.
func (x *indexChange) moved(t *Tx, names []string) []entity.Change {
	var changes []entity.Change
	var lists []*indexList
	for _, name := range names {
		lists = append(lists, x.read(t, x.listed(name), name))
	}
	for i, l := range lists {
		if i > 0 {
			x.enter(t, l)
		} else if l.remove(x.id(x.own)); len(lists) == 1 && !l.there {
			continue
		}
		changes = append(changes, x.change(l))
	}
	return changes
}

// enter adds the entity to a list. It fails if the list takes no more.
func (x *indexChange) enter(t *Tx, l *indexList) {
	if l.add(x.id(x.own)); !x.fits(l) {
		t.Add("full", 1)
		t.Fail()
	}
}

func (x *indexChange) touch(name string) {
	if note := (indexNote{x.listed(name), name, x.indexOf}); !slices.Contains(x.changed, note) {
		x.changed = append(x.changed, note)
	}
}

// write writes an entity whose lists are elsewhere, after the message if that is first.
func (x *indexChange) write(t *Tx, change entity.Change, statuses ...int) Reply {
	if x.first {
		t.Send(x.message())
		t.CrashIf(x.killed)
	}
	return t.Send(WriteOne(x.Table, change, statuses...))
}

// finish sends the message if it is last and lists need a repair.
func (x *indexChange) finish(t *Tx) {
	if !x.together() && !x.first && len(x.changed) > 0 {
		t.CrashIf(x.killed)
		t.Send(x.message())
	}
}

// message returns the request that enqueues the lists that need a repair.
func (x *indexChange) message() Request {
	// The key of the changed entity, and a line for each list.
	lines := []string{x.own.Partition + "\t" + x.own.Row}
	for _, one := range x.changed {
		lines = append(lines, strings.Join([]string{one.key.Partition, one.key.Row, one.name, one.form, one.place, one.container, one.property}, "\t"))
	}
	hidden := x.call.Arguments.Duration("hidden")
	if !x.first {
		hidden = 0
	}
	return put(x.StoreOf(x.queue), []byte(strings.Join(lines, "\n")), hidden)
}

// foresee returns the expected requests after the read of the entity: reads and a transaction for
// lists in the same partition; else the write and the message.
func (x *indexChange) foresee(change entity.Change, names ...string) []Request {
	if !x.together() {
		return x.apart(change, overtaken...)
	}
	var reads []Request
	changes := []entity.Change{change}
	for _, name := range names {
		reads = append(reads, x.reading(x.listed(name)))
		changes = append(changes, x.change(x.list(x.listed(name), name)))
	}
	return append(reads, transact(x.Table, changes, overtaken...))
}

// apart returns the write and the message, in their order.
func (x *indexChange) apart(change entity.Change, statuses ...int) []Request {
	both := []Request{WriteOne(x.Table, change, statuses...), x.message()}
	if x.first {
		slices.Reverse(both)
	}
	return both
}
