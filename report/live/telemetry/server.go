package telemetry

import (
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"loadgen/engine/rest"
)

// Path is the path of metrics, as Prometheus expects it.
const Path = "/metrics"

// readTimeout is the time that a scraper has to send its request.
const readTimeout = 5 * time.Second

// Server serves metrics of the current run. A nil one serves nothing. The caller of Listen closes it.
type Server struct {
	listener net.Listener
	server   *http.Server
	done     sync.WaitGroup
	// now answers for the current run.
	now atomic.Pointer[http.Handler]
}

// Listen opens an address: a port, or a host and a port. Without a host it is reachable from this machine only.
func Listen(address string) (*Server, error) {
	listener, err := rest.ListenAt(address, false)
	if err != nil {
		return nil, err
	}
	return &Server{listener: listener}, nil
}

// URL returns the URL of the metrics, empty for a nil server.
func (s *Server) URL() string {
	if s == nil {
		return ""
	}
	return "http://" + s.listener.Addr().String() + Path
}

// Reachable reports whether other machines can reach the metrics, which have no access control; false for a nil server.
func (s *Server) Reachable() bool { return s != nil && rest.IsReachable(s.listener.Addr()) }

// Serve begins to answer scrapes about a run, in place of an earlier one.
func (s *Server) Serve(e *Metrics) {
	handler := e.Handler()
	s.now.Store(&handler)
	if s.server != nil {
		return
	}
	paths := http.NewServeMux()
	paths.HandleFunc("GET "+Path, func(w http.ResponseWriter, r *http.Request) { (*s.now.Load()).ServeHTTP(w, r) })
	var guarded http.Handler = paths
	if !s.Reachable() {
		guarded = rest.RequireLocal(paths)
	}
	s.server = &http.Server{Handler: guarded, ReadHeaderTimeout: readTimeout, ReadTimeout: readTimeout, IdleTimeout: time.Minute}
	// It ends with the server. Its error is of no use then.
	s.done.Go(func() { _ = s.server.Serve(s.listener) })
}

// Close ends what Listen and Serve began, and scrapes in progress.
func (s *Server) Close() {
	switch {
	case s == nil:
	case s.server == nil:
		_ = s.listener.Close()
	default:
		_ = s.server.Close()
		s.done.Wait()
	}
}
