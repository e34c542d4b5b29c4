package campaign

import (
	"slices"

	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
	"loadgen/target"
)

// dueOf returns how many entities an operation of a phase is due to count, on the
// average over the partitions that it can go to, and how many requests it takes.
func (c *Campaign) dueOf(operations []scenarios.OperationSpec, spec *scenarios.OperationSpec) (entities, requests int64) {
	if spec.Verb != entity.Query {
		entities = int64(spec.Offers())
		if spec.ReadFirst {
			return entities, 2
		}
		return entities, 1
	}
	phase := len(c.Scenario.Phases)
	for i := range c.Scenario.Phases {
		own := c.Scenario.Phases[i].Operations()
		if len(own) > 0 && len(operations) > 0 && &own[0] == &operations[0] {
			phase = i
			break
		}
	}
	switch spec.Class {
	case scenarios.ClassPoint:
		entities = 1
	case scenarios.ClassPartitionScan:
		entities = c.census(phase).mean()
		if phase < len(c.Scenario.Phases) && len(c.Scenario.Phases[phase].Traffic.Keys) == 1 {
			entities = c.census(phase).of(c.Scenario.Phases[phase].Traffic.Keys[0])
		}
	case scenarios.ClassPartitionRange:
		entities = c.census(phase).mean() * int64(spec.Partitions)
	case scenarios.ClassTableScan:
		entities = c.stock(phase).total()
	default:
		entities = int64(spec.Rows)
	}
	if _, read := c.readBefore(phase, spec); read < entities {
		entities -= read
	}
	entities = mostRead(spec, entities)
	return entities, (entities + pageOf(spec) - 1) / pageOf(spec)
}

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
// so many entities were loaded, and how many entities it is due to count; so many of the
// stretch were read before it, by those whose token it takes up.
func newReading(spec *scenarios.OperationSpec, partitionKey string, members int, before int64, all stock) (*reading, int64, error) {
	r := &reading{spec: spec}
	if err := r.token.UnmarshalText([]byte(spec.From.Token)); err != nil {
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
	if spec.Where != "" {
		// The filter is taken in as far as it is the same for every operation.
		var err error
		if r.where, err = keys.ParseTemplate(spec.Where); err != nil {
			return nil, 0, err
		}
		r.text, _ = r.whole.Range.Text()
		if r.narrowed = len(r.where.Attributes()) > 0; !r.narrowed {
			if r.whole, err = target.Filtered(scenarios.Narrow(r.text, spec.Wanted(r.where, nil))); err != nil {
				return nil, 0, err
			}
		}
	}
	if before < due {
		due -= before
	}
	return r, mostRead(spec, due), nil
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

// savedToken is a continuation token that queries of a name have saved: that of the last
// page which the operation with the highest number has read, so that it does not depend
// on which of several ends first.
type savedToken struct {
	operation string
	number    uint64
	phase     int
	target.Token
}

// readBefore returns how many entities are read, of what a query of a phase asks for, by
// those before it whose token it takes up, where each of their pages is full, and the
// token at which the first of them begins. A token that was saved tells nothing of that:
// its text is the service's business.
func (c *Campaign) readBefore(phase int, spec *scenarios.OperationSpec) (root string, entities int64) {
	for spec.From.Saved != "" && phase > 0 {
		phase--
		list := c.Scenario.Phases[phase].Operations()
		by := slices.IndexFunc(list, func(o scenarios.OperationSpec) bool { return o.Save == spec.From.Saved })
		if by >= 0 {
			spec = &list[by]
			entities = addUp(entities, int64(spec.Pages)*pageOf(spec))
		}
	}
	return spec.From.Token, entities
}
