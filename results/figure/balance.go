package figure

import (
	"slices"
	"time"

	"loadgen/results"
)

const (
	// BalanceBin is the time over which throttling is looked at, in seconds: short enough
	// to show what five of them bring.
	BalanceBin = 5
	// relievedSeconds is the minimum time between the last throttling of a relieved load and its end, in seconds.
	relievedSeconds = 30
)

// Bin has the counts of the measured load in a few seconds.
type Bin struct {
	// From and To are in whole seconds of the run.
	From, To int64
	results.Counts
}

// Busy reports whether enough of the bin's attempts were throttled.
func (b *Bin) Busy() bool {
	return b.Throttled > 0 && float64(b.Throttled) >= minShare*float64(b.Attempts)
}

// PerSecond is a sum of the bin as a rate.
func (b *Bin) PerSecond(sum int64) float64 { return float64(sum) / float64(max(1, b.To-b.From)) }

// ShareOf is the share that a count is of another, 0 of none.
func ShareOf(part, whole int64) float64 { return float64(part) / float64(max(1, whole)) }

// Merged puts bins that follow one another together; there has to be one.
func Merged(bins []Bin) *Bin {
	sum := bins[0]
	sum.Causes = nil
	for _, b := range bins[1:] {
		sum.To = b.To
		sum.Add(&b.Counts)
	}
	return &sum
}

// Bins returns the measured load in bins of the given length in seconds; the last one may be shorter. Preparation, warm-up and
// reading back are not included. Bins of a long record are as long as its rows.
func (f *Figures) Bins(seconds int64) []Bin {
	begin, end, some := f.Span()
	if !some {
		return nil
	}
	for i := range f.record.Intervals {
		seconds = max(seconds, f.record.Intervals[i].Seconds())
	}
	var bins []Bin
	for i := range f.record.Intervals {
		one := &f.record.Intervals[i]
		if one.Second < begin || one.Second >= end {
			continue
		}
		at := int((one.Second - begin) / seconds)
		for len(bins) <= at {
			from := begin + int64(len(bins))*seconds
			bins = append(bins, Bin{From: from, To: min(from+seconds, end)})
		}
		if !f.isMeasured(one.Second) {
			continue
		}
		bins[at].Add(&one.Counts)
	}
	return bins
}

// measured reports whether a second begins in a reported phase.
func (f *Figures) isMeasured(second int64) bool {
	begin := time.Duration(second) * time.Second
	for _, step := range f.reported {
		if step.Phase.Begin.Truncate(time.Second) <= begin && begin < step.end {
			return true
		}
	}
	return false
}

// Span returns the whole seconds of the reported load, as far as the run came.
func (f *Figures) Span() (begin, end int64, some bool) {
	for _, step := range f.reported {
		from, to := int64(step.Phase.Begin/time.Second), int64(step.end/time.Second)
		if !some {
			begin, end, some = from, to, true
		}
		begin, end = min(begin, from), max(end, to)
	}
	return begin, end, some && end > begin
}

// Spreads reports whether a run is judged by how load balancing dealt with it: load on a
// table that began cold, in a model with ranges, or spread over partitions of a service.
func Spreads(record *results.Record) bool {
	m := &record.Manifest
	return m.Start == "cold" && (m.Time == "virtual" || m.Spread != nil)
}

// Balance summarizes load balancing, nil if the run is not about it. Decisions outside of measured load are counted
// separately.
func (f *Figures) Balance() *results.Balance {
	record := f.record
	if !Spreads(record) {
		return nil
	}
	b := &results.Balance{Outcome: results.LoadHeld, StillThrottled: []string{}}
	_, end, some := f.Span()
	for i := range record.Events {
		event := &record.Events[i]
		switch measured := f.isMeasured(event.At / int64(time.Second)); {
		case !event.Balanced():
		case !measured:
			b.Elsewhere++
		case event.What == results.RangeMoved:
			b.Moves++
		case event.What == results.RangesMerged:
			b.Merges++
		default:
			b.Splits++
		}
		if event.Decision != nil && some && event.At < end*int64(time.Second) {
			b.Ranges = event.Decision.Ranges
		}
	}
	f.setRelief(b)
	if record.Rival != nil {
		b.Survives = new(b.Outcome == record.Rival.Outcome)
	}
	return b
}

