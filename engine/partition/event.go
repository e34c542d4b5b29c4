package partition

import (
	"fmt"
	"time"

	"loadgen/engine/clock"
)

// EventKind is the kind of a decision of load balancing.
type EventKind string

// The kinds of event.
const (
	// EventSplit cut a range in two because of its load, EventSizeSplit because
	// of its size.
	EventSplit     EventKind = "split"
	EventSizeSplit EventKind = "size-split"
	// EventMove handed a range over to another server.
	EventMove EventKind = "move"
	// EventMerge merged two neighbours.
	EventMerge EventKind = "merge"
	// EventKept left an overloaded range unchanged. It is reported once for each
	// period of overload.
	EventKept EventKind = "kept"
)

// Event is a decision with its evidence. Loads are averages in entities per second,
// shares are thousandths. Fields that do not apply are zero.
type Event struct {
	At             clock.Instant
	Kind           EventKind
	Account, Table uint32
	// Range is the range concerned, Other the one that a split created or a merge
	// removed.
	Range, Other uint64
	// Key is the boundary that a split created or a merge removed, or the first key
	// of a range that moves or is kept.
	Key string
	// From is the previous server of the range, To the present one.
	From, To int
	// Until is when the whole range is served again.
	Until clock.Instant
	// Reason is the reason in words.
	Reason string
	// Overloaded is how long the range or its server was overloaded, or the range
	// and its neighbour quiet.
	Overloaded time.Duration
	// Offered and Served are the range's loads.
	Offered, Served int64
	// Share is the part of the load, or of the bytes, below the boundary.
	Share int64
	// FromLoad and ToLoad are the servers' loads before the range moved.
	FromLoad, ToLoad int64
	// Ranges is the number of all ranges afterwards.
	Ranges int
}

// String returns the event in a line.
func (e Event) String() string {
	text := fmt.Sprintf("%v %s range %d", e.At.Offset(), e.Kind, e.Range)
	switch e.Kind {
	case EventSplit, EventSizeSplit:
		text += fmt.Sprintf(" and %d at %q: %d of 1000 below", e.Other, e.Key, e.Share)
	case EventMove:
		text += fmt.Sprintf(" from server %d (%d/s) to %d (%d/s)", e.From, e.FromLoad, e.To, e.ToLoad)
	case EventMerge:
		text += fmt.Sprintf(" and %d at %q", e.Other, e.Key)
	case EventKept:
		text += fmt.Sprintf(" on server %d", e.From)
	}
	text += "; " + e.Reason
	if e.Overloaded > 0 {
		text += fmt.Sprintf(" for %v", e.Overloaded)
	}
	text += fmt.Sprintf(", %d/s offered, %d/s served", e.Offered, e.Served)
	if e.Until > e.At {
		text += fmt.Sprintf("; back at %v", e.Until.Offset())
	}
	return text
}

// maxEvents is the maximum number of events that wait to be read.
const maxEvents = 1 << 16

// journal has the events that wait to be read.
type journal struct{ events []Event }

func (j *journal) add(e Event) {
	if len(j.events) < maxEvents {
		j.events = append(j.events, e)
	}
}
