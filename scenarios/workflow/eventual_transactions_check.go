package workflow

import (
	"fmt"
	"time"

	"loadgen/engine/entity"
	"loadgen/target"
)

const (
	// soon is how long the check hides a message: what it leaves comes back after that.
	soon = time.Second
	// aside is how long it hides one of the poison queue: as long as looking at all of
	// them takes, at the least.
	aside = 10 * time.Second
	// margin is added to a time-out, so that it is over.
	margin = 500 * time.Millisecond
)

// newArchived returns the checks of moves. One carries out the remaining messages as a worker does,
// and finds messages that fail and are never put aside. The other finds entities that a move lost or
// duplicated.
func newArchived(s *Setting, a Arguments) *Check {
	// asked are the moves that messages of the poison queue ask for.
	asked := make(map[move]bool)
	entities := newCheck("each loaded entity is in one table, whole", func(t *Tx, f *Findings) {
		compareArchive(t, f, s, a.Text("place"), asked)
	})
	if a.Text("queue") != "" {
		entities.Before = newCheck("each message was carried out, or put aside", func(t *Tx, f *Findings) {
			w := newArchiveWorker(s, a)
			receiveAll(t, w.queue, 1, soon, a.Duration("hidden"), func(m target.Found) bool { return w.finish(t, f, m) })
			receiveAll(t, w.poison, maxReceived, aside, 0, func(m target.Found) bool {
				f.Looked++
				if one, sound := parseMove(m.Body); sound {
					asked[one] = true
				}
				return false
			})
		})
	}
	return entities
}

// receiveAll handles the messages of a queue until none is left. Each is hidden for a time, and it
// receives them again after that if a reply was lost or handle left a message. If wait is positive, it
// waits so long, once, for the messages that workers have received.
func receiveAll(t *Tx, queue string, most int, hidden, wait time.Duration, handle func(m target.Found) (left bool)) {
	for left := false; ; {
		received := t.Send(receive(queue, most, hidden))
		left = left || received.Silent
		for _, m := range received.Found {
			left = handle(m) || left
		}
		switch {
		case len(received.Found) > 0:
		case left:
			left = false
			t.Sleep(hidden + margin)
		case wait > 0:
			t.Sleep(wait + margin)
			wait = 0
		default:
			return
		}
	}
}

// finish carries out a message as a worker does, and reports whether the message will return.
func (w *archiveWorker) finish(t *Tx, f *Findings, m target.Found) (left bool) {
	f.Looked++
	_, sound := parseMove(m.Body)
	if !sound && w.attempts == 0 {
		// No worker puts it aside: it would return forever.
		f.Fault(fmt.Sprintf("message %q was received %d times and is malformed", m.Body, m.Received))
		w.forget(t, m)
		return false
	}
	w.carryOut(t, m, func() string { return "" })
	return !sound && m.Received <= w.attempts
}

// compareArchive reads both tables and records where each loaded entity is.
func compareArchive(t *Tx, f *Findings, s *Setting, place string, asked map[move]bool) {
	current, archive := t.entities(s.Table), t.entities(s.TableOf(place))
	for n := range s.Loaded {
		subject := s.Member(n)
		m := moveOf(subject, place)
		was, here := current[m.From]
		is, moved := archive[m.To]
		fault := ""
		switch {
		case !here && !moved:
			fault = "is in neither table"
		case here && !holdsAll(was, subject.Properties()) || moved && !holdsAll(is, subject.Properties()):
			fault = "differs from the loaded entity"
		case here && moved && !asked[m]:
			// Where a worker gave up half-way, a message of the poison queue says so.
			fault = "is in both tables"
		}
		f.Look(fault == "", "%q / %q %s", m.From.Partition, m.From.Row, fault)
	}
}

// holdsAll reports whether an entity has some properties. It may have others: a run
// that verifies its writes adds one.
func holdsAll(p entity.Packed, wanted []entity.Property) bool {
	for _, w := range wanted {
		if v, some := p.Lookup(w.Name); !some || !v.Equal(w.Value) {
			return false
		}
	}
	return true
}
