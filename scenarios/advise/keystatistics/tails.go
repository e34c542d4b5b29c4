package keystatistics

import (
	"cmp"
	"math"
	"slices"
	"time"

	"loadgen/engine/entity"
)

// The thresholds of the search for tails.
const (
	// blocks is about the number of blocks of a sample, each of minBlock to maxBlock inserts. Tails among other
	// inserts are looked for in smaller ones: fewer others are in their place by chance.
	blocks, minBlock, maxBlock = 8, 64, 1024
	mixedBlocks, mixedMaxBlock = 64, 512
	// minOlder is the minimum number of older keys, in blocks of inserts.
	minOlder = 4
	// A key that takes inserts for more than the lastingPart'th part of the sample is in no tail.
	lastingPart = 3
	// maxBetween is the maximum number of older keys between inserts of one tail, for numbers with fewer digits
	// among them; minApart reduces it for few older keys, and sparseness further with other inserts.
	maxBetween, sparseness, minApart = 4, 8, 64
	// Tails that together take coveredShare of a block, in coveredBlocks of all blocks, may be small: smallTail is
	// the divisor of the block for the minimum of inserts. Among other inserts it is largeTail, and minLarge the
	// minimum.
	coveredShare, coveredBlocks    = 0.9, 0.66
	smallTail, largeTail, minLarge = 128, 20, 5
	// widthPart is the divisor of all older keys that limits the width of a tail.
	widthPart = 4
	// lastingShare is the minimum part of a block during which its tails take inserts: places one after another
	// take them for less.
	lastingShare = 0.6
	// A tail of fewer blocks or keys is a new group of keys, or one key. One that pauses for more blocks ends.
	minTailBlocks, minTailKeys, maxPause = 3, 4, 8
	// From nearlyAll of the inserts on tails take all.
	nearlyAll = 0.98
	// distinctTail is the number of standard deviations by which a tail has more inserts than equal ones.
	distinctTail = 4
	// maxTails is the maximum number of tails at a time: more are spread.
	maxTails = 64
)

// tail is a place between older keys that takes inserts, and moves on with its keys.
type tail struct {
	rows []moment
	// blocks is the number of blocks with its keys, from the first to the last; keys is the number of its keys.
	blocks, first, last, keys int
	// previous is the key of the last insert, repeated the number of inserts with the key of the one before.
	previous, repeated int
	// mean is its share of all inserts while it lasts.
	mean float64
}

// tailSearch finds tails in blocks of a sample: inserts whose keys lie at one place among the older keys that
// the block does not use. So it finds new keys, and keys that are used for a while.
type tailSearch struct {
	// older are the keys of earlier blocks, counted by their number. seen is whether a key is one, lasting
	// whether it takes inserts nearly all the time, owner the number of its tail, from 1.
	older         tally
	olderKeys     int
	seen, lasting []bool
	owner         []int
	tails         []tail
	// covering looks for tails that take all inserts; covered is the number of blocks that have such tails.
	covering bool
	covered  int
	// searched is the number of inserts of the blocks in which tails were looked for, and inTails those of
	// them in tails. counts are the numbers of tails in each block.
	samples, searched, inTails int
	counts                     []int
	// atOnce is the number of tails at a time, share the share of all inserts in tails.
	atOnce int
	share  float64
}

// placed is an insert of a block, after a number of smaller older keys.
type placed struct{ after, row int }

// findTails finds the tails of inserts in the order of time, whose keys are numbered in the order of the index:
// those that take all inserts in most blocks, or else those among other inserts.
func findTails(all []arrival, keys int) *tailSearch {
	s := searchTails(all, keys, true)
	if float64(s.covered) < coveredBlocks*float64(len(s.counts)) || s.atOnce > maxTails {
		s = searchTails(all, keys, false)
	}
	return s
}

