package verdict

import (
	"fmt"
	"slices"
	"time"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// balanceFindings returns what stands out of how load balancing dealt with a load,
// nil where the run is not about it.
func balanceFindings(record *results.Record) []string {
	figures := figure.Of(record)
	b := figures.Balance()
	if b == nil {
		return nil
	}
	all := record.Counts(results.Reported)
	found := []string{fmt.Sprintf("Over all of it %s of %s operations succeeded; %s of the attempts were throttled.",
		document.Share(figures.Share("succeeded").Value), document.Count(all.Operations),
		document.Share(figures.Share("throttled").Value))}
	if record.Manifest.Start != "cold" {
		return found
	}
	begin, _, _ := figures.Span()
	if first := slices.IndexFunc(record.Events, func(e results.Event) bool { return e.Balanced() }); first >= 0 {
		e := &record.Events[first]
		found = append(found, fmt.Sprintf("Load balancing took its first step, a %s, after %s of load.",
			e.What, document.Minutes(since(e, begin))))
	} else {
		found = append(found, "Load balancing did nothing: overload has to last before it does, and load that is throttled nowhere is none.")
	}
	if b.Splits+b.Moves+b.Merges > 0 {
		found = append(found, fmt.Sprintf("Load balancing made %s, %s and %s, and there were %s at the end: events.ndjson has each with what it rests on.",
			counted(b.Splits, "split"), counted(b.Moves, "move"), counted(b.Merges, "merge"), counted(b.Ranges, "range")))
	}
	var moves int
	var sum, longest time.Duration
	for i := range record.Events {
		if e := &record.Events[i]; e.What == results.RangeMoved && e.Decision != nil {
			moves++
			gap := max(0, e.Decision.Until-time.Duration(e.At))
			sum, longest = sum+gap, max(longest, gap)
		}
	}
	if moves > 0 {
		found = append(found, fmt.Sprintf("While it moved, a range was offline for %s on average and %s at most: "+
			"requests to it were throttled, or held until it was back.",
			document.Micros((sum/time.Duration(moves)).Microseconds()), document.Micros(longest.Microseconds())))
	}
	unmovable := 0
	for i := range record.Events {
		e := &record.Events[i]
		if e.What != results.RangeKept || e.Decision == nil {
			continue
		}
		if unmovable++; unmovable <= mostNamed {
			found = append(found, fmt.Sprintf("After %s the range from %q on was overloaded and left as it was: %s.",
				document.Minutes(since(e, begin)), shortened(e.Decision.Key), printable(shortened(e.Decision.Reason))))
		}
	}
	if more := unmovable - mostNamed; more > 0 {
		found = append(found, fmt.Sprintf("So were %s more.", document.Count(int64(more))))
	}
	return found
}

// since is how long after the load began an event was, in seconds.
func since(e *results.Event, begin int64) float64 {
	return max(0, time.Duration(e.At).Seconds()-float64(begin))
}

// Minutes returns what became of a load in equal stretches of whole minutes, at
// most so many, where the run is about load balancing; nil elsewhere.
func Minutes(record *results.Record, most int) []Minute {
	figures := figure.Of(record)
	begin, end, some := figures.Span()
	if !some || !figure.Spreads(record) {
		return nil
	}
	length := int64(60)
	for (end-begin+length-1)/length > int64(most) {
		length += 60
	}
	bins := figures.Bins(length)
	list := make([]Minute, len(bins))
	for i := range bins {
		b := &bins[i]
		list[i] = Minute{From: time.Duration(b.From-begin) * time.Second, Offered: offeredRate(b), Served: servedRate(b),
			Throttled: b.PerSecond(b.Throttled)}
	}
	for i := range record.Events {
		e := &record.Events[i]
		at := (int64(time.Duration(e.At)/time.Second) - begin) / length
		if e.Decision == nil || at < 0 || at >= int64(len(list)) {
			continue
		}
		switch m := &list[at]; e.What {
		case results.RangeSplit, results.SizeSplit:
			m.Splits++
		case results.RangeMoved:
			m.Moves++
		case results.RangesMerged:
			m.Merges++
		}
		list[at].Ranges = e.Decision.Ranges
	}
	return list
}

// Minute is one stretch of a load: operations due, entities served and attempts
// throttled per second, and what load balancing did.
type Minute struct {
	From                       time.Duration
	Offered, Served, Throttled float64
	Splits, Moves, Merges      int
	// Ranges is how many there were after the last decision of the stretch, 0
	// where there was none.
	Ranges int
}
