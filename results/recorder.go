package results

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// Recorder takes down a run. Its methods are safe for concurrent use, and keep nothing that
// they are given a pointer to, but the Beyond of an attempt, which must not be altered any more.
type Recorder struct {
	mu sync.Mutex
	// alone says that one goroutine does it all, so that nothing need be locked. It is never set if shared is.
	alone  bool
	shared bool
	intake intake
	folder Folder
	record Record
	rows   rows
	// partitions has, for each phase, the load of each partition.
	partitions []map[place]*partitionLoad
	heat       heatRecorder
	// unended says of each phase that its end is not known yet.
	unended   []bool
	intervals io.WriteCloser
	events    io.WriteCloser
	// foreign says that AppendSecond was called; foreignFirst is added to the numbers of its seconds.
	foreign      bool
	foreignFirst int64
	// failure is the first error of a write; after it nothing more is written.
	failure error
}

// unended is what a record says of its run until that is closed.
const unended = "the run did not end"

// NewRecorder opens a record in the folder: from now on a reader finds a
// partial run there. Its errors wrap [ErrWrite].
func NewRecorder(folder Folder, manifest Manifest) (*Recorder, error) {
	r := &Recorder{folder: folder, record: Record{
		SchemaVersion: SchemaVersion, Manifest: manifest, Validity: Partial,
		Reasons: []string{unended},
		Lag:     NewHistogram(), RetryWaits: NewHistogram(),
	}}
	r.rows.kinds = manifest.Operations
	if err := r.save(); err != nil {
		return nil, err
	}
	var err error
	if r.intervals, err = folder.Create(IntervalsFile); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrWrite, err)
	}
	if r.events, err = folder.Create(EventsFile); err != nil {
		r.intervals.Close()
		return nil, fmt.Errorf("%w: %w", ErrWrite, err)
	}
	return r, nil
}

// Alone says that from now on one goroutine alone calls the recorder, as the one of a run
// on a virtual clock does: what is told of each attempt then takes no lock.
func (r *Recorder) Alone() { r.alone = !r.shared }

// Phase adds a phase and returns its index. Its Kinds are filled in here. One
// whose End is not after its Begin lasts until [Recorder.EndPhase].
func (r *Recorder) Phase(p Phase) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gather()
	p.Unplanned = p.End <= p.Begin
	p.Kinds = make([]KindStats, len(r.record.Manifest.Operations))
	for k := range p.Kinds {
		p.Kinds[k] = newKindStats()
	}
	if accounts := r.record.Manifest.Accounts; accounts > 1 {
		p.Accounts = make([]AccountStats, accounts)
	}
	r.record.Phases = append(r.record.Phases, p)
	r.partitions = append(r.partitions, make(map[place]*partitionLoad))
	r.unended = append(r.unended, p.End <= p.Begin)
	return len(r.record.Phases) - 1
}

// EndPhase sets the end of a phase that was not known when it began.
func (r *Recorder) EndPhase(phase int, end time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gather()
	r.record.Phases[phase].End = end
	r.unended[phase] = false
}

// Scheduled takes down an operation that became due, when it is sent or
// dropped: an attempt may end long after its second has been written.
func (r *Recorder) Scheduled(s *Scheduled) {
	if !enqueue(r, &r.intake.scheduled, s, 0) {
		r.scheduled(s)
	}
}

func (r *Recorder) scheduled(s *Scheduled) {
	phase := &r.record.Phases[s.Phase]
	kind, row := &phase.Kinds[s.Kind], r.rows.at(max(s.Intended, s.Noted))
	kind.CountDue(s)
	row.Kinds[s.Kind].CountDue(s)
	half := phase.inLastHalf(s.Intended)
	if half {
		kind.LastHalf.CountDue(s)
	}
	if s.Dropped {
		return
	}
	kind.CountSent(s)
	if half {
		kind.LastHalf.CountSent(s)
	}
	row = r.rows.at(max(s.Sent, s.Noted))
	row.Kinds[s.Kind].CountSent(s)
	if !s.Held {
		row.begun++
	}
	lag := s.Sent - s.Intended
	row.lag.Record(lag)
	if phase.Reported {
		r.record.Lag.Record(lag)
	}
}

// Again takes down that an operation sends a further request, or one once more, when it
// does: its first one is told by [Recorder.Scheduled].
func (r *Recorder) Again(sent time.Duration) {
	r.hold(&heldBack{what: sentAgain, from: sent})
}

// Held takes down that a rate limit holds the next attempt at an operation back from an
// instant on, for so long.
func (r *Recorder) Held(phase, kind int, from, wait time.Duration) {
	r.hold(&heldBack{heldByLimit, phase, kind, from, wait})
}

// hold takes down a further attempt, or the wait before one.
func (r *Recorder) hold(one *heldBack) {
	if !enqueue(r, &r.intake.held, one, 0) {
		r.held(one)
	}
}

func (r *Recorder) held(one *heldBack) {
	if one.what == sentAgain {
		r.rows.at(one.from).begun++
		return
	}
	p := &r.record.Phases[one.phase]
	if one.what == heldByLimit {
		p.Kinds[one.kind].LimitHeld++
		r.rows.at(one.from).Kinds[one.kind].LimitHeld++
	}
	switch {
	case !p.Reported:
	case one.what == waits:
		r.record.RetryWaits.Record(one.wait)
	default:
		r.record.LimitWaits = cmp.Or(r.record.LimitWaits, NewHistogram())
		r.record.LimitWaits.Record(one.wait)
	}
}

