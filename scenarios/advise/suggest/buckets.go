package suggest

import (
	"math"

	"loadgen/report/document"
)

// compute computes drafts, and in place of those whose hottest partition bears too much,
// or whose inserts go to one place, what becomes of them with the fewest buckets.
func (r *rule) compute(drafts []draft, p *Proposal) ([]candidate, error) {
	var list []candidate
	parted := 0
	for i := range drafts {
		d := &drafts[i]
		a, err := r.explain(&d.design)
		if err != nil {
			return nil, err
		}
		a.draft = *d
		r.atOnePeriod(&a)
		if a.cannot != "" {
			p.reject(&d.design, "it cannot serve the scenario: "+a.cannot+".")
			continue
		}
		lack := r.lack(&a)
		if lack == "" {
			list = append(list, a)
			continue
		}
		if r.bucketBy == "" || parted == mostParted {
			if r.moves(&a) {
				p.reject(&d.design, lack)
			} else {
				list = append(list, a)
			}
			continue
		}
		if parted++; d.buckets == 1 && (a.hotTable == "" || r.moves(&a)) {
			p.reject(&d.design, lack)
		}
		if a, err = r.part(d, a); err != nil {
			return nil, err
		}
		if r.moves(&a) {
			p.reject(&a.design, r.lack(&a))
			continue
		}
		list = append(list, a)
	}
	return list, nil
}

// atOnePeriod has the hottest partition of keys by a period of the time bear what the
// inserts of one period come to. In a scenario whose time goes faster than the clock a
// period is over in no time, and none of its partitions is seen to bear much; where the
// keys are used it lasts, and all inserts fall on its buckets.
func (r *rule) atOnePeriod(a *candidate) {
	timed := false
	for _, name := range a.set {
		switch {
		case r.attributes.nature(name).constant:
		case r.attributes.ofTime(name) && !r.attributes.isUnique(name):
			timed = true
		default:
			return
		}
	}
	together := 1 + len(a.design.Copies) - apartFrom(&a.design)
	each := a.insertRate * float64(together) / float64(max(1, a.buckets))
	// A tenth is what samples err.
	if timed && each > 1.1*a.hottest {
		a.hottest, a.hotTable = each, ""
	}
}

// moves reports whether inserts that matter fall on one place that moves.
func (r *rule) moves(a *candidate) bool { return a.moving && r.inserts >= insertHeavy }

// lack says what is wrong with where a design puts the load, empty where nothing is.
func (r *rule) lack(a *candidate) string {
	switch {
	case r.moves(a):
		return "its inserts come as " + a.order + ": at any moment they fall on one place."
	case !r.holdsPartition(a):
		return "its hottest partition counts " + document.Rate(a.hottest) + " entities/s at the peak, and the target of " +
			document.Count(r.options.Targets.Partition) + " less the headroom is " + document.Rate(r.limit()) + " (derived)."
	default:
		return ""
	}
}

// part returns a draft with the fewest buckets that hold the peak, or what comes nearest
// to it: the numbers are tried upwards, by what would hold if the load were even. If the
// hottest partition is a copy's, the copies are parted.
func (r *rule) part(d *draft, a candidate) (candidate, error) {
	for tried := 0; r.lack(&a) != "" && tried < mostTried; tried++ {
		over := a.parts
		number := &over.buckets
		if a.hotTable != "" && !r.moves(&a) {
			number = &over.apart
		}
		if *number == mostBuckets {
			break
		}
		next := *number + 1
		if !r.holdsPartition(&a) {
			// What is too hot by half does not need just one bucket more. A hash parts
			// nothing quite evenly, and what was measured errs: the last tenth is left to
			// steps of one.
			next = max(next, int(math.Ceil(0.9*float64(*number)*a.hottest/r.limit())))
		}
		*number = min(next, mostBuckets)
		parted, some := r.draft(d.set, over, d.copied)
		if !some {
			break
		}
		better, err := r.explain(&parted.design)
		if err != nil || better.cannot != "" {
			return a, err
		}
		better.draft = parted
		r.atOnePeriod(&better)
		a = better
	}
	return a, nil
}
