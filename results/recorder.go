package results

import (
	"cmp"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Recorder records a run. Its methods are safe for concurrent use, and keep nothing that a pointer argument refers to,
// except the field Beyond of an attempt: callers must not change it.
type Recorder struct {
	mu sync.Mutex
	// alone means that a single goroutine calls the recorder, so that nothing needs a lock. It is never set if shared
	// is.
	alone  bool
	shared bool
	intake intake
	folder Folder
	record Record
	rows   rows
	// partitions has, for each phase, the load of each partition.
	partitions []*placeMap[partitionLoad]
	heat       heatRecorder
	// unended has the phases without a known end.
	unended   []bool
	intervals io.WriteCloser
	events    io.WriteCloser
	// foreign means that AppendSecond was called; foreignFirst is added to the numbers of its seconds.
	foreign      bool
	foreignFirst int64
	// failure is the first error of a write; after it nothing more is written.
	failure error
}

// unfinished is the reason of a record that is not closed.
const unfinished = "the run did not end"

// NewRecorder opens a record in the folder: from now on a reader finds a
// partial run there. Its errors wrap [ErrWrite].
func NewRecorder(folder Folder, manifest Manifest) (*Recorder, error) {
	r := &Recorder{folder: folder, record: Record{
		SchemaVersion: SchemaVersion, Manifest: manifest, Validity: Partial,
		Reasons: []string{unfinished},
		Lag:     NewHistogram(), RetryWaits: NewHistogram(),
	}}
	r.rows.kinds = manifest.Operations
	r.heat.init()
	if err := r.save(); err != nil {
		return nil, err
	}
	var err error
	if r.intervals, err = folder.Create(IntervalsFile); err == nil {
		if r.events, err = folder.Create(EventsFile); err == nil {
			return r, nil
		}
		r.intervals.Close()
	}
	return nil, writeError(err)
}

// DisableLocks declares that from now on a single goroutine calls the recorder, as in a run on a virtual clock: recording
// then takes no lock.
func (r *Recorder) DisableLocks() { r.alone = !r.shared }

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
	r.partitions = append(r.partitions, newPlaceMap[partitionLoad]())
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

// Scheduled records an operation that became due, when it is sent or dropped: an attempt may end long after its second
// has been written.
func (r *Recorder) Scheduled(s *Scheduled) {
	if !enqueue(r, &r.intake.scheduled, s, 0) {
		r.scheduled(s)
	}
}

func (r *Recorder) scheduled(s *Scheduled) {
	phase := &r.record.Phases[s.Phase]
	kind, row := &phase.Kinds[s.Kind], r.rows.rowAt(max(s.Intended, s.Noted))
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
	row = r.rows.rowAt(max(s.Sent, s.Noted))
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

// FurtherRequest records that an operation sends a further request or a retry, when it does. [Recorder.Scheduled] records the
// first one.
func (r *Recorder) FurtherRequest(sent time.Duration) {
	r.enqueueDelay(&delayed{what: sentAgain, from: sent})
}

// LimitDelay records that a rate limit delays the next attempt at an operation from an instant on, and for how long.
func (r *Recorder) LimitDelay(phase, kind int, from, wait time.Duration) {
	r.enqueueDelay(&delayed{heldByLimit, phase, kind, from, wait})
}

// enqueueDelay records a further attempt, or the wait before one.
func (r *Recorder) enqueueDelay(one *delayed) {
	if !enqueue(r, &r.intake.held, one, 0) {
		r.delay(one)
	}
}

func (r *Recorder) delay(one *delayed) {
	if one.what == sentAgain {
		r.rows.rowAt(one.from).begun++
		return
	}
	p := &r.record.Phases[one.phase]
	if one.what == heldByLimit {
		p.Kinds[one.kind].LimitHeld++
		r.rows.rowAt(one.from).Kinds[one.kind].LimitHeld++
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

// Attempt records an attempt after its end.
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
	if !a.Untimed {
		kind.Service[a.Class].Record(a.Done - a.Sent)
	}
	r.heat.attempt(r.rows.attempt(a), a)
	if r.record.Manifest.Accounts > 1 {
		r.account(a)
	}
	if a.HasPartition && (a.Class == Ok || a.Try == 0) || len(a.Beyond) > 0 {
		r.partition(a)
	}
}

// Waited records that an operation of a phase waits before a retry.
func (r *Recorder) Waited(phase int, wait time.Duration) {
	r.enqueueDelay(&delayed{what: waits, phase: phase, wait: wait})
}

// Completed records an operation after its last attempt.
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
	row, took := r.rows.rowAt(max(c.Done, c.Noted)), c.Done-c.Intended
	r.rows.latest = max(r.rows.latest, c.Done)
	row.Kinds[c.Kind].CountCompleted(c)
	if c.Untimed {
		return
	}
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

// Advance declares that everything before the watermark has been recorded, and writes the whole seconds before it. Its
// error wraps [ErrWrite]; the record so far stays readable.
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

// UpdateRecord changes the record before [Recorder.Finish], to add data of the whole run: why it ended early, reports of the
// service, the result of an audit. The record keeps what it is given.
func (r *Recorder) UpdateRecord(into func(of *Record)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	into(&r.record)
}

// Finish writes the open seconds and the whole seconds up to the end of the run, with the end, the run's validity and
// reasons, and the target's own counts, nil for none. A record that could not be written completely is not stored as a
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

// Rescue moves the record into memory after its folder was removed: the files are still open. It must come after
// [Recorder.Finish], and reports false if that is impossible.
func (r *Recorder) Rescue() (*Memory, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	memory := new(Memory)
	for name, file := range map[string]io.WriteCloser{IntervalsFile: r.intervals, EventsFile: r.events} {
		written, isFile := file.(*os.File)
		if !isFile {
			return nil, false
		}
		text, err := io.ReadAll(io.NewSectionReader(written, 0, math.MaxInt64))
		if err != nil || memory.Replace(name, text) != nil {
			return nil, false
		}
	}
	r.folder, r.failure = memory, nil
	return memory, r.save() == nil
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
	return cmp.Or(r.failure, r.save(), writeError(errors.Join(r.intervals.Close(), r.events.Close())))
}

// From intakeRoom entries of a kind on, a caller drains the intake if the record is free; at intakeLimit it waits for
// the record.
const (
	intakeRoom  = 64
	intakeLimit = 1 << 14
)

// intake queues events in the order of the calls until they are recorded together. Senders wait neither for each
// other, except while an event is queued, nor for a second that is being written: a slow disk would delay operations.
// It is drained before a second is written, and when the first event of a later second arrives.
type intake struct {
	mu sync.Mutex
	notes
	// spare replaces notes when the intake is drained. The recorder's mutex guards it.
	spare notes
	// second is the latest second of an event.
	second atomic.Int64
}

// notes are events by kind.
type notes struct {
	scheduled []Scheduled
	held      []delayed
	attempts  []Attempt
	completed []Completed
}

// delayed is an attempt of a phase and kind that is sent, or waits from an instant on, by what.
type delayed struct {
	what, phase, kind int
	from, wait        time.Duration
}

// The kinds of delayed attempts: a further one that is sent, one that waits before a retry, one that its rate limit
// delays.
const (
	sentAgain = iota
	waits
	heldByLimit
)

// enqueue queues an event of an instant, 0 if that is not later than all before, and drains the intake if it is time
// for that. It returns false if a single goroutine records, which needs no queue.
func enqueue[T any](r *Recorder, on *[]T, one *T, at time.Duration) bool {
	if r.alone {
		return false
	}
	i := &r.intake
	i.mu.Lock()
	*on = append(*on, *one)
	most := max(len(i.scheduled), len(i.held), len(i.attempts), len(i.completed))
	i.mu.Unlock()
	second, last := int64(at/time.Second), i.second.Load()
	later := second > last && i.second.CompareAndSwap(last, second)
	switch {
	case most >= intakeLimit:
		r.mu.Lock()
	case !later && most < intakeRoom || !r.mu.TryLock():
		return true
	}
	defer r.mu.Unlock()
	r.gather()
	return true
}

// gather records the queued events. The caller holds the recorder's mutex; the intake's is held only while its slices
// are replaced.
func (r *Recorder) gather() {
	kept := &r.intake.spare
	r.intake.mu.Lock()
	r.intake.notes, *kept = *kept, r.intake.notes
	r.intake.mu.Unlock()
	for i := range kept.scheduled {
		r.scheduled(&kept.scheduled[i])
	}
	for i := range kept.held {
		r.delay(&kept.held[i])
	}
	for i := range kept.attempts {
		r.attempt(&kept.attempts[i])
	}
	for i := range kept.completed {
		r.completed(&kept.completed[i])
	}
	clear(kept.attempts) // they have keys and codes
	*kept = notes{kept.scheduled[:0], kept.held[:0], kept.attempts[:0], kept.completed[:0]}
}

// maxPartitions is the maximum number of partitions of a phase that are distinguished.
const maxPartitions = 10_000

// KeptPartitions is the number of partitions of a phase that the record names for their busiest second, and the
// maximum number of others for their mean: a burst must not hide the partition with the most load over the phase.
const KeptPartitions = 10

// partitionLoad is the load of a partition in a phase, in entities. Hit means that an operation of the phase began
// there.
type partitionLoad struct {
	served, offered load
	hit             bool
}

// load is a number of entities, and how many fell into the busiest second.
type load struct {
	entities int64
	busiest  int64
	atLeast  bool
	// open are the seconds that may still grow, in order; from is the first of them.
	open []loadSecond
	from int64
}

type loadSecond struct{ second, entities int64 }

// openSeconds is the number of seconds of a partition that may still grow: a request times out after 30 s, and its end
// is recorded at once.
const openSeconds = 64

// add counts entities in a second of the phase.
func (l *load) add(second, entities int64) {
	l.entities += entities
	if second < l.from {
		l.atLeast = true
		return
	}
	at := len(l.open)
	for at > 0 && l.open[at-1].second > second {
		at--
	}
	if at == 0 || l.open[at-1].second != second {
		l.open = slices.Insert(l.open, at, loadSecond{second, 0})
		at++
	}
	one := &l.open[at-1]
	one.entities += entities
	l.busiest = max(l.busiest, one.entities)
	if l.open[0].second <= second-openSeconds {
		l.from = second - openSeconds + 1
		l.open = slices.DeleteFunc(l.open, func(s loadSecond) bool { return s.second < l.from })
	}
}

// partition adds an attempt to the load of its partition: what it served, in the phase in which it ended, because
// retries heat the partition in that phase; and for the first attempt of an operation what that was due to touch, in
// the operation's own phase.
func (r *Recorder) partition(a *Attempt) {
	ended, within := 0, false
	if a.Class == Ok {
		ended, within = r.phaseAt(a.Done)
	}
	var load *partitionLoad
	at := place{a.Table, a.PartitionKey}
	if a.Try == 0 {
		for i := range a.Beyond {
			r.offer(a, place{a.Beyond[i].Table, a.Beyond[i].PartitionKey}, a.Beyond[i].Entities)
		}
		if a.HasPartition {
			load = r.offer(a, at, a.ownEntities())
		}
	}
	if !within || !a.HasPartition {
		return
	}
	if load == nil || ended != a.Phase {
		load = r.loadOf(ended, at)
	}
	if load != nil {
		load.served.add(r.secondOf(ended, a.Done), a.Counted)
	} else {
		r.record.Phases[ended].PartitionsOver += a.Counted
	}
}

// secondOf returns the second of a phase, from its beginning, of an instant.
func (r *Recorder) secondOf(phase int, at time.Duration) int64 {
	return int64(max(0, at-r.record.Phases[phase].Begin) / time.Second)
}

// offer adds what the operation of a first attempt is due to touch to the load of a partition, and returns that load,
// nil if there are too many.
func (r *Recorder) offer(a *Attempt, at place, entities int64) *partitionLoad {
	load := r.loadOf(a.Phase, at)
	if load == nil {
		r.record.Phases[a.Phase].OfferedOver += entities
		return nil
	}
	load.offered.add(r.secondOf(a.Phase, a.Intended), entities)
	load.hit = true
	return load
}

// loadOf returns the load of a partition in a phase, nil if there are too many.
func (r *Recorder) loadOf(phase int, at place) *partitionLoad {
	loads := r.partitions[phase]
	load := loads.find(at)
	if load == nil && len(loads.all) < maxPartitions {
		load = new(partitionLoad)
		loads.all[at] = load
	}
	return load
}

// closePartitions writes the busiest partitions of a phase into the record, and how evenly all partitions were served.
func (r *Recorder) closePartitions(phase int) {
	p := &r.record.Phases[phase]
	var served []PartitionStats
	offered := []PartitionStats{}
	for at, load := range r.partitions[phase].all {
		if load.hit {
			offered = append(offered, load.offered.stats(at))
		}
		if load.served.entities > 0 {
			served = append(served, load.served.stats(at))
		}
	}
	p.Partitions, p.Offered = NamedPartitions(served), NamedPartitions(offered)
	p.PartitionsHit = int64(len(offered))
	p.Shares = SharesOf(p.Seconds(), offered, func(of *PartitionStats) int64 {
		return r.partitions[phase].all[place{of.Table, of.Key}].served.entities
	})
}

func (l *load) stats(at place) PartitionStats {
	return PartitionStats{at.table, at.key, l.entities, l.busiest, l.atLeast}
}

// NamedPartitions sorts partitions in descending order of their busiest second, then of their entities, then by key
// and table, and returns those that a record names: the first ones, and those of the others with the most entities, in
// the same order.
func NamedPartitions(all []PartitionStats) []PartitionStats {
	slices.SortFunc(all, byBusiest)
	if len(all) <= KeptPartitions {
		return slices.Clone(all)
	}
	others := slices.Clone(all[KeptPartitions:])
	slices.SortStableFunc(others, func(a, b PartitionStats) int { return cmp.Compare(b.Entities, a.Entities) })
	others = others[:min(len(others), KeptPartitions)]
	slices.SortFunc(others, byBusiest)
	return slices.Concat(all[:KeptPartitions], others)
}

func byBusiest(a, b PartitionStats) int {
	return cmp.Or(cmp.Compare(b.Busiest, a.Busiest), cmp.Compare(b.Entities, a.Entities), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Table, b.Table))
}

// place is a partition: the suffix of its table and its PartitionKey. One key in two tables is two partitions.
type place struct{ table, key string }

// placeMap is a map of partitions that finds the few which are in use in a fraction of the time of the map.
type placeMap[T any] struct {
	all map[place]*T
	// recent has one partition that was found of each hash.
	recent [1 << recentBits]recentPlace[T]
}

type recentPlace[T any] struct {
	place
	of *T
}

const recentBits = 7

func newPlaceMap[T any]() *placeMap[T] { return &placeMap[T]{all: make(map[place]*T)} }

// find returns the entry of a partition, nil if there is none.
func (m *placeMap[T]) find(at place) *T {
	recent := m.recentOf(at)
	if recent.of != nil && recent.place == at {
		return recent.of
	}
	one := m.all[at]
	if one != nil {
		*recent = recentPlace[T]{at, one}
	}
	return one
}

// forget makes the map find a partition in all again.
func (m *placeMap[T]) forget(at place) {
	if recent := m.recentOf(at); recent.place == at {
		recent.of = nil
	}
}

// recentOf returns where a partition is if it was among the last that were found, by the end of its key.
func (m *placeMap[T]) recentOf(at place) *recentPlace[T] {
	const factor = 0x9E3779B97F4A7C15 // 2^64 over the golden ratio
	var word uint64
	if k := at.key; len(k) >= 8 {
		k = k[len(k)-8:] // which the compiler loads at once
		word = uint64(k[0]) | uint64(k[1])<<8 | uint64(k[2])<<16 | uint64(k[3])<<24 |
			uint64(k[4])<<32 | uint64(k[5])<<40 | uint64(k[6])<<48 | uint64(k[7])<<56
	} else {
		for i := range len(k) {
			word = word<<8 | uint64(k[i])
		}
	}
	return &m.recent[word*factor>>(64-recentBits)]
}

// AccountStats is the load of one account in a phase of a run over several.
type AccountStats struct {
	// Offered is the number of entities that the operations due in the phase were to touch in the account: parts such
	// as copies in the account of their partition, everything else in that of the first request. Operations that were
	// never sent count in none.
	Offered int64 `json:"offered_entities"`
	// Served are the entities counted for successes, and Throttled the attempts
	// throttled, that ended while the phase lasted: as in [Phase.Partitions], no account
	// seems to have served more per second than it did.
	Served    int64 `json:"served_entities"`
	Throttled int64 `json:"throttled"`
}

func (r *Recorder) account(a *Attempt) {
	if a.Try == 0 {
		for i := range a.Beyond {
			r.offerAccount(a.Phase, a.Beyond[i].Account, a.Beyond[i].Entities)
		}
		r.offerAccount(a.Phase, a.Account, a.ownEntities())
	}
	phase, found := r.phaseAt(a.Done)
	if !found || a.Account >= len(r.record.Phases[phase].Accounts) {
		return
	}
	one := &r.record.Phases[phase].Accounts[a.Account]
	switch a.Class {
	case Ok:
		one.Served += a.Counted
	case Throttled:
		one.Throttled++
	}
}

func (r *Recorder) offerAccount(phase, account int, entities int64) {
	if of := r.record.Phases[phase].Accounts; account < len(of) {
		of[account].Offered += entities
	}
}

// Busiest returns the position of the account that was offered most in the phase, the first of equals, and false for a
// run over one account.
func (p *Phase) Busiest() (int, bool) {
	most := 0
	for i := range p.Accounts {
		if p.Accounts[i].Offered > p.Accounts[most].Offered {
			most = i
		}
	}
	return most, len(p.Accounts) > 0
}
