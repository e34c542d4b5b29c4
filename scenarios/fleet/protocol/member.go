package protocol

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
)

// MemberPlan configures a member.
type MemberPlan struct {
	// Name is unique in the fleet, Epoch among all processes.
	Name, Epoch string
	// Run is the run of a series that it takes part in, from 0.
	Run     uint64
	Version string
	Labels  map[string]string
	// Deadline is how long it looks for a leader.
	Deadline time.Duration
}

// Actions are what a member has to do next. Each is returned once.
type Actions struct {
	// Send are messages for the leader.
	Send [][]byte
	// Prepare is the assignment, once all have joined.
	Prepare *Assignment
	// Begin is when the run starts by the member's own clock, possibly in the past.
	Begin *clock.Instant
	// Step is the next step of a search, its Start by the member's own clock.
	Step *SearchStep
	// Stop is why the member has to hand in the record that it has.
	Stop string
	// Over says that the member is done, with an error Err if that is not nil. With Follows it is done with this run only.
	Over, Follows bool
	Err           error
}

// stage is the progress of a member.
type stage int

const (
	joining stage = iota
	fetching
	waiting
	working
	submitting
	leaving
	gone
)

// The limits of what a member has in flight.
const (
	// minProbes are sent before the first heartbeat, and up to maxProbes if the clock is not known well enough by then.
	minProbes, maxProbes = 16, 64
	// probeTimeout is how long the member waits for a probe before it sends another.
	probeTimeout = 500 * time.Millisecond
	// maxSecondsInFlight and maxPartsInFlight bound unanswered reports and parts, maxQueuedSeconds the reports that wait.
	maxSecondsInFlight, maxPartsInFlight, maxQueuedSeconds = 32, 4, 1024
)

// delivery is how a request without a reply is handled, and counted.
type delivery int

const (
	// reliable requests are sent again until there is a reply, like reports of seconds and parts, which are counted apart.
	reliable delivery = iota
	secondDelivery
	partDelivery
	// unreliable requests, and probes, are forgotten after a lease.
	unreliable
	probeDelivery
)

// sentRequest is a request in flight.
type sentRequest struct {
	number   uint64
	delivery delivery
	text     []byte
	// first is when it was sent, last when it was sent again.
	first, last clock.Instant
}

// Member sends requests to a leader. It belongs to one goroutine.
type Member struct {
	plan     MemberPlan
	stage    stage
	number   uint64
	inFlight []sentRequest
	actions  Actions

	began                             bool
	ticked, heard, deadline, nextBeat clock.Instant

	joined     Joined
	fetched    collector
	assignment Assignment
	clock      leaderClock
	probed     clock.Instant

	ready, begun, halted bool
	planned              uint64
	// waitsToJoin says that the leader has answered, and has no assignment yet; step is the last step that it ordered.
	waitsToJoin bool
	step        int

	reported, unreported uint64
	seconds              []sentRequest
	record               RecordPart
	parts                [][]byte
	nextPart             int
	// err is why it leaves, nil with its work done.
	err error
}

// NewMember returns a member before its first request.
func NewMember(p MemberPlan) *Member { return &Member{plan: p} }

// Tick lets time pass.
func (m *Member) Tick(now clock.Instant) Actions {
	m.pass(now)
	if m.stage == joining && m.number == 0 {
		m.sendJoin(now)
	}
	silence := now.Sub(m.heard)
	switch {
	case m.stage == gone:
	case m.stage == joining && m.plan.Run == 0 && now > m.deadline:
		m.end(fmt.Errorf("%w within %v", ErrNoLeader, m.plan.Deadline))
	case m.stage == leaving && silence > linger:
		m.end(m.err)
	case (m.stage > joining || m.plan.Run > 0) && silence > Lease:
		m.end(fmt.Errorf("%w: not heard of for %v", ErrLeaderLost, Lease))
	default:
		m.resend(now)
		m.advance(now)
	}
	return m.takeActions()
}

// Next returns when the member needs the next tick.
func (m *Member) Next(now clock.Instant) clock.Instant {
	next := now.Add(100 * time.Millisecond)
	if m.isMember() {
		next = min(next, max(now, m.nextBeat))
	}
	return next
}

// isMember reports whether the member sends heartbeats.
func (m *Member) isMember() bool { return m.stage > joining && m.stage < leaving }

