package protocol

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
)

// MemberPlan is what a member goes by.
type MemberPlan struct {
	// Name is unlike all others of the fleet, Epoch unlike that of every process.
	Name, Epoch string
	// Run is which of a series of runs it takes part in, from 0.
	Run     uint64
	Version string
	Labels  map[string]string
	// Deadline is how long it looks for a leader.
	Deadline time.Duration
}

// Step is what a member has to do next. What has been returned once is not returned again.
type Step struct {
	// Send are messages for the leader.
	Send [][]byte
	// Prepare is its charge, once all have joined.
	Prepare *Charge
	// Begin is when the run starts, by the member's own clock; it may be past.
	Begin *clock.Instant
	// Turn is what to offer next, its Start by the member's own clock.
	Turn *Turn
	// Stop is why it has to seal what there is.
	Stop string
	// Over says that it is done with the fleet, for Err where that is not nil, or with this run
	// alone where another Follows.
	Over, Follows bool
	Err           error
}

// stage is how far a member is.
type stage int

const (
	joining stage = iota
	fetching
	waiting
	working
	sealing
	leaving
	gone
)

// The bounds of what a member has under way.
const (
	// probesWanted are sent before the first beat, maxProbes where the clock is not known
	// well enough by then.
	probesWanted, maxProbes = 16, 64
	// maxAsked are the seconds and parts on their way at once, maxQueued those that wait.
	maxAsked, maxParting, maxQueued = 32, 4, 1024
)

// Member asks a leader. It belongs to one goroutine.
type Member struct {
	plan   MemberPlan
	stage  stage
	number uint64
	outbox outbox
	step   Step

	began                             bool
	ticked, heard, deadline, nextBeat clock.Instant

	joined  Joined
	fetched gathered
	charge  Charge
	probing probing
	probe   clock.Instant
	watch   watch

	prepared, ready, begun, halted bool
	planned                        uint64
	// welcome says that the leader has answered, and has no charge for it yet; turn is the last
	// that it was given.
	welcome bool
	turn    int

	told, untold uint64
	seconds      []queued
	final        *Final
	parts        [][]byte
	nextPart     int
	// err is why it leaves, nil where its work is done.
	err error
}

// queued is a second that waits to be sent.
type queued struct {
	number uint64
	text   []byte
}

// NewMember returns a member that has not said anything.
func NewMember(p MemberPlan) *Member { return &Member{plan: p} }

// Tick lets time pass.
func (m *Member) Tick(now clock.Instant) Step {
	m.pass(now)
	if m.stage == gone {
		return m.take()
	}
	if m.stage == joining && m.number == 0 {
		m.hello(now)
	}
	switch {
	case m.stage == joining && m.plan.Run == 0 && now > m.deadline:
		m.over(fmt.Errorf("%w within %v", ErrNoLeader, m.plan.Deadline))
	case m.stage == leaving && now.Sub(m.heard) > linger:
		m.finish()
	case (m.stage > joining || m.plan.Run > 0) && now.Sub(m.heard) > Lease:
		m.over(fmt.Errorf("%w: not heard of for %v", ErrLeaderLost, Lease))
	default:
		m.step.Send = append(m.step.Send, m.outbox.due(now)...)
		m.move(now)
	}
	return m.take()
}

// pass takes note of the time. While the process itself stood still it could not hear
// anybody, and asks before it gives the leader up.
func (m *Member) pass(now clock.Instant) {
	if !m.began {
		m.began, m.ticked = true, now
		m.heard, m.deadline = now, now.Add(m.plan.Deadline)
	} else if gap := now.Sub(m.ticked); gap > standstill {
		m.heard = m.heard.Add(gap)
	}
	m.ticked = max(m.ticked, now)
}

