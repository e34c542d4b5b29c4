package partition

import (
	"math/bits"
	"slices"
	"strings"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

// probe finds the boundaries of a range that divide the current load. A profile cannot: if
// keys are appended, nearly all of its load belongs to keys without current load. A probe
// takes boundaries between the keys of one period and counts, in the next period, the load
// on either side.
type probe struct {
	began   clock.Instant
	samples uint64
	// keys are a uniform sample of this period (algorithm R).
	keys []string
	// now counts in this period, last is the count of the previous one.
	now, last division
}

// division is the load between boundaries, in thousandths of an entity: came[i] is below
// bounds[i], the last one above all bounds.
type division struct {
	bounds []string
	came   []int64
}

// The limits of a probe: the number of keys for its boundaries, and the numbers of samples
// that end a period at once, or after the memory of loads.
const (
	maxProbed   = 64
	minSamples  = 256
	minToDivide = 32
)

// touch adds a sampled request; chance is random bits of its own.
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

// boundsUpTo returns the number of boundaries up to a key, inclusive.
func (d *division) boundsUpTo(key string) int {
	i, found := slices.BinarySearchFunc(d.bounds, key, entity.Compare)
	if found {
		i++
	}
	return i
}

// turn ends a period with enough samples, or after the memory of loads.
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
		// The shortest prefix of a key above the lower one (Bayer and Unterauer 1977). If two
		// tails grow towards each other, no key seen separates the future keys, but a prefix
		// does.
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

// forget resets the probe, for a range with new bounds.
func (p *probe) forget(now clock.Instant) { *p = probe{began: now} }

// cut returns the boundary that divides the load most evenly, and false if every boundary
// leaves more than the maximum share on one side.
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

// divides reports whether a boundary leaves at most the maximum share of the load on either
// side. Load around the boundary counts for neither.
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