// pass notes the time. If the process itself did not run for a while, it extends the leader's lease by that time.
func (m *Member) pass(now clock.Instant) {
	if !m.began {
		m.began, m.ticked = true, now
		m.heard, m.deadline = now, now.Add(m.plan.Deadline)
	} else if gap := now.Sub(m.ticked); gap > standstill {
		m.heard = m.heard.Add(gap)
	}
	m.ticked = max(m.ticked, now)
}

// Receive handles a message of the leader. It ignores a message that replies to no request in flight.
func (m *Member) Receive(now clock.Instant, text []byte) Actions {
	m.pass(now)
	reply, err := Decode[Reply](text)
	if err != nil {
		if m.stage == joining {
			m.end(fmt.Errorf("%w: %w", ErrRefused, err))
		}
		return m.takeActions()
	}
	isOpen := func(r sentRequest) bool { return r.number == reply.Number && reply.Run == m.plan.Run }
	at := slices.IndexFunc(m.inFlight, isOpen)
	if at < 0 || m.stage == gone {
		return m.takeActions()
	}
	// The reply to a request that was sent again counts from the first time, which can only make its offset less accurate.
	request := m.inFlight[at]
	m.inFlight = slices.Delete(m.inFlight, at, at+1)
	m.heard = max(m.heard, now)
	switch {
	case reply.Refused != "":
		m.end(fmt.Errorf("%w: %s", ErrRefused, reply.Refused))
	case m.stage == leaving, reply.Over:
		m.end(m.err)
	default:
		m.handle(now, reply, &request)
		m.advance(now)
	}
	return m.takeActions()
}

// handle handles a reply to a request.
func (m *Member) handle(now clock.Instant, reply *Reply, request *sentRequest) {
	// Until the clock is known, only probes are short enough to measure it.
	if request.delivery == probeDelivery || m.stage > fetching {
		m.clock.add(offsetOf(request.first, reply.At, now))
	}
	switch {
	case reply.Joined != nil && m.stage == joining:
		m.joined, m.stage, m.nextBeat = *reply.Joined, fetching, now
		m.fetched = newCollector(reply.Joined.Parts)
	case m.stage == joining:
		m.waitsToJoin, m.nextBeat = true, now.Add(beatEvery)
	case reply.Part != nil && m.stage == fetching:
		m.fetched.put(reply.Part.Part, reply.Part.Bytes)
		m.readAssignment(now)
	case reply.Directives != nil:
		m.follow(reply.Directives)
	}
}

// readAssignment reads the assignment once all of its parts have arrived.
func (m *Member) readAssignment(now clock.Instant) {
	if m.fetched.missing > 0 || m.assignment.Of > 0 {
		return
	}
	text, intact := m.fetched.join(m.joined.SHA256)
	m.fetched.parts = nil
	err := decodeStrictly(text, &m.assignment)
	if !intact || err == nil && digest(m.assignment.Scenario) != m.assignment.SHA256 {
		err = fmt.Errorf("%w: the digest of the assignment is wrong", ErrMalformed)
	}
	if err != nil {
		m.err = err
		m.leave(now, err.Error())
		return
	}
	m.assignment.Index, m.assignment.Of = m.joined.Index, m.joined.Of
}

// follow does what the leader directs, each thing once.
func (m *Member) follow(d *Directives) {
	if d.Stop != "" && !m.halted {
		m.halted, m.actions.Stop = true, d.Stop
	}
	if d.Prepare && m.stage == waiting {
		m.stage = working
		m.actions.Prepare = &m.assignment
	}
	if d.Start != nil && m.ready && !m.begun && !m.halted {
		m.begun = true
		m.actions.Begin = new(d.Start.Add(-m.clock.ahead))
	}
	if d.Step != nil && d.Step.Number == m.step+1 && m.begun && !m.halted {
		m.step++
		step := *d.Step
		step.Start = step.Start.Add(-m.clock.ahead)
		m.actions.Step = &step
	}
}

// whileWorking does something if the member carries out its share.
func (m *Member) whileWorking(now clock.Instant, do func()) Actions {
	if m.pass(now); m.stage == working {
		do()
		m.advance(now)
	}
	return m.takeActions()
}

