package drive

import (
	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/keys"
	"loadgen/target"
)

// replay decides what operation k of a phase is by the rows of a trace, which name
// an operation and a key each. What is written is generated, as that of a mix is.
type replay struct {
	// mix has the kinds of operation, their numbers and ids, and no partition.
	*mix
	trace     *arrival.Trace
	generator *keys.Generator
	// parts are what those of the operations that merge write.
	parts []*keys.Part
}

// newReplay returns what a trace has a phase do.
func (c *Campaign) newReplay(phase int, trace *arrival.Trace) (*replay, error) {
	m, err := c.newMix(phase)
	if err != nil {
		return nil, err
	}
	m.deletes = deletes(m.specs, trace)
	r := &replay{mix: m, trace: trace, generator: c.generator, parts: make([]*keys.Part, len(m.specs))}
	for i := range m.specs {
		if m.specs[i].Merges() {
			if r.parts[i], err = m.specs[i].Part(c.generator); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// deletes reports whether a row deletes what later ones may look for. That an
// operation could is not enough: where the trace names none, most are implied.
func deletes(specs []scenarios.OperationSpec, trace *arrival.Trace) bool {
	for n := range trace.Len() {
		if specs[trace.Row(n).Operation].Verb == entity.Delete {
			return true
		}
	}
	return false
}

// outline returns operation k without its content.
func (r *replay) outline(k uint64) Work {
	kind := r.trace.Row(k).Operation
	return Work{Kind: r.indexes[kind], Offers: int64(r.specs[kind].Offers())}
}

// work returns operation k.
func (r *replay) work(k uint64) Work {
	row := r.trace.Row(k)
	spec, w := &r.specs[row.Operation], r.outline(k)
	w.Operation.Verb, w.Operation.Table = spec.Verb, r.table
	change := &w.Operation.Change
	change.Verb, change.Key = spec.Verb, row.Key
	number := r.fresh + k*r.stride
	switch spec.Verb {
	case entity.Insert, entity.Replace, entity.InsertOrReplace:
		change.Properties = r.generator.Properties(number)
	case entity.Merge, entity.InsertOrMerge:
		change.Properties = r.parts[row.Operation].Properties(number)
	}
	switch spec.Verb {
	case entity.Replace, entity.Merge, entity.Delete:
		change.Match = entity.MatchAny
	}
	w.Expected = target.Expected{NotFound: spec.Verb == entity.Delete || r.deletes && expectsExisting(spec.Verb)}
	r.ids.guard(k, spec, &w)
	return w
}
