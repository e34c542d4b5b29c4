package telemetry

import (
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"loadgen/engine/rest"
)

// Path is where metrics are served, as Prometheus expects.
const Path = "/metrics"

// askWithin is how long a scraper may take to ask.
const askWithin = 5 * time.Second

// Server is where a run is scraped while it goes on. A nil one is nowhere. Whoever made
// it closes it.
type Server struct {
	listener net.Listener
	server   *http.Server
	done     sync.WaitGroup
	// now is what the run under way says.
	now atomic.Pointer[http.Handler]
}

// Listen opens an address: a port, or a host and a port; what says no host is of this
// machine alone.
func Listen(address string) (*Server, error) {
	listener, err := rest.ListenAt(address, false)
	if err != nil {
		return nil, err
	}
	return &Server{listener: listener}, nil
}

// URL returns where the metrics are, empty where there are none.
func (s *Server) URL() string {
	if s == nil {
		return ""
	}
	return "http://" + s.listener.Addr().String() + Path
}

// Reachable reports whether others than this machine reach the metrics, which nothing
// guards; false where there are none.
func (s *Server) Reachable() bool { return s != nil && rest.IsReachable(s.listener.Addr()) }

// Serve begins to answer scrapes about a run, in the place of one before.
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
	s.server = &http.Server{Handler: guarded, ReadHeaderTimeout: askWithin, ReadTimeout: askWithin, IdleTimeout: time.Minute}
	// It ends with the server, by which time there is nobody to tell of a fault.
	s.done.Go(func() { _ = s.server.Serve(s.listener) })
}

// Close ends what Listen and Serve began, a scrape that is being answered, too.
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
