package rest

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"loadgen/engine/clock"
)

// DefaultConnections is how many connections a server has at most. One that waits
// for a request takes some 25 KB, mostly stack and buffers, and one with a request
// under way, its body aside, up to 70 KB: 420 MB for all of them.
const DefaultConnections = 6000

// Connections says how the bound on connections was met.
type Connections struct {
	// Open are those at present.
	Open int
	// Evicted were closed because they had been idle for longest when another came,
	// TurnedAway were those for which none was.
	Evicted, TurnedAway int64
}

// door lets connections in, up to a bound.
type door struct {
	net.Listener
	config *tls.Config
	most   int

	// turns orders what has become idle.
	turns               atomic.Uint64
	evicted, turnedAway atomic.Int64

	// mu guards what is below: the connections that are open, those of them that
	// were idle for longest when somebody last looked, and the sockets of clients
	// that are being turned away.
	mu      sync.Mutex
	open    map[*connection]struct{}
	stalest []candidate
	leaving map[net.Conn]struct{}
	closed  bool
	left    sync.WaitGroup
}

// candidate is a connection that was idle since a turn.
type candidate struct {
	*connection
	since uint64
}

// Accept implements [net.Listener]. net/http waits ever longer before it asks again
// after an error that may pass, such as a want of descriptors.
func (d *door) Accept() (net.Conn, error) {
	for {
		socket, err := d.Listener.Accept()
		if err != nil {
			if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
				d.evict()
			}
			return nil, err
		}
		if d.count() >= d.most && !d.evict() {
			d.turnAway(socket)
			continue
		}
		var admitted net.Conn
		c := &connection{Conn: socket, socket: socket}
		if admitted = c; d.config != nil {
			outer := tls.Server(socket, d.config)
			s := &secured{&connection{Conn: outer, socket: socket}, outer}
			admitted, c = s, s.connection
		}
		c.idle.Store(d.turns.Add(1)) // it is idle until something comes
		d.mu.Lock()
		d.open[c] = struct{}{}
		d.mu.Unlock()
		return admitted, nil
	}
}

func (d *door) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.open)
}

// evict closes the connection that has been idle for longest, and reports whether
// there was one.
func (d *door) evict() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for looked := false; ; looked = true {
		for len(d.stalest) > 0 {
			last := d.stalest[0]
			d.stalest = d.stalest[1:]
			if last.evict(last.since) {
				delete(d.open, last.connection)
				d.evicted.Add(1)
				return true
			}
		}
		if looked {
			return false
		}
		d.stalest = d.stalest[:0:0]
		for c := range d.open {
			since := c.idle.Load()
			if since == busy || since == evicted {
				continue
			}
			at := len(d.stalest)
			for at > 0 && d.stalest[at-1].since > since {
				at--
			}
			if at == mostStalest {
				continue
			}
			if len(d.stalest) == mostStalest {
				d.stalest = d.stalest[:mostStalest-1]
			}
			d.stalest = append(d.stalest, candidate{})
			copy(d.stalest[at+1:], d.stalest[at:])
			d.stalest[at] = candidate{c, since}
		}
	}
}

// mostStalest is how many candidates one look finds: going over all connections for
// each of a crowd would take longer than to serve it.
const mostStalest = 64

// What is done for a client that is turned away: it is told so, and what it has
// sent is read for a moment, or the network would forget the reply with it.
const (
	refusal     = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
	leaveTime   = time.Second
	leaveBytes  = 64 << 10
	mostLeaving = 64
)

// turnAway refuses a client, without a handler. Past so many at once, and over TLS,
// where nothing can be said without shaking hands, it closes without a word.
func (d *door) turnAway(socket net.Conn) {
	d.turnedAway.Add(1)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.config != nil || len(d.leaving) == mostLeaving {
		_ = socket.Close()
		return
	}
	d.leaving[socket] = struct{}{}
	d.left.Go(func() {
		_ = socket.SetDeadline(clock.NewReal().Started().Add(leaveTime))
		if _, err := io.WriteString(socket, refusal); err == nil {
			_ = (&connection{Conn: socket}).CloseWrite()
			_, _ = io.CopyN(io.Discard, socket, leaveBytes)
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.leaving, socket)
		_ = socket.Close()
	})
}

// evictAll closes the connections that are idle.
func (d *door) evictAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for c := range d.open {
		if since := c.idle.Load(); since != busy && since != evicted {
			c.evict(since)
		}
	}
}
