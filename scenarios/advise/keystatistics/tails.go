package keystatistics

import (
	"cmp"
	"slices"
)

// The bounds of counting tails.
const (
	// blocksOfSample is how many blocks a sample is cut into, of which each is held
	// against all inserts before it, from the quarter of them on.
	blocksOfSample, quarter       = 8, 4
	fewestOfBlock, mostOfBlock    = 32, 1024
	mostTails                     = 64
	fewestOfTail, smallestOfBlock = 2, 128
	// Inserts of one tail have at most so many earlier ones between them, be it for the
	// numbers of fewer digits that lie among them, and so many where there are few.
	mostBetween, fewestApart = 4, 64
	// coveredShare is which share of a block its tails have at least, and lastingShare for
	// which part of the block they take inserts: one place after another takes them for
	// less. tailBlocks is which share of the blocks is like that.
	coveredShare, lastingShare, tailBlocks = 0.9, 0.6, 0.66
	// movesOfTail is how many PartitionKeys a tail has at least: fewer do not tell that
	// it moves on.
	movesOfTail = 4
)

// span is where an insert falls among earlier ones in the order of the index: between
// how many lie below its key and how many do not lie above it. It came after so many
// others of its block.
type span struct{ from, to, came int }

// countTails counts the places that take inserts and move on, and finds the share of the one
// that takes most. In a block of inserts each lies in a gap between keys of earlier
// ones: all inserts of one tail in the same gap, or in neighbouring ones where its
// numbers become longer. Keys that are spread lie in gaps of their own, and keys that
// are used again lie where as many lay before. Zero tails are none, or too many, or one
// after another.
func (o *Order) countTails(all []arrival, keys int) {
	t := tally{sum: make([]int, keys+1)}
	least := min(max(len(all)/blocksOfSample, fewestOfBlock), mostOfBlock)
	var counts []int
	var shares []float64
	blocks := 0
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && (to-from < least || all[to].at == all[to-1].at) {
			to++
		}
		if block := all[from:to]; from >= len(all)/quarter && len(block) >= least {
			blocks++
			if n, share := t.places(block, from); n > 0 {
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
	// What is one place over a block, but not at any moment, is none.
	if n <= mostTails && keys >= movesOfTail*n && (n > 1 || o.AtOnce >= hotShare) {
		o.Tails, o.HottestTail = n, shares[len(shares)/2]
	}
}

// tally counts inserts by the number of their key, so that a sum takes few steps
// (Fenwick 1994).
type tally struct{ sum []int }

// below returns how many inserts have lesser keys.
func (t *tally) below(number int) int {
	n := 0
	for i := number; i > 0; i -= i & -i {
		n += t.sum[i]
	}
	return n
}

// places counts the tails of a block, after so many earlier inserts, with the share of
// the one that takes most; zero where the block has none.
func (t *tally) places(block []arrival, earlier int) (int, float64) {
	spans := make([]span, len(block))
	for i := range block {
		spans[i] = span{t.below(block[i].number), t.below(block[i].number + 1), i}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	near := max(min(mostBetween, earlier/fewestApart), earlier/(4*len(block)))
	found, covered, lasting, widest, most := 0, 0, 0, 0, 0
	for len(spans) > 0 {
		// Those that lie near each other are one place: from which it reaches, to where, and
		// which of the block's inserts are the first and the last of it.
		n, from, to, first, last := 0, spans[0].from, spans[0].to, spans[0].came, spans[0].came
		for n < len(spans) && spans[n].from-to <= near {
			to = max(to, spans[n].to)
			first, last = min(first, spans[n].came), max(last, spans[n].came)
			n++
		}
		spans = spans[n:]
		if n < max(fewestOfTail, len(block)/smallestOfBlock) {
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
