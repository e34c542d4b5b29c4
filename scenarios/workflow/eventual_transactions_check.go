package workflow

import (
	"fmt"
	"time"

	"loadgen/engine/entity"
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
			w.drain(t, f, a.Duration("hidden"))
			w.readPoison(t, f, asked)
		})
	}
	return entities
}

// drain processes the queue until no message returned for longer than the visibility timeout.
func (w *archiveWorker) drain(t *Tx, f *Findings, hidden time.Duration) {
	// left reports that a message was left to return soon, waited that the queue stayed empty for
	// the visibility timeout.
	for left, waited := false, false; ; {
		received := t.Send(receive(w.queue, 1, soon))
		left = left || received.Silent
		switch {
		case len(received.Found) > 0:
			f.Looked++
			m := received.Found[0]
			_, sound := parseMove(m.Body)
			if !sound && w.attempts == 0 {
				// No worker puts it aside: it would return forever.
				f.Fault(fmt.Sprintf("message %q was received %d times and is malformed", m.Body, m.Received))
				w.forget(t, m)
				continue
			}
			left = left || !sound && m.Received <= w.attempts
			w.carryOut(t, m, func() string { return "" })
		case left:
			left = false
			t.Sleep(soon + margin)
		case !waited:
			waited = true
			t.Sleep(hidden + margin)
		default:
			return
		}
	}
}

// readPoison reads the poison queue. After a lost reply its messages reappear, and it is read again.
func (w *archiveWorker) readPoison(t *Tx, f *Findings, asked map[move]bool) {
	for lost := false; ; {
		received := t.Send(receive(w.poison, maxReceived, aside))
		f.Looked += int64(len(received.Found))
		for _, m := range received.Found {
			if one, sound := parseMove(m.Body); sound {
				asked[one] = true
			}
		}
		switch lost = lost || received.Silent; {
		case len(received.Found) > 0:
		case lost:
			lost = false
			t.Sleep(aside + margin)
		default:
			return
		}
	}
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
