package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"loadgen/engine/clock"
)

// message is a message to this end of a bus. From is the identity of a member, which the server has verified; it is empty
// for messages of the leader.
type message struct {
	From string
	Text []byte
}

// transport carries messages between the members and their leader.
type transport interface {
	Messages() <-chan message
	// Send sends a message to a member, or to the leader, which has no identity. It may get lost.
	Send(to string, text []byte) error
	// Dropped returns the number of messages that a full queue dropped.
	Dropped() int
}

// bus is an end of a bus: a connection with a subscription, whose messages wait to be read. Its methods may be called by
// several goroutines.
type bus struct {
	conn     *nats.Conn
	subjects subjects
	// id is the identity of a member, empty for the leader.
	id       string
	sub      *nats.Subscription
	messages chan message
	ended    chan struct{}
	closing  sync.Once

	// url is where members of this machine join; server and claim are nil without one.
	url    string
	server *server.Server
	claim  *claim
}

// newBus returns an end without a connection, and the keys of its fleet.
func newBus(o *BusOptions, id string) (*bus, keys, error) {
	if err := o.Validate("url"); err != nil {
		return nil, keys{}, err
	}
	k, err := o.Token.keys()
	return &bus{subjects: subjects{"loadgen.v1." + k.run}, id: id, messages: make(chan message), ended: make(chan struct{}), url: o.URL}, k, err
}

// openBus opens the leader's end. Errors wrap [errToken], [errListen], [errUnreachable], [errRefused] or [errLed].
func openBus(o BusOptions, c clock.Clock) (*bus, error) {
	b, k, err := newBus(&o, "")
	if err != nil {
		return nil, err
	}
	if o.URL == "" {
		err = b.startServer(&o, &k)
	} else if b.conn, err = connect(&o, &k, "loadgen-leader"); err == nil {
		b.claim, err = claimRun(b.conn, b.subjects.claims(), c)
	}
	return b.listen(b.subjects.requests("*"), err)
}

// dialBus opens a member's end, under an identity of [newID]. Errors wrap [errToken], [errUnreachable] or [errRefused], or
// are the context's.
func dialBus(ctx context.Context, o BusOptions, id string, c clock.Clock) (*bus, error) {
	b, k, err := newBus(&o, id)
	if err != nil {
		return nil, err
	}
	// The leader may start later than its members.
	const retryDelay = 250 * time.Millisecond
	until := c.Now().Add(o.Wait)
	b.conn, err = connect(&o, &k, id)
	for errors.Is(err, errNobody) && c.Now() < until {
		if err := c.Sleep(ctx, c.Now().Add(retryDelay)); err != nil {
			return nil, err
		}
		b.conn, err = connect(&o, &k, id)
	}
	return b.listen(b.subjects.replies(id), err)
}

// listen subscribes to a subject, and returns the end. After an error, also one of its connection, it closes the end.
func (b *bus) listen(subject string, err error) (*bus, error) {
	if err == nil {
		b.sub, err = subscribe(b.conn, subject, b.receive)
		if err != nil {
			err = fmt.Errorf("%w: cannot subscribe to messages: %w", errRefused, err)
		}
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// receive passes a message on. The leader takes the sender from the subject.
func (b *bus) receive(m *nats.Msg) {
	from := ""
	if b.id == "" {
		from = strings.TrimSuffix(strings.TrimPrefix(m.Subject, b.subjects.prefix+".member."), ".ask")
	}
	select {
	case b.messages <- message{from, m.Data}:
	case <-b.ended:
	}
}

// subscribe subscribes to a subject, with a bounded queue, and waits until the server has agreed.
func subscribe(conn *nats.Conn, subject string, handle nats.MsgHandler) (*nats.Subscription, error) {
	sub, err := conn.Subscribe(subject, handle)
	if err == nil {
		err = sub.SetPendingLimits(maxWaiting, maxWaitingBytes)
	}
	return sub, cmp.Or(err, flush(conn))
}

// flush sends all buffered messages, and returns the last error of the connection.
func flush(conn *nats.Conn) error { return cmp.Or(conn.FlushTimeout(serverTimeout), conn.LastError()) }

// Messages returns the channel of messages, which is never closed.
func (b *bus) Messages() <-chan message { return b.messages }

// Send implements transport.
func (b *bus) Send(to string, text []byte) error {
	if b.id != "" {
		return b.conn.Publish(b.subjects.requests(b.id), text)
	}
	return b.conn.Publish(b.subjects.replies(to), text)
}

// Dropped implements transport.
func (b *bus) Dropped() int {
	dropped, _ := b.sub.Dropped() // -1 without a subscription
	return max(0, dropped)
}

// Close sends all buffered messages, and closes the connection and the leader's own server.
func (b *bus) Close() {
	b.closing.Do(func() {
		close(b.ended)
		if b.claim != nil {
			b.claim.close()
		}
		if b.conn != nil && b.conn.IsConnected() {
			_ = b.conn.FlushTimeout(serverTimeout) // an error means that the other end is gone
		}
		if b.conn != nil {
			b.conn.Close()
		}
		if b.server != nil {
			b.server.Shutdown()
			b.server.WaitForShutdown()
		}
	})
}

// subjects are the subjects of one run.
type subjects struct{ prefix string }

// requests is the subject that a member publishes to, replies the one that it subscribes to. Only the leader uses them, too.
func (s subjects) requests(id string) string { return s.prefix + ".member." + id + ".ask" }
func (s subjects) replies(id string) string  { return s.prefix + ".member." + id + ".answer" }

// claims is the subject by which leaders find each other.
func (s subjects) claims() string { return s.prefix + ".lead" }

// claimPeriod is how long a leader listens for others before it leads.
const claimPeriod = 500 * time.Millisecond

// claim is the claim of a leader on a run at a shared server. Leaders publish their ranks; of several that start at the same
// time the one with the least rank leads.
type claim struct {
	conn    *nats.Conn
	subject string
	sub     *nats.Subscription

	mu sync.Mutex
	// rank is a random identity, and less than all identities once this leader leads.
	rank string
	// leads reports that this leader has the run, led that another leader has it.
	leads, led bool
}

// claimRun claims a run. Errors wrap [errLed], [errToken] or [errRefused].
func claimRun(conn *nats.Conn, subject string, c clock.Clock) (*claim, error) {
	id, err := newID()
	if err != nil {
		return nil, err
	}
	own := &claim{conn: conn, subject: subject, rank: id}
	if own.sub, err = subscribe(conn, subject, own.handle); err == nil {
		err = cmp.Or(conn.Publish(subject, []byte(id)), flush(conn))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: cannot ask for other leaders: %w", errRefused, err)
	}
	alarm := c.Alarm(c.Now().Add(claimPeriod))
	defer alarm.Stop()
	<-alarm.C
	own.mu.Lock()
	defer own.mu.Unlock()
	if own.led {
		own.close()
		return nil, errLed
	}
	own.leads, own.rank = true, " "+id
	return own, nil
}

// handle handles the rank of another leader. One with a greater rank learns the own one.
func (c *claim) handle(m *nats.Msg) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := string(m.Data); other > c.rank {
		// It fails only without a connection, which the leader notices elsewhere.
		_ = c.conn.Publish(c.subject, []byte(c.rank))
	} else if !c.leads {
		c.led = true
	}
}

// close ends the claim. It fails only without a connection, when no other leader can hear it.
func (c *claim) close() { _ = c.sub.Unsubscribe() }
