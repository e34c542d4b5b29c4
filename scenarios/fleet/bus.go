package fleet

import (
	"cmp"
	"sync"

	"github.com/nats-io/nats.go"
)

// busMessage is a message of a member.
type busMessage struct {
	// From is the member's identity, which the server has verified.
	From string
	Text []byte
}

// inbox is a connection with a subscription, whose messages wait to be read. Its methods may be called by several
// goroutines.
type inbox[T any] struct {
	conn     *nats.Conn
	sub      *nats.Subscription
	messages chan T
	ended    chan struct{}
	closing  sync.Once
}

func newInbox[T any]() inbox[T] {
	return inbox[T]{messages: make(chan T), ended: make(chan struct{})}
}

// listen subscribes to a subject. Messages for which read reports false are dropped.
func (i *inbox[T]) listen(subject string, read func(*nats.Msg) (message T, ours bool)) (err error) {
	i.sub, err = subscribe(i.conn, subject, func(m *nats.Msg) {
		message, ours := read(m)
		if !ours {
			return
		}
		select {
		case i.messages <- message:
		case <-i.ended:
		}
	})
	return err
}

// subscribe subscribes to a subject, with a queue of [maxWaiting] messages, and waits until the server has agreed.
func subscribe(conn *nats.Conn, subject string, handle nats.MsgHandler) (*nats.Subscription, error) {
	sub, err := conn.Subscribe(subject, handle)
	if err == nil {
		err = sub.SetPendingLimits(maxWaiting, maxWaiting*maxMessageBytes)
	}
	return sub, cmp.Or(err, flush(conn))
}

// flush waits until everything has been sent, and returns the last error of the connection.
func flush(conn *nats.Conn) error { return cmp.Or(conn.FlushTimeout(patience), conn.LastError()) }

// Messages returns the channel of messages, which is never closed.
func (i *inbox[T]) Messages() <-chan T { return i.messages }

// Dropped returns the number of messages that a full queue dropped.
func (i *inbox[T]) Dropped() int {
	if i.sub == nil {
		return 0
	}
	dropped, err := i.sub.Dropped()
	if err != nil {
		return 0
	}
	return dropped
}

// Close closes the connection once everything has been sent.
func (i *inbox[T]) Close() {
	i.closing.Do(func() {
		close(i.ended)
		if i.conn != nil && i.conn.IsConnected() {
			_ = i.conn.FlushTimeout(patience) // an error means that the other end is gone
		}
		if i.conn != nil {
			i.conn.Close()
		}
	})
}
