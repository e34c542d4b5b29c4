package results

import (
	"encoding/json"
	"errors"
	"time"
)

// rows are the seconds that are still open, one after another from first.
type rows struct {
	kinds []Kind
	first int64
	open  []*row
	free  []*row
	// misplaced counts what belonged to a second already written.
	misplaced int64

	// flying is how many attempts were under way at the end of the last second taken.
	flying int64

	// minutes are those that are over, packed: as histograms they would be most of
	// what a long run holds.
	minutes []packedMinute
	// broken is why one of them could not be packed.
	broken error
	// minute gathers the response times of the minute that first lies in.
	minute *Histogram
	// spare is the memory of the minute before, emptied.
	spare *Histogram

	// listener is told of each second as it is written; it may be nil.
	listener Listener
}

// Heard is what a [Listener] is told of a kind of operation beside the second's line.
type Heard struct {
	// Retries of the attempts that ended in the second sent a request once more.
	Retries int64
	// Response is of the operations that succeeded in it.
	Response *Histogram
}

// Listener is told of a whole second once nothing more can come to it: its line of
// intervals.ndjson, and what there is beside of each kind of operation, in their order. It
// keeps neither.
type Listener func(second *Interval, kinds []Heard)

// Listen has somebody told of every second of the run, in order, by whoever advances or
// finishes it. It must come before anything is recorded: only then is more kept of each kind
// of operation by the second, at 200 KB for each.
func (r *Recorder) Listen(to Listener) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rows.listener = to
}

// packedMinute is a [Minute] as it stands in a file, a fiftieth of its size.
type packedMinute struct {
	minute   int64
	response []byte
}

// row is one open second with the histograms that its quantiles come from.
type row struct {
	Interval
	response, service, lag *Histogram
	// begun is how many attempts were sent, which is known as they are.
	begun int64
	// injected are the attempts of the second that met a fault.
	injected injections
	// heard has what a listener is told of each kind of operation, nil where nobody listens.
	heard []Heard
}

// at returns the row of an instant, opening those up to it. An instant whose
// second has been written falls into the oldest open one.
func (s *rows) at(instant time.Duration) *row {
	second := int64(max(0, instant) / time.Second)
	if second < s.first {
		s.misplaced++
		second = s.first
	}
	for int64(len(s.open)) <= second-s.first {
		r := &row{response: NewHistogram(), service: NewHistogram(), lag: NewHistogram()}
		if last := len(s.free) - 1; last >= 0 {
			r, s.free = s.free[last], s.free[:last]
		}
		if s.listener != nil && r.heard == nil {
			for range s.kinds {
				r.heard = append(r.heard, Heard{Response: NewHistogram()})
			}
		}
		r.Interval = Interval{Second: s.first + int64(len(s.open)), Kinds: make([]IntervalKind, len(s.kinds))}
		for k := range s.kinds {
			r.Kinds[k].Name = s.kinds[k].Name
		}
		s.open = append(s.open, r)
	}
	return s.open[second-s.first]
}

// attempt adds an attempt to the second in which it ended, and returns that.
func (s *rows) attempt(a *Attempt) int64 {
	r := s.at(max(a.Done, a.Noted))
	kind := &r.Kinds[a.Kind]
	r.Attempts++
	kind.Attempts++
	if r.heard != nil && a.Retry {
		r.heard[a.Kind].Retries++
	}
	r.Counted += a.Counted
	r.Returned += a.Returned
	if a.HeldByLine() {
		r.LineHeld++
	}
	switch a.Class {
	case Ok:
		r.Ok++
		kind.Ok++
		r.Served += a.Counted
		kind.Served += a.Counted
		r.service.Record(a.Done - a.Sent)
	case Throttled:
		r.Throttled++
		kind.Throttled++
		kind.Causes.attempt(a)
	default:
		r.Failed++
		kind.Failed++
		kind.Causes.attempt(a)
	}
	if a.Injected != "" {
		r.injected.add(Injected{Kind: a.Injected, Status: a.Status, Code: a.Code, Table: a.Table, Key: a.PartitionKey, Attempts: 1})
	}
	return r.Second
}

// closeMinute keeps the minute that the last second taken lies in.
func (s *rows) closeMinute() {
	if s.minute == nil {
		return
	}
	packed, err := json.Marshal(s.minute)
	if err != nil {
		s.broken = errors.Join(s.broken, err)
		return
	}
	s.minutes = append(s.minutes, packedMinute{(s.first - 1) / 60, packed})
	s.minute.reset()
	s.spare, s.minute = s.minute, nil
}
