package protocol

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
)

// phase is the progress of a run. In the lobby members join, and while draining they hand in their records.
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
	plan       Plan
	assignment [][]byte
	digest     string

	// run is the number of the run in a series, from 0; last says that none follows.
	run  uint64
	last bool

	phase phase
	// step is the current step of a search; short says that the search ended early because a member was lost.
	step  *SearchStep
	short bool
	// seats are the places of the members, nil if free; known are all that ever joined, by epoch.
	seats []*seat
	known map[string]*seat
	// began says that the leader has ticked, the last time at ticked. All members have to join before the deadline.
	began            bool
	ticked, deadline clock.Instant
	// start is the agreed instant. After a stop, for a reason, records are accepted until an instant. ended is the end of
	// the run.
	start, until, ended clock.Instant
	stop                string
	// stopped says that the stop was requested, and is not due to a loss.
	stopped bool
	err     error

	events []Event
	notes  map[string]int
	// stood is the longest time for which the leader itself did not run.
	stood time.Duration
}

// NewLeader returns the leader of a plan. It fails if the assignment is too large.
func NewLeader(p Plan) (*Leader, error) {
	p.StartAfter, p.Drain = cmp.Or(p.StartAfter, startAfter), cmp.Or(p.Drain, time.Minute)
	l := &Leader{plan: p, seats: make([]*seat, p.Members), known: make(map[string]*seat), notes: make(map[string]int), deadline: clock.Never}
	return l, l.setAssignment(p.Assignment)
}

func (l *Leader) setAssignment(a Assignment) error {
	a.SHA256 = digest(a.Scenario)
	text, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("assignment: %w", err)
	}
	parts := split(text)
	if len(parts) > maxParts {
		return fmt.Errorf("assignment: %d bytes; expected at most %d", len(text), maxParts*partBytes)
	}
	l.assignment, l.digest = parts, digest(text)
	return nil
}

// Next returns the leader of the next run of a series, whose members keep their places and wait for [Leader.Assign]. It is
// nil unless this run is over, no member was lost, and it was not stopped.
func (l *Leader) Next() *Leader {
	incomplete := func(s *seat) bool { return s == nil || !s.ended || s.early }
	if l.phase != over || l.err != nil || l.stop != "" || slices.ContainsFunc(l.seats, incomplete) {
		return nil
	}
	n := &Leader{plan: l.plan, run: l.run + 1, known: make(map[string]*seat), notes: make(map[string]int), began: l.began, ticked: l.ticked, deadline: clock.Never}
	n.plan.Search = nil
	for _, s := range l.seats {
		next := newSeat(s.Epoch, results.FleetMember{Index: s.Index, Name: s.Name, Labels: s.Labels}, l.ticked)
		n.seats, n.known[s.Epoch] = append(n.seats, next), next
	}
	return n
}

// Assign sets the assignment of a later run, and what chooses its steps, nil for none.
func (l *Leader) Assign(a Assignment, search Search) error {
	l.plan.Search = search
	err := l.setAssignment(a)
	l.prepareIfComplete()
	return err
}

// End ends a series: members that ask for another run learn that none follows.
func (l *Leader) End(now clock.Instant) {
	l.last, l.phase, l.ended = true, over, now
}

// Receive handles a message of a member, whose epoch the bus has verified, and returns the reply, nil for none. It also
// answers requests of the previous and the next run of a series.
func (l *Leader) Receive(now clock.Instant, epoch string, text []byte) []byte {
	l.pass(now)
	s := l.known[epoch]
	if s != nil && s.isFlooding(now) {
		if s.isActive() && l.err == nil {
			l.lose(now, s, fmt.Sprintf("it sent more than %d messages in a second", maxMessages))
		}
		l.notes[ignoredNote]++
		return nil
	}
	if s != nil && s.Lost != "" {
		// Its messages are not worth the time that decoding them takes.
		l.notes[ignoredNote]++
		h := headerOf(text)
		return encode(&Reply{Run: h.Run, Number: h.Number, At: now, Refused: "it was expelled (" + s.Lost + ") and cannot rejoin the run"})
	}
	request, err := Decode[Request](text)
	if err == nil && request.Epoch == epoch && (s == nil || request.Run <= l.run+1) {
		reply := l.handle(now, s, request)
		if reply == nil {
			return nil
		}
		reply.Run, reply.Number, reply.At = request.Run, request.Number, now
		return encode(reply)
	}
	if err == nil {
		err = fmt.Errorf("%w: it is of another member or run", ErrMalformed)
	}
	l.notes[malformedNote]++
	h := headerOf(text)
	switch {
	case errors.Is(err, ErrOtherVersion):
	case s.isActive() && l.err == nil:
		// The member would send it again without end, and the others would wait for it.
		l.lose(now, s, clip(fmt.Sprintf("it sent an invalid message: %v", err)))
		err = errors.New(s.Lost)
	default:
		return nil
	}
	return encode(&Reply{Run: h.Run, Number: h.Number, At: now, Refused: err.Error()})
}