// On takes what the leader says. What is no answer to an open ask is nothing.
func (m *Member) On(now clock.Instant, text []byte) Step {
	m.pass(now)
	var answer Answer
	if err := Decode(text, &answer); err != nil {
		if m.stage == joining {
			m.over(fmt.Errorf("%w: %w", ErrRefused, err))
		}
		return m.take()
	}
	if answer.Run != m.plan.Run {
		return m.take() // of another run of the series
	}
	at := slices.IndexFunc(m.outbox.open, func(a asked) bool { return a.number == answer.Number })
	if at < 0 || m.stage == gone {
		return m.take()
	}
	// Which time an ask that was sent again is answered is not known. It counts from the first: its
	// trip is then no better than it was.
	left := m.outbox.open[at].first
	m.outbox.open = slices.Delete(m.outbox.open, at, at+1)
	m.heard = max(m.heard, now)
	switch {
	case answer.Refused != "":
		m.over(fmt.Errorf("%w: %s", ErrRefused, answer.Refused))
		return m.take()
	case m.stage == leaving, answer.Over:
		m.finish()
		return m.take()
	}
	m.watch.see(probed(left, answer.At, now))
	switch {
	case answer.Joined != nil && m.stage == joining:
		m.joined, m.stage, m.nextBeat = *answer.Joined, fetching, now
		m.fetched = gather(answer.Joined.Parts)
		m.probing = probing{left: make(map[uint64]clock.Instant)}
	case m.stage == joining:
		m.welcome, m.nextBeat = true, now.Add(beatEvery)
	case answer.Part != nil && m.stage == fetching:
		m.fetched.put(answer.Part.Part, answer.Part.Bytes)
		m.readCharge(now)
	case answer.Orders != nil:
		m.follow(answer.Orders)
	}
	if m.stage == fetching {
		m.probing.back(answer.Number, answer.At, now)
	}
	m.move(now)
	return m.take()
}

// understand reads the charge, once all of it is there.
func (m *Member) readCharge(now clock.Instant) {
	if m.fetched.misses > 0 || m.charge.Of > 0 {
		return
	}
	text, sound := m.fetched.whole(m.joined.SHA256)
	m.fetched.parts = nil
	if !sound {
		m.quit(now, fmt.Errorf("%w: the digest of its assignment is wrong", ErrMalformed))
		return
	}
	if err := decode(text, &m.charge); err != nil {
		m.quit(now, err)
		return
	}
	if got := digest(m.charge.Scenario); got != m.charge.SHA256 {
		m.quit(now, fmt.Errorf("%w: the scenario's hash is %.12s, expected %.12s", ErrMalformed, got, m.charge.SHA256))
		return
	}
	m.charge.Index, m.charge.Of = m.joined.Index, m.joined.Of
}

// obey does what the leader orders, each thing once.
func (m *Member) follow(o *Orders) {
	if o.Stop != "" && !m.halted {
		m.halted, m.step.Stop = true, o.Stop
	}
	if o.Prepare && m.stage == waiting {
		m.stage, m.prepared = working, true
		m.step.Prepare = &m.charge
	}
	if o.Start != nil && m.ready && !m.begun && !m.halted {
		m.begun = true
		m.step.Begin = new(o.Start.Add(-m.watch.now.ahead))
	}
	if o.Turn != nil && o.Turn.Number == m.turn+1 && m.begun && !m.halted {
		m.turn++
		turn := *o.Turn
		turn.Start = turn.Start.Add(-m.watch.now.ahead)
		m.step.Turn = &turn
	}
}

// Came tells what came of a turn.
func (m *Member) Came(now clock.Instant, turn int, what json.RawMessage) Step {
	m.pass(now)
	if m.stage == working {
		m.ask(now, &Ask{Came: &Came{Turn: turn, What: what}}, again)
	}
	return m.take()
}

// Ready says that the share is prepared, and how many operations it comes to.
func (m *Member) Ready(now clock.Instant, planned uint64) Step {
	m.pass(now)
	if m.stage == working && !m.ready {
		m.ready, m.planned, m.nextBeat = true, planned, now
		m.move(now)
	}
	return m.take()
}