// Attempt takes down an attempt after its end.
func (r *Recorder) Attempt(a *Attempt) {
	if !enqueue(r, &r.intake.attempts, a, max(a.Done, a.Noted)) {
		r.attempt(a)
	}
}

func (r *Recorder) attempt(a *Attempt) {
	phase := &r.record.Phases[a.Phase]
	kind := &phase.Kinds[a.Kind]
	kind.countWithCause(a)
	if phase.inLastHalf(a.Intended) {
		kind.LastHalf.CountAttempt(a)
	}
	kind.Service[a.Class].Record(a.Done - a.Sent)
	r.heat.attempt(r.rows.attempt(a), a)
	if r.record.Manifest.Accounts > 1 {
		r.account(a)
	}
	if a.HasPartition && (a.Class == Ok || a.Try == 0) || len(a.Beyond) > 0 {
		r.partition(a)
	}
}

// Waited takes down that an operation of a phase is to wait before a retry.
func (r *Recorder) Waited(phase int, wait time.Duration) {
	r.hold(&heldBack{what: waits, phase: phase, wait: wait})
}

// Completed takes down an operation after its last attempt.
func (r *Recorder) Completed(c *Completed) {
	if !enqueue(r, &r.intake.completed, c, max(c.Done, c.Noted)) {
		r.completed(c)
	}
}

func (r *Recorder) completed(c *Completed) {
	phase := &r.record.Phases[c.Phase]
	kind := &phase.Kinds[c.Kind]
	kind.CountCompleted(c)
	kind.Served += c.Served
	if phase.inLastHalf(c.Intended) {
		kind.LastHalf.CountCompleted(c)
		kind.LastHalf.Served += c.Served
	}
	row, took := r.rows.at(max(c.Done, c.Noted)), c.Done-c.Intended
	r.rows.latest = max(r.rows.latest, c.Done)
	row.Kinds[c.Kind].CountCompleted(c)
	if c.Class != Ok {
		kind.Lost.Record(took)
		return
	}
	kind.Response.Record(took)
	row.response.Record(took)
	row.ResponseBuckets[BucketOf(took)]++
	if row.heard != nil {
		row.heard[c.Kind].Record(took)
	}
}

// Event appends an event.
func (r *Recorder) Event(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writeLine(r.events, e)
}

// Advance says that nothing will be recorded any more that belongs before the
// watermark, and writes the whole seconds before it. Its error wraps
// [ErrWrite]; the record so far stays readable.
func (r *Recorder) Advance(watermark time.Duration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if second := int64(watermark / time.Second); r.rows.first < second {
		r.gather()
		r.writeBefore(second)
	}
	return r.failure
}

// AppendSecond appends a second that other processes measured, for a reader of a run that is killed before their
// records are merged. Calls must be in order; from the first one on the recorder writes no seconds of its own.
// A second with other kinds of operation is dropped.
func (r *Recorder) AppendSecond(second *Interval) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(second.Kinds) != len(r.rows.kinds) {
		return
	}
	one := *second
	if !r.foreign {
		r.foreign, r.foreignFirst = true, r.rows.first-r.rows.idle-one.Second
	}
	one.Second += r.foreignFirst
	r.writeLine(r.intervals, &one)
}

// Take has the record take down something that is told once and in one piece, before
// [Recorder.Finish]: what ended the run early, what the service said of its own state, what
// became of the writes. The record keeps what it is given.
func (r *Recorder) Take(into func(of *Record)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	into(&r.record)
}

// Finish writes what is still open and the whole seconds up to the end of the
// run, with the end, the run's validity and reasons, and the target's own counts
// if it keeps any. A record that could not be written whole is not kept as a
// valid one. Its error wraps [ErrWrite].
func (r *Recorder) Finish(end time.Duration, validity string, reasons []string, counts *TargetCounts) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gather()
	last := int64(end / time.Second)
	if open := len(r.rows.open); open > 0 {
		last = max(last, r.rows.open[open-1].Second+1)
	}
	r.writeBefore(last)
	r.writeIdle()
	r.rows.closeMinute()
	rec := &r.record
	if r.failure != nil && validity == Valid {
		validity = Partial
		reasons = append(slices.Clone(reasons), "writing the record failed")
	}
	rec.Duration, rec.Validity, rec.Reasons, rec.Target = end, validity, reasons, counts
	rec.Minutes, rec.Misplaced = r.rows.minutes, r.rows.misplaced
	for p := range rec.Phases {
		r.closePartitions(p)
	}
	if rec.Capture == nil {
		// A server that watches names no partitions here: all would be nowhere.
		rec.Heat = r.heat.heat(r.rows.first)
	}
	if err := r.save(); err != nil && r.failure == nil {
		r.failure = err
	}
	return r.failure
}

// Seal writes the record with its summary, whose validity becomes its own, and
// closes the files. It must come
// after [Recorder.Finish], and nothing after it. Its error wraps [ErrWrite].
func (r *Recorder) Seal(summary *Summary) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record.Summary = summary
	if summary != nil {
		r.record.Validity, r.record.Reasons = summary.Validity, summary.Reasons
	}
	err := r.save()
	for _, file := range []io.Closer{r.intervals, r.events} {
		if closing := file.Close(); closing != nil && err == nil {
			err = fmt.Errorf("%w: %w", ErrWrite, closing)
		}
	}
	if r.failure != nil {
		return r.failure
	}
	return err
}
