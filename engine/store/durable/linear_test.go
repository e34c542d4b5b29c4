package durable_test

import (
	"github.com/anishathalye/porcupine"

	"loadgen/engine/entity"
)

// The model of one partition for the checker: what any order of the operations, one after
// the other, may answer. It is written from the documents and knows nothing of the stores.

// rowsOf is how many entities a partition has at most.
const rowsOf = 5

// row is an entity: two properties, 0 for none, and its version, or the last one that it
// had; 0 is one that nobody was told.
type row struct {
	there   bool
	a, b    int32
	version entity.Ticks
}

type partition [rowsOf]row

// change is a write of one entity in a history. If is the version it is conditional on,
// any or none.
type change struct {
	verb entity.Verb
	row  int
	a, b int32
	ifIs entity.Ticks
}

const (
	ifNone entity.Ticks = 0
	ifAny  entity.Ticks = -1
)

// input is an operation: some changes, or a read of one entity, or of all (row < 0).
type input struct {
	changes []change
	reads   bool
	row     int
}

// output is what its client was told; nothing where the reply was lost.
type output struct {
	lost     bool
	code     entity.Code
	failed   int
	versions [rowsOf]entity.Ticks
	rows     partition
}

var oneByOne = porcupine.NondeterministicModel{
	Init: func() []any { return []any{partition{}} },
	Step: func(state, in, out any) []any {
		return next(state.(partition), in.(*input), out.(*output))
	},
}

// next returns the states that an operation may lead to with that answer, none where it
// cannot have it.
func next(p partition, in *input, out *output) []any {
	if in.reads {
		return read(p, in, out)
	}
	states := []partition{p}
	for i, c := range in.changes {
		var after []partition
		for _, s := range states {
			possible, code := c.apply(s)
			told := !out.lost
			switch {
			case told && out.code != entity.OK && i == out.failed:
				// The change at fault: it has to be able to fail so.
				if code == out.code || out.code == entity.ConditionNotSatisfied && code == entity.OK && c.uncertain(s) {
					return []any{p}
				}
			case code != entity.OK:
			default:
				if told && out.code == entity.OK {
					if possible, code = c.dated(possible, s, out.versions[i]); code != entity.OK {
						continue
					}
				}
				after = append(after, possible)
			}
		}
		states = after
	}
	var all []any
	if out.lost {
		all = append(all, p) // it may have failed, or never come to anything
	} else if out.code != entity.OK {
		return nil
	}
	for _, s := range states {
		all = append(all, s)
	}
	return all
}

// uncertain reports whether the change may fail for a version that nobody was told.
func (c change) uncertain(p partition) bool { return c.ifIs > 0 && p[c.row].version == 0 }

// apply makes a change, with a version that nobody was told, or says why it cannot be.
func (c change) apply(p partition) (partition, entity.Code) {
	r := &p[c.row]
	switch {
	case c.verb == entity.Insert && r.there:
		return p, entity.EntityAlreadyExists
	case !r.there && (c.verb == entity.Replace || c.verb == entity.Merge || c.verb == entity.Delete):
		return p, entity.ResourceNotFound
	case c.ifIs > 0 && r.version != 0 && r.version != c.ifIs:
		return p, entity.ConditionNotSatisfied
	}
	switch {
	case c.verb == entity.Delete:
		if r.version == 0 {
			r.version = max(c.ifIs, 0)
		}
		r.there, r.a, r.b = false, 0, 0
		return p, entity.OK
	case r.there && (c.verb == entity.Merge || c.verb == entity.InsertOrMerge):
		if c.a != 0 {
			r.a = c.a
		}
		if c.b != 0 {
			r.b = c.b
		}
	default:
		r.a, r.b = c.a, c.b
	}
	r.there, r.version = true, 0
	return p, entity.OK
}

// dated gives what a change has made the version that its client was told: later than any
// before it.
func (c change) dated(after, before partition, version entity.Ticks) (partition, entity.Code) {
	if c.verb == entity.Delete {
		return after, entity.OK
	}
	if last := max(before[c.row].version, c.ifIs); version <= last {
		return after, entity.InternalError
	}
	after[c.row].version = version
	return after, entity.OK
}

// read compares what a client has read, and learns the versions from it.
func read(p partition, in *input, out *output) []any {
	if out.lost {
		return []any{p}
	}
	for i := range p {
		if in.row >= 0 && i != in.row {
			continue
		}
		had, got := &p[i], out.rows[i]
		if had.there != got.there || had.a != got.a || had.b != got.b || got.there && had.version != 0 && had.version != got.version {
			return nil
		}
		if got.there {
			had.version = got.version
		}
	}
	return []any{p}
}