// searchTails finds the tails that take all inserts of a block, or those among others.
func searchTails(all []arrival, keys int, covering bool) *tailSearch {
	s := &tailSearch{covering: covering, samples: len(all), older: tally{sum: make([]int, keys+1)}, seen: make([]bool, keys), lasting: make([]bool, keys), owner: make([]int, keys)}
	first := make([]int, keys)
	for i := range all {
		if n := all[i].number; !s.seen[n] {
			s.seen[n], first[n] = true, i
		} else {
			s.lasting[n] = (i-first[n])*lastingPart > len(all)
		}
	}
	clear(s.seen)
	size := min(max(len(all)/mixedBlocks, minBlock), mixedMaxBlock)
	if covering {
		size = min(max(len(all)/blocks, minBlock), maxBlock)
	}
	for from, to, block := 0, 0, 0; from < len(all); from, block = to, block+1 {
		for to = min(from+size, len(all)); to < len(all) && all[to].at == all[to-1].at; to++ {
			continue
		}
		if rows := all[from:to]; s.olderKeys >= minOlder*size || len(all) > 4*len(rows) && from*4 >= len(all) {
			s.look(rows, block)
		}
		for i := from; i < to; i++ {
			s.add(all[i].number, 1)
		}
	}
	s.tails = slices.DeleteFunc(s.tails, func(t tail) bool {
		gone := t.blocks < minTailBlocks || t.keys < minTailKeys
		if !gone {
			s.inTails += len(t.rows)
		}
		return gone
	})
	s.weigh()
	return s
}

// add adds a key to the older ones, or removes it.
func (s *tailSearch) add(number, sign int) {
	if s.seen[number] == (sign > 0) {
		return
	}
	s.seen[number] = sign > 0
	s.olderKeys += sign
	s.older.add(number, sign)
}

// look adds the inserts of a block to tails: those whose keys are at one place among the older ones that the
// block does not use.
func (s *tailSearch) look(rows []arrival, block int) {
	used := make([]bool, len(rows))
	for i := range rows {
		used[i] = s.seen[rows[i].number]
		s.add(rows[i].number, -1)
	}
	var found [][]placed
	if s.covering {
		found = s.blockTails(rows)
	}
	if found == nil {
		found = s.groups(rows, min(maxBetween, s.olderKeys/(sparseness*len(rows))), max(minLarge, len(rows)/largeTail))
	}
	for _, g := range found {
		s.extend(g, rows, block)
	}
	s.searched += len(rows)
	s.counts = append(s.counts, len(found))
	for i := range rows {
		if used[i] {
			s.add(rows[i].number, 1)
		}
	}
}

// blockTails returns the tails of a block that together take nearly all of its inserts, nil if they do not.
func (s *tailSearch) blockTails(rows []arrival) [][]placed {
	found := s.groups(rows, max(min(maxBetween, s.olderKeys/minApart), s.olderKeys/(4*len(rows))), max(2, len(rows)/smallTail))
	covered, lasting, all := 0, 0, float64(len(rows))
	for _, g := range found {
		first, last := len(rows), 0
		for _, one := range g {
			first, last = min(first, one.row), max(last, one.row)
		}
		covered += len(g)
		lasting += len(g) * (last - first + 1)
	}
	if float64(covered) < coveredShare*all || float64(lasting) < lastingShare*all*float64(covered) {
		return nil
	}
	s.covered++
	return found
}

// groups returns the inserts of a block by their place among older keys: those of at least a number of inserts
// with at most a number of keys between any two.
func (s *tailSearch) groups(rows []arrival, between, minimum int) (list [][]placed) {
	var all []placed
	for i := range rows {
		if n := rows[i].number; !s.lasting[n] {
			all = append(all, placed{s.older.below(n), i})
		}
	}
	slices.SortFunc(all, func(a, b placed) int { return cmp.Or(cmp.Compare(a.after, b.after), cmp.Compare(a.row, b.row)) })
	for from, to := 0, 0; from < len(all); from = to {
		for to = from + 1; to < len(all) && all[to].after-all[to-1].after <= between; to++ {
			continue
		}
		if g := all[from:to]; len(g) >= minimum && (g[len(g)-1].after-g[0].after)*widthPart <= s.olderKeys {
			list = append(list, g)
		}
	}
	return list
}

