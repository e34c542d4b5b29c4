package protocol

import (
	"time"

	"loadgen/engine/clock"
)

// probeEvery is how long a probe is waited for before another is sent.
const probeEvery = 500 * time.Millisecond

// move sends what may be sent by now.
func (m *Member) move(now clock.Instant) {
	switch m.stage {
	case joining:
		if m.welcome && now >= m.nextBeat {
			m.welcome = false
			m.hello(now)
		}
	case fetching:
		for m.nextPart < m.joined.Parts && m.outbox.of(part) < maxParting {
			m.ask(now, &Ask{Fetch: &Fetch{Part: m.nextPart}}, part)
			m.nextPart++
		}
		m.measure(now)
	case working, sealing:
		for len(m.seconds) > 0 && m.outbox.of(second) < maxAsked {
			m.send(now, m.seconds[0].number, m.seconds[0].text, second)
			m.seconds = m.seconds[1:]
		}
	}
	if m.stage == sealing {
		m.hand(now)
	}
	if m.stage > joining && m.stage < leaving && now >= m.nextBeat {
		m.nextBeat = now.Add(beatEvery)
		m.ask(now, &Ask{Beat: &Beat{Ready: m.ready, Planned: m.planned, Offset: m.watch.now.ahead, Bound: m.watch.now.bound}}, once)
	}
}

// measure sends one probe after another, and has the member wait for its orders once the
// charge is there and the clock known as well as it gets.
func (m *Member) measure(now clock.Instant) {
	p := &m.probing
	enough := p.answered >= probesWanted && p.best.bound <= MaxClockBound || p.answered >= maxProbes
	switch {
	case enough && m.charge.Of > 0:
		m.watch = watch{now: p.best, on: true}
		m.stage, m.nextBeat = waiting, now
	case !enough && (len(p.left) == 0 || now.Sub(m.probe) >= probeEvery):
		m.probe = now
		p.left[m.ask(now, &Ask{Probe: &Probe{}}, once)] = now
	}
}

// hand sends the record once all seconds are known to be there, and leaves once it is.
func (m *Member) hand(now clock.Instant) {
	if len(m.seconds) > 0 || m.outbox.of(second) > 0 {
		return
	}
	for m.nextPart < len(m.parts) && m.outbox.of(part) < maxParting {
		one := *m.final
		one.Part, one.Bytes = m.nextPart, m.parts[m.nextPart]
		m.ask(now, &Ask{Final: &one}, part)
		m.nextPart++
	}
	switch {
	case m.nextPart < len(m.parts) || m.outbox.of(part) > 0:
	case m.charge.Follows:
		m.step.Follows = true
		m.finish()
	default:
		m.leave(now, "")
	}
}

// hello asks to join.
func (m *Member) hello(now clock.Instant) {
	m.ask(now, &Ask{Join: &Hello{Name: m.plan.Name, Version: m.plan.Version, Labels: m.plan.Labels}}, again)
}

// Next returns when the member has to be ticked, if nothing comes before.
func (m *Member) Next(now clock.Instant) clock.Instant {
	const often = 100 * time.Millisecond
	next := now.Add(often)
	if m.stage > joining && m.stage < leaving {
		next = min(next, max(now, m.nextBeat))
	}
	return next
}
