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
	// homes are the partitions that operations go to, homeOf which of them an
	// operation does; nil where there is one only.
	homes  []home
	homeOf func(k uint64) int
	specs  []scenarios.OperationSpec
	// indexes are those of the specs among the run's kinds of operation, upTo the
	// sums of their weights.
	indexes, upTo []int
	weights       int
	// fresh is the number of the first entity that operation 0 may insert.
	fresh, stride uint64
	deletes       bool
	ids           ids
	kinds, rows   clock.Stream
}

// home is one partition of a mix: a generator that is held to it, and what each
// kind of operation does there.
type home struct {
	generator *keys.Generator
	entries   []entry
}

// entry is one kind of operation on one partition.
type entry struct {
	// inserts reports whether it writes new entities; part is what a merge writes, else nil, and
	// replaces reports whether it writes whole entities.
	inserts, replaces bool
	part              *keys.Part
	// match and expected are what the operation's condition and its statuses are.
	match    entity.Match
	expected target.Expected
	// from are the entities that the operation may begin at, offers how many
	// it is due to count.
	from   []uint64
	offers int64
	// prepared has the keys of the entities, and variants what merges write; both are nil where
	// nothing is formed beforehand.
	prepared []preparedKey
	variants []variant
	// asked is what a query reads; nil for any other operation.
	asked *question
}

// preparedKey is a key, and how much more an operation weighs for it.
type preparedKey struct {
	key   entity.Key
	sizes target.Sizes
}

// variant is what a merge writes, and the sizes of an operation that writes it.
type variant struct {
	properties []entity.Property
	sizes      target.Sizes
}

// variants is how many contents of each merge are formed beforehand.
const variants = 64

// prepare forms the keys of all entities and some variants of what is merged
// beforehand: a simulation would spend a third of its time on forming them anew.
// Others of the mix must not alter them.
func (m *mix) prepare() {
	const mostKeys, mostVariants = 100_000, 8192
	if len(m.homes)*len(m.specs)*variants > mostVariants {
		return
	}
	room := mostKeys
	for i := range m.homes {
		h := &m.homes[i]
		for j := range h.entries {
			one := &h.entries[j]
			if room -= len(one.from); room < 0 {
				return
			}
			one.prepare(h.generator, m.specs[j].Verb, m.fresh)
		}
	}
}

func (one *entry) prepare(generator *keys.Generator, verb entity.Verb, fresh uint64) {
	bare := target.SizesOf(&entity.Change{Verb: verb})
	one.prepared = make([]preparedKey, len(one.from))
	for i, n := range one.from {
		key := generator.Key(n)
		if i > 0 {
			// They all lie in one partition, and thus share its name in memory.
			key.Partition = one.prepared[0].key.Partition
		}
		one.prepared[i] = preparedKey{key, target.SizesOf(&entity.Change{Verb: verb, Key: key}).Less(bare)}
	}
	for n := uint64(0); one.part != nil && !one.part.All && n < variants; n++ {
		whole := entity.Change{Verb: verb, Properties: one.part.Properties(fresh + n)}
		one.variants = append(one.variants, variant{whole.Properties, target.SizesOf(&whole)})
	}
}

// key returns the key of one of the entities that an operation may begin at.
func (h *home) key(one *entry, index int) entity.Key {
	if one.prepared != nil {
		return one.prepared[index].key
	}
	return h.generator.Key(one.from[index])
}

// merged returns what the merge with a number writes: it differs from operation to
// operation.
func (one *entry) merged(number uint64) []entity.Property {
	if one.variants != nil {
		return one.variants[number%variants].properties
	}
	return one.part.Properties(number)
}

