package results

import (
	"cmp"
	"slices"
	"time"
)

// rows are the seconds that are still open, in order, none before first.
type rows struct {
	kinds []Kind
	first int64
	// idle is the number of empty seconds just before first that are not written yet.
	idle int64
	open []*row
	free []*row
	// recent are the last finished seconds if keepsRecent is set, in order.
	recent      []*row
	keepsRecent bool
	// latest is the latest end of an attempt or operation.
	latest time.Duration
	// misplaced counts what belonged to a second already written.
	misplaced int64

	// inFlight is the number of attempts in flight at the end of the second before first.
	inFlight int64

	// minutes are complete and packed: unpacked they would be most of the memory of a long run.
	minutes []Minute
	// minute has the response times of the minute of first.
	minute *Histogram
	packer packer
	// spare is the memory of the minute before, emptied.
	spare *Histogram

	// listener receives each second as it is written; nil means none.
	listener Listener
}

// Listener receives a second when it is complete: its line of intervals.ndjson, and the response times of
// successful operations for each kind. It must not keep them.
type Listener func(second *Interval, response []*Histogram)

// Listen sets the listener of every second of the run, in order. It is called by [Recorder.Advance] and
// [Recorder.Finish]. Listen must be called before anything is recorded.
func (r *Recorder) Listen(to Listener) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rows.listener = to
}

// row is one open second with the histograms that its quantiles come from.
type row struct {
	Interval
	response, service, lag *Histogram
	// begun is the number of attempts that were sent.
	begun int64
	// injected are the attempts of the second that met a fault.
	injected injections
	// heard holds the response times for each kind of operation; nil without a listener.
	heard []*Histogram
}

// rowAt returns the row of an instant and opens it if necessary. An instant whose second is written already
// counts in the first open second.
func (s *rows) rowAt(instant time.Duration) *row {
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
	r := s.rowAt(max(a.Done, a.Noted))
	s.latest = max(s.latest, a.Done)
	kind := &r.Kinds[a.Kind]
	kind.countWithCause(a)
	if a.Class == Ok {
		kind.Served += a.Counted
		if !a.Untimed {
			r.service.Record(a.Done - a.Sent)
		}
	}
	if a.Injected != "" {
		r.injected.add(Injected{Kind: a.Injected, Status: a.Status, Code: a.Code, Table: a.Table, Key: a.PartitionKey, Attempts: 1})
	}
	return r.Second
}

// writeBefore writes the seconds before one, without long stretches of empty seconds. A listener gets all
// seconds.
func (r *Recorder) writeBefore(second int64) {
	s := &r.rows
	for s.first < second {
		if !s.isEmpty() {
			r.writeIdle()
			r.writeFirst()
			continue
		}
		s.idle++
		s.first++
		if s.first%60 == 0 {
			s.closeMinute()
		}
	}
}

// isEmpty reports whether nothing happened in the first second, so that it may be left out.
func (s *rows) isEmpty() bool {
	return s.listener == nil && s.inFlight == 0 && (len(s.open) == 0 || s.open[0].Second != s.first)
}

// writeIdle writes the empty seconds before the first one, unless there are more than maxIdle.
func (r *Recorder) writeIdle() {
	s := &r.rows
	for second := s.first - s.idle; s.idle <= maxIdle && second < s.first; second++ {
		one := s.empty(second)
		one.Phase = phaseName(r.record.Phases, r.unended, second)
		r.writeSecond(&one)
	}
	s.idle = 0
}

