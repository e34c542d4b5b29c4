package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// The bounds on what a client may take its time over, and on the size of its
// headers.
const (
	headerTime = 10 * time.Second
	readTime   = time.Minute
	idleTime   = 2 * time.Minute
	// writeTime is long because it runs while the model makes the client wait:
	// a fault that freezes replies for minutes must be able to.
	writeTime = 15 * time.Minute
	// maxHeaderBytes leaves room for two keys of 512 supplementary characters,
	// percent-encoded, and for a long $filter beside them.
	maxHeaderBytes = 64 << 10
)

// Server listens on an address and has a handler answer. It owns the goroutines
// that it starts; its methods are safe for concurrent use.
type Server struct {
	listener net.Listener
	server   *http.Server
	// connections counts those whose goroutine has not ended.
	connections sync.WaitGroup

	// served is closed when the accepting goroutine has ended; failure, what
	// ended it, may be read then.
	served  chan struct{}
	failure error
}

// Listen listens on a TCP address and serves at once. Port 0 stands for any
// free one. The caller owes it a Close.
func Listen(address string, h http.Handler) (*Server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("rest: listen: %w", err)
	}
	return serveOn(listener, h), nil
}

// serveOn serves on a listener, which it owns from then on.
func serveOn(listener net.Listener, h http.Handler) *Server {
	s := &Server{listener: listener, served: make(chan struct{})}
	s.server = &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       readTime,
		WriteTimeout:      writeTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          log.New(io.Discard, "", 0),
		ConnState:         s.follow,
		// OPTIONS * is the handler's to answer as well.
		DisableGeneralOptionsHandler: true,
	}
	go s.serve()
	return s
}

func (s *Server) serve() {
	defer close(s.served)
	if err := s.server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		s.failure = fmt.Errorf("rest: serve: %w", err)
	}
}

// follow keeps count of the connections. The state is new before the goroutine
// of a connection starts, and closed once its handler has returned.
func (s *Server) follow(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.connections.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.connections.Done()
	}
}

// Address returns host and port that the server listens on.
func (s *Server) Address() string { return s.listener.Addr().String() }

// URL returns the address as the beginning of a URL, without a slash at its end.
func (s *Server) URL() string { return "http://" + s.Address() }

// Close stops listening, waits for the requests that are under way, closes the
// connections and returns when every goroutine has ended. When the context is
// done first it cuts those requests off, and returns the context's error. A
// second Close does nothing but wait.
func (s *Server) Close(ctx context.Context) error {
	return errors.Join(s.server.Shutdown(ctx), s.Cut())
}

// Cut closes at once, and cuts off the requests that are under way. After a Close
// it does nothing but wait.
func (s *Server) Cut() error {
	// The contexts of the requests end with their connections, and with them
	// every wait of the handler.
	err := s.server.Close()
	<-s.served
	s.connections.Wait()
	return errors.Join(s.failure, err)
}
