package fleet

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"loadgen/engine/clock"
)

// busMessage is what a member said.
type busMessage struct {
	// From is the member's identity, which the server vouches for.
	From string
	Text []byte
}

// busLeader is the leader's end of the bus. Its methods may be called by several goroutines.
type busLeader struct {
	subjects subjects
	// url is where members of this machine join.
	url      string
	server   *server.Server
	conn     *nats.Conn
	asks     *nats.Subscription
	raw      chan *nats.Msg
	messages chan busMessage
	claim    *claim
	ended    chan struct{}
	reading  sync.WaitGroup
	closing  sync.Once
}

// openBus opens the leader's end. Errors wrap [errToken], [errListen], [errUnreachable],
// [errRefused] or [errLed].
func openBus(o BusOptions, c clock.Clock) (*busLeader, error) {
	if faults := o.Validate(); len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	run, err := o.Token.run()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errToken, err)
	}
	l := &busLeader{subjects: subjectsOf(run), url: o.URL, raw: make(chan *nats.Msg, mostWaiting), messages: make(chan busMessage), ended: make(chan struct{})}
	if o.URL == "" {
		err = l.within(&o)
	} else {
		l.conn, err = connect(&o, "loadgen-leader")
	}
	if err == nil && l.server == nil { // by which others may lead, too
		l.claim, err = stake(l.conn, l.subjects, c)
	}
	if err == nil {
		if l.asks, err = l.conn.ChanSubscribe(l.subjects.ask("*"), l.raw); err == nil {
			err = l.conn.FlushTimeout(patience)
		}
		if err == nil {
			err = l.conn.LastError()
		}
		if err != nil {
			err = fmt.Errorf("%w: what members say cannot be heard: %w", errRefused, err)
		}
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	l.reading.Go(func() {
		passOn(l.ended, l.raw, l.messages, func(m *nats.Msg) (busMessage, bool) {
			id, ours := strings.CutPrefix(m.Subject, l.subjects.prefix+".member.")
			from, asks := strings.CutSuffix(id, ".ask")
			return busMessage{from, m.Data}, ours && asks
		})
	})
	return l, nil
}

// within starts a server in this process, and connects to it without a socket.
func (l *busLeader) within(o *BusOptions) error {
	own, err := nkeys.CreatePair(nkeys.PrefixByteUser)
	if err != nil {
		return fmt.Errorf("%w: %w", errToken, err)
	}
	g := &gate{subjects: l.subjects}
	if g.leader, err = own.PublicKey(); err != nil {
		return fmt.Errorf("%w: %w", errToken, err)
	}
	join, err := o.Token.joinKey()
	if err != nil {
		return fmt.Errorf("%w: %w", errToken, err)
	}
	if g.join, err = join.PublicKey(); err != nil {
		return fmt.Errorf("%w: %w", errToken, err)
	}
	if l.server, err = serve(o, g); err != nil {
		return err
	}
	if host, port, err := net.SplitHostPort(l.server.Addr().String()); err == nil {
		if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
			host = "127.0.0.1"
		}
		l.url = "nats://" + net.JoinHostPort(host, port)
	}
	signs, err := signing(own)
	if err != nil {
		return fmt.Errorf("%w: %w", errToken, err)
	}
	options, err := o.trusting(append(usual("loadgen-leader"), signs, nats.InProcessServer(l.server)), false)
	if err != nil {
		return fmt.Errorf("%w: %w", errToken, err)
	}
	if l.conn, err = nats.Connect("", options...); err != nil {
		return fmt.Errorf("%w: %w", errListen, err)
	}
	return nil
}

// Messages is what members say, until the end is closed.
func (l *busLeader) Messages() <-chan busMessage { return l.messages }

// Answer says something to a member. What does not get there is asked for again.
func (l *busLeader) Answer(to string, text []byte) error {
	return l.conn.Publish(l.subjects.answer(to), text)
}

// Dropped is how many messages there was no room for.
func (l *busLeader) Dropped() int {
	if l.asks == nil {
		return 0
	}
	dropped, err := l.asks.Dropped()
	if err != nil {
		return 0
	}
	return dropped
}

// Close ends it, and the server where it is the leader's own. What was answered before has
// left by then.
func (l *busLeader) Close() {
	l.closing.Do(func() {
		close(l.ended)
		l.reading.Wait()
		if l.claim != nil {
			l.claim.close()
		}
		if l.conn != nil {
			if l.conn.IsConnected() {
				// An error says that nobody is left to tell.
				_ = l.conn.FlushTimeout(patience)
			}
			l.conn.Close()
		}
		if l.server != nil {
			l.server.Shutdown()
			l.server.WaitForShutdown()
		}
	})
}

// subjects are where the ends of one run speak.
type subjects struct{ prefix string }

func subjectsOf(run string) subjects { return subjects{"loadgen.v1." + run} }

// ask is where a member speaks, answer where it listens; nobody else does either but the
// leader.
func (s subjects) ask(id string) string    { return s.prefix + ".member." + id + ".ask" }
func (s subjects) answer(id string) string { return s.prefix + ".member." + id + ".answer" }

// lead is where leaders find each other.
func (s subjects) lead() string { return s.prefix + ".lead" }
