// Package capture turns outside traffic, as a server or its log observed it, into the record of a run: an
// application that uses our engine, or another service, is judged like a load of our own.
//
// An [Examination] does all of it: [Examination.Open] makes the folder of the run, [Examination.Saw] and
// [Examination.Advance] are the hooks of the service, and [Examination.Conclude] closes, judges and seals the
// record. For a recorder of one's own, whose manifest has [Kinds], there is [New].
//
// The run has one reported phase, [Phase]. An attempt is a request. A request that was throttled or failed and comes
// again in time, under the same client request ID, is the same operation, which was due when its first attempt
// arrived. The record also has a results.Capture: the heaviest partitions and query shapes, found by the
// space-saving algorithm, the order in which keys were inserted, and what was not carried out.
//
// Instants are since the start of the recorder's run, and each request must come within [Options.Hold] of its end. Its
// memory may be used again as soon as Saw returns.
//
// The package never reads a clock, starts no goroutine, and does no more I/O than the recorder's whole seconds and
// the two ends of an examination. Its memory is bounded, however many keys, filters and IDs there are; it counts
// what it forgets.
package capture

import (
	"cmp"
	"container/list"
	"slices"
	"sync"
	"time"

	"loadgen/engine/accesslog"
	"loadgen/results"
)

// Phase is the name of the one phase of an observed run: from the arrival of the
// first request to the end of the last.
const Phase = "observed"

// Capture records requests of another program. Its methods are safe for
// concurrent use.
type Capture struct {
	options Options
	// touched is nil unless the load of partitions is watched.
	touched func(table, key string)

	// mu guards what follows.
	mu      sync.Mutex
	phase   int
	begun   bool
	ended   bool
	attempt uint64
	number  uint64
	// last is the latest end of a request, written how far the record's whole
	// seconds are on disk.
	last, written time.Duration
	waiting       waiting
	counter       *counter
	failure       error
}

// Options says where a capture writes and how much it keeps. A bound that is 0 is the default.
type Options struct {
	// Recorder is of a run whose manifest's operations are [Kinds].
	Recorder *results.Recorder
	// Partitions, Shapes and Tables are the numbers of each that are distinguished at a time.
	Partitions, Shapes, Tables int
	// Retries is how many operations may wait for a retry at a time, and Window how long one waits after its
	// last attempt until it counts as failed after retries. It should outlast the longest wait between two
	// attempts of a client.
	Retries int
	Window  time.Duration
	// Hold is how long a second stays open after its end.
	Hold time.Duration
	// Target is that of one partition, in entities per second; 0 is none.
	Target int64
}

// The defaults of [Options].
const (
	DefaultPartitions = 1024
	DefaultShapes     = 256
	defaultTables     = 64
	DefaultRetries    = 1 << 16
	defaultWindow     = 2 * time.Minute
	defaultHold       = 5 * time.Second
)

// New returns an observer that writes into a recorder.
func New(o Options) *Capture {
	o.Partitions = cmp.Or(o.Partitions, DefaultPartitions)
	o.Shapes = cmp.Or(o.Shapes, DefaultShapes)
	o.Tables = cmp.Or(o.Tables, defaultTables)
	o.Retries = cmp.Or(o.Retries, DefaultRetries)
	o.Window = cmp.Or(o.Window, defaultWindow)
	o.Hold = cmp.Or(o.Hold, defaultHold)
	c := &counter{
		partitions: results.NewHeaviestKeys(o.Partitions, func(p place) place {
			return place{own(p.table, maxNameLength), own(p.key, maxKeyLength)}
		}, func(one *results.KeyPlace[place, partition]) {
			p := &one.Value
			p.rows.Reset()
			*p = partition{rows: p.rows,
				seconds: seconds{open: p.seconds.open[:0], kept: p.seconds.kept[:0], active: series{kept: p.seconds.active.kept[:0]}}}
		}),
		shapes: results.NewHeaviestKeys(o.Shapes, func(q query) query {
			return query{own(q.table, maxNameLength), own(q.shape, maxShapeLength), own(q.class, maxNameLength)}
		}, func(one *results.KeyPlace[query, shape]) { one.Value = shape{} }),
		tables: results.NewHeaviestKeys(o.Tables, func(name string) string { return own(name, maxNameLength) }, func(one *results.KeyPlace[string, table]) {
			t := &one.Value
			t.order.Reset()
			if t.known == nil {
				t.known = new(known)
			}
			clear(t.known[:])
			*t = table{order: t.order, known: t.known}
		}),
		answers: make(map[answer]*results.Answer), target: o.Target,
	}
	return &Capture{options: o, waiting: waiting{most: o.Retries, byID: make(map[string]*list.Element)}, counter: c}
}

