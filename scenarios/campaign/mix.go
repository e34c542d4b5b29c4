package campaign

import (
	"slices"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/keys"
	"loadgen/target"
)

// mix decides what operation k of a phase is: a pure function of k.
type mix struct {
	table string
	// partitions are those that operations go to, partitionOf returns the index of an operation's.
	partitions  []partitionMix
	partitionOf func(k uint64) int
	specs       []scenarios.OperationSpec
	// indexes are the indexes of the specs in the run's kinds of operation, upTo the sums of their
	// weights.
	indexes, upTo []int
	weights       int
	// fresh is the number of the first entity that operation 0 may insert.
	fresh, stride uint64
	deletes       bool
	ids           ids
	kinds, rows   clock.Stream
}

// partitionMix is one partition of a mix, with a generator of its keys and its kinds of operation.
type partitionMix struct {
	generator *keys.Generator
	kinds     []partitionKind
}

// partitionKind is one kind of operation on one partition.
type partitionKind struct {
	// part is what a merge writes, nil for others. expected has the refusals that count as success.
	part     *keys.Part
	expected target.Expected
	// from are the entities at which the operation can begin, offers is how many entities it is due
	// to count.
	from   []uint64
	offers int64
	// verb, match, inserts and replaces say how a single write changes an entity.
	verb              entity.Verb
	match             entity.Match
	inserts, replaces bool
	// prepared has the keys of the entities in the partition partitionKey, and variants what merges
	// write; both are nil unless operations are formed in advance.
	partitionKey string
	prepared     []preparedKey
	variants     []variant
	// reading is what a query reads; nil for any other operation.
	reading *reading
}

// preparedKey is the RowKey of an entity, and the bytes that it adds to the request of an operation and to its billed
// size. It is small, and partitions share equal ones, because a simulation reads them in random order: reads that miss
// the caches of the CPU take longer than all else.
type preparedKey struct {
	row             string
	request, billed int32
}

// variant is what a merge writes, and the sizes of an operation that writes it, without the RowKey.
type variant struct {
	properties []entity.Property
	sizes      target.Sizes
}

// variants is the number of prepared contents of each merge.
const variants = 64

// prepare forms the keys of all entities and some contents of merges in advance: a simulation would
// spend a third of its time on them. They must not be altered.
func (m *mix) prepare() {
	const maxKeys, maxVariants = 100_000, 8192
	if len(m.partitions)*len(m.specs)*variants > maxVariants {
		return
	}
	room := maxKeys
	for i := range m.partitions {
		h := &m.partitions[i]
		for j := range h.kinds {
			one := &h.kinds[j]
			if room -= len(one.from); room < 0 {
				return
			}
			one.prepare(h.generator, m.specs[j].Verb, m.fresh)
			if first := m.partitions[0].kinds[j].prepared; slices.Equal(one.prepared, first) {
				one.prepared = first
			}
		}
	}
}

func (one *partitionKind) prepare(generator *keys.Generator, verb entity.Verb, fresh uint64) {
	bare := target.SizesOf(&entity.Change{Verb: verb})
	one.prepared = make([]preparedKey, len(one.from))
	for i, n := range one.from {
		key := generator.Key(n)
		if i == 0 {
			one.partitionKey = key.Partition
		}
		sizes := target.SizesOf(&entity.Change{Verb: verb, Key: entity.Key{Row: key.Row}}).Less(bare)
		one.prepared[i] = preparedKey{key.Row, int32(sizes.Request), int32(sizes.Billed)}
	}
	for n := uint64(0); one.part != nil && !one.part.All && n < variants; n++ {
		whole := entity.Change{Verb: verb, Key: entity.Key{Partition: one.partitionKey}, Properties: one.part.Properties(fresh + n)}
		one.variants = append(one.variants, variant{whole.Properties, target.SizesOf(&whole)})
	}
}

// key returns the key of one of the entities at which an operation can begin.
func (h *partitionMix) key(one *partitionKind, index int) entity.Key {
	if one.prepared != nil {
		return entity.Key{Partition: one.partitionKey, Row: one.prepared[index].row}
	}
	return h.generator.Key(one.from[index])
}