// extend adds a group of a block to the tail of a recent block at its place, or to a new one.
func (s *tailSearch) extend(g []placed, rows []arrival, block int) {
	low, high, number := g[0].after-1-maxBetween, g[len(g)-1].after+1+maxBetween, 0
	for _, one := range g {
		number = cmp.Or(number, s.recent(s.owner[rows[one.row].number], block))
	}
	for at := max(0, low); number == 0 && at < min(s.olderKeys, high); at++ {
		number = s.recent(s.owner[s.older.find(at)], block)
	}
	if number == 0 {
		s.tails = append(s.tails, tail{first: block, previous: -1})
		number = len(s.tails)
	}
	t := &s.tails[number-1]
	t.blocks, t.last = t.blocks+1, block
	slices.SortFunc(g, func(a, b placed) int { return cmp.Compare(a.row, b.row) })
	for _, one := range g {
		key := rows[one.row].number
		if s.owner[key] != number {
			s.owner[key] = number
			t.keys++
		}
		if key == t.previous {
			t.repeated++
		}
		t.previous = key
		t.rows = append(t.rows, moment{at: rows[one.row].at, entities: 1})
	}
}

// recent returns the number of a tail if it took inserts in one of the last blocks, otherwise 0.
func (s *tailSearch) recent(number, block int) int {
	if number == 0 || s.tails[number-1].last >= block || s.tails[number-1].last < block-maxPause {
		return 0
	}
	return number
}

// tally counts keys by their number in a tree of sums (Fenwick 1994).
type tally struct{ sum []int }

func (t *tally) add(number, sign int) {
	for n := number + 1; n < len(t.sum); n += n & -n {
		t.sum[n] += sign
	}
}

// below returns the number of smaller keys.
func (t *tally) below(number int) int {
	n := 0
	for i := number; i > 0; i -= i & -i {
		n += t.sum[i]
	}
	return n
}

// find returns the number of the key after a number of smaller ones.
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

// limit sets the tail that limits a peak most. Each insert stands for a number of entities. A tail that takes
// one key after another has a target for each.
func (s *tailSearch) limit(p *Peak, stands float64, span time.Duration) {
	for i := range s.tails {
		if t := &s.tails[i]; float64(t.repeated) >= sameShare*float64(len(t.rows)) {
			continue
		}
		c, one := newCrowd(s.tails[i].rows, stands), Busiest{Average: s.tails[i].mean}
		// A tail of less than a second goes on where another one ended, such as that of numbers when they get another
		// digit: its rate is that of its time.
		mean, lasted := one.Average*stands*float64(s.samples)/max(span, time.Second).Seconds(), c.rows[len(c.rows)-1].at.Sub(c.rows[0].at)
		if lasted < time.Second {
			mean = max(mean, c.entities/max(lasted, burstLength).Seconds())
		}
		one.limit(&c, mean, p.PerSecond, span)
		if one.Capacity > 0 && (p.Tail.Capacity == 0 || one.Capacity < p.Tail.Capacity) {
			p.Tail = one
		}
	}
}

// summary returns the median number of tails at a time, and which shares of all inserts the one with most and
// all together take; 0 for none.
func (s *tailSearch) summary() (tails int, hottest, all float64) {
	if len(s.tails) == 0 {
		return 0, 0, 0
	}
	for i := range s.tails {
		hottest = max(hottest, s.tails[i].mean)
	}
	return s.atOnce, hottest, s.share
}

// weigh sets the means of the tails.
func (s *tailSearch) weigh() {
	if len(s.tails) == 0 {
		return
	}
	slices.Sort(s.counts)
	s.atOnce = max(1, s.counts[len(s.counts)/2])
	if s.share = float64(s.inTails) / float64(s.searched); s.share >= nearlyAll {
		s.share = 1
	}
	for i := range s.tails {
		// A tail may replace one that ended: its mean is that of its time.
		t := &s.tails[i]
		lasted := float64(t.last-t.first+1) * float64(s.searched) / float64(len(s.counts))
		t.mean = float64(len(t.rows)) / lasted
		if equal := s.share / float64(s.atOnce); math.Abs(t.mean-equal)*lasted <= distinctTail*math.Sqrt(equal*lasted) {
			t.mean = equal
		}
	}
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
