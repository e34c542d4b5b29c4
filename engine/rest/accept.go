package rest

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"loadgen/engine/clock"
)

// Pauses before a server asks for a connection again, after an error that may pass.
const (
	firstPause   = 5 * time.Millisecond
	longestPause = time.Second
)

// accept has each connection spoken to, until the server ends.
func (s *Server) accept() error {
	pause := firstPause
	for {
		c, err := s.door.Accept()
		switch {
		case err == nil:
			pause = firstPause
			s.speak(c)
			continue
		case s.closing.Load():
			return nil
		case !passes(err):
			return fmt.Errorf("rest: serve: %w", err)
		}
		if !s.rest(pause) {
			return nil
		}
		pause = min(2*pause, longestPause)
	}
}

// passes reports whether an error of a listener may pass, such as a want of
// descriptors.
func passes(err error) bool {
	var temporary interface{ Temporary() bool }
	return errors.As(err, &temporary) && temporary.Temporary()
}

// rest waits, and reports whether the server still goes on.
func (s *Server) rest(pause time.Duration) bool {
	alarm := s.clock.Alarm(s.clock.Now().Add(pause))
	defer alarm.Stop()
	select {
	case <-alarm.C:
		return true
	case <-s.closed:
		return false
	}
}

// speak has a connection's requests answered: directly where nothing is between it and
// the network, as far as its requests are such that this is possible.
func (s *Server) speak(accepted net.Conn) {
	c, plain := accepted.(*connection)
	if !plain || s.netHTTP {
		s.handOver(accepted)
		return
	}
	s.connections.Add(1)
	go func() {
		defer s.connections.Done()
		handedOver := false
		defer func() {
			if !handedOver {
				_ = c.Close() // its client is gone, or was told
				s.door.forget(c)
			}
		}()
		if handedOver = newDirect(s, c).serve(); handedOver {
			s.handOver(c)
		}
	}()
}

// handOver has net/http speak to a connection from now on.
func (s *Server) handOver(c net.Conn) {
	if !s.handover.take(c) {
		_ = c.Close()
		s.door.forget(connectionOf(c))
	}
}

// handover is the listener from which net/http has the connections that are its to
// speak to.
type handover struct {
	net.Listener
	connections chan net.Conn
	closed      chan struct{}
	once        sync.Once
}

func newHandover(l net.Listener) *handover {
	return &handover{Listener: l, connections: make(chan net.Conn), closed: make(chan struct{})}
}

// take gives a connection to net/http; it is false where that takes no more.
func (h *handover) take(c net.Conn) bool {
	select {
	case h.connections <- c:
		return true
	case <-h.closed:
		return false
	}
}

// Accept implements [net.Listener].
func (h *handover) Accept() (net.Conn, error) {
	select {
	case c := <-h.connections:
		return c, nil
	case <-h.closed:
		return nil, http.ErrServerClosed
	}
}

// Close implements [net.Listener]. The listener behind it ends with this one.
func (h *handover) Close() error {
	h.once.Do(func() { close(h.closed) })
	return h.Listener.Close()
}

// deadline is an instant of the server's clock as the network takes it.
func deadline(c clock.Real, at clock.Instant) time.Time { return c.Started().Add(at.Offset()) }
