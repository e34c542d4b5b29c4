package keystatistics

import (
	"cmp"
	"math"
	"slices"
	"time"

	"loadgen/engine/entity"
)

// The thresholds of tails among other keys.
const (
	// minTailBlock and maxTailBlock limit the inserts of a block, tailBlocksOfSample is their number.
	minTailBlock, maxTailBlock, tailBlocksOfSample = 64, 512, 64
	// earlierBlocks is the number of blocks of earlier keys before tails are looked for.
	earlierBlocks = 4
	// maxSkipped is the maximum number of earlier keys between new keys of a tail, for numbers with fewer
	// digits among them; sparseness reduces it for few earlier keys.
	maxSkipped, sparseness = 4, 8
	// tailPart is the divisor of a block for the minimum number of its inserts in a tail, minTailKeys the
	// minimum number of their keys: one key after another is no tail. tailWidth is the divisor of all
	// earlier keys that limits the width of a tail.
	tailPart, minTailKeys, tailWidth = 20, 5, 8
	// A tail of fewer blocks is a new group of keys. One that pauses for more blocks ends.
	minTailBlocks, maxPause = 3, 8
	// distinctTail is the number of standard deviations by which a tail has more inserts than equal ones.
	distinctTail = 4
)

// tail is a place between earlier keys that takes new keys, and moves on with them.
type tail struct {
	rows []moment
	// blocks is the number of blocks with its keys, from the first to the last.
	blocks, first, last int
}

// tailSearch finds tails in blocks of a sample.
type tailSearch struct {
	earlier tally
	// keys is the number of earlier keys, seen whether a key is one, owner the number of its tail, from 1.
	keys  int
	seen  []bool
	owner []int
	tails []tail
	// size is the number of inserts of a block, searched the number of those among which tails were looked
	// for, and counts are the numbers of tails in each block.
	size, searched int
	counts         []int
}

// newKey is an insert of a block with a key that no earlier block has, after a number of smaller ones.
type newKey struct{ after, number, row int }

// findTails finds the tails of inserts in the order of time, whose keys are numbered in the order of the
// index.
func findTails(all []arrival, keys int) *tailSearch {
	s := &tailSearch{earlier: tally{sum: make([]int, keys+1)}, seen: make([]bool, keys), owner: make([]int, keys)}
	s.size = min(max(len(all)/tailBlocksOfSample, minTailBlock), maxTailBlock)
	for from, block := 0, 0; from < len(all); from, block = from+s.size, block+1 {
		rows := all[from:min(from+s.size, len(all))]
		if s.keys >= earlierBlocks*s.size {
			s.counts = append(s.counts, s.look(rows, block))
			s.searched += len(rows)
		}
		for i := range rows {
			if n := rows[i].number; !s.seen[n] {
				s.seen[n] = true
				s.keys++
				s.earlier.add(n)
			}
		}
	}
	s.tails = slices.DeleteFunc(s.tails, func(t tail) bool { return t.blocks < minTailBlocks })
	return s
}

// look adds the inserts of a block to tails: those with new keys at one place between earlier ones. It
// returns the number of tails.
func (s *tailSearch) look(rows []arrival, block int) (found int) {
	var fresh []newKey
	for i := range rows {
		if n := rows[i].number; !s.seen[n] {
			fresh = append(fresh, newKey{s.earlier.below(n), n, i})
		}
	}
	slices.SortFunc(fresh, func(a, b newKey) int { return cmp.Or(cmp.Compare(a.after, b.after), cmp.Compare(a.number, b.number)) })
	skipped := min(maxSkipped, s.keys/(sparseness*len(rows)))
	for from, to := 0, 0; from < len(fresh); from = to {
		for to = from + 1; to < len(fresh) && fresh[to].after-fresh[to-1].after <= skipped; to++ {
			continue
		}
		low, high, keys := fresh[from].after, fresh[to-1].after, 1
		for i := from + 1; i < to; i++ {
			if fresh[i].number != fresh[i-1].number {
				keys++
			}
		}
		if keys < minTailKeys || to-from < len(rows)/tailPart || (high-low)*tailWidth > s.keys {
			continue
		}
		slices.SortFunc(fresh[from:to], func(a, b newKey) int { return cmp.Compare(a.row, b.row) })
		found++
		number := s.follow(low, high, skipped, block)
		t := &s.tails[number-1]
		t.blocks, t.last = t.blocks+1, block
		for _, one := range fresh[from:to] {
			s.owner[one.number] = number
			t.rows = append(t.rows, moment{at: rows[one.row].at, entities: 1})
		}
	}
	return found
}