// encode returns the text of a reply. Nothing in a reply can fail to encode.
func encode(r *Reply) []byte {
	r.SchemaVersion = SchemaVersion
	text, _ := json.Marshal(r)
	return text
}

// handle handles a request of any run.
func (l *Leader) handle(now clock.Instant, s *seat, r *Request) *Reply {
	switch {
	case s == nil && (r.Join == nil || r.Run > l.run):
		return &Reply{Refused: "it joined another leader"}
	case s == nil:
		return l.join(now, r)
	case r.Run > l.run:
		// It has finished this run.
		s.heard, s.gone = now, l.last
		return &Reply{Over: l.last}
	case r.Run < l.run:
		// That run is over and complete, so everything has arrived before.
		l.notes[lateNote]++
		s.heard = now
		return &Reply{}
	case l.last && l.err == nil && r.Join != nil && !s.ended:
		s.gone = true
		return &Reply{Over: true}
	case l.err != nil:
		s.gone = true
		return &Reply{Refused: l.err.Error()}
	}
	s.heard = now
	body, _ := r.body()
	return body.handle(l, now, s)
}

// body is what a request has one of: what its leader does in reply to an active member.
type body interface {
	handle(l *Leader, now clock.Instant, s *seat) *Reply
}

// body returns the body of a request, and the number of them.
func (r *Request) body() (found body, count int) {
	v := reflect.ValueOf(r).Elem()
	for i := range v.NumField() {
		if one, is := v.Field(i).Interface().(body); is && !v.Field(i).IsNil() {
			found = one
			count++
		}
	}
	return found, count
}

// join gives a new member a place.
func (l *Leader) join(now clock.Instant, r *Request) *Reply {
	if reason := l.joinRefusal(r.Join); reason != "" {
		if l.notes[refusedNote]++; l.notes[refusedNote] <= maxRefusals {
			l.event(Event{Kind: MemberRefused, Member: -1, Name: r.Join.Name, Text: reason})
		}
		return &Reply{Refused: reason}
	}
	free := slices.Index(l.seats, nil)
	s := newSeat(r.Epoch, results.FleetMember{Index: free, Name: r.Join.Name, Labels: r.Join.Labels}, now)
	l.seats[free], l.known[r.Epoch] = s, s
	return r.Join.handle(l, now, s)
}

// joinRefusal returns why a new member is refused, empty if it is accepted.
func (l *Leader) joinRefusal(j *Join) string {
	if l.err != nil {
		return l.err.Error()
	}
	if j.Version != l.plan.Version {
		return fmt.Sprintf("%s is build %q, the leader %q; use the same build everywhere", j.Name, j.Version, l.plan.Version)
	}
	for _, s := range l.known {
		switch {
		case s.Name != j.Name:
		case s.Lost == "":
			return fmt.Sprintf("a member %s exists already; use unique names", j.Name)
		case l.phase != lobby:
			return fmt.Sprintf("%s was expelled (%s) and cannot rejoin the run", j.Name, s.Lost)
		}
	}
	if l.phase != lobby || l.run > 0 || len(l.known) > 4*l.plan.Members+100 {
		return fmt.Sprintf("the fleet has its %d members", l.plan.Members)
	}
	return ""
}

// joined returns the number of members that have joined.
func (l *Leader) joined() (count int) {
	for _, s := range l.seats {
		if s != nil && s.joined {
			count++
		}
	}
	return count
}

// prepareIfComplete lets the members prepare once all have joined.
func (l *Leader) prepareIfComplete() {
	if l.phase == lobby && l.assignment != nil && l.joined() == l.plan.Members {
		l.phase = preparing
	}
}

