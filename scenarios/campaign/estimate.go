package campaign

import (
	"math"
	"slices"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios/keys"
	"loadgen/target"
)

// tableEstimate estimates what a table of event traffic holds, in the order of the index: what was
// loaded and what operations insert, as if all succeeded. In a large table a random sample of the
// entities represents all: keys can repeat as regularly as a counter.
type tableEstimate struct {
	entities []estimatedEntity
	// samples are a sample of the entities: each represents sampleWeight entities.
	// Filters are evaluated on samples.
	samples      []sample
	sampleWeight uint64
}

// sample is an entity that filters are evaluated on.
type sample struct {
	estimatedEntity
	event    keys.Event
	location int
	stored   entity.Packed
}

// estimatedEntity is an entity, the number of entities that it represents, and the first operation
// that can read it: 0 if it existed before the phase.
type estimatedEntity struct {
	key         entity.Key
	weight      float64
	visibleFrom uint64
}

const (
	// maxEntities is the approximate number of entities that are kept, maxCounted the number that
	// one count visits, and maxOperations the number of operations that are searched for inserts.
	maxEntities   = 400_000
	maxCounted    = 2048
	maxOperations = 4_000_000
	// maxSamples is the approximate number of samples of a table, maxTried the number that one
	// scan visits.
	maxSamples = 8192
	maxTried   = 2048
)

// newTableEstimate returns the estimate of a table with some locations. It keeps about
// entityLimit entities and searches about operationLimit operations. more are further entities of the
// table.
func newTableEstimate(e *events, locations []location, entityLimit, operationLimit int, more ...entity.Key) *tableEstimate {
	all, operations := float64(e.loaded), uint64(0)
	for i := range e.insertions {
		all += float64(e.insertions[i].operations) * e.insertions[i].meanEach
		operations += e.insertions[i].operations
	}
	all *= float64(len(locations))
	each := sampler{uint64(max(1, all/float64(entityLimit))), e.sample}
	kept := sampler{1 + uint64(all)/each.every/maxSamples, e.turns}
	room := uint64(min(all, float64(entityLimit)))
	s := &tableEstimate{entities: make([]estimatedEntity, 0, room+uint64(len(more))), samples: make([]sample, 0, room/kept.every),
		sampleWeight: kept.every * each.every}
	add := func(event keys.Event, weight float64, visibleFrom uint64) {
		for i, location := range locations {
			one := estimatedEntity{location.generator.KeyOf(event), weight, visibleFrom}
			if kept.selects(uint64(len(s.entities))) {
				tried := sample{estimatedEntity: one, event: event, location: i}
				tried.weight *= float64(kept.every)
				s.samples = append(s.samples, tried)
			}
			s.entities = append(s.entities, one)
		}
	}
	each.visit(e.loaded, func(n, weight uint64) { add(keys.Event{Number: n}, float64(weight), 0) })
	turn := sampler{1 + operations/uint64(operationLimit), e.turns}
	for i := range e.insertions {
		g, now := &e.insertions[i], i == len(e.insertions)-1
		if g.maxEach == 0 {
			continue
		}
		some, passed := sampler{max(1, each.every/turn.every), e.sample}, uint64(0)
		turn.visit(g.operations, func(k, operations uint64) {
			since := uint64(0)
			if now {
				since = k + 1 // it has yet to come
			}
			for at := range g.events.inserted(g.events.pick(k)) {
				if some.selects(passed) {
					add(g.events.insertedEvent(k, at), float64(operations*some.every), since)
				}
				passed++
			}
		})
	}
	for _, key := range more {
		s.entities = append(s.entities, estimatedEntity{key, 1, 0})
	}
	slices.SortFunc(s.entities, func(a, b estimatedEntity) int { return a.key.Compare(b.key) })
	slices.SortFunc(s.samples, func(a, b sample) int { return a.key.Compare(b.key) })
	return s
}

