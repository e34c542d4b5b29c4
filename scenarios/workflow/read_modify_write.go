package workflow

import (
	"math"

	"loadgen/engine/entity"
)

// Modification is what [NewReadModifyWrite] does to an entity.
type Modification struct {
	// Verb is Merge, Replace or Delete for an existing entity; InsertOrMerge or InsertOrReplace also
	// insert a missing one.
	Verb  entity.Verb
	Table string
	Key   entity.Key
	// Properties are the properties to change. Counter is an Int64 to increase by one, empty for none;
	// a missing one counts as 0. A Delete has neither.
	Properties []entity.Property
	Counter    string
	// Blind overwrites the entity unconditionally: changes since the read are lost.
	Blind bool
	ID    WriteID
}

// MaxRestarts is the maximum number of restarts of a workflow after conflicts.
const MaxRestarts = 100

// NewReadModifyWrite returns the workflow that reads an entity, changes it and writes it under the
// ETag read.
//
//	get ─► 200 ─► write, If-Match the ETag read ─► 204: done
//	get ─► 404: done, or an insert if requested
//	write ─► 412, every attempt with a reply: a foreign conflict, back to the get
//	write ─► no reply ─► write ─► 412 ─► get ─┬─ own id in the history: done, an own-412
//	                                          ├─ not there: a foreign conflict, back to the get
//	                                          └─ forgotten: unknown
//	write ─► 404: deleted since the read, back to the get
//	insert ─► 409: as 412 of a write
//	delete ─► 412: changed since the read, back to the get
//	delete ─► no reply ─► delete ─► 404: done, an own-404
//
// An ETag never recurs. So after a 412 no earlier attempt can be executed, and the next read is
// final. The entity holds the ids of its last 16 such writes. If more followed since the read,
// the operation fails as unknown rather than count twice.
func NewReadModifyWrite(m Modification) *Procedure {
	r := &readModifyWrite{Modification: m, read: Request{Operation: reading(m.Table, m.Key)}, trace: trace{mayLinger: m.Blind, report: Report{
		ID: m.ID, Verb: m.Verb, Keys: []entity.Key{m.Key}, Conditional: !m.Blind, Counter: m.Counter}}}
	r.read.Expected.NotFound = m.Verb == entity.InsertOrMerge || m.Verb == entity.InsertOrReplace
	p := NewProcedure(r.run, r.read)
	p.trace = &r.trace
	return p
}

type readModifyWrite struct {
	Modification
	trace
	read Request
	// newest is the last conditional write before the read.
	newest string
	// counted reports that the counter was read.
	counted bool
}

func (r *readModifyWrite) run(t *Tx) {
	for range MaxRestarts + 1 {
		stored := t.sendToTable(r.read)
		change := r.change(t, stored)
		statuses, deletes := []int{404, 412}, change.Verb == entity.Delete
		if change.Verb == entity.Insert {
			statuses = []int{409, 412}
		}
		reply := t.sendToTable(WriteOne(r.Table, change, statuses...))
		switch {
		case reply.OK():
			r.acknowledge(reply.Version)
			return
		case !r.silent || deletes && reply.Status == 412:
			// Another client's write.
		case deletes:
			r.report.Own404 = true
			r.acknowledge(0)
			return
		case reply.Missing():
			// It may have been written before it was deleted.
			t.Fail()
		case r.recall(t, change.Verb == entity.Insert):
			return
		}
		r.report.Conflicts++
		r.silent = false
	}
	t.Fail()
}

// recall reads the entity after a conflict that followed an attempt without a reply, and reports
// whether that attempt wrote it.
func (r *readModifyWrite) recall(t *Tx, inserted bool) bool {
	stored := t.Send(Read(r.Table, r.Key))
	done, known := historyOf(stored.Entity).Recall(r.ID, r.newest)
	if !stored.OK() || !known {
		t.Fail()
	}
	if done {
		r.report.Own409, r.report.Own412 = inserted, !inserted
		r.acknowledge(stored.Version)
		if id, found := IDOf(stored.Entity); !found || id != r.ID {
			r.report.Version, r.report.Superseded = 0, true
		}
	}
	return done
}

// change returns the write over what was read, an insert if the entity is missing. It fails if the
// counter cannot be increased.
func (r *readModifyWrite) change(t *Tx, stored Reply) entity.Change {
	c := entity.Change{Verb: entity.Merge, Key: r.Key, Match: entity.MatchExactly(stored.Version)}
	if r.Blind {
		c.Match = entity.MatchAny
	}
	switch {
	case !stored.OK():
		c.Verb, c.Match = entity.Insert, entity.Match{}
	case r.Verb == entity.Replace || r.Verb == entity.InsertOrReplace:
		c.Verb = entity.Replace
	case r.Verb == entity.Delete:
		c.Verb = entity.Delete
		return c
	}
	c.Properties = stamp(r.Properties, r.ID, "")
	if r.Counter != "" {
		value, found := stored.Entity.Lookup(r.Counter)
		number := value.Type() == entity.TypeInt64 || value.Type() == entity.TypeInt32
		if found && !number || value.Int() == math.MaxInt64 {
			t.Fail()
		}
		if !r.counted || value.Int() < r.report.From {
			r.counted, r.report.From = true, value.Int()
		}
		c.Properties = append(c.Properties, entity.Property{Name: r.Counter, Value: entity.Int64(value.Int() + 1)})
	}
	history := historyOf(stored.Entity)
	r.newest = history.Newest()
	c.Properties = append(c.Properties, entity.Property{Name: HistoryProperty, Value: entity.String(history.Prepend(r.ID))})
	if c.Verb == entity.Replace {
		c.Properties = Overlay(stored.Entity, c.Properties)
	}
	return c
}

// Overlay returns the properties of an entity with the changed ones replaced or appended.
func Overlay(stored entity.Packed, changed []entity.Property) []entity.Property {
	all := make([]entity.Property, 0, len(changed))
	read := stored.Cursor()
	for p := (entity.Property{}); read.Next(&p); {
		if _, named := lookup(changed, p.Name); !named {
			all = append(all, p)
		}
	}
	return append(all, changed...)
}

// lookup returns the value of a property, false for none.
func lookup(properties []entity.Property, name string) (entity.Value, bool) {
	for i := range properties {
		if properties[i].Name == name {
			return properties[i].Value, true
		}
	}
	return entity.Value{}, false
}
