package keystatistics

import (
	"fmt"
	"time"

	"loadgen/report/document"
)

// Sentence says the verdict in one sentence, with the numbers it rests on.
func (o *Order) Sentence() string {
	switch o.Verdict {
	case Spread:
		// Chance alone makes some windows of a few keys look hot.
		const worthTelling = 0.1
		hot := ""
		if float64(o.HotWindows) >= worthTelling*float64(o.Windows) {
			hot = fmt.Sprintf(", but in %s of %s nearly all fell on one place", document.Count(int64(o.HotWindows)),
				document.Counted(o.Windows, "window"))
		}
		return fmt.Sprintf("Inserts are spread: within %s the busiest quarter of the keys took %s of them, "+
			"where half is chance%s.", moment(o.Window), document.Share(o.AtOnce), hot)
	case AppendOnly:
		return o.oneWay("last", o.AtTop)
	case PrependOnly:
		return o.oneWay("first", o.AtBottom)
	case HotTail:
		end, share := "last", o.AtTop
		if o.AtBottom > o.AtTop {
			end, share = "first", o.AtBottom
		}
		return fmt.Sprintf("Inserts make one hot tail: several PartitionKeys take them at a time, "+
			"but within %s %s of them fell on one place, in %s of the windows the %s range, which one server serves.",
			moment(o.Window), document.Share(o.AtOnce), document.Share(share), end)
	case SeveralTails:
		return fmt.Sprintf("Inserts fall on %s at a time, each of which moves on; the hottest took %s of them.",
			document.Counted(o.Tails, "place"), document.Share(o.HottestTail))
	case MovingPoint:
		return fmt.Sprintf("Inserts fall on one moving point: within %s %s of them fell on one place, "+
			"which was at the end in %s and at the beginning in %s of the windows, and on %s in all.",
			moment(o.Window), document.Share(o.AtOnce), document.Share(o.AtTop), document.Share(o.AtBottom), document.Counted(o.Moves, "different place"))
	case Dominant:
		return fmt.Sprintf("Inserts are hot by skew: within %s %s of them fell on one place, "+
			"always where keys begin with %q, while others took the rest.", moment(o.Window), document.Share(o.AtOnce), o.Prefix)
	case OnePartition:
		return "Inserts all fall on one partition, which one server serves."
	default:
		return "Whether inserts fall on one place is unknown: " + o.Reason + "."
	}
}

func (o *Order) oneWay(end string, share float64) string {
	return fmt.Sprintf("Inserts are %s: within %s %s of them fell on one place, in %s of the windows the %s range, "+
		"which one server serves, however many of the %s there are.",
		o.Verdict, moment(o.Window), document.Share(o.AtOnce), document.Share(share), end, document.Counted(o.Keys, "PartitionKey"))
}

// moment returns how long a window lasts.
func moment(d time.Duration) string {
	if d == 0 {
		return "one instant"
	}
	return document.Span(d)
}

// Bears says what the place or places that take all inserts bear, by the targets of a
// partition and of an account in entities per second, of which 0 is none; empty where
// inserts are spread, or not known not to be.
func (o *Order) Bears(partition, account int64) string {
	place := o.Place()
	if o.Verdict != SeveralTails || place == 0 || partition <= 0 {
		return ""
	}
	after := float64(partition) / place
	text := fmt.Sprintf("%s take all inserts", document.Counted(o.Tails, "place"))
	if place*float64(o.Tails) == 1 {
		text += fmt.Sprintf(": %s × %s = %s/s after load balancing",
			document.Count(int64(o.Tails)), document.Rate(float64(partition)), document.Rate(after))
	} else {
		text += fmt.Sprintf(", the hottest %s: %s/s after load balancing until that is full", document.Share(place), document.Rate(after))
	}
	if account > 0 && after > float64(account) {
		text += fmt.Sprintf(" (the account bears %s)", document.Rate(float64(account)))
	}
	return text + fmt.Sprintf(", %s/s before it and on a cold start.", document.Rate(float64(partition)))
}
