package partition

import (
	"math/bits"
	"slices"

	"loadgen/engine/entity"
)

// profile is a sketch of the load and the bytes over the keys of a range: marks in
// the order of the index, each with the weight of the keys from its own up to the
// next mark's. Up to maxMarks, each key gets a mark of its own. After that a key only
// gets one if its mark is heavy, and the lightest neighbours are merged. So a key with
// much load soon has its own mark, and a mark is a small part of the whole.
type profile struct {
	marks []mark
	// load and bytes are the sums over all marks.
	load, bytes int64
}

// mark is a key with the weight from there on: load in thousandths of an entity.
type mark struct {
	key         string
	load, bytes int64
}

// maxMarks is the maximum number of marks of a range. A mark is heavy if it has more than
// the heaviest part of the whole.
const (
	maxMarks     = 64
	heaviestPart = 32
)

func (p *profile) touch(key string, load, bytes int64) {
	p.load += load
	p.bytes += bytes
	i, found := p.findMark(key)
	if found {
		p.marks[i].load += load
		p.marks[i].bytes += bytes
		return
	}
	if len(p.marks) == maxMarks {
		m := &p.marks[max(0, i-1)]
		if m.load*heaviestPart <= p.load && m.bytes*heaviestPart <= p.bytes {
			if i == 0 {
				// Below all marks, the first one grows downwards.
				m.key = key
			}
			m.load += load
			m.bytes += bytes
			return
		}
	}
	p.marks = slices.Insert(p.marks, i, mark{key, load, bytes})
	if len(p.marks) > maxMarks {
		p.join()
	}
}

// findMark returns the position of a key, and whether there is a mark there.
func (p *profile) findMark(key string) (int, bool) {
	return slices.BinarySearchFunc(p.marks, key, func(m mark, key string) int {
		return entity.Compare(m.key, key)
	})
}

// join merges the two neighbours with the least weight.
func (p *profile) join() {
	// Both sums are scaled to the same magnitude, so that they count equally.
	const size = 30
	loads, bytes := max(0, bits.Len64(uint64(p.load))-size), max(0, bits.Len64(uint64(p.bytes))-size)
	weight := func(i int) int64 { return p.marks[i].load>>loads + p.marks[i].bytes>>bytes }
	best, least := 1, weight(0)+weight(1)
	for i := 2; i < len(p.marks); i++ {
		if sum := weight(i-1) + weight(i); sum < least {
			best, least = i, sum
		}
	}
	p.marks[best-1].load += p.marks[best].load
	p.marks[best-1].bytes += p.marks[best].bytes
	p.marks = slices.Delete(p.marks, best, best+1)
}

// fade multiplies each load by a share in 2⁻¹⁶, and drops marks without weight.
func (p *profile) fade(stays int64) {
	if p.load == 0 {
		return
	}
	p.load = 0
	kept := p.marks[:0]
	for _, m := range p.marks {
		m.load = m.load * stays >> averageBits
		p.load += m.load
		if m.load > 0 || m.bytes > 0 {
			kept = append(kept, m)
		}
	}
	clear(p.marks[len(kept):])
	p.marks = kept
}

// weight returns the weight of a mark for a cut.
type weight func(mark) int64

// cut is a boundary in a profile.
type cut struct {
	// at is the position of the first mark above the boundary, key its key.
	at  int
	key string
	// below is the share of the weight below the boundary, in thousandths; probed reports
	// that it is from a probe.
	below  int64
	probed bool
}

// cut returns the boundary with the weight below it closest to half, and false if
// there is none or it leaves more than the maximum share on one side.
func (p *profile) cut(by weight, greatest int64) (cut, bool) {
	var total int64
	for _, m := range p.marks {
		total += by(m)
	}
	var best cut
	nearest := total + 1
	below := int64(0)
	for i := 1; i < len(p.marks); i++ {
		below += by(p.marks[i-1])
		distance := max(2*below-total, total-2*below)
		if distance < nearest {
			nearest = distance
			best = cut{at: i, key: p.marks[i].key, below: below * thousand / max(1, total)}
		}
	}
	if total == 0 || best.at == 0 {
		return cut{}, false
	}
	return best, best.leaves() <= greatest
}

// leaves returns the share on the greater side, in thousandths.
func (c cut) leaves() int64 { return max(c.below, thousand-c.below) }

// split removes and returns the part from a boundary on.
func (p *profile) split(c cut) profile {
	above := profile{marks: slices.Clone(p.marks[c.at:])}
	clear(p.marks[c.at:])
	p.marks = p.marks[:c.at]
	for _, m := range above.marks {
		above.load += m.load
		above.bytes += m.bytes
	}
	p.load -= above.load
	p.bytes -= above.bytes
	return above
}

func (p *profile) append(above *profile) {
	p.marks = append(p.marks, above.marks...)
	p.load += above.load
	p.bytes += above.bytes
	for len(p.marks) > maxMarks {
		p.join()
	}
}