// Second tells a second of the run, in the order of the calls. It keeps nothing of it.
func (m *Member) Second(now clock.Instant, s *Second) Step {
	m.pass(now)
	if m.stage != working {
		return m.take()
	}
	m.number++
	text, err := json.Marshal(&Ask{SchemaVersion: SchemaVersion, Epoch: m.plan.Epoch, Run: m.plan.Run, Number: m.number, Told: &Report{Sequence: m.told, Second: *s}})
	if err != nil || len(text) > MaxBytes || len(m.seconds) >= maxQueued {
		m.untold++
		return m.take()
	}
	m.told++
	m.seconds = append(m.seconds, queued{m.number, text})
	m.move(now)
	return m.take()
}

// HandIn hands in the member's record, which ends its work: partial is why it is not of the
// whole share, empty where it is.
func (m *Member) HandIn(now clock.Instant, record []byte, counts results.Counts, partial string) Step {
	m.pass(now)
	if m.stage != working {
		return m.take()
	}
	m.parts = split(record)
	if len(m.parts) > maxParts {
		return m.Fail(now, fmt.Sprintf("its record has %d bytes, maximum %d", len(record), maxParts*partBytes))
	}
	m.stage, m.nextPart = sealing, 0
	m.final = &Final{Parts: len(m.parts), SHA256: digest(record), Told: m.told, Untold: m.untold, Counts: counts, Partial: clipped(partial)}
	m.move(now)
	return m.take()
}

// Fail says goodbye without a record.
func (m *Member) Fail(now clock.Instant, reason string) Step {
	m.pass(now)
	if m.stage == joining && m.plan.Run == 0 || m.stage == gone {
		m.finish()
		return m.take()
	}
	m.leave(now, clipped(reason))
	return m.take()
}

// Interrupt says goodbye where there is no share to seal yet. One that is being carried out
// is sealed or fails by whoever does it.
func (m *Member) Interrupt(now clock.Instant, reason string) Step {
	if m.stage < working {
		return m.Fail(now, reason)
	}
	m.pass(now)
	return m.take()
}

func (m *Member) leave(now clock.Instant, reason string) {
	m.stage, m.heard = leaving, now
	m.outbox.open = nil
	m.ask(now, &Ask{Leave: &Leave{Reason: reason}}, again)
}

// quit goes because of a fault that the leader is told, too.
func (m *Member) quit(now clock.Instant, err error) {
	m.err = err
	m.leave(now, clipped(err.Error()))
}

// clipped is a reason as long as one may be.
func clipped(text string) string {
	const most = maxTextBytes / 2
	if len(text) <= most {
		return text
	}
	return string([]rune(text[:most])) + " …"
}

func (m *Member) over(err error) {
	m.stage = gone
	m.step.Over, m.step.Err = true, err
}

func (m *Member) finish() { m.over(m.err) }

func (m *Member) take() Step {
	step := m.step
	m.step = Step{}
	return step
}

// digest is a hash in hexadecimal digits.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// split returns bytes as parts for one message each, at least one.
func split(text []byte) [][]byte {
	var parts [][]byte
	for len(text) > partBytes {
		parts = append(parts, text[:partBytes])
		text = text[partBytes:]
	}
	return append(parts, text)
}

// gathered are parts that arrive in any order, and more than once. The zero value waits
// for nothing.
type gathered struct {
	parts  [][]byte
	had    []bool
	misses int
}

// gather returns a collection for a number of parts.
func gather(parts int) gathered {
	return gathered{parts: make([][]byte, parts), had: make([]bool, parts), misses: parts}
}

// put keeps a part, unless it has it.
func (g *gathered) put(part int, text []byte) {
	if part >= len(g.parts) || g.had[part] {
		return
	}
	g.parts[part], g.had[part] = text, true
	g.misses--
}

// whole returns all bytes, and whether they have the digest. Every part must be there.
func (g *gathered) whole(sha256 string) (text []byte, sound bool) {
	for _, part := range g.parts {
		text = append(text, part...)
	}
	return text, digest(text) == sha256
}
