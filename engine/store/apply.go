package store

import (
	"loadgen/engine/entity"
)

// Result is the outcome of a single write.
type Result struct {
	// Code is empty on success.
	Code entity.Code
	// Detail is one line for a person, empty on success.
	Detail string
	// Version is the entity's timestamp after the write, 0 after a delete.
	Version entity.Ticks
}

// BatchResult is the outcome of an entity group transaction.
type BatchResult struct {
	// Code is empty on success: then all changes were made, otherwise none.
	Code entity.Code
	// Detail is one line for a person, empty on success.
	Detail string
	// FailedIndex is the position of the change at fault, 0 on success.
	FailedIndex int
	// Versions are the entities' timestamps after the writes, in the order of
	// the changes, 0 after a delete; nil where nothing was changed. It is the
	// caller's.
	Versions []entity.Ticks
}

// NoTable is the detail where the table is missing.
const NoTable = "the table does not exist"

// Apply makes one change at the given instant. It checks, in this order, the
// change itself ([loadgen/engine/entity.Change.Validate]); that the table exists
// (TableNotFound); that the entity exists, or for an insert that it does not
// (ResourceNotFound, EntityAlreadyExists); the condition
// (UpdateConditionNotSatisfied); and, for a merge, the limits on the entity as
// a whole. The version that it stores is the instant, or just later where an
// earlier write or the form of an entity tag demands it. Keys and properties are
// copied.
func (s *Store) Apply(name string, c *entity.Change, at entity.Ticks) Result {
	if code, detail := c.Validate(); code != entity.OK {
		return Result{Code: code, Detail: detail}
	}
	t := s.find(name)
	if t == nil {
		return Result{Code: entity.TableNotFound, Detail: NoTable}
	}
	p := t.open(entity.SortKey(c.Key.Partition), Creates(c.Verb))
	if p == nil {
		return Result{Code: entity.ResourceNotFound, Detail: noEntity}
	}
	defer t.close(p)
	change, code, detail := p.stage(c, at)
	if code != entity.OK {
		return Result{Code: code, Detail: detail}
	}
	p.commit(&change)
	return Result{Version: change.after.Timestamp()}
}

// ApplyBatch makes all the changes of an entity group transaction at the given
// instant, or none. It checks the batch ([entity.ValidateBatch]), that the table
// exists, and then each change in turn as [Store.Apply] does; the first fault
// ends it. No reader sees some of the changes without the others.
func (s *Store) ApplyBatch(name string, changes []entity.Change, at entity.Ticks) BatchResult {
	if code, index, detail := entity.ValidateBatch(changes); code != entity.OK {
		return BatchResult{Code: code, Detail: detail, FailedIndex: index}
	}
	t := s.find(name)
	if t == nil {
		return BatchResult{Code: entity.TableNotFound, Detail: NoTable}
	}
	p := t.open(entity.SortKey(changes[0].Key.Partition), true)
	defer t.close(p)
	// Each row comes once, so that no change depends on one before it, and all
	// can be worked out before the first is made.
	var room [entity.MaxBatchChanges]staged
	for i := range changes {
		change, code, detail := p.stage(&changes[i], at)
		if code != entity.OK {
			return BatchResult{Code: code, Detail: detail, FailedIndex: i}
		}
		room[i] = change
	}
	versions := make([]entity.Ticks, len(changes))
	for i := range changes {
		p.commit(&room[i])
		versions[i] = room[i].after.Timestamp()
	}
	return BatchResult{Versions: versions}
}

// Stage works out what a valid change makes of an entity, stored where it exists,
// and does nothing: it is the rule that every store keeps. The floor is the greatest
// version that was deleted where the entity would be; the instant is that of the write.
// After is nil for a delete, and nothing to go by unless the code is OK.
func Stage(c *entity.Change, stored entity.Packed, exists bool, floor, at entity.Ticks) (after entity.Packed, code entity.Code, detail string) {
	switch {
	case c.Verb == entity.Insert && exists:
		return nil, entity.EntityAlreadyExists, "the entity exists already"
	case !exists && !Creates(c.Verb):
		return nil, entity.ResourceNotFound, noEntity
	case exists && !c.Match.Accepts(stored.Timestamp()):
		return nil, entity.ConditionNotSatisfied, "the entity has another version than the condition asks for"
	}
	switch {
	case c.Verb == entity.Delete:
		return nil, entity.OK, ""
	case !exists:
		return entity.Pack(nil, version(at, floor), c.Properties), entity.OK, ""
	case c.Verb == entity.Merge || c.Verb == entity.InsertOrMerge:
		after = entity.MergePacked(stored, version(at, stored.Timestamp()), c.Properties)
		code, detail = after.Validate(c.Key)
		return after, code, detail
	default:
		return entity.Pack(nil, version(at, stored.Timestamp()), c.Properties), entity.OK, ""
	}
}

const noEntity = "the entity does not exist"

// Creates reports whether a change may make an entity that does not exist.
func Creates(v entity.Verb) bool {
	return v == entity.Insert || v == entity.InsertOrReplace || v == entity.InsertOrMerge
}

// version returns the timestamp of a write at the given instant over an entity
// of an earlier version: later than that, and with a last digit that is not
// zero, so that it has seven digits of fraction whether or not trailing zeros
// are trimmed.
func version(at, earlier entity.Ticks) entity.Ticks {
	v := max(at, earlier+1)
	if v%10 == 0 {
		v++
	}
	return v
}