func (c *Campaign) offerMix(stage *drive.Stage, phase int, partitions []partition) error {
	mix, err := c.newMix(phase, partitions...)
	if err != nil {
		return err
	}
	if len(partitions) > 1 {
		// Each round sends one operation to each partition, in a random order. The rate of a
		// partition is thus exact, and no two partitions follow each other for long. A stride is a
		// step with which a round visits each partition once.
		const most = 1024
		var strides []uint64
		count := uint64(len(partitions))
		for stride := uint64(1); stride <= count && len(strides) < most; stride++ {
			a, b := stride, count
			for b > 0 {
				a, b = b, a%b
			}
			if a == 1 {
				strides = append(strides, stride)
			}
		}
		chance := clock.NewStream(c.Scenario.Seed, "partitions/"+stage.Name)
		mix.partitionOf = func(k uint64) int {
			round, turn := k/count, k%count
			draw := chance.Draw(round)
			first := uint64(draw.IntN(len(partitions)))
			stride := strides[draw.IntN(len(strides))]
			return int((first + turn*stride) % count)
		}
	}
	mix.prepare()
	stage.Build, stage.Outline = mix.work, mix.outline
	return nil
}

// outline returns operation k without its content.
func (m *mix) outline(k uint64) drive.Work {
	kind := m.pick(k)
	return drive.Work{Kind: m.indexes[kind], Offers: m.partitions[m.partitionOf(k)].kinds[kind].offers}
}

