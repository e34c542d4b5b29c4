package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"loadgen/engine/clock"
)

// phase is how far a run is.
type phase int

const (
	lobby phase = iota
	preparing
	running
	draining
	over
)

// Leader answers the members of one run. It belongs to one goroutine.
type Leader struct {
	plan   Plan
	charge [][]byte
	digest string

	// run is which of a series it is, from 0; last says that none follows.
	run  uint64
	last bool

	phase phase
	// turn is what is offered, nil where the run has no turns; short says that more would have
	// followed, had nobody been lost.
	turn  *Turn
	short bool
	// seats are the places of the members, nil where one is free; known are all that ever
	// joined, by epoch.
	seats []*seat
	known map[string]*seat
	// began says that it was told any, ticked is the last instant that it was told, deadline when all have to have joined.
	began            bool
	ticked, deadline clock.Instant
	// start is the agreed instant, stop why the run ends before its time, until when records
	// are waited for, ended when the run was over.
	start, until, ended clock.Instant
	stop                string
	// stopped says that the stop is of somebody's wish, and not because of a loss.
	stopped bool
	err     error

	events []Event
	notes  notes
}

// NewLeader returns the leader of a plan. Its error joins all that is wrong with it.
func NewLeader(p Plan) (*Leader, error) {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if p.Members < 1 || p.Members > MaxMembers {
		fault("members: %d; expected 1 to %d", p.Members, MaxMembers)
	}
	if p.Deadline <= 0 {
		fault("deadline: %v; expected more than 0", p.Deadline)
	}
	if p.StartAfter < 0 || p.Drain < 0 {
		fault("start_after, drain: %v, %v; expected no less than 0", p.StartAfter, p.Drain)
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	if p.StartAfter == 0 {
		p.StartAfter = startAfter
	}
	if p.Drain == 0 {
		p.Drain = time.Minute
	}
	l := &Leader{plan: p, seats: make([]*seat, p.Members), known: make(map[string]*seat), deadline: clock.Never}
	return l, l.charged(p.Charge)
}

// charged keeps what the members are charged with.
func (l *Leader) charged(c Charge) error {
	text, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("charge: %w", err)
	}
	parts := split(text)
	if len(parts) > maxParts {
		return fmt.Errorf("charge: %d bytes; expected %d at most", len(text), maxParts*partBytes)
	}
	l.charge, l.digest = parts, digest(text)
	return nil
}

// On takes what a member says, whose epoch the bus vouches for, and returns the answer, nil
// where there is none. What is asked of the runs beside this one in the series is answered, too.
func (l *Leader) On(now clock.Instant, from string, text []byte) []byte {
	l.pass(now)
	var ask Ask
	err := Decode(text, &ask)
	var other *OtherSchema
	switch {
	case errors.As(err, &other):
		l.notes.malformed++
		return encoded(&Answer{Number: other.Number, At: now, Refused: other.Error()})
	case err != nil || ask.Epoch != from:
		l.notes.malformed++
		// The member would send it again for ever, and the others would wait for the answer.
		if s := l.known[from]; err != nil && s != nil && s.Lost == "" && !s.ended && l.err == nil {
			l.lose(now, s, clipped(fmt.Sprintf("it sent an invalid message: %v", err)))
			return encoded(&Answer{Run: l.run, Number: ask.Number, At: now, Refused: s.Lost})
		}
		return nil
	}
	s := l.known[ask.Epoch]
	var answer Answer
	switch {
	case s == nil || ask.Run == l.run:
		if l.last && l.err == nil && s != nil && ask.Join != nil && !s.ended && s.Lost == "" {
			s.gone = true
			answer.Over = true
		} else {
			answer = l.answer(now, &ask)
		}
	case ask.Run > l.run:
		// It is done with this one.
		s.heard, s.gone = now, l.last
		answer.Over = l.last
	default:
		// That run is over and whole, so that everything has arrived before.
		l.notes.late++
		s.heard = now
	}
	answer.Run, answer.Number, answer.At = ask.Run, ask.Number, now
	return encoded(&answer)
}

