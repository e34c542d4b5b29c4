package fleet

import (
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"loadgen/engine/clock"
)

// busLeader is the leader's end of the bus.
type busLeader struct {
	inbox[busMessage]
	subjects subjects
	// url is where members of this machine join.
	url    string
	server *server.Server
	claim  *claim
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
	l := &busLeader{inbox: newInbox[busMessage](), subjects: subjectsOf(run), url: o.URL}
	if o.URL == "" {
		err = l.startServer(&o)
	} else if l.conn, err = connect(&o, "loadgen-leader"); err == nil {
		l.claim, err = stake(l.conn, l.subjects, c)
	}
	if err == nil {
		err = l.listen(l.subjects.ask("*"), func(m *nats.Msg) (busMessage, bool) {
			id, ours := strings.CutPrefix(m.Subject, l.subjects.prefix+".member.")
			from, asks := strings.CutSuffix(id, ".ask")
			return busMessage{from, m.Data}, ours && asks
		})
		if err != nil {
			err = fmt.Errorf("%w: cannot subscribe to the members: %w", errRefused, err)
		}
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// startServer starts a server in this process, and connects to it without a socket.
func (l *busLeader) startServer(o *BusOptions) error {
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
	signs, err := withSignature(own)
	if err != nil {
		return fmt.Errorf("%w: %w", errToken, err)
	}
	options, err := o.withTrust(append(connectionOptions("loadgen-leader"), signs, nats.InProcessServer(l.server)), false)
	if err != nil {
		return fmt.Errorf("%w: %w", errToken, err)
	}
	if l.conn, err = nats.Connect("", options...); err != nil {
		return fmt.Errorf("%w: %w", errListen, err)
	}
	return nil
}

// Answer sends a message to a member, which asks again if it is lost.
func (l *busLeader) Answer(to string, text []byte) error {
	return l.conn.Publish(l.subjects.answer(to), text)
}

// Close closes the connection, and the server if it is the leader's own, once everything has been sent.
func (l *busLeader) Close() {
	if l.claim != nil {
		l.claim.close()
	}
	l.inbox.Close()
	if l.server != nil {
		l.server.Shutdown()
		l.server.WaitForShutdown()
	}
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
