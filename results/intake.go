package results

import (
	"sync"
	"sync/atomic"
	"time"
)

// How much of one sort lies in the intake: from intakeRoom on, whoever tells of more takes it
// down if nobody else has the record; at intakeMost they wait for that.
const (
	intakeRoom = 64
	intakeMost = 1 << 14
)

// intake keeps what is told of attempts and operations, in the order in which it is told, until
// it is taken down with more of it. Who sends thus waits neither for others that send, but for
// as long as it takes to lay something down, nor for a second that is being written: a disk that
// takes its time would have operations be late. All is taken down before a second is written,
// and when somebody tells of an end in a later second than anybody before.
type intake struct {
	mu sync.Mutex
	notes
	// spare is what the intake goes on with when it is emptied. The recorder's mutex guards
	// it.
	spare notes
	// second is the latest that was told of.
	second atomic.Int64
}

// notes are what is told, by its sort.
type notes struct {
	scheduled []Scheduled
	held      []heldBack
	attempts  []Attempt
	completed []Completed
}

// heldBack is an attempt of a phase and kind that is sent, or waits from an instant on: what says which.
type heldBack struct {
	what, phase, kind int
	from, wait        time.Duration
}

// What a heldBack is: a further attempt that is sent, one that waits before a retry, one that its rate limit delays.
const (
	sentAgain = iota
	waits
	heldByLimit
)

// enqueue adds one of what is told of an instant, 0 where that is not later than all before, to the intake, and takes
// down what is there if it is time for it. It returns false if one goroutine does it all, which needs no intake.
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
	case most >= intakeMost:
		r.mu.Lock()
	case !later && most < intakeRoom || !r.mu.TryLock():
		return true
	}
	defer r.mu.Unlock()
	r.gather()
	return true
}

// gather takes down what lies in the intake. The recorder's mutex is held, the intake's for no
// longer than it takes to give it room again.
func (r *Recorder) gather() {
	kept := &r.intake.spare
	r.intake.mu.Lock()
	r.intake.notes, *kept = *kept, r.intake.notes
	r.intake.mu.Unlock()
	for i := range kept.scheduled {
		r.scheduled(&kept.scheduled[i])
	}
	for i := range kept.held {
		r.held(&kept.held[i])
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
