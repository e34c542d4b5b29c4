package keystatistics

import (
	"cmp"
	"slices"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

// arrival is an insert of the sample.
type arrival struct {
	at  clock.Instant
	key string
	// mixed orders inserts of one instant independently of their keys.
	mixed uint64
	// stretch is the stretch of the key, hot whether it is in the hottest place of its window.
	stretch int
	hot     bool
	// number is the number of smaller keys in the sample.
	number int
}

// stretches are the sampled keys in the order of the index, cut into stretches of about equal numbers of
// inserts. A key with as many inserts is a stretch of its own.
type stretches struct {
	total int
	// before is the number of inserts before each stretch, and the total at its end.
	before []int
	// single reports for each stretch whether it is one key.
	single []bool
	// keys is the number of different keys, heaviest the number of inserts of the most common key,
	// squares the sum of the squares of all keys' inserts.
	keys, heaviest int
	squares        float64
}

// maxStretches is the number of stretches of a large sample, minInserts the number of inserts in each
// stretch of a small one.
const (
	maxStretches = 256
	minInserts   = 4
)

// cut sorts the keys of arrivals into stretches, and sets the stretch of each arrival.
func cut(all []arrival) stretches {
	order := make([]*arrival, len(all))
	for i := range all {
		order[i] = &all[i]
	}
	slices.SortFunc(order, func(a, b *arrival) int { return entity.Compare(a.key, b.key) })
	s := stretches{total: len(all)}
	full := max(minInserts, (len(all)+maxStretches-1)/maxStretches)
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && order[to].key == order[from].key {
			to++
		}
		inserts := to - from
		s.keys++
		s.heaviest = max(s.heaviest, inserts)
		s.squares += float64(inserts) * float64(inserts)
		if last := len(s.before) - 1; last >= 0 && inserts < full && from-s.before[last] < full {
			s.single[last] = false
		} else {
			s.before, s.single = append(s.before, from), append(s.single, true)
		}
		for _, a := range order[from:to] {
			a.stretch, a.number = len(s.before)-1, s.keys-1
		}
		from = to
	}
	s.before = append(s.before, s.total)
	return s
}

// isPlace reports whether the stretches from one to another are one place: one key, or so small a part
// of the keys that a movement through all of them leaves it.
func (s *stretches) isPlace(from, to int) bool {
	return from == to && s.single[from] || (s.before[to+1]-s.before[from])*widestPlace <= s.total
}

// widestPlace is the divisor of all inserts that limits a place: a quarter.
const widestPlace = 4

// window is a group of neighbours in the sample, all of an instant together.
type window struct {
	arrivals []arrival
	// low and high are the first and the last stretch of its hottest place, hits the number of its
	// arrivals there.
	low, high, hits int
}

// The limits of windows.
const (
	// windowArrivals is the number of arrivals of a window: the fewer, the shorter the time in which
	// keys are seen together.
	windowArrivals = 16
	// minSamples and minWindows are needed for a verdict.
	minSamples = 128
	minWindows = 8
	// hotShare is the minimum share of the inserts at the hottest place of a hot window. Inserts in no
	// order have about half in a quarter of the keys, by chance.
	hotShare = 0.7
)

// windowsOf cuts arrivals, sorted by instant, into windows, and finds the hottest place of each.
func windowsOf(all []arrival, s *stretches) []window {
	var found []window
	from := 0
	for i := range all {
		last := i == len(all)-1
		if i+1-from < windowArrivals && !last || !last && all[i+1].at == all[i].at {
			continue
		}
		if last && i+1-from < windowArrivals && len(found) > 0 {
			// Too few are left for a window of their own.
			previous := &found[len(found)-1]
			previous.arrivals = all[from-len(previous.arrivals) : i+1]
			break
		}
		found = append(found, window{arrivals: all[from : i+1]})
		from = i + 1
	}
	for i := range found {
		found[i].findHottest(s)
	}
	return found
}

// findHottest finds the place with most arrivals of the window, the first of equal ones.
func (w *window) findHottest(s *stretches) {
	hit := make([]int, len(w.arrivals))
	for j := range w.arrivals {
		hit[j] = w.arrivals[j].stretch
	}
	slices.Sort(hit)
	for from, to := 0, 0; from < len(hit); from++ {
		for to = max(to, from); to < len(hit) && s.isPlace(hit[from], hit[to]); to++ {
			continue
		}
		if to-from > w.hits {
			w.low, w.high, w.hits = hit[from], hit[to-1], to-from
		}
	}
	for j := range w.arrivals {
		a := &w.arrivals[j]
		a.hot = w.hits > 0 && w.low <= a.stretch && a.stretch <= w.high
	}
}

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
