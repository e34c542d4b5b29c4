package results

import (
	"slices"
	"time"
)

// rows are the seconds that are still open, in order, none before first.
type rows struct {
	kinds []Kind
	first int64
	// idle is how many seconds before first, one after another, were empty and are not written.
	idle int64
	open []*row
	free []*row
	// misplaced counts what belonged to a second already written.
	misplaced int64

	// flying is how many attempts were under way at the end of the last second taken.
	flying int64

	// minutes are those that are over, packed: as histograms they would be most of
	// what a long run holds.
	minutes []Minute
	// minute gathers the response times of the minute that first lies in.
	minute *Histogram
	// spare is the memory of the minute before, emptied.
	spare *Histogram

	// listener is told of each second as it is written; it may be nil.
	listener Listener
}

// Listener is told of a whole second once nothing more can come to it: its line of
// intervals.ndjson, and the response times of the operations that succeeded in it, by kind in
// their order. It keeps neither.
type Listener func(second *Interval, response []*Histogram)

// Listen has somebody told of every second of the run, in order, by whoever advances or
// finishes it. It must come before anything is recorded: only then is more kept of each kind
// of operation by the second, at 200 KB for each.
func (r *Recorder) Listen(to Listener) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rows.listener = to
}

// row is one open second with the histograms that its quantiles come from.
type row struct {
	Interval
	response, service, lag *Histogram
	// begun is how many attempts were sent, which is known as they are.
	begun int64
	// injected are the attempts of the second that met a fault.
	injected injections
	// heard has the response times by kind of operation, nil without a listener.
	heard []*Histogram
}

// at returns the row of an instant, and opens it where it is not open. An instant whose
// second has been written falls into the first one that has not.
func (s *rows) at(instant time.Duration) *row {
	second := int64(max(0, instant) / time.Second)
	if second < s.first {
		s.misplaced++
		second = s.first
	}
	place := len(s.open)
	for place > 0 && s.open[place-1].Second > second {
		place--
	}
	if place > 0 && s.open[place-1].Second == second {
		return s.open[place-1]
	}
	r := &row{response: NewHistogram(), service: NewHistogram(), lag: NewHistogram()}
	if last := len(s.free) - 1; last >= 0 {
		r, s.free = s.free[last], s.free[:last]
	}
	if s.listener != nil && r.heard == nil {
		for range s.kinds {
			r.heard = append(r.heard, NewHistogram())
		}
	}
	r.Interval = s.empty(second)
	s.open = slices.Insert(s.open, place, r)
	return r
}

// empty returns a second in which nothing happened.
func (s *rows) empty(second int64) Interval {
	one := Interval{Second: second, Kinds: make([]IntervalKind, len(s.kinds))}
	for k := range s.kinds {
		one.Kinds[k].Name = s.kinds[k].Name
	}
	return one
}

// attempt adds an attempt to the second in which it ended, and returns that.
func (s *rows) attempt(a *Attempt) int64 {
	r := s.at(max(a.Done, a.Noted))
	kind := &r.Kinds[a.Kind]
	kind.countWithCause(a)
	if a.Class == Ok {
		kind.Served += a.Counted
		r.service.Record(a.Done - a.Sent)
	}
	if a.Injected != "" {
		r.injected.add(Injected{Kind: a.Injected, Status: a.Status, Code: a.Code, Table: a.Table, Key: a.PartitionKey, Attempts: 1})
	}
	return r.Second
}

// maxIdle is the longest stretch of empty seconds that is written.
const maxIdle = 10

// IsIdle reports whether the seconds from one to before another may be missing in a record: a stretch
// of more than ten seconds in which nothing happened is left out, but in reported phases, see [Recorder.Sparse].
func (r *Record) IsIdle(from, to int64) bool {
	if to-from <= maxIdle || r.Capture != nil {
		return to-from > maxIdle
	}
	after := func(at time.Duration) int64 { return int64((at + time.Second - 1) / time.Second) }
	return !slices.ContainsFunc(r.Phases, func(p Phase) bool {
		return p.Reported && max(from, after(p.Begin)) < min(to, after(p.End))
	})
}

// IdleSeconds is how many seconds of the run are left out since nothing happened in them.
func (r *Record) IdleSeconds() (sum int64) {
	next := int64(0)
	count := func(second int64) {
		if r.IsIdle(next, second) {
			sum += second - next
		}
	}
	for i := range r.Intervals {
		count(r.Intervals[i].Second)
		next = r.Intervals[i].Second + 1
	}
	count(int64(r.Duration / time.Second))
	return sum
}

// closeMinute keeps the minute that the last second taken lies in.
func (s *rows) closeMinute() {
	if s.minute == nil {
		return
	}
	s.minutes = append(s.minutes, Minute{(s.first - 1) / 60, s.minute.packedCopy()})
	s.minute.reset()
	s.spare, s.minute = s.minute, nil
}
