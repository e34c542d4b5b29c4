package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"loadgen/engine/clock"
)

// busMember is a member's end of the bus.
type busMember struct {
	inbox[[]byte]
	ask string
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
	m := &busMember{inbox: newInbox[[]byte](), ask: s.ask(id)}
	m.conn = conn
	if err = m.listen(s.answer(id), func(one *nats.Msg) ([]byte, bool) { return one.Data, true }); err != nil {
		m.Close()
		return nil, fmt.Errorf("%w: cannot subscribe to the leader: %w", errRefused, err)
	}
	return m, nil
}

// Send sends a message to the leader. What is not answered has to be sent again.
func (m *busMember) Send(text []byte) error { return m.conn.Publish(m.ask, text) }
