package keystatistics

import (
	"fmt"
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/results"
)

// Verdict says how inserts come.
type Verdict uint8

// The verdicts.
const (
	// Unknown: there is no telling; the reason says why.
	Unknown Verdict = iota
	// Spread: at any moment inserts fall on many places.
	Spread
	// AppendOnly: each key is the greatest so far, or was a moment ago.
	AppendOnly
	// PrependOnly: each key is the least so far, or was a moment ago.
	PrependOnly
	// HotTail: several keys take inserts at a time, but all lie at one end, which
	// moves: time comes first in them, and what spreads them after it.
	HotTail
	// MovingPoint: at any moment inserts fall on one place, which moves, but lies
	// at no end, or moved too seldom to say so.
	MovingPoint
	// SeveralTails: inserts fall on a few places at a time, each of which moves on, or
	// grows at an end.
	SeveralTails
	// Dominant: nearly all inserts fall under one PartitionKey or one beginning of
	// it, at one place at any moment, while others take the rest all the time: the
	// cause is skew, not order.
	Dominant
	// OnePartition: there is but one.
	OnePartition
)

var verdictNames = [...]string{"unknown", "spread", results.AppendOnly, results.PrependOnly, results.HotTail,
	results.MovingPoint, "several tails", "one dominant beginning", "one partition only"}

// String returns the verdict as a report names it.
func (v Verdict) String() string { return verdictNames[v] }

// Order is how inserts come: the verdict and its evidence. Shares are of the
// sampled inserts, from 0 to 1.
type Order struct {
	Verdict Verdict
	// Hot says that at any moment nearly all inserts fall on one place, which one
	// server serves, however many partitions there are in all.
	Hot bool
	// Reason says what is wanting where the verdict is [Unknown].
	Reason string

	// Samples is how many inserts were looked at, Keys how many PartitionKeys they
	// have, and Span the time from the first to the last.
	Samples, Keys int
	Span          time.Duration
	// Windows is how many windows of neighbouring inserts there are, HotWindows in
	// how many nearly all fell on one place, and Window how long they last, in the
	// median. Within less than that nothing is seen to move.
	Windows, HotWindows int
	Window              time.Duration
	// AtOnce is the share of inserts that fell on the hottest place of their
	// window: one PartitionKey, or neighbours that have a quarter of all at most; or
	// SameKey, where keys last for less than a window and that is more. Where nothing
	// moves and keys are many, it is about a half, by chance.
	AtOnce float64
	// Heaviest is the share of the commonest PartitionKey over the whole time.
	Heaviest float64
	// AtTop and AtBottom are the shares of the windows whose hottest place no
	// earlier insert lies above, or below, but for one in twenty. Moves is how many
	// different places it took.
	AtTop, AtBottom float64
	Moves           int
	// Ascending is the share of those inserts on the hot place that came next after
	// a lesser PartitionKey, of all that came next after another. SameKey is the
	// share of inserts that came next after the same.
	Ascending, SameKey float64
	// Prefix is what the keys of the hot place begin with all the time, where the
	// verdict is [Dominant].
	Prefix string
	// Tails is how many places take inserts at a time and move on, or grow at an end, of
	// which each can have a range of its own: 0 where inserts are spread over the keys,
	// or none moves. HottestTail is the share of the one that takes most.
	Tails       int
	HottestTail float64
}

// judged returns the order of a sample, in the order of its instants.
func judged(all []arrival) Order {
	o := Order{Samples: len(all)}
	if len(all) == 0 {
		return o
	}
	s := cut(all)
	o.Keys, o.Heaviest = s.keys, float64(s.heaviest)/float64(s.total)
	o.Span = all[len(all)-1].at.Sub(all[0].at)
	windows := windowsOf(all, &s)
	o.Windows = len(windows)
	switch {
	case len(all) < fewestSamples:
		o.Reason = fmt.Sprintf("there are only %d inserts with an instant; it takes %d", len(all), fewestSamples)
		return o
	case s.keys == 1:
		o.Verdict, o.Hot, o.AtOnce = OnePartition, true, 1
		return o
	case o.Span == 0:
		o.Reason = "all inserts have the same instant"
		return o
	case len(windows) < fewestWindows:
		o.Reason = fmt.Sprintf("the inserts have so few different instants that only %d moments can be told apart; "+
			"it takes %d", len(windows), fewestWindows)
		return o
	}
	o.measure(all, windows)
	o.countTails(all, s.keys)
	if o.SameKey >= sameShare && o.SameKey-s.squares/float64(s.total)/float64(s.total) >= staysShare {
		// Two inserts have the same key more often than any two would by chance: keys are done
		// with sooner than a window lasts. As many as have the same key
		// as the one before fall on the hottest key of that moment, at least.
		o.AtOnce = max(o.AtOnce, o.SameKey)
		if o.AtOnce < hotShare && o.Tails < 2 {
			o.Verdict, o.Hot = MovingPoint, true
			o.direct(windows, &s)
			return o
		}
	}
	switch {
	case o.AtOnce >= hotShare:
	case o.Tails > 1:
		o.Verdict = SeveralTails
		return o
	default:
		o.Verdict = Spread
		return o
	}
	o.Hot = true
	o.direct(windows, &s)
	o.Verdict = o.hotVerdict(all)
	if o.Tails == 0 && o.Verdict != Dominant {
		// Nearly all fall on one place, wherever it goes.
		o.Tails, o.HottestTail = 1, o.AtOnce
	}
	return o
}