func (c *Campaign) offerMix(stage *drive.Stage, phase int, partitions []partition) error {
	mix, err := c.newMix(phase, partitions...)
	if err != nil {
		return err
	}
	if len(partitions) > 1 {
		// Of as many operations as there are partitions, one goes to each, in an order that is
		// drawn anew for every such round. A partition's rate is thus exact, and no two follow one
		// another for long. The strides are the steps by which a round can go about and meet each
		// partition once.
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
		mix.homeOf = func(k uint64) int {
			round, turn := k/count, k%count
			draw := chance.At(round)
			first := uint64(draw.IntN(len(partitions)))
			stride := strides[draw.IntN(len(strides))]
			return int((first + turn*stride) % count)
		}
	}
	mix.prepare()
	stage.Build = mix.work
	stage.Outline = func(k uint64) drive.Work {
		kind := mix.pick(k)
		return drive.Work{Kind: mix.indexes[kind], Offers: mix.home(k).entries[kind].offers}
	}
	return nil
}

func (c *Campaign) newMix(phase int, partitions ...partition) (*mix, error) {
	name := c.Scenario.Phases[phase].Name
	m := &mix{
		table: c.Table, fresh: c.fresh, specs: c.Scenario.Phases[phase].Operations(),
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
		if err := c.addHome(m, phase, one); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// addHome adds a partition to the mix of a phase.
func (c *Campaign) addHome(m *mix, phase int, partition partition) error {
	generator := c.generator.Pinned(partition.witness)
	h := home{generator: generator}
	members := partition.members
	for i := range m.specs {
		op := &m.specs[i]
		one := entry{from: members, offers: int64(op.Offers()), match: matchOf(op.Writes()), inserts: op.Inserts(), replaces: op.Replaces()}
		one.expected.NotFound = op.Writes() == entity.Delete || m.deletes && expectsExisting(op.Writes())
		var err error
		switch {
		case op.Verb == entity.Query:
			if op.Rows > 0 {
				// It begins where so many rows follow, so that what it is due to count is there.
				ordered := slices.Clone(members)
				slices.SortFunc(ordered, func(a, b uint64) int { return generator.Key(a).Compare(generator.Key(b)) })
				one.from = ordered[:max(1, len(ordered)-op.Rows+1)]
			}
			one.asked, one.offers, err = c.newPartitionQuestion(op, phase, generator, members)
		case op.Verb == entity.Batch && !op.Inserts():
			one.offers = min(one.offers, int64(len(members)))
		}
		if op.Merges() && err == nil {
			one.part, err = op.Part(generator)
		}
		if err != nil {
			return err
		}
		h.entries = append(h.entries, one)
	}
	m.homes = append(m.homes, h)
	return nil
}

// ahead returns how many of a partition's entities lie at the token at which a query
// begins, or after it; all where it has none. A token that no entity follows is one
// whose keys are a service's own business, and tells nothing.
func ahead(text string, generator *keys.Generator, members []uint64) int {
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

// home returns the partition that operation k goes to.
func (m *mix) home(k uint64) *home {
	if m.homeOf == nil {
		return &m.homes[0]
	}
	return &m.homes[m.homeOf(k)]
}

func (m *mix) work(k uint64, w *drive.Work) {
	kind, h := m.pick(k), m.home(k)
	spec, one := &m.specs[kind], &h.entries[kind]
	w.Kind, w.Offers, w.Expected = m.indexes[kind], one.offers, one.expected
	op := &w.Operation
	op.Verb, op.Table = spec.Verb, m.table
	draw := m.rows.At(k)
	index := draw.IntN(len(one.from))
	inserted := m.fresh + k*m.stride
	switch spec.Verb {
	case entity.Query:
		q := one.asked
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
		*op = q.within(query, keys.Event{Number: one.from[index]})
		w.Pages, w.Rows, w.MostPages = true, int64(spec.Rows), spec.Pages
	case entity.Batch:
		op.Changes = make([]entity.Change, one.offers)
		for i := range op.Changes {
			op.Changes[i] = h.change(spec, one, (index+i)%len(one.from), inserted+uint64(i))
		}
	default:
		op.Change = h.change(spec, one, index, inserted)
	}
	if m.ids.guard(k, spec, w); w.Workflow != nil {
		return
	}
	if one.variants != nil && spec.Verb != entity.Batch {
		// What it weighs is reckoned beforehand.
		key := &one.prepared[index].sizes
		op.Sizes = one.variants[inserted%variants].sizes
		op.Sizes.Request += key.Request
		op.Sizes.Billed += key.Billed
	}
}

// matchOf returns the condition of a verb that has to have one: that the entity is there.
func matchOf(v entity.Verb) entity.Match {
	if v == entity.Replace || v == entity.Merge || v == entity.Delete {
		return entity.MatchAny
	}
	return entity.Match{}
}

func expectsExisting(v entity.Verb) bool {
	return v == entity.Get || v == entity.Replace || v == entity.Merge
}

// change returns a single write, or the read of an entity: of the new entity with a number, or of
// the existing one at an index, which a merge gives the properties of that number.
func (h *home) change(spec *scenarios.OperationSpec, one *entry, index int, inserted uint64) entity.Change {
	c := entity.Change{Verb: spec.Writes(), Match: one.match}
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
	case one.part != nil:
		c.Properties = one.merged(inserted)
	}
	return c
}

// pick draws the kind of operation k by weight.
func (m *mix) pick(k uint64) int {
	if len(m.specs) == 1 {
		return 0
	}
	draw := m.kinds.At(k)
	chance := draw.IntN(m.weights)
	for i, upTo := range m.upTo {
		if chance < upTo {
			return i
		}
	}
	panic("campaign: a chance beyond the sum of the weights")
}

// dueOf returns how many entities an operation of a phase is due to count, on the
// average over the partitions that it can go to, and how many requests it takes.
func (c *Campaign) dueOf(phase int, spec *scenarios.OperationSpec) (entities, requests int64) {
	if spec.Verb != entity.Query {
		entities = int64(spec.Offers())
		if spec.ReadFirst {
			return entities, 2
		}
		return entities, 1
	}
	switch spec.Class {
	case scenarios.ClassPoint:
		entities = 1
	case scenarios.ClassPartitionScan:
		entities = c.census(phase).mean()
		if only := c.Scenario.Phases[phase].Offered().Keys; len(only) == 1 {
			entities = c.census(phase).of(only[0])
		}
	case scenarios.ClassPartitionRange:
		entities = c.census(phase).mean() * int64(spec.Partitions)
	case scenarios.ClassTableScan:
		entities = c.scanned(phase)
	default:
		entities = int64(spec.Rows)
	}
	if _, read := c.readBefore(phase, spec); read < entities {
		entities -= read
	}
	entities = mostRead(spec, entities)
	return entities, (entities + pageOf(spec) - 1) / pageOf(spec)
}

// newPartitionQuestion returns what a query of a phase reads on the partition of a generator, which
// has some members, and how many entities it is due to count. A query that continues from a saved
// token begins at the last one that was saved.
func (c *Campaign) newPartitionQuestion(spec *scenarios.OperationSpec, phase int, generator *keys.Generator, members []uint64) (*question, int64, error) {
	q, err := c.newQuestion(spec)
	if err != nil {
		return nil, 0, err
	}
	q.home.generator = generator
	text := spec.From.Token
	if spec.From.Saved != "" {
		saved, _ := c.tokens[spec.From.Saved].MarshalText()
		text = string(saved)
	}
	if err := q.token.UnmarshalText([]byte(text)); err != nil {
		return nil, 0, err
	}
	partitionKey := generator.PartitionKey(members[0])
	root, before := c.readBefore(phase, spec)
	due := int64(ahead(root, generator, members))
	var whole target.Query
	switch spec.Class {
	case scenarios.ClassPoint:
		due = 1
	case scenarios.ClassPartitionScan:
		whole = target.OnePartition(partitionKey)
	case scenarios.ClassPartitionRange:
		first, last, entities := c.census(phase).window(partitionKey, spec.Partitions)
		whole, due = target.Partitions(first, last), entities
	case scenarios.ClassTableScan:
		due = c.scanned(phase)
	default:
		whole = target.OnePartition(partitionKey)
		due = min(due, int64(spec.Rows))
	}
	if spec.Scans() || q.token.Present {
		if spec.Where != "" && len(q.where.Attributes()) == 0 {
			// The filter is the same for every operation.
			whole = q.within(whole, keys.Event{}).Query
		}
		q.fixed = &whole
	}
	if before < due {
		due -= before
	}
	return q, mostRead(spec, due), nil
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
