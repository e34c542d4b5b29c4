package verdict

import (
	"fmt"
	"time"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// trafficBalance returns what load balancing made of outside traffic on a service that began
// cold: when it first did something and why, and what was throttled before and after. Empty
// where no table was cold.
func trafficBalance(record *results.Record) string {
	if record.Capture == nil || record.Manifest.Start != "cold" {
		return ""
	}
	var first, last *results.Event
	counts := make(map[string]int)
	for i := range record.Events {
		if e := &record.Events[i]; e.Balanced() {
			counts[e.What]++
			if last = e; first == nil {
				first = e
			}
		}
	}
	if first == nil {
		return "load balancing did nothing: a range has to be overloaded for as long as the model's detection before it does."
	}
	began := time.Duration(0)
	if len(record.Phases) > 0 {
		began = record.Phases[0].Begin
	}
	at, back := time.Duration(first.At), max(time.Duration(last.At), last.Decision.Until)
	said := fmt.Sprintf("load balancing took its first step, %s, %s after the traffic began: %s; in all it made %s, %s and %s.",
		step(first), document.Span(max(0, at-began)), lasting(first.Decision),
		counted(counts[results.RangeSplit]+counts[results.SizeSplit], "split"), counted(counts[results.RangeMoved], "move"), counted(counts[results.RangesMerged], "merge"))
	if before, some := throttledWithin(record, 0, at); some {
		said += " Until then " + document.Share(before) + " of the attempts were throttled"
		if after, some := throttledWithin(record, back+time.Second, record.Duration+time.Second); some {
			said += ", once the last step was done " + document.Share(after)
		}
		said += "."
	}
	return said
}

// step says what load balancing did, and where.
func step(e *results.Event) string {
	where := fmt.Sprintf("of a range of the table %q", shortened(e.Decision.Table))
	switch e.What {
	case results.RangeMoved:
		return "the move " + where
	case results.RangesMerged:
		return "the merge " + where
	default:
		return fmt.Sprintf("the split %s at %q", where, shortened(e.Decision.Key))
	}
}

// lasting says why a step was taken.
func lasting(d *results.Decision) string {
	why := printable(shortened(d.Reason))
	if d.Overloaded > 0 {
		why += " for " + document.Span(d.Overloaded)
	}
	return why
}

// throttledWithin returns the share of attempts that were throttled in the seconds that begin
// from one instant on and end by another, and false where there was no attempt.
func throttledWithin(record *results.Record, from, to time.Duration) (float64, bool) {
	var attempts, throttled int64
	for i := range record.Intervals {
		one := &record.Intervals[i]
		if begin := time.Duration(one.Second) * time.Second; begin >= from && time.Duration(one.End())*time.Second <= to {
			attempts, throttled = attempts+one.Attempts, throttled+one.Throttled
		}
	}
	return figure.ShareOf(throttled, attempts), attempts > 0
}

// stepsTaken returns the first of what load balancing did, a sentence each.
func stepsTaken(record *results.Record) []string {
	var told []string
	more := 0
	for i := range record.Events {
		e := &record.Events[i]
		switch {
		case !e.Balanced() || trafficBalance(record) == "":
		case len(told) == mostNamed:
			more++
		default:
			told = append(told, fmt.Sprintf("At %s of the run came %s: %s.", document.Span(time.Duration(e.At)), step(e), lasting(e.Decision)))
		}
	}
	if more > 0 {
		told = append(told, fmt.Sprintf("So did %s more: events.ndjson has each with what it rests on.", document.Count(int64(more))))
	}
	return told
}
