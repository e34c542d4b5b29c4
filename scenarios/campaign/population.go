package campaign

import (
	"math"
	"sort"
	"time"

	"loadgen/engine/clock"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
)

// visibleAfter is how long before an operation an insert must have been due to be visible to it.
const visibleAfter = time.Second

// population has the entities that exist when an operation of event traffic becomes due: those that
// were loaded, and those that operations before inserted, in this phase and the earlier ones. It is
// a pure function of the operation's number and assumes that inserts succeed: an operation does not
// find an entity whose insert failed.
type population struct {
	loaded uint64
	// instant returns when an operation is due since the beginning of the phase.
	instant func(k uint64) time.Duration
	// insertions has the phases that insert entities, the oldest first and this one last.
	insertions []insertions
	choice     clock.Stream
	// popular picks among the loaded entities, by the index of the operation's kind.
	popular []*keys.Picks
}

// newPopulation returns the population of a phase's operations, without its insertions.
func newPopulation(loaded uint64, d *phasePlan, seed uint64, phase string) *population {
	specs := d.Operations
	p := &population{loaded: loaded, instant: d.dueTime, choice: clock.NewStream(seed, "choice/"+phase), popular: make([]*keys.Picks, len(specs))}
	ranked := keys.Ranked{Of: int64(loaded), Scramble: true}
	for i := range specs {
		// spread is the distribution over the loaded entities.
		var spread keys.Distribution
		switch of := &specs[i].Of; of.Kind {
		case scenarios.AccessZipf:
			spread = keys.Zipf{Ranked: ranked, Exponent: of.Exponent}
		case scenarios.AccessHot:
			spread = keys.HotSet{Ranked: ranked, Hot: of.Hot, Share: of.Share}
		}
		if spread != nil && loaded > 0 {
			chance := clock.NewStream(seed, "popular/"+phase+"/"+specs[i].Name)
			p.popular[i] = &keys.Picks{Source: spread.Compile(chance), Chance: chance}
		}
	}
	return p
}

// chooseEvent returns the entity that operation k of a kind works on. At least one exists: validation
// requires a load before such operations.
func (p *population) chooseEvent(k uint64, kind int, of *scenarios.Access) keys.Event {
	if picks := p.popular[kind]; picks != nil {
		return keys.Event{Number: uint64(picks.Pick(k))}
	}
	draw := p.choice.Draw(k)
	before := p.visible(k)
	switch {
	case of.Kind != scenarios.AccessLatest:
		return p.drawRecent(&draw, before, math.Inf(1))
	case of.Window > maxWalked:
		return p.drawRecent(&draw, before, float64(of.Window))
	default:
		return p.drawNewest(&draw, before, uint64(of.Window))
	}
}

// visible returns how many operations were due long enough before operation k. They become due in
// the order of their numbers.
func (p *population) visible(k uint64) uint64 {
	edge := p.instant(k) - visibleAfter
	return uint64(sort.Search(int(k), func(n int) bool { return p.instant(uint64(n)) > edge }))
}

// drawRecent returns one of about window newest entities, each equally likely. Every operation has a
// slot for each entity of the largest insert; an empty slot is drawn again.
func (p *population) drawRecent(draw *clock.Draw, before uint64, window float64) keys.Event {
	loaded, slots := p.slots(before, window, nil)
	for visited := 0; visited < maxLooked && loaded+slots > 0; visited++ {
		slot := uint64(draw.IntN(int(loaded + slots)))
		if slot < loaded {
			return keys.Event{Number: p.loaded - 1 - slot}
		}
		slot -= loaded
		var event keys.Event
		found := false
		p.slots(before, window, func(g *insertions, from, to uint64) bool {
			if all := (to - from) * g.maxEach; slot >= all {
				slot -= all
				return false
			}
			k, at := from+slot/g.maxEach, int(slot%g.maxEach)
			if found = at < g.events.inserted(g.events.pick(k)); found {
				event = g.events.insertedEvent(k, at)
			}
			return true
		})
		if found {
			return event
		}
	}
	return p.drawNewest(draw, before, 1)
}

// slots returns from how many loaded entities and slots one of the newest is drawn. It calls
// visit, if not nil, for each range of operations until visit returns true.
func (p *population) slots(before uint64, window float64, visit func(g *insertions, from, to uint64) bool) (loaded, slots uint64) {
	for i := len(p.insertions) - 1; i >= 0 && window > 0; i-- {
		g := &p.insertions[i]
		to := g.operations
		if i == len(p.insertions)-1 {
			to = before
		}
		if g.maxEach == 0 || to == 0 {
			continue
		}
		from := uint64(0)
		if reach := math.Ceil(window / g.meanEach); reach < float64(to) {
			from = to - uint64(reach)
		}
		window -= float64(to-from) * g.meanEach
		slots += (to - from) * g.maxEach
		if visit != nil && visit(g, from, to) {
			return 0, slots
		}
	}
	if window > 0 {
		loaded = uint64(min(float64(p.loaded), math.Ceil(window)))
	}
	return loaded, slots
}

// drawNewest returns one of exactly window newest entities, or of all if they are fewer, each equally
// likely.
func (p *population) drawNewest(draw *clock.Draw, before, window uint64) keys.Event {
	inserted, _ := p.walkInserts(before, window)
	all := inserted + min(p.loaded, window-inserted)
	age := uint64(draw.IntN(int(max(1, all))))
	if age < inserted {
		_, found := p.walkInserts(before, age+1)
		return found
	}
	return keys.Event{Number: max(1, p.loaded) - 1 - (age - inserted)}
}

// walkInserts visits inserts from the newest on until it has met the wanted number of entities, and
// returns how many it has met, and the last.
func (p *population) walkInserts(before, wanted uint64) (met uint64, last keys.Event) {
	for i, visited := len(p.insertions)-1, 0; i >= 0; i-- {
		g := &p.insertions[i]
		k := g.operations
		if i == len(p.insertions)-1 {
			k = before
		}
		for ; g.maxEach > 0 && k > 0 && visited < maxLooked; visited++ {
			k--
			n := uint64(g.events.inserted(g.events.pick(k)))
			if met+n >= wanted {
				return wanted, g.events.insertedEvent(k, int(n-(wanted-met)))
			}
			met += n
		}
	}
	return met, keys.Event{}
}

const (
	// maxLooked is the maximum number of operations that are searched for one that inserts.
	maxLooked = 10_000
	// maxWalked is the largest window whose entities are counted one by one.
	maxWalked = 100
)