// encoded is an answer on the wire. Nothing in it can fail to be written.
func encoded(a *Answer) []byte {
	a.SchemaVersion = SchemaVersion
	text, err := json.Marshal(a)
	if err != nil {
		return nil
	}
	return text
}

func (l *Leader) answer(now clock.Instant, ask *Ask) Answer {
	if ask.Join != nil {
		return l.join(now, ask)
	}
	s := l.known[ask.Epoch]
	switch {
	case s == nil:
		return Answer{Refused: "it joined another leader"}
	case s.Lost != "":
		l.notes.returned++
		return Answer{Refused: "it was given up (" + s.Lost + "), and a run takes nobody back"}
	case l.err != nil:
		s.gone = true
		return Answer{Refused: l.err.Error()}
	}
	s.heard = now
	switch {
	case ask.Fetch != nil && ask.Fetch.Part < len(l.charge):
		return Answer{Part: &Part{Part: ask.Fetch.Part, Bytes: l.charge[ask.Fetch.Part]}}
	case ask.Beat != nil:
		return l.beat(now, s, ask.Beat)
	case ask.Told != nil:
		return l.told(now, s, ask.Told)
	case ask.Came != nil:
		if l.turn != nil && ask.Came.Turn == l.turn.Number && s.came == nil {
			s.came = ask.Came.What
			l.order(now)
		}
		return Answer{}
	case ask.Final != nil:
		return l.final(now, s, ask.Final)
	case ask.Leave != nil:
		return l.leave(now, s, ask.Leave)
	}
	return Answer{}
}

// join gives a member a place, the same whenever it asks.
func (l *Leader) join(now clock.Instant, ask *Ask) Answer {
	s := l.known[ask.Epoch]
	if s == nil {
		if why := l.refusalOf(ask.Join); why != "" {
			l.notes.refused++
			l.event(now, Event{Kind: MemberRefused, Member: -1, Name: ask.Join.Name, Text: why})
			return Answer{Refused: why}
		}
		free := 0
		for l.seats[free] != nil {
			free++
		}
		s = &seat{Share: Share{Index: free, Name: ask.Join.Name, Epoch: ask.Epoch, Labels: ask.Join.Labels}, heard: now, took: newSequence()}
		l.seats[free], l.known[ask.Epoch] = s, s
	}
	switch {
	case s.Lost != "":
		return Answer{Refused: "it was given up (" + s.Lost + "), and a run takes nobody back"}
	case l.err != nil:
		s.gone = true
		return Answer{Refused: l.err.Error()}
	}
	if s.heard = now; !s.joined {
		s.joined = true
		l.concerns(now, MemberJoined, s, fmt.Sprintf("%s has joined, %d of %d", s.Name, l.taken(), l.plan.Members))
		l.assemble()
	}
	if l.charge == nil {
		return Answer{} // it is to come
	}
	return Answer{Joined: &Joined{Index: s.Index, Of: l.plan.Members, Parts: len(l.charge), SHA256: l.digest}}
}

// refusalOf returns why a new member is refused, empty if it is accepted.
func (l *Leader) refusalOf(h *Hello) string {
	if l.err != nil {
		return l.err.Error()
	}
	if h.Version != l.plan.Version {
		return fmt.Sprintf("%s is build %q, the leader %q; use the same build everywhere", h.Name, h.Version, l.plan.Version)
	}
	for _, s := range l.known {
		if s.Name == h.Name && (s.Lost == "" || l.phase != lobby) {
			if s.Lost != "" {
				return fmt.Sprintf("%s was given up (%s), and a run takes nobody back", h.Name, s.Lost)
			}
			return fmt.Sprintf("a member %s exists already; use unique names", h.Name)
		}
	}
	if l.phase != lobby || l.run > 0 || len(l.known) > 4*l.plan.Members+100 {
		return fmt.Sprintf("the fleet has its %d members", l.plan.Members)
	}
	return ""
}

// taken is how many places are.
func (l *Leader) taken() (count int) {
	for _, s := range l.seats {
		if s != nil && s.joined {
			count++
		}
	}
	return count
}

// assemble has the members prepare once all have joined.
func (l *Leader) assemble() {
	if l.phase == lobby && l.charge != nil && l.taken() == l.plan.Members {
		l.phase = preparing
	}
}