func (c *Campaign) newMix(phase int, partitions ...partition) (*mix, error) {
	name := c.Scenario.Phases[phase].Name
	m := &mix{
		table: c.Table, fresh: c.fresh, specs: c.Scenario.Phases[phase].Operations(), partitionOf: func(uint64) int { return 0 },
		kinds: clock.NewStream(c.Scenario.Seed, "mix/"+name),
		rows:  clock.NewStream(c.Scenario.Seed, "rows/"+name),
	}
	m.stride, m.ids = stride(m.specs), ids{run: c.runMark(), first: c.number, verify: c.Verify, filler: c.Scenario.Entity.Filler}
	for i := range m.specs {
		m.weights += m.specs[i].Weight
		m.upTo = append(m.upTo, m.weights)
		m.indexes = append(m.indexes, c.kindOf[m.specs[i].Name])
		m.deletes = m.deletes || m.specs[i].Writes() == entity.Delete
	}
	for _, one := range partitions {
		if err := c.addPartition(m, phase, one); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// addPartition adds a partition to the mix of a phase.
func (c *Campaign) addPartition(m *mix, phase int, partition partition) error {
	generator := c.generator.Pinned(partition.witness)
	h := partitionMix{generator: generator}
	members := partition.members
	for i := range m.specs {
		op := &m.specs[i]
		one := partitionKind{from: members, offers: int64(op.Offers()),
			verb: op.Writes(), match: matchOf(op.Writes()), inserts: op.Inserts(), replaces: op.Replaces()}
		one.expected.NotFound = m.mayMiss(op.Writes())
		var err error
		switch {
		case op.Verb == entity.Query:
			if op.Rows > 0 {
				// It begins where as many rows follow as it is due to count.
				ordered := slices.Clone(members)
				slices.SortFunc(ordered, func(a, b uint64) int { return generator.Key(a).Compare(generator.Key(b)) })
				one.from = ordered[:max(1, len(ordered)-op.Rows+1)]
			}
			one.reading, one.offers, err = c.newPartitionReading(op, phase, generator, members)
		case op.Verb == entity.Batch && !op.Inserts():
			one.offers = min(one.offers, int64(len(members)))
		}
		if op.Merges() && err == nil {
			one.part, err = op.Part(generator)
		}
		if err != nil {
			return err
		}
		h.kinds = append(h.kinds, one)
	}
	m.partitions = append(m.partitions, h)
	return nil
}

// entitiesFrom returns how many of a partition's entities lie at or after the token at which a query
// begins; all if it has no token, or one that no entity follows.
func entitiesFrom(text string, generator *keys.Generator, members []uint64) int {
	var token target.Token
	if token.UnmarshalText([]byte(text)) != nil || !token.Present {
		return len(members)
	}
	from, count := entity.Key{Partition: token.NextPartitionKey, Row: token.NextRowKey}, 0
	for _, n := range members {
		if generator.Key(n).Compare(from) >= 0 {
			count++
		}
	}
	if count == 0 {
		return len(members)
	}
	return count
}

func (m *mix) work(k uint64, w *drive.Work) {
	kind, h := m.pick(k), &m.partitions[m.partitionOf(k)]
	spec, one := &m.specs[kind], &h.kinds[kind]
	w.Kind, w.Offers, w.Expected = m.indexes[kind], one.offers, one.expected
	op := &w.Operation
	op.Verb, op.Table = spec.Verb, m.table
	draw := m.rows.Draw(k)
	index := draw.IntN(len(one.from))
	inserted := m.fresh + k*m.stride
	switch spec.Verb {
	case entity.Query:
		q := one.reading
		var query target.Query
		switch {
		case spec.Class == scenarios.ClassPoint:
			query = target.OnePoint(h.key(one, index))
		case q.fixed == nil:
			key := h.key(one, index)
			query = target.RowsFrom(key.Partition, key.Row)
		default:
			query = *q.fixed
		}
		*op = q.filtered(query, keys.Event{Number: one.from[index]})
		w.Pages, w.Rows, w.MaxPages = true, int64(spec.Rows), spec.Pages
	case entity.Batch:
		op.Changes = make([]entity.Change, one.offers)
		for i := range op.Changes {
			op.Changes[i] = h.change(one, (index+i)%len(one.from), inserted+uint64(i))
		}
	default:
		op.Change = h.change(one, index, inserted)
	}
	if m.ids.wrap(k, spec, w); w.Workflow != nil {
		return
	}
	if one.variants != nil && spec.Verb != entity.Batch {
		// Its sizes were computed in advance.
		key := &one.prepared[index]
		op.Sizes = one.variants[inserted%variants].sizes
		op.Sizes.Request += int64(key.request)
		op.Sizes.Billed += int64(key.billed)
	}
}

// matchOf returns the condition of a verb that requires one: that the entity exists.
func matchOf(v entity.Verb) entity.Match {
	if v == entity.Replace || v == entity.Merge || v == entity.Delete {
		return entity.MatchAny
	}
	return entity.Match{}
}

// mayMiss reports whether an operation of the phase may find its entity missing.
func (m *mix) mayMiss(v entity.Verb) bool {
	return v == entity.Delete || m.deletes && (v == entity.Get || v == entity.Replace || v == entity.Merge)
}

// change returns a single write, or the read of an entity: of the new entity with a number, or of
// the existing one at an index, to which a merge writes the properties of that number.
func (h *partitionMix) change(one *partitionKind, index int, inserted uint64) entity.Change {
	c := entity.Change{Verb: one.verb, Match: one.match}
	switch {
	case one.inserts && one.replaces:
		c.Key, c.Properties = h.generator.EntityOf(keys.Event{Number: inserted})
		return c
	case one.inserts:
		c.Key = h.generator.Key(inserted)
	default:
		c.Key = h.key(one, index)
	}
	switch {
	case one.replaces:
		c.Properties = h.generator.Properties(one.from[index])
	case one.variants != nil:
		c.Properties = one.variants[inserted%variants].properties
	case one.part != nil:
		c.Properties = one.part.Properties(inserted)
	}
	return c
}

// pick draws the kind of operation k by weight.
func (m *mix) pick(k uint64) int {
	if len(m.specs) == 1 {
		return 0
	}
	draw := m.kinds.Draw(k)
	kind, _ := slices.BinarySearch(m.upTo, draw.IntN(m.weights)+1)
	return kind
}

// dueOf returns the mean number of entities that an operation of a phase is due to count, and how
// many requests it takes.
func (c *Campaign) dueOf(phase int, spec *scenarios.OperationSpec) (entities, requests int64) {
	if spec.Verb != entity.Query {
		entities = int64(spec.Offers())
		if spec.ReadFirst {
			return entities, 2
		}
		return entities, 1
	}
	sorted, members, key := c.sortedPartitions(phase), int64(0), ""
	if partitions := int64(len(sorted)); partitions > 0 {
		members, key = (int64(c.Scenario.Loaded(phase))+partitions-1)/partitions, sorted[0].key
	}
	if only := c.Scenario.Phases[phase].Offered().Keys; len(only) == 1 {
		key, members = only[0], 0
		if at, found := findPartition(sorted, key); found {
			members = int64(len(sorted[at].members))
		}
	}
	_, entities = c.queryRange(phase, spec, key, members)
	if _, before := c.readBefore(phase, spec); before < entities {
		entities -= before
	}
	entities = maxRead(spec, entities)
	return entities, (entities + pageOf(spec) - 1) / pageOf(spec)
}

// queryRange returns what a query of a phase reads that begins in a partition, and how many
// entities that are, if the partition has a number of them from there on.
func (c *Campaign) queryRange(phase int, spec *scenarios.OperationSpec, key string, members int64) (q target.Query, entities int64) {
	switch spec.Class {
	case scenarios.ClassPoint:
		return q, 1
	case scenarios.ClassPartitionScan:
		return target.OnePartition(key), members
	case scenarios.ClassPartitionRange:
		first, last, entities := partitionRange(c.sortedPartitions(phase), key, spec.Partitions)
		return target.Partitions(first, last), entities
	case scenarios.ClassTableScan:
		return q, c.scanned(phase)
	default:
		return target.OnePartition(key), min(members, int64(spec.Rows))
	}
}

// newPartitionReading returns what a query of a phase reads in the partition of a generator, which
// has some members, and how many entities it is due to count. A query that continues from a saved
// token begins at the last one that was saved.
func (c *Campaign) newPartitionReading(spec *scenarios.OperationSpec, phase int, generator *keys.Generator, members []uint64) (*reading, int64, error) {
	q, err := c.newReading(spec)
	if err != nil {
		return nil, 0, err
	}
	q.location.generator = generator
	text := spec.From.Token
	if spec.From.Saved != "" {
		saved, _ := c.tokens[spec.From.Saved].MarshalText()
		text = string(saved)
	}
	if err := q.token.UnmarshalText([]byte(text)); err != nil {
		return nil, 0, err
	}
	root, before := c.readBefore(phase, spec)
	whole, due := c.queryRange(phase, spec, generator.PartitionKey(members[0]), int64(entitiesFrom(root, generator, members)))
	if spec.Scans() || q.token.Present {
		if spec.Where != "" && len(q.where.Attributes()) == 0 {
			// The filter is the same for every operation.
			whole = q.filtered(whole, keys.Event{}).Query
		}
		q.fixed = &whole
	}
	if before < due {
		due -= before
	}
	return q, maxRead(spec, due), nil
}

// maxRead limits the number of entities that a query is due to count to its maximum number of
// pages.
func maxRead(spec *scenarios.OperationSpec, due int64) int64 {
	if spec.Pages > 0 {
		due = min(due, int64(spec.Pages)*pageOf(spec))
	}
	return max(1, due)
}

// pageOf returns how many entities a page of a query reads: a filter makes the service read on.
func pageOf(spec *scenarios.OperationSpec) int64 {
	if spec.Top > 0 && spec.Where == "" {
		return int64(spec.Top)
	}
	return pageEntities
}

// savedToken is the continuation token of the last page of the operation with the highest number,
// which does not depend on the order in which operations end.
type savedToken struct {
	operation string
	number    uint64
	phase     int
	target.Token
}

// readBefore returns how many entities the queries before have read whose token a query continues
// from, with full pages, and the token at which the first of them began.
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
