package drive

import (
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
)

// Observer receives every attempt and every operation after its end. Its
// methods must be safe for concurrent use and must not keep their arguments.
type Observer interface {
	Attempt(*results.Attempt)
	Completed(*results.Completed)
}

// AttemptFunc is an [Observer] of attempts alone.
type AttemptFunc func(*results.Attempt)

// Attempt implements [Observer].
func (f AttemptFunc) Attempt(a *results.Attempt) { f(a) }

// Completed implements [Observer].
func (AttemptFunc) Completed(*results.Completed) {}

// Watcher is an [Observer] that also receives phases, due operations and events. Its methods have the same
// requirements. A ledger detects which of its observers are watchers.
type Watcher interface {
	Observer
	// Phase receives each phase of a stage when the stage begins, with its number in the record. A phase of unknown
	// length ends at its beginning.
	Phase(index int, phase *results.Phase)
	// Scheduled receives every operation when its first attempt is sent or it is dropped.
	Scheduled(*results.Scheduled)
	// Event receives the record's events while stages run. It must not block.
	Event(results.Event)
}

// Ledger passes everything that a runner does to the record and to observers.
type Ledger struct {
	Recorder  *results.Recorder
	Observers []Observer
	// Happenings, if not nil, returns the target's own events up to an instant since the last call, such as
	// load balancing, in the order of time. It is called by one
	// goroutine at a time, with instants that do not fall.
	Happenings func(now clock.Instant) []results.Event

	// watchers are those of the observers that are, from the first stage on.
	watchers []Watcher

	// mu guards sent, the number of attempts sent so far, unless a single goroutine records.
	mu    sync.Mutex
	sent  uint64
	alone bool
}

// stamp gives the session's next attempt its place among those sent and returns
// the instant at which it is. Taken under one lock, the two never contradict each
// other: tools that read the attempts in sequence need instants that do not fall.
func (l *Ledger) stamp(s *Session, now func() clock.Instant) clock.Instant {
	if !l.alone {
		l.mu.Lock()
		defer l.mu.Unlock()
	}
	s.attempt.Sequence = l.sent
	l.sent++
	return now()
}

// began records that the session's next attempt is sent at an instant.
func (l *Ledger) began(s *Session, at clock.Instant) {
	if s.firstAttempt() && !s.announced {
		l.recordDue(s.scheduled(at, false))
		return
	}
	l.Recorder.FurtherRequest(at.Offset())
}

// recordDue records an operation that became due.
func (l *Ledger) recordDue(s *results.Scheduled) {
	l.Recorder.Scheduled(s)
	for _, w := range l.watchers {
		w.Scheduled(s)
	}
}

func (l *Ledger) event(e results.Event) {
	l.Recorder.Event(e)
	for _, w := range l.watchers {
		w.Event(e)
	}
}

func (l *Ledger) recordEffect(s *Session, e Effect) {
	if e.Attempted {
		l.Recorder.Attempt(&s.attempt)
		for _, o := range l.Observers {
			o.Attempt(&s.attempt)
		}
	}
	if e.Waited > 0 {
		l.Recorder.Waited(s.phase, e.Waited)
	}
	if e.Action == Done {
		l.Recorder.Completed(&s.completed)
		for _, o := range l.Observers {
			o.Completed(&s.completed)
		}
		if s.stage.Ended != nil {
			s.stage.Ended(&s.work, &s.completed)
		}
	}
}

// opened is a stage that has begun: where its phases stand in the record, and
// which of its marks are still to be written.
type opened struct {
	ledger *Ledger
	stage  *Stage
	start  clock.Instant
	phases []int
	marks  []results.Event
	// asked is the time of the last call of [Ledger.Happenings].
	asked clock.Instant
	// end is when the last phase of a stage that can settle ended.
	end clock.Instant
}

// open enters a stage's phases into the record.
func (l *Ledger) open(stage *Stage, start clock.Instant) *opened {
	if l.watchers == nil {
		l.watchers = []Watcher{}
		for _, o := range l.Observers {
			if w, is := o.(Watcher); is {
				l.watchers = append(l.watchers, w)
			}
		}
	}
	if stage.Begins != nil {
		stage.Begins(start)
	}
	o := &opened{ledger: l, stage: stage, start: start}
	o.mark(results.StageBegins, start, "")
	for i, phase := range stage.Phases {
		phase.Stage, phase.Rate = stage.Name, phase.Rate/float64(stage.Share.step())
		phase.Begin += start.Offset()
		phase.End += start.Offset()
		o.end = clock.Instant(phase.End)
		if stage.Settling && i == len(stage.Phases)-1 {
			phase.End = phase.Begin
		}
		index := l.Recorder.Phase(phase)
		o.phases = append(o.phases, index)
		for _, w := range l.watchers {
			w.Phase(index, &phase)
		}
		if stage.Timed() {
			o.mark(results.PhaseBegins, clock.Instant(phase.Begin), phase.Name)
			o.mark(results.PhaseEnds, o.end, phase.Name)
		}
	}
	o.pass(start)
	return o
}

func (o *opened) mark(what string, at clock.Instant, phase string) {
	event := results.Event{At: int64(at), What: what, Phase: phase}
	if phase == "" {
		event.Text = o.stage.Name
	}
	o.marks = append(o.marks, event)
}

// askEvery is the interval between calls of [Ledger.Happenings].
const askEvery = 100 * time.Millisecond

// pass writes the marks up to now, in order with the target's own events.
func (o *opened) pass(now clock.Instant) {
	marked := len(o.marks) > 0 && o.marks[0].At <= int64(now)
	if o.ledger.Happenings != nil && (marked || now >= o.asked.Add(askEvery)) {
		o.asked = now
		for _, event := range o.ledger.Happenings(now) {
			o.flush(clock.Instant(event.At))
			o.ledger.event(event)
		}
	}
	o.flush(now)
}

// flush writes the marks up to an instant.
func (o *opened) flush(now clock.Instant) {
	for len(o.marks) > 0 && o.marks[0].At <= int64(now) {
		o.ledger.event(o.marks[0])
		o.marks = o.marks[1:]
	}
}

// close writes the remaining marks and the end of the stage, and of the phases
// whose end was not known before.
func (o *opened) close(now clock.Instant, interrupted bool) {
	o.asked = now.Add(-askEvery)
	o.pass(now)
	if interrupted {
		o.marks = nil
		o.mark(results.Interrupted, now, "")
	}
	o.mark(results.StageEnds, now, "")
	o.flush(clock.Never)
	if o.stage.Settling {
		o.ledger.Recorder.EndPhase(o.phases[len(o.phases)-1], min(o.end, now).Offset())
	}
	if !o.stage.Timed() {
		for _, phase := range o.phases {
			o.ledger.Recorder.EndPhase(phase, now.Offset())
		}
	}
}
