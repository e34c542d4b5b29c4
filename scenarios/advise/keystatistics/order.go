package keystatistics

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"loadgen/engine/entity"
	"loadgen/report/document"
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
	// SeveralTails: inserts go to a few places at a time, and each place advances or grows at an end.
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
	// TailShare is the share of all inserts in tails, 0 for nearly all.
	TailShare float64
}

// orderOf returns the order of a sample sorted by instant, with a number of keys and the tails found.
func orderOf(all []arrival, keys int, found *tailSearch) Order {
	o := Order{Samples: len(all)}
	if len(all) == 0 {
		return o
	}
	counts, heaviest, squares := make([]int, keys), 0, 0.0
	for i := range all {
		counts[all[i].number]++
	}
	for _, n := range counts {
		share := float64(n) / float64(len(all))
		heaviest, squares = max(heaviest, n), squares+share*share
	}
	o.Heaviest = float64(heaviest) / float64(len(all))
	o.Span = all[len(all)-1].at.Sub(all[0].at)
	windows := windowsOf(all, keys)
	o.Windows = len(windows)
	switch {
	case len(all) < minSamples:
		o.Reason = fmt.Sprintf("only %d inserts have an instant; at least %d are needed", len(all), minSamples)
		return o
	case keys == 1:
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
	o.Tails, o.HottestTail, o.TailShare = found.summary()
	if o.SameKey >= sameShare && o.SameKey-squares >= staysShare {
		// Two neighbours have the same key more often than any two inserts: a key lasts for less than a
		// window. The hottest key of a moment takes at least that share.
		o.AtOnce = max(o.AtOnce, o.SameKey)
		if o.AtOnce < hotShare && o.Tails < 2 {
			o.Verdict, o.Hot = MovingPoint, true
			o.direct(windows, keys)
			return o
		}
	}
	switch {
	case o.AtOnce >= hotShare:
		o.direct(windows, keys)
		o.Verdict, o.Hot = o.hotVerdict(all), true
		if o.Tails == 0 && o.Verdict != Dominant {
			// Nearly all inserts fall on one place.
			o.Tails, o.HottestTail = 1, o.AtOnce
		}
	case o.Tails == 1 && o.TailShare >= hotShare:
		o.Verdict, o.Hot, o.AtOnce = MovingPoint, true, o.TailShare
	case o.Tails > 0:
		o.Verdict = SeveralTails
	default:
		o.Verdict = Spread
	}
	return o
}

// Word names the verdict as a report does, several tails by their number.
func (o *Order) Word() string {
	switch {
	case o.Verdict == SeveralTails && o.Tails == 1:
		return "one tail"
	case o.Verdict == SeveralTails:
		return results.Tails(o.Tails)
	default:
		return o.Verdict.String()
	}
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
	case o.HottestTail*float64(o.Tails) <= evenly*o.inTails():
		return o.inTails() / float64(o.Tails)
	default:
		return o.HottestTail
	}
}

// IsOnePlace reports whether nearly all inserts of a moment need the target of one partition: they have one
// key, or the keys of one tail.
func (o *Order) IsOnePlace() bool {
	return o.Hot && (o.Verdict == HotTail || o.Verdict == OnePartition || o.SameKey >= sameShare || o.Tails == 1 && o.TailShare > 0)
}

