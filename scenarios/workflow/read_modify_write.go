package workflow

import (
	"math"

	"loadgen/engine/entity"
	"loadgen/target"
)

// Modification is what a [ReadModifyWrite] does to which entity.
type Modification struct {
	// Verb is Merge, Replace or Delete, of an entity that is there, or
	// InsertOrMerge or InsertOrReplace, which insert one that is not.
	Verb  entity.Verb
	Table string
	Key   entity.Key
	// Properties are those that get the values given, Counter is one of Int64 that
	// is raised by one, empty for none; where it is missing it counts as 0. A
	// Delete has neither.
	Properties []entity.Property
	Counter    string
	// Blind overwrites the entity unconditionally: changes since the read are lost.
	Blind bool
	ID    WriteID
}

// MaxRestarts is the maximum number of restarts of a [ReadModifyWrite] at its read.
const MaxRestarts = 100

// ReadModifyWrite reads an entity, changes it and writes it under the ETag read.
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
type ReadModifyWrite struct {
	Modification
	stage stage
	// version is that of the entity as it was read, newest the last conditional
	// write before that.
	version entity.Ticks
	newest  string
	// inserted says that the write under way is an insert.
	inserted bool
	restarts int
	// counted says that the counter has been read.
	counted bool
	trace
}

// stage is what the request under way is for.
type stage uint8

const (
	stageRead stage = iota
	stageWrite
	stageCheck
)

var _ Audited = (*ReadModifyWrite)(nil)

// NewReadModifyWrite returns the workflow of a modification.
func NewReadModifyWrite(m Modification) *ReadModifyWrite {
	return &ReadModifyWrite{Modification: m, trace: trace{report: Report{
		ID: m.ID, Verb: m.Verb, Keys: []entity.Key{m.Key}, Conditional: !m.Blind, Counter: m.Counter}}}
}

// Begin implements [Workflow].
func (r *ReadModifyWrite) Begin() target.Operation { return reading(r.Table, r.Key) }

// Next implements [Workflow].
func (r *ReadModifyWrite) Next(a Attempt) (Move, target.Operation) {
	switch r.stage {
	case stageRead:
		o := a.Outcome
		switch {
		case Ok(o.Status):
			r.version, r.inserted = o.Version, false
			return r.write(o.Entity)
		case Missing(o.Status, o.Code) && (r.Verb == entity.InsertOrMerge || r.Verb == entity.InsertOrReplace):
			r.version, r.inserted = 0, true
			return r.write(nil)
		default:
			return Settle, target.Operation{}
		}
	case stageWrite:
		return r.wrote(a)
	default:
		return r.check(a.Outcome)
	}
}

// write returns the request that writes over what was read, nil where nothing was
// there. It fails where the counter cannot be raised.
func (r *ReadModifyWrite) write(stored entity.Packed) (Move, target.Operation) {
	change := entity.Change{Verb: entity.Merge, Key: r.Key, Match: entity.MatchExactly(r.version)}
	if r.Blind {
		change.Match = entity.MatchAny
	}
	switch {
	case r.inserted:
		change.Verb, change.Match = entity.Insert, entity.Match{}
	case r.Verb == entity.Replace || r.Verb == entity.InsertOrReplace:
		change.Verb = entity.Replace
	case r.Verb == entity.Delete:
		change.Verb = entity.Delete
	}
	if change.Verb != entity.Delete {
		change.Properties = stamp(r.Properties, r.ID, "")
		if r.Counter != "" {
			value, there := stored.Lookup(r.Counter)
			number := value.Type() == entity.TypeInt64 || value.Type() == entity.TypeInt32
			if there && !number || value.Int() == math.MaxInt64 {
				return Fail, target.Operation{}
			}
			if !r.counted || value.Int() < r.report.From {
				r.counted, r.report.From = true, value.Int()
			}
			change.Properties = append(change.Properties, entity.Property{Name: r.Counter, Value: entity.Int64(value.Int() + 1)})
		}
		kept := historyOf(stored)
		r.newest = kept.Newest()
		change.Properties = append(change.Properties,
			entity.Property{Name: HistoryProperty, Value: entity.String(kept.Prepend(r.ID))})
		if change.Verb == entity.Replace {
			change.Properties = Overlay(stored, change.Properties)
		}
	}
	r.stage = stageWrite
	return Proceed, target.Operation{Verb: change.Verb, Table: r.Table, Change: change}
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

func (r *ReadModifyWrite) wrote(a Attempt) (Move, target.Operation) {
	o := a.Outcome
	r.hear(&a)
	deletes := a.Sent.Verb == entity.Delete
	switch {
	case Ok(o.Status):
		r.acknowledge(o.Version)
		return Settle, target.Operation{}
	case o.Status == 412 && deletes:
		// An entity that another client inserted after a deletion.
		return r.restart()
	case o.Status == 412, o.Status == 409 && r.inserted:
		if !r.silent {
			return r.restart()
		}
		r.stage = stageCheck
		return Proceed, r.Begin()
	case Missing(o.Status, o.Code) && !r.inserted:
		switch {
		case !r.silent:
			return r.restart()
		case deletes:
			r.report.Own404 = true
			r.acknowledge(0)
			return Succeed, target.Operation{}
		default:
			// It may have been written before it was deleted.
			return Fail, target.Operation{}
		}
	default:
		return Settle, target.Operation{}
	}
}

// check handles the entity read after a conflict that followed an attempt without a reply.
func (r *ReadModifyWrite) check(o *target.Outcome) (Move, target.Operation) {
	switch {
	case Ok(o.Status):
		done, told := historyOf(o.Entity).Recall(r.ID, r.newest)
		switch {
		case done:
			// It has met its own success.
			r.report.Own409, r.report.Own412 = r.inserted, !r.inserted
			r.acknowledge(o.Version)
			if id, some := IDOf(o.Entity); !some || id != r.ID {
				r.report.Version, r.report.Superseded = 0, true
			}
			return Succeed, target.Operation{}
		case told:
			return r.restart()
		default:
			return Fail, target.Operation{}
		}
	case Missing(o.Status, o.Code):
		return Fail, target.Operation{}
	default:
		return Settle, target.Operation{}
	}
}

// restart goes back to the read after a foreign conflict.
func (r *ReadModifyWrite) restart() (Move, target.Operation) {
	r.report.Conflicts++
	r.silent = false
	if r.restarts == MaxRestarts {
		return Fail, target.Operation{}
	}
	r.restarts++
	r.stage = stageRead
	return Proceed, r.Begin()
}

// Report implements [Audited].
func (r *ReadModifyWrite) Report() Report { return r.asReport(r.Blind) }

// lookup returns the value of a property, false for none.
func lookup(properties []entity.Property, name string) (entity.Value, bool) {
	for i := range properties {
		if properties[i].Name == name {
			return properties[i].Value, true
		}
	}
	return entity.Value{}, false
}
