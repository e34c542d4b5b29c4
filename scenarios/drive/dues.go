package drive

import (
	"strings"

	"loadgen/engine/entity"
	"loadgen/target"
)

// due returns what the request under way means to touch, in entities. A query is due
// what its operation has not read yet; nobody knows in which of its pages.
func (s *Session) due() int64 {
	op := &s.work.Operation
	if s.work.Workflow != nil || op.Verb != entity.Query || op.Beside != nil {
		return op.Entities()
	}
	return max(1, s.completed.Entities-s.completed.Served)
}

// beside returns what the name of a request's table adds to that of the test table.
func (s *Stage) beside(op *target.Operation) string {
	if s.Table == "" || op.Beside != nil {
		return ""
	}
	return strings.TrimPrefix(op.Table, s.Table)
}

// stored returns the bytes that a request has written, by the rule that the service bills
// by, if it was carried out. It goes by the request alone, so that it is the same whether
// or not the target keeps what it is sent. What a merge makes of an entity only the target
// knows: it counts the key and what is merged. It is measured once for each write that was
// carried out, and not for those that were throttled.
func stored(op *target.Operation, outcome *target.Outcome) int64 {
	if op.Beside != nil || outcome.Status < 200 || outcome.Status >= 300 {
		return 0
	}
	switch op.Verb {
	case entity.Batch:
		size := int64(0)
		for i := range op.Changes {
			size += written(&op.Changes[i])
		}
		return size
	case entity.Get, entity.Query, entity.CreateTable, entity.DeleteTable:
		return 0
	case entity.Delete:
		return 0
	default:
		if op.Sizes.Billed > 0 {
			return op.Sizes.Billed
		}
		return written(&op.Change)
	}
}

// written returns what a change writes, in bytes.
func written(c *entity.Change) int64 {
	if c.Verb == entity.Delete {
		return 0
	}
	return int64(entity.Size(c.Key, c.Properties))
}