// setRelief sets when the load was throttled first and last.
func (f *Figures) setRelief(b *results.Balance) {
	bins := f.Bins(BalanceBin)
	for i := range bins {
		if !bins[i].Busy() {
			continue
		}
		since, until := float64(bins[i].From-bins[0].From), float64(bins[i].To-bins[0].From)
		if b.Throttled == nil {
			b.Throttled = &since
		}
		b.Relieved = &until
	}
	length := 0.0
	if len(bins) > 0 {
		length = float64(bins[len(bins)-1].To - bins[0].From)
	}
	switch {
	case b.Throttled == nil:
	case *b.Relieved > length-min(relievedSeconds, length/2):
		b.Outcome, b.Relieved = results.LoadThrottled, nil
		for _, key := range f.StillThrottled() {
			b.StillThrottled = append(b.StillThrottled, key.Key)
		}
	default:
		b.Outcome = results.LoadRelieved
	}
}

// StillThrottled returns the keys with enough throttled attempts in the last part of the load.
func (f *Figures) StillThrottled() []results.KeyTail {
	var list []results.KeyTail
	for _, key := range f.record.Tail {
		if key.Throttled > 0 && float64(key.Throttled) >= minShare*float64(key.Attempts) {
			list = append(list, key)
		}
	}
	return list
}

// balanceFigures are the figures of load balancing, which only simulated runs have.
var balanceFigures = []Definition{
	eventsOf("splits", "ranges that were split", results.RangeSplit, results.SizeSplit),
	eventsOf("moves", "ranges moved to another server", results.RangeMoved),
	eventsOf("merges", "ranges merged", results.RangesMerged),
	{Name: "offline", About: "maximum offline time of a moving range", Scope: OfPhases, Unit: Nanoseconds, take: func(s *Selection) Value {
		return s.balanced(func(value float64, e *results.Event) float64 {
			return max(value, float64(e.Decision.Until-time.Duration(e.At)))
		})
	}},
	{Name: "throttled_from", About: "start of throttling, since the load began", Scope: OfRun, Unit: Nanoseconds,
		take: func(s *Selection) Value { return s.relief(func(b *results.Balance) *float64 { return b.Throttled }) }},
	{Name: "relieved_after", About: "end of throttling, since the load began", Scope: OfRun, Unit: Nanoseconds,
		take: func(s *Selection) Value { return s.relief(func(b *results.Balance) *float64 { return b.Relieved }) }},
}

// eventsOf defines the number of some decisions of load balancing.
func eventsOf(name, about string, events ...string) Definition {
	return Definition{Name: name, About: about, Scope: OfPhases, Unit: Count, take: func(s *Selection) Value {
		return s.balanced(func(value float64, e *results.Event) float64 {
			if slices.Contains(events, e.What) {
				value++
			}
			return value
		})
	}}
}

const noBalancing = "load balancing is simulated only"

func (s *Selection) isSimulated() bool {
	m := &s.of.record.Manifest
	return m.Modelled() && m.Time == "virtual"
}

// balanced returns a value, which add computes from 0 by each decision of load balancing in the selection.
func (s *Selection) balanced(add func(value float64, e *results.Event) float64) Value {
	if !s.isSimulated() {
		return unknownValue(noBalancing)
	}
	v := knownValue(0, 0)
	for i := range s.of.record.Events {
		e := &s.of.record.Events[i]
		at := time.Duration(e.At)
		within := s.everything || slices.ContainsFunc(s.steps, func(step Step) bool { return step.Phase.Begin <= at && at < step.end })
		if within && e.Balanced() {
			v.Value = add(v.Value, e)
			v.Count++
		}
	}
	return v
}

func (s *Selection) relief(of func(*results.Balance) *float64) Value {
	b := s.of.Balance()
	switch {
	case !s.isSimulated():
		return unknownValue(noBalancing)
	case b == nil:
		return unknownValue("run without load balancing")
	case of(b) == nil:
		return unknownValue("load never began")
	}
	return knownValue(*of(b)*float64(time.Second), 1)
}
