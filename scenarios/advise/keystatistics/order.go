package keystatistics

import (
	"fmt"
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/results"
)

// Verdict is the order in which inserts arrive.
type Verdict uint8

// The verdicts.
const (
	// Unknown: the reason says what is missing.
	Unknown Verdict = iota
	// Spread: at any moment inserts fall on many places.
	Spread
	// AppendOnly: each key is the greatest so far, or was a moment ago.
	AppendOnly
	// PrependOnly: each key is the least so far, or was a moment ago.
	PrependOnly
	// HotTail: several keys take inserts at a time, all at one end, which moves: keys begin with the
	// time, and what spreads them follows.
	HotTail
	// MovingPoint: at any moment inserts fall on one place, which moves, but is at no end, or moved too
	// rarely to show one.
	MovingPoint
	// SeveralTails: inserts fall on a few places at a time, each of which moves on or grows at an end.
	SeveralTails
	// Dominant: nearly all inserts fall under one PartitionKey or one prefix, at one place at any
	// moment, while others take the remaining inserts all the time. The cause is skew, not order.
	Dominant
	// OnePartition: there is only one partition.
	OnePartition
)

var verdictNames = [...]string{"unknown", "spread", results.AppendOnly, results.PrependOnly, results.HotTail,
	results.MovingPoint, "several tails", "one dominant beginning", "one partition only"}

// String returns the verdict as a report names it.
func (v Verdict) String() string { return verdictNames[v] }

// Order is the order of inserts, with its evidence. Shares are of the sampled inserts, from 0 to 1.
type Order struct {
	Verdict Verdict
	// Hot reports that at any moment nearly all inserts fall on one place, which one server serves.
	Hot bool
	// Reason is what is missing if the verdict is [Unknown].
	Reason string

	// Samples is the number of inserts in the sample, Span the time from the first to the last.
	Samples int
	Span    time.Duration
	// Windows is the number of windows of neighbouring inserts, HotWindows the number of those in which
	// nearly all fell on one place, Window the median length. Shorter movements are not seen.
	Windows, HotWindows int
	Window              time.Duration
	// AtOnce is the share of inserts at the hottest place of their window: one PartitionKey, or
	// neighbours with at most a quarter of all inserts. It is SameKey if keys last for less than a
	// window and SameKey is greater. For many keys in no order it is about a half.
	AtOnce float64
	// Heaviest is the share of the most common PartitionKey over the whole time.
	Heaviest float64
	// AtTop and AtBottom are the shares of the windows whose hottest place is above, or below, all but
	// one in twenty of the earlier inserts. Moves is the number of different places.
	AtTop, AtBottom float64
	Moves           int
	// Ascending is the share of inserts at the hot place with a greater PartitionKey than the insert
	// before, of those with a different one. SameKey is the share of inserts with the PartitionKey of
	// the insert before.
	Ascending, SameKey float64
	// Prefix begins the keys of the hot place if the verdict is [Dominant].
	Prefix string
	// Tails is the number of places that take inserts at a time and move on, or grow at an end; each can
	// have a range of its own. It is 0 if inserts are spread or nothing moves. HottestTail is the share
	// of the tail with most inserts.
	Tails       int
	HottestTail float64
}

// orderOf returns the order of a sample that is sorted by instant.
func orderOf(all []arrival) Order {
	o := Order{Samples: len(all)}
	if len(all) == 0 {
		return o
	}
	s := cut(all)
	o.Heaviest = float64(s.heaviest) / float64(s.total)
	o.Span = all[len(all)-1].at.Sub(all[0].at)
	windows := windowsOf(all, &s)
	o.Windows = len(windows)
	switch {
	case len(all) < minSamples:
		o.Reason = fmt.Sprintf("only %d inserts have an instant; at least %d are needed", len(all), minSamples)
		return o
	case s.keys == 1:
		o.Verdict, o.Hot, o.AtOnce = OnePartition, true, 1
		return o
	case o.Span == 0:
		o.Reason = "all inserts have the same instant"
		return o
	case len(windows) < minWindows:
		o.Reason = fmt.Sprintf("the inserts have too few different instants: %d windows of at least %d", len(windows), minWindows)
		return o
	}
	o.measure(all, windows)
	o.countTails(all, s.keys)
	if o.SameKey >= sameShare && o.SameKey-s.squares/float64(s.total)/float64(s.total) >= staysShare {
		// Two neighbours have the same key more often than any two inserts: a key lasts for less than a
		// window. The hottest key of a moment takes at least that share.
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
		// Nearly all inserts fall on one place.
		o.Tails, o.HottestTail = 1, o.AtOnce
	}
	return o
}

// Word names the verdict as a report does, several tails by their number.
func (o *Order) Word() string {
	if o.Verdict == SeveralTails {
		return results.Tails(o.Tails)
	}
	return o.Verdict.String()
}

// evenly is the multiple of an even share up to which the hottest tail counts as one of equal tails:
// the maximum of equal shares is greater by chance.
const evenly = 1.35

// Place returns the share of the inserts at the place with most of them at any moment, 0 if inserts
// are spread or their order is unknown.
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

// measure sets the share of the hottest place of each window, and compares each insert with the one
// before, if their instants differ.
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

// The thresholds for the kind of a hot place.
const (
	// staysShare is the minimum difference between the share at a moment and that over the whole time
	// for a place that moves.
	staysShare = 0.2
	// sameShare is the minimum share of neighbours with the same key if one key takes inserts at a time;
	// for two keys in turns it is a half.
	sameShare = 0.6
	// endShare is the minimum share of windows with their place at an end, endMoves the minimum number
	// of places, for keys in one direction.
	endShare = 0.7
	endMoves = 3
	// orderedShare is the minimum share of neighbours that ascend or descend if one key takes inserts at
	// a time, bucketsSame the maximum share with the same key if several do.
	orderedShare = 0.8
	bucketsSame  = 0.5
)

func (o *Order) hotVerdict(all []arrival) Verdict {
	if o.AtOnce-o.Heaviest < staysShare {
		counts := make(map[string]int)
		for i := range all {
			counts[all[i].key]++
		}
		for key, n := range counts {
			if most := counts[o.Prefix]; n > most || n == most && entity.Compare(key, o.Prefix) < 0 {
				o.Prefix = key
			}
		}
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
