package campaign

import (
	"fmt"
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/workflow"
)

// trail is what the writes of one entity must have left in it. A write is carried
// out at some instant between when its operation was due and when it ended; one
// without a word, at any time after it was due. Only what no order within these
// bounds explains is a fault.
type trail struct {
	// number and version are those of the acknowledged write with the greatest
	// version; unordered says that one was acknowledged without its version.
	number    uint64
	version   entity.Ticks
	unordered bool
	// wrote says that a write was acknowledged. writeBegan is the latest instant
	// before any of them, writesEnded the latest after all that may have been
	// carried out.
	wrote                   bool
	writeBegan, writesEnded time.Duration
	// deletes likewise; deletesEnded counts those that may have been carried out.
	deleted                   bool
	deleteBegan, deletesEnded time.Duration
	// strays are the writes that may have been carried out, or may be once more;
	// flooded says that there are more than are kept.
	strays  []uint64
	flooded bool
	// erased says that counters may have been wiped out by another kind of write, blind that
	// one was written without a condition: what somebody else had added may be overwritten.
	erased, blind bool
	counters      []counter
}

// counter is what is known of one counter.
type counter struct {
	name string
	// base is the least value that anybody read of it.
	base                  int64
	acknowledged, unknown int64
}

const (
	mostStrays = 16
	never      = time.Duration(-1)
	always     = time.Duration(1<<63 - 1)
)

// follow takes down a write that was acknowledged, or may have been carried out.
func (t *trail) follow(r *workflow.Report, c *results.Completed) {
	known := r.Written == workflow.Acknowledged
	ended := c.Done
	if !known || r.Lingers {
		ended = always
		if len(t.strays) < mostStrays {
			t.strays = append(t.strays, r.ID.Number)
		} else {
			t.flooded = true
		}
	}
	if r.Verb == entity.Delete {
		t.erased, t.deleted = true, t.deleted || known
		t.deletesEnded = max(t.deletesEnded, ended)
		if known {
			t.deleteBegan = max(t.deleteBegan, c.Intended)
		}
		return
	}
	t.writesEnded = max(t.writesEnded, ended)
	if known {
		t.wrote = true
		t.writeBegan = max(t.writeBegan, c.Intended)
		t.last(r)
	}
	if r.Counter == "" {
		if !r.Conditional && (r.Verb == entity.Replace || r.Verb == entity.InsertOrReplace) {
			t.erased = true
		}
	} else {
		t.blind = t.blind || !r.Conditional
		i := slices.IndexFunc(t.counters, func(one counter) bool { return one.name == r.Counter })
		if i < 0 {
			i = len(t.counters)
			t.counters = append(t.counters, counter{name: r.Counter, base: r.From})
		}
		one := &t.counters[i]
		one.base = min(one.base, r.From)
		if known {
			one.acknowledged++
		} else {
			one.unknown++
		}
	}
}

// last notes a write that may have been the last of all.
func (t *trail) last(r *workflow.Report) {
	switch {
	case r.Superseded:
	case r.Version == 0:
		t.unordered = true
		if t.version == 0 {
			t.number = r.ID.Number
		}
	case r.Version > t.version:
		t.number, t.version = r.ID.Number, r.Version
	}
}

// discrepancy is what an entity shows that was read back.
type discrepancy struct {
	lost, doubled int64
	// blind is how many of lost an unconditional write of the run may have overwritten.
	blind       int64
	overwritten bool
	// fault says in words what is wrong, empty where nothing is.
	fault string
}

// compare holds what is there against what must be.
func (t *trail) compare(run string, stored entity.Packed, version entity.Ticks, there bool) discrepancy {
	switch {
	case !there && t.wrote && t.deletesEnded <= t.writeBegan:
		sum := int64(0)
		for i := range t.counters {
			sum += t.counters[i].acknowledged
		}
		return discrepancy{lost: max(1, sum), fault: "an acknowledged write is missing without a later deletion"}
	case !there:
		return discrepancy{}
	case t.deleted && t.writesEnded <= t.deleteBegan:
		return discrepancy{lost: 1, fault: "the entity exists despite an acknowledged deletion and no later write"}
	}
	found := t.compareID(run, stored, version)
	// A lost increment is a lost write, which is counted once.
	if t.erased || found.overwritten {
		return found
	}
	lost := int64(0)
	for i := range t.counters {
		one := &t.counters[i]
		value, _ := stored.Lookup(one.name)
		least := one.base + one.acknowledged
		switch got := value.Int(); {
		case got < least:
			lost += least - got
			found.fault = fmt.Sprintf("%s is %d, and %d increments from %d on were acknowledged", one.name, got, one.acknowledged, one.base)
		case got > least+one.unknown:
			found.doubled += got - least - one.unknown
			found.fault = fmt.Sprintf("%s is %d, and only %d increments from %d on were acknowledged", one.name, got, one.acknowledged, one.base)
		}
	}
	if t.blind {
		found.blind = max(0, lost-found.lost)
	}
	found.lost = max(found.lost, lost)
	return found
}

// compareID looks for the last write that was acknowledged.
func (t *trail) compareID(run string, stored entity.Packed, version entity.Ticks) discrepancy {
	if !t.wrote || t.version == 0 && t.number == 0 && !t.unordered {
		return discrepancy{}
	}
	id, some := workflow.IDOf(stored)
	ours := some && id.Run == run
	switch {
	case ours && id.Number == t.number:
		return discrepancy{}
	case ours && (t.flooded || t.unordered || slices.Contains(t.strays, id.Number)):
		return discrepancy{}
	case !ours && version > t.version:
		return discrepancy{overwritten: true}
	case t.version == 0:
		return discrepancy{}
	default:
		return discrepancy{lost: 1, fault: fmt.Sprintf("the entity is older than the last acknowledged operation, %d", t.number)}
	}
}
