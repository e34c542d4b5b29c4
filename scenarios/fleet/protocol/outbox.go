package protocol

import (
	"encoding/json"
	"slices"

	"loadgen/engine/clock"
)

// outbox are the asks that wait for their answers. The zero value is empty.
type outbox struct {
	open []asked
}

// asked is an ask that was sent.
type asked struct {
	number uint64
	kind   kind
	text   []byte
	// first is when it was sent, last when it was sent again.
	first, last clock.Instant
}

// kind is what becomes of an ask without an answer.
type kind int

const (
	// again is asked again until it is answered; second and part, too, and are counted apart;
	// once is forgotten after a while.
	again kind = iota
	second
	part
	once
)

// due returns what has to be sent again by now, and forgets what is asked once.
func (o *outbox) due(now clock.Instant) (texts [][]byte) {
	o.open = slices.DeleteFunc(o.open, func(a asked) bool { return a.kind == once && now.Sub(a.first) > Lease })
	for i := range o.open {
		if one := &o.open[i]; one.kind != once && now.Sub(one.last) >= resendAfter {
			one.last = now
			texts = append(texts, one.text)
		}
	}
	return texts
}

// of counts the open asks of a kind.
func (o *outbox) of(k kind) (count int) {
	for i := range o.open {
		if o.open[i].kind == k {
			count++
		}
	}
	return count
}

// ask sends something new.
func (m *Member) ask(now clock.Instant, a *Ask, k kind) uint64 {
	m.number++
	a.SchemaVersion, a.Epoch, a.Run, a.Number = SchemaVersion, m.plan.Epoch, m.plan.Run, m.number
	text, err := json.Marshal(a)
	if err != nil {
		m.over(err)
		return m.number
	}
	m.send(now, m.number, text, k)
	return m.number
}

func (m *Member) send(now clock.Instant, number uint64, text []byte, k kind) {
	m.outbox.open = append(m.outbox.open, asked{number: number, kind: k, text: text, first: now, last: now})
	m.step.Send = append(m.step.Send, text)
}