// Tick lets time pass. Callers call it a few times a second, after all messages that have arrived.
func (l *Leader) Tick(now clock.Instant) {
	l.pass(now)
	for s := range l.active() {
		if now.Sub(s.heard) > Lease {
			l.lose(now, s, fmt.Sprintf("not heard of for %v", Lease))
		}
	}
	switch {
	case l.phase == lobby && now > l.deadline:
		l.fail(now, fmt.Errorf("%w: %d of %d within %v%s", ErrFewer, l.joined(), l.plan.Members, l.plan.Deadline, l.names()))
	case l.phase == draining && now > l.until:
		for s := range l.active() {
			l.lose(now, s, fmt.Sprintf("its record did not arrive within %v after the stop", l.plan.Drain))
		}
	}
	l.endIfDone(now)
}

// active yields the members that are neither lost nor done.
func (l *Leader) active() iter.Seq[*seat] {
	return func(yield func(*seat) bool) {
		for _, s := range l.seats {
			if s.isActive() && !yield(s) {
				return
			}
		}
	}
}

// names lists the members that have joined.
func (l *Leader) names() string {
	var names []string
	for _, s := range l.seats {
		if s != nil {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ": " + clip(strings.Join(names, ", "))
}

// pass notes the time. If the leader's own process did not run for a while, all leases are extended by that time.
func (l *Leader) pass(now clock.Instant) {
	if !l.began {
		l.began, l.ticked = true, now
		l.deadline = now.Add(l.plan.Deadline)
	} else if gap := now.Sub(l.ticked); gap > standstill {
		l.stood = max(l.stood, gap)
		for _, s := range l.seats {
			if s != nil {
				s.heard = s.heard.Add(gap)
			}
		}
	}
	l.ticked = max(l.ticked, now)
}

// Stop ends the run early, for a reason that all members learn.
func (l *Leader) Stop(now clock.Instant, reason string) {
	l.stopped = l.stopped || l.phase == running
	l.abort(now, ErrStopped, reason)
}

// abort ends a run early: one that has not started fails with an error, and in one that runs the members hand in the
// records that they have.
func (l *Leader) abort(now clock.Instant, unready error, reason string) {
	switch l.phase {
	case lobby, preparing:
		l.fail(now, fmt.Errorf("%w: %s", unready, reason))
	case running:
		l.phase, l.stop, l.until = draining, reason, now.Add(l.plan.Drain)
		l.event(Event{Kind: RunStopped, Member: -1, Text: "the run stops: " + reason})
		l.endIfDone(now)
	}
}

// fail ends a fleet that has not started a run.
func (l *Leader) fail(now clock.Instant, err error) {
	l.err, l.phase, l.ended = err, over, now
	l.event(Event{Kind: RunStopped, Member: -1, Text: err.Error()})
}

// endIfDone ends the run once all members are lost or done.
func (l *Leader) endIfDone(now clock.Instant) {
	if l.phase == running || l.phase == draining {
		for range l.active() {
			return
		}
		l.phase, l.ended = over, now
	}
}

// orderStep orders the next step of a search: the first when the run starts, and each other once all members have reported
// their results. After a loss none follows, because the lost share would be missing.
func (l *Leader) orderStep(now clock.Instant) {
	if l.plan.Search == nil || l.phase != running || l.step != nil && l.step.What == nil {
		return
	}
	var reported []json.RawMessage
	lost, step := false, &SearchStep{Number: 1, Start: l.start}
	if l.step != nil {
		for _, s := range l.seats {
			if s.isActive() && s.result == nil {
				return
			}
			lost = lost || !s.isActive()
			reported = append(reported, s.result)
		}
		step.Number = l.step.Number + 1
		// Steps start on a whole second of the run.
		ahead := now.Add(l.plan.StartAfter).Sub(l.start)
		step.Start = l.start.Add((ahead + time.Second - 1).Truncate(time.Second))
	}
	if l.short = lost; !lost {
		var err error
		if step.What, err = l.plan.Search.Next(reported); err != nil {
			l.abort(now, ErrUnready, err.Error())
			return
		}
	}
	for _, s := range l.seats {
		s.result = nil
	}
	if l.step = step; step.What != nil {
		l.event(Event{Kind: StepOrdered, Member: -1, Wait: step.Start.Sub(now), Text: fmt.Sprintf("step %d", step.Number)})
	}
}

// IsOver reports whether the outcome is final.
func (l *Leader) IsOver() bool { return l.phase == over }

// MayExit reports whether the leader may exit: the run is over, and all members know or were given the time to.
func (l *Leader) MayExit(now clock.Instant) bool {
	waiting := func(s *seat) bool { return s != nil && s.Lost == "" && !s.gone }
	return l.phase == over && (now.Sub(l.ended) > linger || !slices.ContainsFunc(l.seats, waiting))
}

// Events returns the events since the last call.
func (l *Leader) Events() []Event {
	events := l.events
	l.events = nil
	return events
}

func (l *Leader) event(e Event) { l.events = append(l.events, e) }

// memberEvent adds an event about a member.
func (l *Leader) memberEvent(kind EventKind, s *seat, text string) {
	l.event(Event{Kind: kind, Member: s.Index, Name: s.Name, Share: new(s.Share), Text: text})
}

// Outcome is the result of a run that is over.
type Outcome struct {
	// Shares are the members in the order of their places.
	Shares []Share
	// Start is the agreed instant by the leader's clock, 0 for none.
	Start clock.Instant
	// Skew is the maximum difference of the instants at which two members started, of those that reported it.
	Skew time.Duration
	// Faults are why the run is incomplete, and Notes further remarks, as sentences.
	Faults []string
	Notes  []string
}

// The notes on messages that a leader counts.
const (
	refusedNote   = "Asks to join that were refused: %d."
	ignoredNote   = "Ignored messages of expelled members: %d."
	duplicateNote = "Ignored duplicate seconds: %d."
	lateNote      = "Ignored messages of the previous run: %d."
	malformedNote = "Dropped invalid messages: %d."
)

// Outcome returns the result of the run, and why it did not start.
func (l *Leader) Outcome() (Outcome, error) {
	o := Outcome{Start: l.start}
	if l.stopped {
		o.Faults = append(o.Faults, "The run was stopped: "+l.stop+".")
	}
	var delays []time.Duration
	for _, s := range l.seats {
		if s == nil {
			continue
		}
		o.Shares = append(o.Shares, s.Share)
		faults, notes := s.remarks()
		o.Faults, o.Notes = append(o.Faults, faults...), append(o.Notes, notes...)
		if s.BeganLate != nil {
			delays = append(delays, *s.BeganLate)
		}
	}
	if len(delays) > 0 {
		o.Skew = slices.Max(delays) - slices.Min(delays)
	}
	if l.short {
		o.Faults = append(o.Faults, "Stopped: the remaining members would send less load.")
	}
	for _, note := range slices.Sorted(maps.Keys(l.notes)) {
		o.Notes = append(o.Notes, fmt.Sprintf(note, l.notes[note]))
	}
	if l.stood > 0 {
		o.Notes = append(o.Notes, fmt.Sprintf("The leader itself stood still for %v.", l.stood.Round(time.Millisecond)))
	}
	return o, l.err
}

// remarks returns why a member's share is incomplete, and further remarks on it.
func (s *seat) remarks() (faults, notes []string) {
	sentence := func(format string, args ...any) string { return s.Name + " " + fmt.Sprintf(format, args...) + "." }
	if s.BeganLate != nil && *s.BeganLate > MaxLate {
		notes = append(notes, sentence("began %v after the agreed instant", s.BeganLate.Round(time.Millisecond)))
	}
	if s.Lost != "" {
		return []string{sentence("was lost: %s; %d of its seconds arrived, with %d operations due; its other load is unknown",
			s.Lost, s.Seconds, s.Counts.Scheduled)}, notes
	}
	if s.early {
		faults = append(faults, sentence("ended early: %s", s.Partial))
	}
	if s.final != nil && s.Missing == 0 && !s.Counts.Equal(&s.final.Counts) {
		faults = append(faults, sentence("reported seconds of %d operations due and %d attempts, and its record has %d and %d",
			s.Counts.Scheduled, s.Counts.Attempts, s.final.Counts.Scheduled, s.final.Counts.Attempts))
	}
	if s.ClockDrift > MaxClockDrift {
		faults = append(faults, sentence("has a clock that drifted by %v against the leader's: its seconds do not match", s.ClockDrift.Round(time.Millisecond)))
	}
	if s.Missing > 0 {
		notes = append(notes, sentence("had %d seconds missing from the live view; its record has them", s.Missing))
	}
	return faults, notes
}
