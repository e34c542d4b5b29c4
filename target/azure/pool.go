package azure

import (
	"context"
	"net"
	"sync"
	"time"

	"loadgen/engine/clock"
)

// pool holds the connections that are not in use. Who needs one gets the one
// that was in use last, so that those beyond need are soon closed. Safe for
// concurrent use.
type pool struct {
	most int
	// opening holds a token for each connection that is being opened; wanted hands
	// one that comes back to whoever waits to open another.
	opening chan struct{}
	wanted  chan *connection

	mu     sync.Mutex
	idle   []*connection // in the order in which they came
	closed bool
}

// idleFor lies below the 5 s after which Azurite closes a connection that is not
// in use; an attempt on one that closes just then would fail.
const idleFor = 4 * time.Second

// mostOpening is how many connections are opened at once. Where a thousand attempts are
// due after a hiccup, one that comes back is there sooner than another can be opened, and
// to open a thousand would hold up the next thousand.
const mostOpening = 32

// open returns a connection that dial opens, or one that has come back meanwhile.
func (p *pool) open(ctx context.Context, dial func() (net.Conn, error)) (*connection, error) {
	for {
		select {
		case p.opening <- struct{}{}:
			conn, err := dial()
			<-p.opening
			if err != nil {
				return nil, err
			}
			return newConnection(conn), nil
		case c := <-p.wanted:
			if c.quiet() {
				return c, nil
			}
			c.cut()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// take returns an open connection, nil where there is none. It closes those that
// it finds to be no good. However short a connection was idle, it is looked at: of
// a service that hangs up after each reply and does not say so, every other attempt
// would fail, and what comes behind a reply would be taken for the next.
func (p *pool) take(now clock.Instant) *connection {
	for {
		p.mu.Lock()
		end := len(p.idle) - 1
		if end < 0 {
			p.mu.Unlock()
			return nil
		}
		c := p.idle[end]
		p.idle[end], p.idle = nil, p.idle[:end]
		p.mu.Unlock()
		if now.Sub(c.since) < idleFor && c.quiet() {
			return c
		}
		c.cut()
	}
}

// put takes a connection back that is idle since an instant, or closes it where
// there are enough.
func (p *pool) put(c *connection, since clock.Instant) {
	c.since = since
	select {
	case p.wanted <- c:
		return
	default:
	}
	p.mu.Lock()
	room := !p.closed && len(p.idle) < p.most
	if room {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	if !room {
		c.Close()
	}
}

// expire closes what has been idle for too long and returns when to look again.
func (p *pool) expire(now clock.Instant) clock.Instant {
	p.mu.Lock()
	count, next := 0, now.Add(idleFor)
	for ; count < len(p.idle); count++ {
		if due := p.idle[count].since.Add(idleFor); due > now {
			next = due
			break
		}
	}
	// None is moved: what is taken off the front is this call's own.
	expired := p.idle[:count]
	p.idle = p.idle[count:]
	p.mu.Unlock()
	for i, c := range expired {
		c.Close()
		expired[i] = nil
	}
	return next
}

// close closes all connections, and has those that come back be closed too.
func (p *pool) close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, c := range idle {
		c.Close()
	}
}
