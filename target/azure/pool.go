package azure

import (
	"context"
	"net"
	"sync"
	"time"

	"loadgen/engine/clock"
)

// pool keeps idle connections. It returns the most recently used one first, so that surplus connections
// expire soon. It is safe for concurrent use.
type pool struct {
	most int
	// opening limits the connections that are being opened; wanted passes a returned connection to an
	// attempt that waits to open one.
	opening chan struct{}
	wanted  chan *connection

	mu     sync.Mutex
	idle   []*connection // in the order in which they came
	closed bool
}

// idleFor is below the 5 s after which Azurite closes idle connections, which would fail an attempt.
const idleFor = 4 * time.Second

// maxOpening is the maximum number of connections that are being opened. After a stall with a thousand
// due attempts, returned connections are available sooner than new ones.
const maxOpening = 32

// open returns a connection opened by dial, or one that was returned meanwhile.
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

// get returns an idle connection that is still open, nil for none, and closes broken ones. It checks each
// connection however short it was idle: a service may close it after each reply without notice, and
// bytes behind a reply must not count as the next reply.
func (p *pool) get(now clock.Instant) *connection {
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

// put returns a connection that is idle since an instant, or closes it if there are enough.
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

// expire closes connections that were idle for too long and returns the time of the next check.
func (p *pool) expire(now clock.Instant) clock.Instant {
	p.mu.Lock()
	count, next := 0, now.Add(idleFor)
	for ; count < len(p.idle); count++ {
		if due := p.idle[count].since.Add(idleFor); due > now {
			next = due
			break
		}
	}
	// Nothing is moved: the front belongs to this call.
	expired := p.idle[:count]
	p.idle = p.idle[count:]
	p.mu.Unlock()
	for i, c := range expired {
		c.Close()
		expired[i] = nil
	}
	return next
}

// close closes all connections, also those that are returned later.
func (p *pool) close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, c := range idle {
		c.Close()
	}
}