// inTails returns the share of the inserts in tails.
func (o *Order) inTails() float64 {
	if o.TailShare == 0 {
		return 1
	}
	return o.TailShare
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
	if prefix, dominates := dominant(all); dominates || o.AtOnce-o.Heaviest < staysShare {
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

// beyondShare is the maximum share of the earlier inserts above an upper end, or below a lower one: a
// few keys that sort last hide no tail.
const beyondShare = 0.05

// direct counts the windows whose hottest place is above or below all earlier inserts. Windows without
// earlier inserts elsewhere do not count.
func (o *Order) direct(windows []window, keys int) {
	earlier := tally{sum: make([]int, keys+1)}
	total, judged, top, bottom := 0, 0, 0, 0
	places := make(map[int]bool)
	for i := range windows {
		w := &windows[i]
		below, above := earlier.below(w.low), total-earlier.below(w.high+1)
		if below+above > 0 {
			judged++
			places[w.high] = true
			limit := int(beyondShare * float64(total))
			// A place without inserts on the other side is at no end.
			if above <= limit && below > limit {
				top++
			}
			if below <= limit && above > limit {
				bottom++
			}
		}
		for _, a := range w.arrivals {
			earlier.add(a.number, 1)
		}
		total += len(w.arrivals)
	}
	o.Moves = len(places)
	if judged > 0 {
		o.AtTop, o.AtBottom = float64(top)/float64(judged), float64(bottom)/float64(judged)
	}
}

// The thresholds of a dominant prefix.
const (
	// outliers is the share of the hot keys that is left out at either end before the common prefix of
	// the others is taken.
	outliers = 0.05
	// otherShare is the minimum share of all inserts with another prefix, otherAlways that in each
	// quarter of the time.
	otherShare, otherAlways = 0.03, 0.01
	quarters                = 4
)

// dominant returns the common prefix of nearly all keys of the hot place, or a key of it, and whether other keys arrive
// all the time, so that the place moves only among keys with this prefix.
func dominant(all []arrival) (string, bool) {
	var hot []string
	for i := range all {
		if all[i].hot {
			hot = append(hot, all[i].key)
		}
	}
	slices.SortFunc(hot, entity.Compare)
	cut := int(outliers * float64(len(hot)))
	a := hot[cut]
	b := hot[len(hot)-1-cut]
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	prefix := a[:n]
	if prefix == "" {
		return hot[len(hot)/2], false
	}
	others := [quarters]int{}
	for i := range all {
		if !strings.HasPrefix(all[i].key, prefix) {
			others[i*quarters/len(all)]++
		}
	}
	least, sum := slices.Min(others[:]), 0
	for _, n := range others {
		sum += n
	}
	return prefix, float64(sum) >= otherShare*float64(len(all)) &&
		float64(least)*quarters >= otherAlways*float64(len(all))
}

// narrative has the sentence for each verdict, and the phrases of a capacity. Of an order: {1} is the
// verdict, {2} the length of a window, {3} the share at the hottest place, {4} and {5} the shares of
// windows at the top and at the bottom, {6} the number of tails, {7} the share of the hottest, {8} the
// hot windows, {9} all of them, {10} the share of all tails. Of a capacity: {1} is the number of tails, {2} the target of a
// partition, {3} the capacity, {4} the share of the hottest, {5} the account's target,
// {6} the share of all tails.
var narrative = map[string]string{
	"spread":        "Inserts are spread: in {2} the busiest quarter of the keys takes {3|share}; by chance it takes half.",
	"spread/some":   " In {8} of {9} windows nearly all fall on one place.",
	"top":           "Inserts are {1}: in {2} one place takes {3|share}, the last range in {4|share} of the windows.",
	"bottom":        "Inserts are {1}: in {2} one place takes {3|share}, the first range in {5|share} of the windows.",
	"moving":        "Inserts fall on one moving point: in {2} one place takes {3|share}.",
	"tails":         "Inserts fall on {6} moving places at a time; the hottest takes {7|share}.",
	"mixed":         "{10|share} of the inserts fall on moving places, {6} at a time; the others are spread. The hottest takes {7|share}.",
	"dominant":      "Inserts are skewed: in {2} one place takes {3|share}, keys that begin with {1|key}.",
	"one-partition": "All inserts fall on one partition.",
	"unknown":       "It is unknown whether inserts fall on one place: {1}.",

	"capacity/mixed":   "Moving places take {6|share} of the inserts: {1} × {2} / {6|share} = {3}/s after load balancing",
	"capacity/even":    "All inserts fall on {1} places: {1} × {2} = {3}/s after load balancing",
	"capacity/uneven":  "All inserts fall on {1} places, {4|share} on the hottest: {3}/s after load balancing",
	"capacity/account": " (an account has {5})",
	"capacity/before":  ", {2}/s before and on a cold start.",
}

// Sentence returns the verdict in one or two sentences, with the figures behind it.
func (o *Order) Sentence() string {
	// By chance some windows of a few keys look hot.
	const minHotWindows = 0.1
	condition := map[Verdict]string{Spread: "spread", AppendOnly: "top", PrependOnly: "bottom", HotTail: "top", MovingPoint: "moving",
		SeveralTails: "tails", Dominant: "dominant", OnePartition: "one-partition", Unknown: "unknown"}[o.Verdict]
	var what any = o.Verdict.String()
	switch {
	case o.Verdict == Dominant:
		what = o.Prefix
	case o.Verdict == Unknown:
		what = o.Reason
	case o.Verdict == HotTail && o.AtBottom > o.AtTop:
		condition = "bottom"
	case o.Verdict == SeveralTails && o.TailShare > 0 && o.TailShare < hotShare:
		condition = "mixed"
	}
	var window any = o.Window
	if o.Window == 0 {
		window = "one instant"
	}
	text := narrative[condition]
	if o.Verdict == Spread && float64(o.HotWindows) >= minHotWindows*float64(o.Windows) {
		text += narrative["spread/some"]
	}
	return document.Fill(text, what, window, o.AtOnce, o.AtTop, o.AtBottom, o.Tails, o.HottestTail, o.HotWindows, o.Windows, o.inTails())
}

// Capacity returns what the places that take all inserts can serve, by the targets of a partition and of
// an account in entities per second, 0 for none; empty unless there are several tails.
func (o *Order) Capacity(partition, account int64) string {
	place := o.Place()
	if o.Verdict != SeveralTails || place == 0 || partition <= 0 {
		return ""
	}
	after, text := float64(partition)/place, narrative["capacity/uneven"]
	switch {
	case o.TailShare > 0 && o.TailShare < hotShare:
		text = narrative["capacity/mixed"]
	case place*float64(o.Tails) == o.inTails():
		text = narrative["capacity/even"]
	}
	if account > 0 && after > float64(account) {
		text += narrative["capacity/account"]
	}
	return document.Fill(text+narrative["capacity/before"], o.Tails, partition, after, place, account, o.inTails())
}