// writeFirst writes the first second and passes it to the listener. It keeps the row's memory for another
// second.
func (r *Recorder) writeFirst() {
	s := &r.rows
	row := s.rowAt(time.Duration(s.first) * time.Second)
	row.Phase = phaseName(r.record.Phases, r.unended, s.first)
	row.Response = QuantilesOf(row.response)
	row.Service = QuantilesOf(row.service)
	row.Lag = QuantilesOf(row.lag)
	for k := range row.Kinds {
		row.Counts.Add(&row.Kinds[k].Counts)
	}
	row.Injected = row.injected.sorted()
	s.inFlight += row.begun - row.Attempts
	row.InFlight = s.inFlight
	if s.minute == nil {
		s.minute, s.spare = cmp.Or(s.spare, NewHistogram()), nil
	}
	s.minute.Merge(row.response)
	s.open = s.open[1:]
	s.first++
	if s.first%60 == 0 {
		s.closeMinute()
	}
	r.writeSecond(&row.Interval)
	if s.listener != nil {
		s.listener(&row.Interval, row.heard)
	}
	if s.keepsRecent {
		s.recent = append(s.recent, row)
		if len(s.recent) <= maxRecent {
			return
		}
		row = s.recent[0]
		s.recent = append(s.recent[:0], s.recent[1:]...)
	}
	row.clear()
	s.free = append(s.free, row)
}

// clear empties the row and keeps its memory.
func (r *row) clear() {
	r.response.reset()
	r.service.reset()
	r.lag.reset()
	for k := range r.heard {
		r.heard[k].reset()
	}
	r.begun, r.injected = 0, nil
}

// writeSecond writes a second of this process, unless AppendSecond replaces them.
func (r *Recorder) writeSecond(second *Interval) {
	if !r.foreign {
		r.writeLine(r.intervals, second)
	}
}

// maxIdle is the maximum number of consecutive empty seconds that a record has if it may leave them out.
const maxIdle = 10

// isIdle reports whether a number of empty seconds in a row may be left out.
func isIdle(seconds int64) bool { return seconds > maxIdle }

// IsIdle reports whether the seconds from one up to another may be missing: more than ten, which a record leaves out
// if nothing happened. [Read] adds those of reported phases again, except for captured traffic, whose figures do not
// count them.
func (r *Record) IsIdle(from, to int64) bool {
	if to-from <= maxIdle || r.Capture != nil {
		return to-from > maxIdle
	}
	firstFrom := func(at time.Duration) int64 { return int64((at + time.Second - 1) / time.Second) }
	return !slices.ContainsFunc(r.Phases, func(p Phase) bool {
		return p.Reported && max(from, firstFrom(p.Begin)) < min(to, firstFrom(p.End))
	})
}

// IdleSeconds returns the number of seconds that the record leaves out because nothing happened in them.
func (r *Record) IdleSeconds() (sum int64) {
	next := int64(0)
	count := func(second int64) {
		if r.IsIdle(next, second) {
			sum += second - next
		}
	}
	for i := range r.Intervals {
		count(r.Intervals[i].Second)
		next = r.Intervals[i].End()
	}
	count(int64(r.Duration / time.Second))
	return sum
}

// closeMinute keeps the response times of the minute that ends before first.
func (s *rows) closeMinute() {
	if s.minute == nil {
		return
	}
	s.minutes = append(s.minutes, Minute{(s.first - 1) / 60, s.packer.pack(s.minute)})
	s.minute.reset()
	s.spare, s.minute = s.minute, nil
}

// maxRecent is the number of last seconds, finished or not, that a recorder keeps for [Recorder.Window].
const maxRecent = 12

// Window has the counts of some seconds of a run in progress, by the same rules as [Interval].
type Window struct {
	Counts
	// Response has the response times of operations that succeeded.
	Response Histogram
}

// Totals are the counts of a run so far.
type Totals struct {
	// Phases has the counts of each phase, by kind of operation. Counts are the sum of all.
	Phases [][]Counts
	Counts
	// InFlight is the number of attempts that were sent and have not ended.
	InFlight int64
}

// KeepRecent keeps the last seconds in memory for [Recorder.Window] and [Recorder.PartitionLoads].
func (r *Recorder) KeepRecent() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rows.keepsRecent, r.heat.keepsRecent = true, true
}