// Saw records one request after its reply, and keeps nothing of it. Requests after [Capture.End] are left out.
func (o *Capture) Saw(r *accesslog.Observed) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return
	}
	arrived := max(0, r.Arrived.Offset())
	done := max(arrived, r.EndTime().Offset())
	if !o.begun {
		o.begun = true
		o.phase = o.options.Recorder.Phase(results.Phase{Name: Phase, Stage: Phase, Begin: arrived, Reported: true})
		o.options.Recorder.Event(results.Event{At: int64(arrived), What: results.PhaseBegins, Phase: Phase})
	}
	o.last = max(o.last, done)
	if done < o.written {
		o.counter.sum.Delayed++
	}
	o.expire(arrived)
	class, status, code := answerOf(r)
	op := o.operationOf(r, arrived)
	first := op.attempts == 0
	if first {
		o.options.Recorder.Scheduled(&results.Scheduled{Phase: o.phase, Kind: op.kind, Intended: arrived, Sent: arrived,
			Entities: op.asked, Noted: o.written})
	} else {
		o.options.Recorder.FurtherRequest(max(arrived, o.written))
		if wait := arrived - op.done; wait > 0 {
			o.options.Recorder.Waited(o.phase, wait)
		}
	}
	key := ""
	if r.Injected != "" {
		key = r.PartitionKey
	}
	o.options.Recorder.Attempt(&results.Attempt{Injected: r.Injected, PartitionKey: key, Phase: o.phase, Kind: op.kind, Number: op.number, Try: op.attempts,
		Retry: !first, Sequence: o.attempt, Intended: op.first, Sent: arrived, Done: done, Class: class, Status: status, Code: code, Due: askedOf(r),
		Counted: r.Counted, Returned: r.Returned, Noted: o.written, Untimed: r.EndToEnd < 0})
	if o.touched != nil {
		o.touch(r, class, done)
	}
	o.attempt++
	op.attempts++
	op.class, op.done, op.isUntimed = class, done, r.EndToEnd < 0
	o.counter.add(r, class, first, done)
	if class == results.Ok || op.id == "" {
		o.complete(op, r.Counted)
	} else {
		o.waiting.byID[op.id] = o.waiting.line.PushBack(op)
		if len(o.waiting.byID) > o.waiting.most {
			o.counter.sum.Forgotten++
			o.complete(o.waiting.remove(o.waiting.oldest().id), 0)
		}
	}
	o.advance(done)
}

// Touched adds a function that is called for each partition that a request touches, and has the recorder keep the load of
// partitions. It is called before the first request. The function must be safe for concurrent use.
func (o *Capture) Touched(do func(table, key string)) { o.touched = do }

// touch adds a request to the recent load of the partitions that it touched.
func (o *Capture) touch(r *accesslog.Observed, class results.Class, done time.Duration) {
	table := own(r.Table, maxNameLength)
	add := func(key string, served, throttled int64) {
		key = own(key, maxKeyLength)
		o.options.Recorder.Touched(done, table, key, served, throttled)
		o.touched(table, key)
	}
	switch {
	case r.HasPartition && class == results.Throttled:
		add(r.PartitionKey, 0, askedOf(r))
	case class != results.Ok:
	case r.HasPartition:
		add(r.PartitionKey, r.Counted, 0)
	default:
		for i := range r.Spans {
			add(r.Spans[i].PartitionKey, r.Spans[i].Counted, 0)
		}
	}
}