// ReportResult sends the result of a step.
func (m *Member) ReportResult(now clock.Instant, step int, result json.RawMessage) Actions {
	return m.whileWorking(now, func() { m.request(now, &Request{Result: &StepResult{Step: step, Result: result}}, reliable) })
}

// SetReady says that the share is prepared, with its number of operations.
func (m *Member) SetReady(now clock.Instant, planned uint64) Actions {
	return m.whileWorking(now, func() {
		if !m.ready {
			m.ready, m.planned, m.nextBeat = true, planned, now
		}
	})
}

// ReportSecond sends a second of the run, in the order of the calls. It does not retain s.
func (m *Member) ReportSecond(now clock.Instant, s *Second) Actions {
	return m.whileWorking(now, func() {
		text, err := m.encode(&Request{Second: &SecondReport{Sequence: m.reported, Second: *s}})
		if err != nil || len(text) > MaxBytes || len(m.seconds) >= maxQueuedSeconds {
			m.unreported++
			return
		}
		m.reported++
		m.seconds = append(m.seconds, sentRequest{number: m.number, delivery: secondDelivery, text: text})
	})
}

// Submit hands in the member's record, which ends its work. Partial is why the record does not have the whole share, empty
// if it does.
func (m *Member) Submit(now clock.Instant, record []byte, counts results.Counts, partial string) Actions {
	parts := split(record)
	if len(parts) > maxParts && m.stage == working {
		return m.Fail(now, fmt.Sprintf("its record has %d bytes, maximum %d", len(record), maxParts*partBytes))
	}
	return m.whileWorking(now, func() {
		m.stage, m.nextPart, m.parts = submitting, 0, parts
		m.record = RecordPart{Parts: len(parts), SHA256: digest(record), Reported: m.reported, Unreported: m.unreported, Counts: counts, Partial: clip(partial)}
	})
}

// Fail leaves the fleet without a record.
func (m *Member) Fail(now clock.Instant, reason string) Actions {
	m.pass(now)
	if m.stage == joining && m.plan.Run == 0 || m.stage == gone {
		m.end(m.err)
	} else {
		m.leave(now, reason)
	}
	return m.takeActions()
}

// Interrupt leaves the fleet if the share has not started. Otherwise the caller submits a partial record, or fails.
func (m *Member) Interrupt(now clock.Instant, reason string) Actions {
	if m.stage < working {
		return m.Fail(now, reason)
	}
	m.pass(now)
	return m.takeActions()
}

func (m *Member) leave(now clock.Instant, reason string) {
	m.stage, m.heard, m.inFlight = leaving, now, nil
	m.request(now, &Request{Leave: &Leave{Reason: clip(reason)}}, reliable)
}

// clip returns a reason with at most the allowed length.
func clip(text string) string {
	const maxReason = 512
	if len(text) <= maxReason {
		return text
	}
	return string([]rune(text[:maxReason])) + " …"
}

func (m *Member) end(err error) {
	m.stage = gone
	m.actions.Over, m.actions.Err = true, err
}

func (m *Member) takeActions() Actions {
	actions := m.actions
	m.actions = Actions{}
	return actions
}

// advance sends what may be sent by now.
func (m *Member) advance(now clock.Instant) {
	switch m.stage {
	case joining:
		if m.waitsToJoin && now >= m.nextBeat {
			m.waitsToJoin = false
			m.sendJoin(now)
		}
	case fetching:
		for m.nextPart < m.joined.Parts && m.count(partDelivery) < maxPartsInFlight {
			m.request(now, &Request{Fetch: &Fetch{Part: m.nextPart}}, partDelivery)
			m.nextPart++
		}
		m.sendProbe(now)
	case working, submitting:
		for len(m.seconds) > 0 && m.count(secondDelivery) < maxSecondsInFlight {
			m.send(now, m.seconds[0])
			m.seconds = m.seconds[1:]
		}
	}
	if m.stage == submitting && len(m.seconds) == 0 && m.count(secondDelivery) == 0 {
		m.sendRecord(now)
	}
	if m.isMember() && now >= m.nextBeat {
		m.nextBeat = now.Add(beatEvery)
		m.request(now, &Request{Beat: &Heartbeat{Ready: m.ready, Planned: m.planned, Offset: m.clock.ahead, Bound: m.clock.bound}}, unreliable)
	}
}