// follow returns the number of the tail of a recent block that the earlier keys from low to high, or those
// next to them, belong to; that of a new tail if there is none.
func (s *tailSearch) follow(low, high, skipped, block int) int {
	for at := max(0, low-1-skipped); at < min(s.keys, high+1+skipped); at++ {
		if number := s.owner[s.earlier.find(at)]; number > 0 {
			if last := s.tails[number-1].last; last < block && last >= block-maxPause {
				return number
			}
		}
	}
	s.tails = append(s.tails, tail{first: block})
	return len(s.tails)
}

// add counts a key.
func (t *tally) add(number int) {
	for n := number + 1; n < len(t.sum); n += n & -n {
		t.sum[n]++
	}
}

// find returns the number of the key after so many smaller ones.
func (t *tally) find(after int) int {
	number, step := 0, 1
	for 2*step < len(t.sum) {
		step *= 2
	}
	for ; step > 0; step /= 2 {
		if next := number + step; next < len(t.sum) && t.sum[next] <= after {
			number, after = next, after-t.sum[next]
		}
	}
	return number
}

// busiestTail sets the tails of a peak, and the one that limits it most.
func (s *Statistics) busiestTail(p *Peak, span time.Duration) {
	all := make([]arrival, len(s.inserts.kept))
	for i, one := range s.inserts.kept {
		all[i] = arrival{at: one.at, key: string(one.partition), number: int(one.sequence)}
	}
	// The order of the file decides within an instant.
	slices.SortFunc(all, func(a, b arrival) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.number, b.number)) })
	search := findTails(all, number(all))
	if len(search.tails) == 0 {
		return
	}
	inserts := 0
	for i := range search.tails {
		inserts += len(search.tails[i].rows)
	}
	p.Tails, p.TailShare = search.atOnce(), float64(inserts)/float64(search.searched)
	inserted := float64(s.counts.Inserted)
	for i := range search.tails {
		// A tail may replace one that ended: its mean is that of its time.
		t := &search.tails[i]
		rows, lasted := float64(len(t.rows)), float64((t.last-t.first+1)*search.size)
		mean := rows / lasted
		if equal := p.TailShare / float64(p.Tails); math.Abs(mean-equal)*lasted <= distinctTail*math.Sqrt(equal*lasted) {
			mean = equal
		}
		c, one := newCrowd(t.rows, inserted/float64(len(all))), Busiest{Average: mean}
		one.limit(&c, mean*inserted/max(span, time.Second).Seconds(), p.PerSecond, span)
		if one.Capacity > 0 && (p.Tail.Capacity == 0 || one.Capacity < p.Tail.Capacity) {
			p.Tail = one
		}
	}
}

// atOnce returns the median number of tails in a block, at least 1.
func (s *tailSearch) atOnce() int {
	slices.Sort(s.counts)
	return max(1, s.counts[len(s.counts)/2])
}

// number numbers the keys of inserts in the order of the index, and returns how many there are.
func number(all []arrival) (keys int) {
	order := make([]*arrival, len(all))
	for i := range all {
		order[i] = &all[i]
	}
	slices.SortFunc(order, func(a, b *arrival) int { return entity.Compare(a.key, b.key) })
	for i, one := range order {
		if i == 0 || one.key != order[i-1].key {
			keys++
		}
		one.number = keys - 1
	}
	return keys
}

// addTails sets the tails of an order, if there are some among other keys.
func (o *Order) addTails(p *Peak) {
	switch {
	case p.Tails == 0 || o.Verdict == Unknown || o.Verdict == HotTail:
	case p.Tails == 1 && p.TailShare >= hotShare:
		if o.Tails, o.HottestTail, o.TailShare = 1, p.TailShare, p.TailShare; !o.Hot {
			o.Verdict, o.Hot, o.AtOnce = MovingPoint, true, p.TailShare
		}
	default:
		o.Verdict, o.Hot, o.Tails, o.TailShare, o.HottestTail = SeveralTails, false, p.Tails, p.TailShare, p.Tail.Average
	}
}
