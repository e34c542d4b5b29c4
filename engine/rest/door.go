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

// DefaultConnections is the default maximum number of connections. An idle one takes about 25 KB, mostly stack and
// buffers, and a busy one up to 70 KB without its body: 420 MB for all.
const DefaultConnections = 6000

// Connections counts connections.
type Connections struct {
	// Open are the current ones.
	Open int
	// Evicted were closed, longest idle first, to admit others; TurnedAway were rejected while all were busy.
	Evicted, TurnedAway int64
}

// door accepts connections up to a maximum.
type door struct {
	net.Listener
	config *tls.Config
	most   int

	// turns numbers the connections that become idle.
	turns               atomic.Uint64
	evicted, turnedAway atomic.Int64

	// mu guards the fields below: open connections, the longest idle ones of the last scan, and the sockets
	// of clients that are being rejected.
	mu      sync.Mutex
	open    map[*connection]struct{}
	stalest []candidate
	leaving map[net.Conn]struct{}
	closed  bool
	left    sync.WaitGroup
}

// candidate is a connection and the turn since which it was idle.
type candidate struct {
	*connection
	since uint64
}

// Accept implements [net.Listener]. net/http waits longer and longer after temporary errors such as a lack of
// descriptors.
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
		c.idle.Store(d.turns.Add(1)) // idle until the first byte
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

// evict closes the longest idle connection, and reports whether there was one.
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
			if at == maxCandidates {
				continue
			}
			if len(d.stalest) == maxCandidates {
				d.stalest = d.stalest[:maxCandidates-1]
			}
			d.stalest = append(d.stalest, candidate{})
			copy(d.stalest[at+1:], d.stalest[at:])
			d.stalest[at] = candidate{c, since}
		}
	}
}

// maxCandidates is the number of candidates of one scan: a scan for each new connection would take longer than
// serving it.
const maxCandidates = 64

// The reply to a rejected client, and the limits of reading its request: an early close would discard the reply.
const (
	refusal    = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
	leaveTime  = time.Second
	leaveBytes = 64 << 10
	maxLeaving = 64
)

// turnAway rejects a client without a handler. With maxLeaving rejected clients, and over TLS, which would need a
// handshake, it only closes the connection.
func (d *door) turnAway(socket net.Conn) {
	d.turnedAway.Add(1)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.config != nil || len(d.leaving) == maxLeaving {
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

// evictAll closes idle connections.
func (d *door) evictAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for c := range d.open {
		if since := c.idle.Load(); since != busy && since != evicted {
			c.evict(since)
		}
	}
}
