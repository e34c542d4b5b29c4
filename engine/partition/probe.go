package partition

import (
	"math/bits"
	"slices"
	"strings"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

// probe tells which boundaries of a range divide the load that comes now. A profile
// cannot: where keys are appended, nearly all of its load lies on keys that take none
// any more. A probe takes boundaries between keys of one stretch of time and counts, in
// the next stretch, what falls on either side.
type probe struct {
	began   clock.Instant
	samples uint64
	// keys are some of this stretch, each as likely as the others (algorithm R).
	keys []string
	// now counts in this stretch, told is the count of the last one.
	now, last division
}

// division is what came between boundaries: came[i] lies below bounds[i], the last of
// it above them all. It is thousandths of an entity.
type division struct {
	bounds []string
	came   []int64
}

// The bounds of a probe: how many keys it takes its boundaries from, and how many
// samples end a stretch at once, or after the memory of loads.
const (
	maxProbed   = 64
	minSamples  = 256
	minToDivide = 32
)

// touch notes a sampled request; chance is bits of its own.
func (p *probe) touch(key string, load int64, chance uint64) {
	if d := &p.now; len(d.bounds) > 0 {
		d.came[d.boundsUpTo(key)] += load
	}
	p.samples++
	if len(p.keys) < maxProbed {
		p.keys = append(p.keys, key)
		return
	}
	if place, _ := bits.Mul64(chance, p.samples); place < maxProbed {
		p.keys[place] = key
	}
}

// boundsUpTo returns how many boundaries lie at a key or below it.
func (d *division) boundsUpTo(key string) int {
	i, found := slices.BinarySearchFunc(d.bounds, key, entity.Compare)
	if found {
		i++
	}
	return i
}

// turn ends a stretch that has seen enough, or has lasted for the memory of loads.
func (p *probe) turn(now clock.Instant, memory clock.Instant) {
	if p.samples < minSamples && (now-p.began < memory || p.samples < minToDivide) {
		return
	}
	keys := p.keys
	slices.SortFunc(keys, entity.Compare)
	var d division
	for i := 1; i < len(keys); i++ {
		below, above := keys[i-1], keys[i]
		if below == above {
			continue
		}
		// The shortest beginning of a key that lies above the lesser one (Bayer and Unterauer
		// 1977). Of two tails that grow towards each other no key that was met parts those to
		// come, but what they begin with does.
		for n := range above {
			if n > 0 && entity.Compare(above[:n], below) > 0 {
				d.bounds = append(d.bounds, strings.Clone(above[:n]))
				break
			}
		}
		d.bounds = append(d.bounds, above)
	}
	d.came = make([]int64, len(d.bounds)+1)
	p.last, p.now = p.now, d
	p.began, p.samples, p.keys = now, 0, p.keys[:0]
}

// forget has the probe begin anew, as a range does that has other bounds.
func (p *probe) forget(now clock.Instant) { *p = probe{began: now} }

// cut returns the boundary that comes nearest to dividing in half what came, and false
// where none leaves the greatest share or less on either side.
func (p *probe) cut(greatest int64) (cut, bool) {
	d := &p.last
	total, below := d.sum(0, len(d.came)), int64(0)
	best := cut{below: thousand}
	nearest := total + 1
	for i, key := range d.bounds {
		below += d.came[i]
		if distance := max(2*below-total, total-2*below); distance < nearest {
			nearest = distance
			best = cut{key: key, below: below * thousand / max(1, total), probed: true}
		}
	}
	return best, total > 0 && best.leaves() <= greatest
}

// divides reports whether a boundary surely leaves the greatest share or less of what
// came on either side. What came around it counts for neither.
func (p *probe) divides(key string, greatest int64) bool {
	d := &p.last
	i := d.boundsUpTo(key)
	below, above := d.sum(0, i), int64(0)
	if i > 0 && d.bounds[i-1] == key {
		above = d.sum(i, len(d.came))
	} else if i < len(d.came) {
		above = d.sum(i+1, len(d.came))
	}
	least := d.sum(0, len(d.came)) / thousand * (thousand - greatest)
	return min(below, above) > 0 && min(below, above) >= least
}

func (d *division) sum(from, to int) int64 {
	sum := int64(0)
	for _, load := range d.came[from:to] {
		sum += load
	}
	return sum
}