// Tick lets time pass. It has to come a few times a second, after whatever came in before.
func (l *Leader) Tick(now clock.Instant) {
	l.pass(now)
	for _, s := range l.seats {
		if s != nil && s.Lost == "" && !s.ended && now.Sub(s.heard) > Lease {
			l.lose(now, s, fmt.Sprintf("not heard of for %v", Lease))
		}
	}
	switch {
	case l.phase == lobby && now > l.deadline:
		l.fail(now, fmt.Errorf("%w: %d of %d within %v%s", ErrFewer, l.taken(), l.plan.Members, l.plan.Deadline, l.names()))
	case l.phase == draining && now > l.until:
		for _, s := range l.seats {
			if s.Lost == "" && !s.ended {
				l.lose(now, s, fmt.Sprintf("its record did not arrive within %v after the stop", l.plan.Drain))
			}
		}
	}
	l.endIfDone(now)
}

// names lists who is there, the first few.
func (l *Leader) names() string {
	const most = 8
	var names []string
	for _, s := range l.seats {
		if s != nil && len(names) < most {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	if more := l.taken() - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return ": " + strings.Join(names, ", ")
}

// pass takes note of the time. Where the leader's own process stood still, nobody else is
// to blame for what it has not heard.
func (l *Leader) pass(now clock.Instant) {
	if !l.began {
		l.began, l.ticked = true, now
		l.deadline = now.Add(l.plan.Deadline)
	} else if gap := now.Sub(l.ticked); gap > standstill {
		l.notes.stood = max(l.notes.stood, gap)
		for _, s := range l.seats {
			if s != nil {
				s.heard = s.heard.Add(gap)
			}
		}
	}
	l.ticked = max(l.ticked, now)
}

// Stop ends the run before its time, for a reason that everybody is told.
func (l *Leader) Stop(now clock.Instant, why string) {
	switch l.phase {
	case lobby, preparing:
		l.fail(now, fmt.Errorf("%w: %s", ErrStopped, why))
	case running:
		l.stopped = true
		l.halt(now, why)
	}
}

// halt has everybody seal what there is. A run that has not begun comes to nothing.
func (l *Leader) halt(now clock.Instant, why string) {
	switch l.phase {
	case draining, over:
		return
	case preparing:
		l.fail(now, fmt.Errorf("%w: %s", ErrUnready, why))
		return
	}
	l.phase, l.stop, l.until = draining, why, now.Add(l.plan.Drain)
	l.event(now, Event{Kind: RunStopped, Member: -1, Text: "the run stops: " + why})
	l.endIfDone(now)
}

// fail ends a fleet that has not come to a run.
func (l *Leader) fail(now clock.Instant, err error) {
	l.err, l.phase, l.ended = err, over, now
	l.event(now, Event{Kind: RunStopped, Member: -1, Text: err.Error()})
}

// settle finds out whether the run is over.
func (l *Leader) endIfDone(now clock.Instant) {
	if l.phase != running && l.phase != draining {
		return
	}
	for _, s := range l.seats {
		if s.Lost == "" && !s.ended {
			return
		}
	}
	l.phase, l.ended = over, now
}

// Over reports whether nothing more can come to the outcome.
func (l *Leader) Over() bool { return l.phase == over }

// Gone reports whether the leader may go, too: the run is over, and everybody knows.
func (l *Leader) Gone(now clock.Instant) bool {
	if l.phase != over {
		return false
	}
	if now.Sub(l.ended) > linger {
		return true
	}
	for _, s := range l.seats {
		if s != nil && s.Lost == "" && !s.gone {
			return false
		}
	}
	return true
}

// Events returns what has happened since it was last asked.
func (l *Leader) Events() []Event {
	events := l.events
	l.events = nil
	return events
}

func (l *Leader) event(now clock.Instant, e Event) {
	e.At = now
	l.events = append(l.events, e)
}

// concerns tells of a member as it stands.
func (l *Leader) concerns(now clock.Instant, kind EventKind, s *seat, text string) {
	l.event(now, Event{Kind: kind, Member: s.Index, Name: s.Name, Of: new(s.Share), Text: text})
}
