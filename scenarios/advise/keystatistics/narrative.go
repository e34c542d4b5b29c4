package keystatistics

import (
	"loadgen/report/document"
)

// narrative has the sentence for each verdict, and the phrases of a capacity. Of an order: {1} is the
// verdict, {2} the length of a window, {3} the share at the hottest place, {4} and {5} the shares of
// windows at the top and at the bottom, {6} the number of tails, {7} the share of the hottest, {8} the
// hot windows, {9} all of them. Of a capacity: {1} is the number of tails, {2} the target of a
// partition, {3} the capacity, {4} the share of the hottest, {5} the account's target.
var narrative = map[string]string{
	"spread":        "Inserts are spread: in {2} the busiest quarter of the keys takes {3|share}; by chance it takes half.",
	"spread/some":   " In {8} of {9} windows nearly all fall on one place.",
	"top":           "Inserts are {1}: in {2} one place takes {3|share}, the last range in {4|share} of the windows.",
	"bottom":        "Inserts are {1}: in {2} one place takes {3|share}, the first range in {5|share} of the windows.",
	"moving":        "Inserts fall on one moving point: in {2} one place takes {3|share}.",
	"tails":         "Inserts fall on {6} moving places at a time; the hottest takes {7|share}.",
	"dominant":      "Inserts are skewed: in {2} one place takes {3|share}, keys that begin with {1|key}.",
	"one-partition": "All inserts fall on one partition.",
	"unknown":       "It is unknown whether inserts fall on one place: {1}.",

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
	}
	var window any = o.Window
	if o.Window == 0 {
		window = "one instant"
	}
	text := narrative[condition]
	if o.Verdict == Spread && float64(o.HotWindows) >= minHotWindows*float64(o.Windows) {
		text += narrative["spread/some"]
	}
	return document.Fill(text, what, window, o.AtOnce, o.AtTop, o.AtBottom, o.Tails, o.HottestTail, o.HotWindows, o.Windows)
}

// Capacity returns what the places that take all inserts can serve, by the targets of a partition and of
// an account in entities per second, 0 for none; empty unless there are several tails.
func (o *Order) Capacity(partition, account int64) string {
	place := o.Place()
	if o.Verdict != SeveralTails || place == 0 || partition <= 0 {
		return ""
	}
	after, text := float64(partition)/place, narrative["capacity/uneven"]
	if place*float64(o.Tails) == 1 {
		text = narrative["capacity/even"]
	}
	if account > 0 && after > float64(account) {
		text += narrative["capacity/account"]
	}
	return document.Fill(text+narrative["capacity/before"], o.Tails, partition, after, place, account)
}
