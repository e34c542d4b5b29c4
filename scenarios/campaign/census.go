package campaign

import (
	"maps"
	"slices"

	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
	"loadgen/target"
)

// stock is what was loaded before a phase: how many entities, and, for who asks,
// how they lie in partitions. To know that takes a walk over all of them.
type stock struct {
	loaded int64
	census func() *census
}

// stock returns that of what is loaded before a phase.
func (c *Campaign) stock(phase int) stock {
	return stock{int64(c.Scenario.Loaded(phase)), func() *census { return c.census(phase) }}
}

// total returns how many entities a scan of the table reads: the marker lies there
// too.
func (s stock) total() int64 { return s.loaded + 1 }

// census is how many entities were loaded into each partition, in the order of the
// index.
type census struct {
	keys []string
	// upTo are how many entities the partitions up to each hold together.
	upTo []int64
}

// census returns that of what is loaded before a phase.
func (c *Campaign) census(phase int) *census {
	loaded := c.Scenario.Loaded(phase)
	if c.counted != nil && c.countedOf == loaded {
		return c.counted
	}
	members := make(map[string]int64)
	for n := range loaded {
		members[c.generator.PartitionKey(n)]++
	}
	all := &census{keys: slices.SortedFunc(maps.Keys(members), comparePartitions)}
	sum := int64(0)
	for _, key := range all.keys {
		sum += members[key]
		all.upTo = append(all.upTo, sum)
	}
	c.counted, c.countedOf = all, loaded
	return all
}

func comparePartitions(a, b string) int {
	return entity.Key{Partition: a}.Compare(entity.Key{Partition: b})
}

// loaded returns how many entities all partitions hold together.
func (s *census) loaded() int64 {
	if len(s.upTo) == 0 {
		return 0
	}
	return s.upTo[len(s.upTo)-1]
}

// of returns how many entities a partition holds.
func (s *census) of(partitionKey string) int64 {
	at, there := slices.BinarySearchFunc(s.keys, partitionKey, comparePartitions)
	if !there {
		return 0
	}
	return s.between(at, at)
}

// mean returns how many entities a partition holds on the average, rounded up.
func (s *census) mean() int64 {
	most := int64(max(1, len(s.keys)))
	return (s.loaded() + most - 1) / most
}

// window returns the first and the last of so many partitions that follow one
// another from one on, and how many entities are between them. Where too few
// follow, those before make up for it.
func (s *census) window(partitionKey string, partitions int) (first, last string, entities int64) {
	from, _ := slices.BinarySearchFunc(s.keys, partitionKey, comparePartitions)
	from = max(0, min(from, len(s.keys)-partitions))
	to := min(from+partitions, len(s.keys)) - 1
	first, last = s.keys[from], s.keys[to]
	entities = s.between(from, to)
	if comparePartitions(first, markerPartition) <= 0 && comparePartitions(markerPartition, last) <= 0 {
		entities++
	}
	return first, last, entities
}

// between returns how many entities the partitions at from to to hold.
func (s *census) between(from, to int) int64 {
	if from == 0 {
		return s.upTo[to]
	}
	return s.upTo[to] - s.upTo[from-1]
}

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
	phase := c.phaseOf(operations)
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
	entities = mostRead(spec, entities)
	return entities, (entities + pageOf(spec) - 1) / pageOf(spec)
}

// phaseOf returns the phase that has these operations, and the number of phases
// where none has.
func (c *Campaign) phaseOf(operations []scenarios.OperationSpec) int {
	for i := range c.Scenario.Phases {
		own := c.Scenario.Phases[i].Operations()
		if len(own) > 0 && len(operations) > 0 && &own[0] == &operations[0] {
			return i
		}
	}
	return len(c.Scenario.Phases)
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
