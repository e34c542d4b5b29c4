package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"loadgen/engine/clock"
)

// busMember is a member's end of the bus. Its methods may be called by several goroutines.
type busMember struct {
	conn     *nats.Conn
	ask      string
	answers  *nats.Subscription
	raw      chan *nats.Msg
	messages chan []byte
	ended    chan struct{}
	reading  sync.WaitGroup
	closing  sync.Once
}

// dialBus opens a member's end, under an identity of [newID]. Errors wrap [errToken],
// [errUnreachable] or [errRefused], or are the context's.
func dialBus(ctx context.Context, o BusOptions, id string, c clock.Clock) (*busMember, error) {
	if faults := o.Validate(); len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	run, err := o.Token.run()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errToken, err)
	}
	// Where nobody listens yet it asks again for a while.
	const pause = 250 * time.Millisecond
	until := c.Now().Add(o.Wait)
	conn, err := connect(&o, id)
	for errors.Is(err, errNobody) && c.Now() < until {
		if err := c.Sleep(ctx, c.Now().Add(pause)); err != nil {
			return nil, err
		}
		conn, err = connect(&o, id)
	}
	if err != nil {
		return nil, err
	}
	s := subjectsOf(run)
	m := &busMember{conn: conn, ask: s.ask(id), raw: make(chan *nats.Msg, mostWaiting), messages: make(chan []byte), ended: make(chan struct{})}
	if m.answers, err = conn.ChanSubscribe(s.answer(id), m.raw); err == nil {
		err = conn.FlushTimeout(patience)
	}
	if err == nil {
		err = conn.LastError()
	}
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("%w: answers cannot be heard: %w", errRefused, err)
	}
	m.reading.Go(func() {
		passOn(m.ended, m.raw, m.messages, func(one *nats.Msg) ([]byte, bool) { return one.Data, true })
	})
	return m, nil
}

// passOn hands on what comes in, unless take says that it is none of theirs, until an end is
// closed.
func passOn[T any](ended <-chan struct{}, raw <-chan *nats.Msg, to chan<- T, take func(*nats.Msg) (said T, ours bool)) {
	defer close(to)
	for {
		select {
		case <-ended:
			return
		case m := <-raw:
			said, ours := take(m)
			if !ours {
				continue
			}
			select {
			case to <- said:
			case <-ended:
				return
			}
		}
	}
}

// Send says something to the leader. What does not get there has to be said again.
func (m *busMember) Send(text []byte) error { return m.conn.Publish(m.ask, text) }

// Messages is what the leader says, until the end is closed.
func (m *busMember) Messages() <-chan []byte { return m.messages }

// Dropped is how many messages there was no room for.
func (m *busMember) Dropped() int {
	dropped, err := m.answers.Dropped()
	if err != nil {
		return 0
	}
	return dropped
}

// Close ends it. What was said before has left by then.
func (m *busMember) Close() {
	m.closing.Do(func() {
		close(m.ended)
		m.reading.Wait()
		if m.conn.IsConnected() {
			// An error says that nobody is left to tell.
			_ = m.conn.FlushTimeout(patience)
		}
		m.conn.Close()
	})
}
