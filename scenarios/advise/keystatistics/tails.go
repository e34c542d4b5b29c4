package keystatistics

import (
	"cmp"
	"slices"
)

// The limits for counting tails.
const (
	// blocksOfSample is the number of blocks of a sample. Each is compared with all inserts before it,
	// from the first quarter on.
	blocksOfSample, quarter      = 8, 4
	minBlock, maxBlock           = 32, 1024
	maxTails                     = 64
	minOfTail, minOfTailDivision = 2, 128
	// maxBetween is the maximum number of earlier inserts between inserts of one tail, for numbers with
	// fewer digits among them; minApart reduces it for small samples.
	maxBetween, minApart = 4, 64
	// coveredShare is the minimum share of a block in its tails, lastingShare the minimum part of the
	// block during which they take inserts: places one after another take them for less. tailBlocks is
	// the minimum share of such blocks.
	coveredShare, lastingShare, tailBlocks = 0.9, 0.6, 0.66
	// minMoves is the minimum number of PartitionKeys of a tail: fewer do not show that it moves on.
	minMoves = 4
)

// span is the position of an insert among earlier ones in the order of the index: from is the number of
// smaller keys, to the number of keys that are not greater. came is its number within its block.
type span struct{ from, to, came int }

// countTails counts the places that take inserts and move on, and the share of the one with most. Each
// insert of a block is in a gap between keys of earlier ones: all inserts of one tail in the same gap, or
// in neighbouring gaps as its numbers get longer. Spread keys have gaps of their own, and reused keys
// have their old position. 0 tails means none, too many, or one after another.
func (o *Order) countTails(all []arrival, keys int) {
	t := tally{sum: make([]int, keys+1)}
	size := min(max(len(all)/blocksOfSample, minBlock), maxBlock)
	var counts []int
	var shares []float64
	blocks := 0
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && (to-from < size || all[to].at == all[to-1].at) {
			to++
		}
		if block := all[from:to]; from >= len(all)/quarter && len(block) >= size {
			blocks++
			if n, share := t.tailsOf(block, from); n > 0 {
				counts, shares = append(counts, n), append(shares, share)
			}
		}
		for i := from; i < to; i++ {
			for n := all[i].number + 1; n < len(t.sum); n += n & -n {
				t.sum[n]++
			}
		}
		from = to
	}
	if len(counts) == 0 || float64(len(counts)) < tailBlocks*float64(blocks) {
		return
	}
	slices.Sort(counts)
	slices.Sort(shares)
	n := counts[3*len(counts)/8]
	// One place over a block that is not hot at any moment is no tail.
	if n <= maxTails && keys >= minMoves*n && (n > 1 || o.AtOnce >= hotShare) {
		o.Tails, o.HottestTail = n, shares[len(shares)/2]
	}
}

// tally counts inserts by the number of their key in a tree of sums (Fenwick 1994).
type tally struct{ sum []int }

// below returns the number of inserts with smaller keys.
func (t *tally) below(number int) int {
	n := 0
	for i := number; i > 0; i -= i & -i {
		n += t.sum[i]
	}
	return n
}

// tailsOf counts the tails of a block after a number of earlier inserts, and returns the share of the
// one with most; zero if the block has none.
func (t *tally) tailsOf(block []arrival, earlier int) (int, float64) {
	spans := make([]span, len(block))
	for i := range block {
		spans[i] = span{t.below(block[i].number), t.below(block[i].number + 1), i}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	near := max(min(maxBetween, earlier/minApart), earlier/(4*len(block)))
	found, covered, lasting, widest, most := 0, 0, 0, 0, 0
	for len(spans) > 0 {
		// Spans near each other are one place: n of them, up to the position to, from the first to the
		// last of the block's inserts there.
		n, from, to, first, last := 0, spans[0].from, spans[0].to, spans[0].came, spans[0].came
		for n < len(spans) && spans[n].from-to <= near {
			to = max(to, spans[n].to)
			first, last = min(first, spans[n].came), max(last, spans[n].came)
			n++
		}
		spans = spans[n:]
		if n < max(minOfTail, len(block)/minOfTailDivision) {
			continue
		}
		found++
		covered += n
		lasting += n * (last - first + 1)
		widest += to - from
		most = max(most, n)
	}
	all := float64(len(block))
	if float64(covered) < coveredShare*all || float64(lasting) < lastingShare*all*float64(covered) || widest*widestPlace > earlier {
		return 0, 0
	}
	return found, float64(most) / all
}
