package campaign

import (
	"math"
	"time"

	"loadgen/engine/clock"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
)

// settled is how long before an operation another must have been due for what it
// inserts to be taken for there.
const settled = time.Second

// population is what entities there are when an operation of event traffic becomes
// due: those that were loaded, those that phases of event traffic before it inserted,
// and those that operations before it insert. It is a pure function of the operation's
// number, which knows of no refusals: where an insert was given up, what looks for its
// entity does not find it.
type population struct {
	loaded uint64
	// instant is when an operation is due, since the beginning of the phase, and rate
	// about how many are a second then.
	instant func(k uint64) time.Duration
	rate    func(at time.Duration) float64
	// growth are the phases before that inserted entities, oldest first, and this one
	// last, whose operations grow in number.
	growth []growth
	choice clock.Stream
	// popular are the picks of the accesses to what was loaded, by the operation's
	// kind.
	popular []*keys.Picks
}

// newPopulation returns the population of a phase's operations, without its growth.
func newPopulation(loaded uint64, d *dry, seed uint64, phase string) *population {
	specs := d.Operations
	p := &population{loaded: loaded, instant: d.at, choice: clock.NewStream(seed, "choice/"+phase), popular: make([]*keys.Picks, len(specs))}
	p.rate = func(at time.Duration) float64 {
		if d.stage.Schedule != nil {
			return d.stage.Schedule.Rate(at)
		}
		return float64(d.Clients) / d.Pace().Seconds()
	}
	ranked := keys.Ranked{Of: int64(loaded), Scramble: true}
	for i := range specs {
		// How an access lies over what was loaded, where it is of that alone.
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

// choose returns the entity that operation k of a kind works on. There is one at
// least: what needs an entity needs a load before it.
func (p *population) choose(k uint64, kind int, of *scenarios.Access) keys.Event {
	if picks := p.popular[kind]; picks != nil {
		return keys.Event{Number: uint64(picks.At(k))}
	}
	draw := p.choice.At(k)
	before := p.before(k)
	switch {
	case of.Kind != scenarios.AccessLatest:
		return p.among(&draw, before, math.Inf(1))
	case of.Window > mostWalked:
		return p.among(&draw, before, float64(of.Window))
	default:
		return p.newest(&draw, before, uint64(of.Window))
	}
}

// before returns how many operations were due long enough before operation k. They
// become due in the order of their numbers, so that it is found by halving, from
// where the rate says that it is.
func (p *population) before(k uint64) uint64 {
	edge := p.instant(k) - settled
	if edge < 0 {
		return 0
	}
	due := func(i uint64) bool { return i == 0 || p.instant(i-1) <= edge }
	guess := k - min(k, uint64(p.rate(edge)*settled.Seconds()))
	low, high := guess, guess
	for step := uint64(1); !due(low); step *= 2 {
		high, low = low, low-min(low, step)
	}
	for step := uint64(1); high <= low && low < k; step *= 2 {
		if high = min(k, low+step); due(high) {
			low = high
		}
	}
	for low+1 < high {
		if middle := low + (high-low)/2; due(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// among returns one of the newest entities, of about so many, each as likely as any
// other. Every operation has as many places as the widest has entities, and a place
// that is empty is drawn again.
func (p *population) among(draw *clock.Draw, before uint64, window float64) keys.Event {
	loaded, places := p.places(before, window, nil)
	for looked := 0; looked < mostLooked && loaded+places > 0; looked++ {
		place := uint64(draw.IntN(int(loaded + places)))
		if place < loaded {
			return keys.Event{Number: p.loaded - 1 - place}
		}
		place -= loaded
		var found keys.Event
		there := false
		p.places(before, window, func(g *growth, from, to uint64) bool {
			if all := (to - from) * g.most; place >= all {
				place -= all
				return false
			}
			k, at := from+place/g.most, int(place%g.most)
			if there = at < g.of.inserted(g.of.pick(k)); there {
				found = g.of.fresh(k, at)
			}
			return true
		})
		if there {
			return found
		}
	}
	return p.newest(draw, before, 1)
}

// places returns from how many loaded entities and how many places one of the newest
// is drawn, and tells visit, unless it is nil, of each stretch of operations, until
// that has enough.
func (p *population) places(before uint64, window float64, visit func(g *growth, from, to uint64) bool) (loaded, places uint64) {
	for i := len(p.growth) - 1; i >= 0 && window > 0; i-- {
		g := &p.growth[i]
		to := g.operations
		if i == len(p.growth)-1 {
			to = before
		}
		if g.most == 0 || to == 0 {
			continue
		}
		from := uint64(0)
		if reach := math.Ceil(window / g.mean); reach < float64(to) {
			from = to - uint64(reach)
		}
		window -= float64(to-from) * g.mean
		places += (to - from) * g.most
		if visit != nil && visit(g, from, to) {
			return 0, places
		}
	}
	if window > 0 {
		loaded = uint64(min(float64(p.loaded), math.Ceil(window)))
	}
	return loaded, places
}

// newest returns one of exactly so many of the newest entities, each as likely as any
// other: of those that there are, if they are fewer.
func (p *population) newest(draw *clock.Draw, before, window uint64) keys.Event {
	inserted, _ := p.walk(before, window)
	all := inserted + min(p.loaded, window-inserted)
	age := uint64(draw.IntN(int(max(1, all))))
	if age < inserted {
		_, found := p.walk(before, age+1)
		return found
	}
	return keys.Event{Number: max(1, p.loaded) - 1 - (age - inserted)}
}

// walk goes back over the inserts until it has met so many entities, and returns how
// many it has met, and the last of them.
func (p *population) walk(before, wanted uint64) (met uint64, last keys.Event) {
	for i, looked := len(p.growth)-1, 0; i >= 0; i-- {
		g := &p.growth[i]
		k := g.operations
		if i == len(p.growth)-1 {
			k = before
		}
		for ; g.most > 0 && k > 0 && looked < mostLooked; looked++ {
			k--
			n := uint64(g.of.inserted(g.of.pick(k)))
			if met+n >= wanted {
				return wanted, g.of.fresh(k, int(n-(wanted-met)))
			}
			met += n
		}
	}
	return met, keys.Event{}
}

const (
	// mostLooked bounds how many operations are looked at for one that inserts.
	mostLooked = 10_000
	// mostWalked is the greatest window whose entities are counted one by one.
	mostWalked = 100
)
