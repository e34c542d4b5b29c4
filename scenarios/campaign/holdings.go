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

// holdings are the entities that a table of event traffic comes to hold, in the order
// of the index: what was loaded, and what operations insert, as if each did. Of many
// every so many one stands for all, which one is up to chance: keys can repeat as
// regularly as anything that is counted off.
type holdings struct {
	held []holding
	// samples are some of them, of which each stands for so many: all where there are
	// few. Filters are tried on them.
	samples []sample
	stands  uint64
}

// sample is an entity that a filter is tried on.
type sample struct {
	holding
	event  keys.Event
	home   int
	stored entity.Packed
}

// holding is an entity, how many it stands for, and the operation from which on it is
// there: 0 where it was before the phase.
type holding struct {
	key   entity.Key
	each  float64
	since uint64
}

const (
	// mostHeld bounds about how many entities are kept, mostCounted how many are looked
	// at for one question, mostTurned how many operations are looked at for inserts.
	mostHeld    = 400_000
	mostCounted = 2048
	mostTurned  = 4_000_000
	// mostSamples bounds about how many entities of a table filters are tried on,
	// mostTried how many for one question.
	mostSamples = 8192
	mostTried   = 2048
)

// newHoldings returns what homes of one table come to hold of a phase, kept as about so
// many entities that so many operations were looked at for; more are entities beside
// those of the scenario.
func newHoldings(e *events, homes []keyHome, held, turned int, more ...entity.Key) *holdings {
	all, operations := float64(e.loaded), uint64(0)
	for i := range e.growth {
		all += float64(e.growth[i].operations) * e.growth[i].mean
		operations += e.growth[i].operations
	}
	each := lot{uint64(max(1, all*float64(len(homes))/float64(held))), e.sample}
	kept := lot{1 + uint64(all*float64(len(homes)))/each.of/mostSamples, e.turns}
	s := &holdings{held: make([]holding, 0, int(min(all*float64(len(homes)), float64(held)))+len(more)), stands: kept.of * each.of}
	add := func(event keys.Event, stands float64, since uint64) {
		for i, home := range homes {
			one := holding{home.generator.KeyOf(event), stands, since}
			if kept.takes(uint64(len(s.held))) {
				tried := sample{holding: one, event: event, home: i}
				tried.each *= float64(kept.of)
				s.samples = append(s.samples, tried)
			}
			s.held = append(s.held, one)
		}
	}
	each.draw(e.loaded, func(n, stands uint64) { add(keys.Event{Number: n}, float64(stands), 0) })
	turn := lot{1 + operations/uint64(turned), e.turns}
	for i := range e.growth {
		g, now := &e.growth[i], i == len(e.growth)-1
		if g.most == 0 {
			continue
		}
		some, passed := lot{max(1, each.of/turn.of), e.sample}, uint64(0)
		turn.draw(g.operations, func(k, operations uint64) {
			since := uint64(0)
			if now {
				since = k + 1 // it has yet to come
			}
			for at := range g.of.inserted(g.of.pick(k)) {
				if some.takes(passed) {
					add(g.of.fresh(k, at), float64(operations*some.of), since)
				}
				passed++
			}
		})
	}
	for _, key := range more {
		s.held = append(s.held, holding{key, 1, 0})
	}
	slices.SortFunc(s.held, func(a, b holding) int { return a.key.Compare(b.key) })
	slices.SortFunc(s.samples, func(a, b sample) int { return a.key.Compare(b.key) })
	return s
}

// Reach returns about how many entities of a query's range are read when an operation
// becomes due until so many have passed its filter, and how many of them have.
func (s *holdings) Reach(q target.Query, operation uint64, most float64) (read, passed float64) {
	first, end := within(s.samples, q.Range, func(one *sample) entity.Key { return one.key })
	step := 1 + max(0, end-first-1)/mostTried
	for i := first; i < end && passed < most; i += step {
		one := &s.samples[i]
		if one.since > operation {
			continue
		}
		stands := one.each * float64(step)
		read += stands
		if q.Filter == nil || q.Filter.Keeps(one.key, one.stored) {
			passed += stands
		}
	}
	return read, passed
}

// within returns where those of a range begin and end among some in the order of the
// index.
func within[T any](ordered []T, r filter.Range, key func(*T) entity.Key) (first, end int) {
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

// lot takes one of every so many things.
type lot struct {
	of     uint64
	chance clock.Stream
}

func (l lot) takes(n uint64) bool {
	if l.of <= 1 {
		return true
	}
	draw := l.chance.At(n / l.of)
	return n%l.of == uint64(draw.IntN(int(l.of)))
}

// draw tells visit of those of the first so many things that are taken, and of how
// many they stand for.
func (l lot) draw(things uint64, visit func(n, stands uint64)) {
	for first := uint64(0); first < things; first += l.of {
		stands, n := min(l.of, things-first), first
		if l.of > 1 {
			draw := l.chance.At(first / l.of)
			n += uint64(draw.IntN(int(stands)))
		}
		visit(n, stands)
	}
}

// Count returns about how many entities of a query's range are there when an operation
// becomes due.
func (s *holdings) Count(q target.Query, operation uint64) int64 {
	first, end := within(s.held, q.Range, func(one *holding) entity.Key { return one.key })
	if end <= first {
		return 0
	}
	step := 1 + (end-first-1)/mostCounted
	there, looked := 0.0, 0
	for i := first; i < end; i += step {
		looked++
		if s.held[i].since <= operation {
			there += s.held[i].each
		}
	}
	return int64(math.Round(there * float64(end-first) / float64(looked)))
}

// growth is what the operations of a phase insert.
type growth struct {
	of         *events
	operations uint64
	// mean is how many entities an operation inserts on the average, most at most.
	mean float64
	most uint64
}

// eventsOf returns the mix of a phase of event traffic, and what phases like it before
// have left.
func (c *Campaign) eventsOf(d *dry) (*events, error) {
	e, err := c.newEvents(d)
	if err != nil {
		return nil, err
	}
	past, err := c.dryRun(d.phase)
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
		e.growth = append(e.growth, of.grown(before.expected))
	}
	e.growth = append(e.growth, e.grown(d.stage.Due()))
	return e, nil
}

func (e *events) grown(operations uint64) growth {
	g, weighed := growth{of: e, operations: operations}, 0
	for i := range e.specs {
		if n := e.inserted(i); e.specs[i].Weight > 0 {
			weighed += e.specs[i].Weight * n
			g.most = max(g.most, uint64(n))
		}
	}
	g.mean = float64(weighed) / float64(e.weights)
	return g
}