// sendJoin asks for a place.
func (m *Member) sendJoin(now clock.Instant) {
	m.request(now, &Request{Join: &Join{Name: m.plan.Name, Version: m.plan.Version, Labels: m.plan.Labels}}, reliable)
}

// sendProbe sends one probe after another until the clock is known. With the assignment, too, the member then waits.
func (m *Member) sendProbe(now clock.Instant) {
	enough := m.clock.replies >= minProbes && m.clock.bound <= MaxClockBound || m.clock.replies >= maxProbes
	switch {
	case enough && m.assignment.Of > 0:
		m.stage, m.nextBeat = waiting, now
	case !enough && (m.count(probeDelivery) == 0 || now.Sub(m.probed) >= probeTimeout):
		m.probed = now
		m.request(now, &Request{Probe: &Probe{}}, probeDelivery)
	}
}

// sendRecord sends the record, and leaves once all of it has arrived.
func (m *Member) sendRecord(now clock.Instant) {
	for m.nextPart < len(m.parts) && m.count(partDelivery) < maxPartsInFlight {
		part := m.record
		part.Part, part.Bytes = m.nextPart, m.parts[m.nextPart]
		m.request(now, &Request{Record: &part}, partDelivery)
		m.nextPart++
	}
	switch {
	case m.nextPart < len(m.parts) || m.count(partDelivery) > 0:
	case m.assignment.Follows:
		m.actions.Follows = true
		m.end(m.err)
	default:
		m.leave(now, "")
	}
}

// encode numbers a request and returns its text.
func (m *Member) encode(r *Request) ([]byte, error) {
	m.number++
	r.SchemaVersion, r.Epoch, r.Run, r.Number = SchemaVersion, m.plan.Epoch, m.plan.Run, m.number
	return json.Marshal(r)
}

// request sends a new request.
func (m *Member) request(now clock.Instant, r *Request, d delivery) {
	text, err := m.encode(r)
	if err != nil {
		m.end(err)
		return
	}
	m.send(now, sentRequest{number: m.number, delivery: d, text: text})
}

func (m *Member) send(now clock.Instant, r sentRequest) {
	r.first, r.last = now, now
	m.inFlight = append(m.inFlight, r)
	m.actions.Send = append(m.actions.Send, r.text)
}

// resend sends requests without a reply again, and forgets unreliable ones.
func (m *Member) resend(now clock.Instant) {
	m.inFlight = slices.DeleteFunc(m.inFlight, func(r sentRequest) bool { return r.delivery >= unreliable && now.Sub(r.first) > Lease })
	for i := range m.inFlight {
		if r := &m.inFlight[i]; r.delivery < unreliable && now.Sub(r.last) >= resendAfter {
			r.last = now
			m.actions.Send = append(m.actions.Send, r.text)
		}
	}
}

// count returns the number of requests in flight with a delivery.
func (m *Member) count(d delivery) (count int) {
	for i := range m.inFlight {
		if m.inFlight[i].delivery == d {
			count++
		}
	}
	return count
}

// offset is the difference of two clocks, the other minus the own, with an error of at most bound.
type offset struct {
	ahead, bound time.Duration
}

// offsetOf returns the offset of the clock that read an instant between two instants of the own clock: seen minus the middle
// of the two, with an error of at most half of the time between them (Cristian 1989).
func offsetOf(sent, seen, received clock.Instant) offset {
	trip := received.Sub(sent)
	return offset{ahead: seen.Sub(sent) - trip/2, bound: (trip + 1) / 2}
}

// leaderClock is a member's estimate of the leader's clock, by the replies that it got.
type leaderClock struct {
	offset
	replies int
	// age is the number of replies since the offset was measured.
	age int
}

// maxAge is the age from which on a slower reply replaces the offset: clocks drift by some parts in a million, and by some
// in ten thousand while they are adjusted.
const maxAge = 40

// add takes an offset that is more accurate, and one that is accurate enough if it contradicts the present one or that is
// old. A reply with a long delay may have been sent before a clock moved.
func (c *leaderClock) add(o offset) {
	c.replies++
	c.age++
	moved := (o.ahead - c.ahead).Abs() > o.bound+c.bound
	if c.replies == 1 || o.bound <= c.bound || (moved || c.age > maxAge) && o.bound <= MaxClockBound {
		c.offset, c.age = o, 0
	}
}
