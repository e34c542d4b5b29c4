package rest

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"loadgen/engine/clock"
)

// The timeouts of clients, and the maximum size of headers. HeaderTime is for the header of a request, ReadTime for
// all of it.
const (
	HeaderTime = 10 * time.Second
	ReadTime   = time.Minute
	idleTime   = 2 * time.Minute
	// writeTime includes the delays of the model: an injected fault may freeze replies for minutes.
	writeTime = 15 * time.Minute
	// maxRequestHeader fits two keys of 512 supplementary characters, percent-encoded, and a long $filter.
	maxRequestHeader = 64 << 10
)

// ListenOptions says what is served, and where.
type ListenOptions struct {
	// Address is the TCP address to listen on; port 0 stands for any free one.
	Address string
	// Listener replaces Address unless nil. The server owns it.
	Listener net.Listener
	// Handler answers.
	Handler http.Handler
	// TLS configures TLS; nil is HTTP. It is not altered.
	TLS *tls.Config
	// Connections is the maximum number of connections; 0 is DefaultConnections. Above it a new one replaces the
	// longest idle one; if all are busy, it gets 503 and is closed.
	Connections int
}

// Server serves a handler on an address. It owns the goroutines that it starts; its methods are safe for concurrent
// use.
type Server struct {
	door   *door
	server *http.Server
	// connections counts those whose goroutine has not ended.
	connections sync.WaitGroup

	// served is closed when the accepting goroutine has ended; failure, what
	// ended it, may be read then.
	served  chan struct{}
	failure error
}

// Listen listens and serves at once. Callers must close the server.
func Listen(o ListenOptions) (*Server, error) {
	listener := o.Listener
	if listener == nil {
		var err error
		if listener, err = net.Listen("tcp", o.Address); err != nil {
			return nil, fmt.Errorf("rest: %w", err)
		}
	}
	var config *tls.Config
	if o.TLS != nil {
		config = o.TLS.Clone()
		config.NextProtos = []string{"http/1.1"}
	}
	s := &Server{
		door: &door{Listener: listener, config: config, most: cmp.Or(o.Connections, DefaultConnections),
			open: make(map[*connection]struct{}), leaving: make(map[net.Conn]struct{})},
		served: make(chan struct{}),
	}
	s.server = &http.Server{
		Handler:           framed{o.Handler},
		ReadHeaderTimeout: HeaderTime,
		ReadTimeout:       ReadTime,
		WriteTimeout:      writeTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxRequestHeader,
		ErrorLog:          log.New(io.Discard, "", 0),
		// It keeps count of the connections. The state is new before the goroutine of a
		// connection starts, and closed once its handler has returned.
		ConnState: func(c net.Conn, state http.ConnState) {
			d := s.door
			switch state {
			case http.StateNew:
				s.connections.Add(1)
			case http.StateIdle:
				// Nothing has come since that turn, unless a request has begun.
				turn, waits := d.turns.Add(1), connectionOf(c)
				if waits.state.Load()&isWhole != 0 {
					waits.idle.CompareAndSwap(busy, turn)
				}
			case http.StateClosed, http.StateHijacked:
				d.mu.Lock()
				delete(d.open, connectionOf(c))
				d.mu.Unlock()
				s.connections.Done()
			}
		},
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connectionKey{}, connectionOf(c))
		},
		// OPTIONS * is the handler's to answer as well.
		DisableGeneralOptionsHandler: true,
		// Not nil, so that net/http offers no HTTP/2.
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){},
	}
	go func() {
		defer close(s.served)
		if err := s.server.Serve(s.door); !errors.Is(err, http.ErrServerClosed) {
			s.failure = fmt.Errorf("rest: serve: %w", err)
		}
	}()
	return s, nil
}

// Address returns host and port that the server listens on.
func (s *Server) Address() string { return s.door.Addr().String() }

// URL returns the address as the beginning of a URL, without a slash at its end.
func (s *Server) URL() string {
	if s.door.config != nil {
		return "https://" + s.Address()
	}
	return "http://" + s.Address()
}

// Connections returns how many there are, and how the bound on them was met.
func (s *Server) Connections() Connections {
	return Connections{s.door.count(), s.door.evicted.Load(), s.door.turnedAway.Load()}
}

// Close stops listening, waits for requests in progress, closes the connections and returns when every goroutine has
// ended. If the context ends first it cuts those requests off, and returns the context's error. A second Close only
// waits.
func (s *Server) Close(ctx context.Context) error {
	s.door.evictAll()
	err := s.server.Shutdown(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.connections.Wait()
	}()
	select {
	case <-done:
	case <-ctx.Done():
		err = cmp.Or(err, ctx.Err())
	}
	err = errors.Join(err, s.Cut())
	<-done
	return err
}

// Cut closes at once, and cuts off requests in progress. After a Close it only waits.
func (s *Server) Cut() error {
	s.door.evictAll()
	// The contexts of the requests end with their connections, and with them
	// every wait of the handler.
	err := s.server.Close()
	<-s.served
	d := s.door
	d.mu.Lock()
	d.closed = true
	for socket := range d.leaving {
		_ = socket.Close()
	}
	d.mu.Unlock()
	d.left.Wait()
	d.mu.Lock()
	for c := range d.open {
		_ = c.socket.Close() // its reader sees that as well
	}
	d.mu.Unlock()
	s.connections.Wait()
	return errors.Join(s.failure, err)
}

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