// operationOf returns the operation that a request belongs to: one that waits for
// a retry of just this under this id, or a new one.
func (o *Capture) operationOf(r *accesslog.Observed, arrived time.Duration) *operation {
	id := r.ClientRequestID
	if len(id) > maxClientLength {
		id = ""
	}
	kind := slices.Index(countedVerbs, r.Verb)
	if kind < 0 {
		kind = len(countedVerbs) // all else
	}
	// Two attempts of one operation share it.
	hash := hashed(offset, r.Table)
	for _, part := range [...]string{r.PartitionKey, r.RowKey, r.Shape} {
		hash = hashed((hash^0xff)*prime, part)
	}
	hash = (hash ^ uint64(r.Verb)) * prime
	fresh := operation{number: o.number, kind: kind, hash: hash, first: arrived, asked: askedOf(r)}
	if id == "" {
		o.counter.sum.Unnamed++
	} else if op := o.waiting.remove(id); op != nil {
		if op.hash == fresh.hash {
			return op
		}
		// A client that names several requests alike means something else by it.
		o.complete(op, 0)
	}
	o.number++
	fresh.id = own(id, maxClientLength)
	return &fresh
}

// complete records the end of an operation that will have no further
// attempt. Served is what its last one counted.
func (o *Capture) complete(op *operation, served int64) {
	if op.class != results.Ok {
		served = 0
	}
	o.options.Recorder.Completed(&results.Completed{Phase: o.phase, Kind: op.kind, Number: op.number,
		Intended: op.first, Done: op.done, Class: op.class, Attempts: op.attempts,
		Entities: op.asked, Served: served, Noted: o.written, Untimed: op.isUntimed})
}

// Advance sets the time, so that seconds without traffic are written and operations
// without further attempts end. Its error wraps
// results.ErrWrite; the observer goes on regardless.
func (o *Capture) Advance(now time.Duration) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ended {
		o.advance(now)
	}
	return o.failure
}

// Costliest returns the queries that scanned most so far, in descending order, at most the given number.
func (o *Capture) Costliest(most int) []results.QueryShape {
	o.mu.Lock()
	defer o.mu.Unlock()
	return topPlaces(o.counter.shapes, most, queryShape, costlier)
}

// Balanced records a decision of the service's load balancing.
func (o *Capture) Balanced(events []results.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, one := range events {
		if !o.ended {
			o.options.Recorder.Event(one)
		}
	}
}

func (o *Capture) expire(now time.Duration) {
	for op := o.waiting.removeBefore(now - o.options.Window); op != nil; op = o.waiting.removeBefore(now - o.options.Window) {
		o.complete(op, 0)
	}
}

func (o *Capture) advance(now time.Duration) {
	o.expire(now)
	if now = (now - o.options.Hold).Truncate(time.Second); now > o.written {
		o.written = now
		if err := o.options.Recorder.Advance(now); err != nil {
			o.failure = err
		}
	}
}

// End records that no more requests come: operations that still wait for a
// retry are given up, the phase ends with the last request, and the observation
// goes to the recorder, which the caller finishes. Its error wraps
// results.ErrWrite. A second call does nothing more.
func (o *Capture) End() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return o.failure
	}
	o.ended = true
	o.expire(1<<63 - 1)
	if o.begun {
		// The phase holds the end of its last request.
		o.options.Recorder.EndPhase(o.phase, o.last+1)
		o.options.Recorder.Event(results.Event{At: int64(o.last), What: results.PhaseEnds, Phase: Phase})
	}
	seen := o.counter.capture()
	o.options.Recorder.UpdateRecord(func(of *results.Record) { of.Capture = seen })
	if err := o.options.Recorder.Advance(o.written); err != nil {
		o.failure = err
	}
	return o.failure
}
