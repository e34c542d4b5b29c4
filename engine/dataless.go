package engine

import "loadgen/engine/entity"

// acknowledge answers a write as if it had succeeded, and leaves the store alone.
//
// Admission, counts and times do not depend on what a table holds, so that those
// of a run of writes are the same to the nanosecond with and without a store, at
// several times the pace. What depends on it cannot be shown: no insert finds its
// key taken (409), no condition fails (412), nothing that was deleted is missing
// (404), no transaction is undone, and what is read afterwards was never there.
func acknowledge(at entity.Ticks, r *Request, reply *Reply) {
	if r.Verb != entity.Batch {
		if r.Verb != entity.Delete {
			reply.Version = at
		}
		return
	}
	if code, index, detail := entity.ValidateBatch(r.Changes); code != entity.OK {
		reply.Code, reply.Detail, reply.FailedIndex = code, detail, index
		return
	}
	reply.Versions = make([]entity.Ticks, len(r.Changes))
	for i := range r.Changes {
		if r.Changes[i].Verb != entity.Delete {
			reply.Versions[i] = at
		}
	}
}