// Share lets other goroutines call [Recorder.Window] and [Recorder.Totals] although [Recorder.DisableLocks] was called. It
// must be called before anything is recorded.
func (r *Recorder) Share() { r.shared = true }

// Window returns what happened in the seconds from one up to another. It needs [Recorder.KeepRecent], and finds
// nothing of seconds that ended more than about ten seconds ago.
func (r *Recorder) Window(from, to int64) *Window {
	w := &Window{}
	r.eachRecent(from, to, func(one *row) {
		for k := range one.Kinds {
			w.Add(&one.Kinds[k].Counts)
		}
		w.Response.Merge(one.response)
	})
	return w
}

// WindowCounts returns the counts of [Recorder.Window], which take less time than the response times.
func (r *Recorder) WindowCounts(from, to int64) (sum Counts) {
	r.eachRecent(from, to, func(one *row) {
		for k := range one.Kinds {
			sum.Add(&one.Kinds[k].Counts)
		}
	})
	return sum
}

// PartitionLoad is the load of a partition in some seconds: lower bounds.
type PartitionLoad struct {
	Table, PartitionKey string
	// Served is in entities, Throttled in entities that throttled attempts were due to touch.
	Served, Throttled int64
}

// Name returns the partition for people, see [PartitionName].
func (l *PartitionLoad) Name() string { return PartitionName(l.Table, l.PartitionKey) }

// Demanded returns the entities that attempts meant to touch.
func (l *PartitionLoad) Demanded() int64 { return l.Served + l.Throttled }

// PartitionLoads returns the load of each partition that is followed in the seconds from one up to another, in no
// order, and the entities that attempts meant to touch at any partition. It needs [Recorder.KeepRecent].
func (r *Recorder) PartitionLoads(from, to int64) (list []PartitionLoad, demanded int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gather()
	for one := range r.heat.heaviest.Places {
		if one.Value.recent == nil {
			continue
		}
		if sum := one.Value.recent.sum(from, to); sum.served > 0 || sum.throttled > 0 {
			list = append(list, PartitionLoad{one.Key.table, one.Key.key, sum.served, sum.throttled})
		}
	}
	all := r.heat.demanded.sum(from, to)
	return list, all.served + all.throttled
}

// Touched adds entities to the recent load of a partition, and to nothing else: of requests whose attempts are recorded
// without a partition. It keeps the table and the key.
func (r *Recorder) Touched(at time.Duration, table, key string, served, throttled int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one := r.heat.placeOf(place{table, key}, served+throttled); one != nil && r.heat.keepsRecent {
		one.Weight += served + throttled
		one.Value.addRecent(int64(at/time.Second), served, throttled)
	}
}

// eachRecent calls a function for each second of a range that is kept and in which something happened.
func (r *Recorder) eachRecent(from, to int64, do func(*row)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gather()
	for _, list := range [...][]*row{r.rows.recent, r.rows.open} {
		for _, one := range list {
			if from <= one.Second && one.Second < to {
				do(one)
			}
		}
	}
}

// Totals returns the counts of the run so far.
func (r *Recorder) Totals() Totals {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gather()
	t := Totals{InFlight: r.rows.inFlight}
	for _, one := range r.rows.open {
		t.InFlight += one.begun
		for k := range one.Kinds {
			t.InFlight -= one.Kinds[k].Attempts
		}
	}
	for p := range r.record.Phases {
		kinds := make([]Counts, len(r.record.Phases[p].Kinds))
		for k := range kinds {
			kinds[k] = r.record.Phases[p].Kinds[k].Counts
			kinds[k].Causes = nil
			t.Add(&kinds[k])
		}
		t.Phases = append(t.Phases, kinds)
	}
	return t
}

// Latest returns the latest end of an attempt or operation: the present of a run in virtual time.
func (r *Recorder) Latest() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gather()
	return r.rows.latest
}