// Word names the verdict as a report does: of several tails, with their number.
func (o *Order) Word() string {
	if o.Verdict == SeveralTails {
		return results.Tails(o.Tails)
	}
	return o.Verdict.String()
}

// evenly is up to which multiple of an even share the hottest tail is taken for one of
// equal ones: it is the greatest by chance.
const evenly = 1.35

// Place returns the share of the inserts that fall on the place that takes most of them
// at any moment, 0 where they are spread or it is not known.
func (o *Order) Place() float64 {
	switch {
	case o.Hot:
		return o.AtOnce
	case o.Verdict != SeveralTails:
		return 0
	case o.HottestTail*float64(o.Tails) <= evenly:
		return 1 / float64(o.Tails)
	default:
		return o.HottestTail
	}
}

// measure takes down how much of each window its hottest place has, and compares each insert
// with the one that came before, where the instants say which that is.
func (o *Order) measure(all []arrival, windows []window) {
	hits := 0
	spans := make([]time.Duration, len(windows))
	for i := range windows {
		w := &windows[i]
		hits += w.hits
		spans[i] = w.arrivals[len(w.arrivals)-1].at.Sub(w.arrivals[0].at)
		if float64(w.hits) >= hotShare*float64(len(w.arrivals)) {
			o.HotWindows++
		}
	}
	slices.Sort(spans)
	o.Window = spans[len(spans)/2]
	o.AtOnce = float64(hits) / float64(o.Samples)
	pairs, same, others, ascending := 0, 0, 0, 0
	for i := range all[1:] {
		earlier, later := &all[i], &all[i+1]
		if earlier.at == later.at {
			continue
		}
		pairs++
		switch order := entity.Compare(earlier.key, later.key); {
		case order == 0:
			same++
		case !earlier.hot || !later.hot:
		default:
			others++
			if order < 0 {
				ascending++
			}
		}
	}
	if pairs > 0 {
		o.SameKey = float64(same) / float64(pairs)
	}
	if others > 0 {
		o.Ascending = float64(ascending) / float64(others)
	}
}

// The bounds of a hot place's kind.
const (
	// staysShare is by how much the share at one time exceeds that over the whole
	// time where the place moves.
	staysShare = 0.2
	// sameShare is which share of neighbours have the same key where one alone takes
	// inserts at a time: of two that take turns by chance it is a half.
	sameShare = 0.6
	// endShare is which share of windows have their place at an end, and endMoves
	// how many places it took, where the keys go one way.
	endShare = 0.7
	endMoves = 3
	// orderedShare is which share of neighbours ascend or descend where a single
	// key takes inserts at a time, and bucketsSame which share have the same key
	// where several do, at most.
	orderedShare = 0.8
	bucketsSame  = 0.5
)

func (o *Order) hotVerdict(all []arrival) Verdict {
	if o.AtOnce-o.Heaviest < staysShare {
		counts := make(map[string]int)
		for i := range all {
			counts[all[i].key]++
		}
		best := ""
		for key, n := range counts {
			if n > counts[best] || n == counts[best] && entity.Compare(key, best) < 0 {
				best = key
			}
		}
		o.Prefix = best
		return Dominant
	}
	if prefix, dominates := dominant(all); dominates {
		o.Prefix = prefix
		return Dominant
	}
	top, bottom := o.AtTop >= endShare, o.AtBottom >= endShare
	ordered := o.Ascending
	if bottom {
		ordered = 1 - ordered
	}
	switch {
	case o.Moves < endMoves || top == bottom:
		return MovingPoint
	case ordered < orderedShare && o.SameKey < bucketsSame:
		return HotTail
	case top:
		return AppendOnly
	default:
		return PrependOnly
	}
}