// scan returns about how many entities of a query's range are read when an operation becomes due,
// until a maximum passed the filter, and how many passed.
func (s *tableEstimate) scan(q target.Query, operation uint64, most float64) (read, passed float64) {
	first, end := indexRange(s.samples, q.Range, func(one *sample) entity.Key { return one.key })
	step := 1 + max(0, end-first-1)/maxTried
	for i := first; i < end && passed < most; i += step {
		one := &s.samples[i]
		if one.visibleFrom > operation {
			continue
		}
		stands := one.weight * float64(step)
		read += stands
		if q.Filter == nil || q.Filter.Keeps(one.key, one.stored) {
			passed += stands
		}
	}
	return read, passed
}

// indexRange returns the begin and the end of a range in a slice that has the order of the index.
func indexRange[T any](ordered []T, r filter.Range, key func(*T) entity.Key) (first, end int) {
	find := func(k entity.Key) int {
		at, _ := slices.BinarySearchFunc(ordered, k, func(one T, k entity.Key) int { return key(&one).Compare(k) })
		return at
	}
	first, end = find(r.From), len(ordered)
	if r.Bounded {
		end = find(r.To)
	}
	return first, end
}

// sampler selects one of every n things.
type sampler struct {
	every  uint64
	chance clock.Stream
}

func (l sampler) selects(n uint64) bool {
	if l.every <= 1 {
		return true
	}
	draw := l.chance.Draw(n / l.every)
	return n%l.every == uint64(draw.IntN(int(l.every)))
}

// visit calls a function for each selected thing, with the number of things that it represents.
func (l sampler) visit(things uint64, call func(n, weight uint64)) {
	for first := uint64(0); first < things; first += l.every {
		weight, n := min(l.every, things-first), first
		if l.every > 1 {
			draw := l.chance.Draw(first / l.every)
			n += uint64(draw.IntN(int(weight)))
		}
		call(n, weight)
	}
}

// count returns about how many entities of a query's range exist when an operation becomes due.
func (s *tableEstimate) count(q target.Query, operation uint64) int64 {
	first, end := indexRange(s.entities, q.Range, func(one *estimatedEntity) entity.Key { return one.key })
	if end <= first {
		return 0
	}
	step := 1 + (end-first-1)/maxCounted
	existing, visited := 0.0, 0
	for i := first; i < end; i += step {
		visited++
		if s.entities[i].visibleFrom <= operation {
			existing += s.entities[i].weight
		}
	}
	return int64(math.Round(existing * float64(end-first) / float64(visited)))
}

// insertions are what the operations of a phase insert.
type insertions struct {
	events     *events
	operations uint64
	// meanEach and maxEach are the mean and the maximum number of entities that an operation inserts.
	meanEach float64
	maxEach  uint64
}

// eventsOf returns the mix of a phase of event traffic, with the insertions of the phases before.
func (c *Campaign) eventsOf(d *phasePlan) (*events, error) {
	e, err := c.newEvents(d)
	if err != nil {
		return nil, err
	}
	past, err := c.plans(d.phase)
	if err != nil {
		return nil, err
	}
	for _, before := range past {
		if before.stage == nil || !before.Events() || keyedTrace(before.Traffic) != nil {
			continue
		}
		of, err := c.newEvents(before)
		if err != nil {
			return nil, err
		}
		e.insertions = append(e.insertions, of.insertionsOf(before.expected))
	}
	e.insertions = append(e.insertions, e.insertionsOf(d.stage.Operations()))
	return e, nil
}

func (e *events) insertionsOf(operations uint64) insertions {
	g, weighed := insertions{events: e, operations: operations}, 0
	for i := range e.specs {
		if n := e.inserted(i); e.specs[i].Weight > 0 {
			weighed += e.specs[i].Weight * n
			g.maxEach = max(g.maxEach, uint64(n))
		}
	}
	g.meanEach = float64(weighed) / float64(e.weights)
	return g
}
