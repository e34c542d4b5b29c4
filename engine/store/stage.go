package store

import "loadgen/engine/entity"

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
