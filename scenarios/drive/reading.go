package drive

import (
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
	"loadgen/target"
)

// reading is what one kind of query reads on one partition: what all operations of
// the kind have in common, so that little is left to do for each.
type reading struct {
	spec *scenarios.OperationSpec
	// whole is the query where it is the same for every operation. Point queries and
	// those of rows begin at another entity each.
	whole target.Query
	// text is the $filter of the stretch that is read, and where what is added to it
	// for each entity; narrowed says that there is such a thing.
	text     string
	where    keys.Template
	narrowed bool
	token    target.Token
}

// newReading returns what a query reads on the partition of a generator, of which
// so many entities were loaded, and how many entities it is due to count.
func newReading(spec *scenarios.OperationSpec, partitionKey string, members int, all stock) (*reading, int64, error) {
	r := &reading{spec: spec}
	if err := r.token.UnmarshalText([]byte(spec.From)); err != nil {
		return nil, 0, err
	}
	due := int64(members)
	switch spec.Class {
	case scenarios.ClassPoint:
		due = 1
	case scenarios.ClassPartitionScan:
		r.whole = target.OnePartition(partitionKey)
	case scenarios.ClassPartitionRange:
		first, last, entities := all.census().window(partitionKey, spec.Partitions)
		r.whole, due = target.Partitions(first, last), entities
	case scenarios.ClassTableScan:
		due = all.total()
	default:
		r.whole = target.OnePartition(partitionKey)
		due = min(due, int64(spec.Rows))
	}
	if err := r.narrow(); err != nil {
		return nil, 0, err
	}
	return r, mostRead(spec, due), nil
}

// narrow takes the filter in, as far as it is the same for every operation.
func (r *reading) narrow() error {
	if r.spec.Where == "" {
		return nil
	}
	var err error
	if r.where, err = keys.ParseTemplate(r.spec.Where); err != nil {
		return err
	}
	r.text, _ = r.whole.Range.Text()
	if len(r.where.Attributes()) > 0 {
		r.narrowed = true
		return nil
	}
	r.whole, err = target.Filtered(scenarios.Narrow(r.text, r.spec.Wanted(r.where, nil)))
	return err
}

// mostRead returns how many entities a query is due to count of those in its
// stretch: where it reads so many pages only, what fits into them, and where a
// filter drops some of what it reads, at most that.
func mostRead(spec *scenarios.OperationSpec, due int64) int64 {
	if spec.Pages > 0 {
		due = min(due, int64(spec.Pages)*pageOf(spec))
	}
	return max(1, due)
}

// pageOf returns how many entities a page of a query reads. A filter that drops
// some has the page go on, as far as a page goes.
func pageOf(spec *scenarios.OperationSpec) int64 {
	if spec.Top > 0 && spec.Where == "" {
		return int64(spec.Top)
	}
	return pageEntities
}

// query returns the query that an entity of a partition is drawn for.
func (r *reading) query(h *home, one *entry, index int) target.Query {
	q := r.whole
	switch {
	case r.spec.Class == scenarios.ClassPoint:
		q = target.OnePoint(h.key(one, index))
	case r.spec.Scans() || r.token.Present:
		q = r.about(q, h.generator, one.from[index])
	default:
		key := h.key(one, index)
		q = target.RowsFrom(key.Partition, key.Row)
	}
	q.Top, q.Select, q.Token = r.spec.Top, r.spec.Select, r.token
	return q
}

// about returns the query with the values of an entity in its filter.
func (r *reading) about(q target.Query, generator *keys.Generator, n uint64) target.Query {
	if !r.narrowed {
		return q
	}
	text := r.spec.Wanted(r.where, func(attribute string) string {
		value, _ := generator.Value(attribute, n)
		return value
	})
	narrowed, err := target.Filtered(scenarios.Narrow(r.text, text))
	if err != nil {
		// The texts that were tried when the scenario was read were filters. Should
		// one further out be none, the stretch alone is read: it counts the same.
		return q
	}
	return narrowed
}
