package page

import (
	"bytes"
	"crypto/subtle"
	"errors"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/rest"
)

// handler answers requests that use a name of this machine and have the token: the page at the
// folder of that name, its stream at events, and a POST to stop.
func (s *Server) handler() http.Handler {
	paths := http.NewServeMux()
	paths.HandleFunc("GET /{$}", s.page)
	paths.HandleFunc("GET /events", s.events)
	if s.stop != nil {
		once := sync.OnceFunc(s.stop)
		paths.HandleFunc("POST /stop", func(w http.ResponseWriter, _ *http.Request) {
			once()
			w.WriteHeader(http.StatusNoContent)
		})
	}
	inner := http.NewCrossOriginProtection().Handler(paths)
	return rest.RequireLocal(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", s.live.Policy())
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Cache-Control", "no-store")
		token, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		// The time of the answer does not depend on how much of the token is right.
		if subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1 {
			http.Error(w, "incomplete URL; use the one that loadgen printed", http.StatusForbidden)
			return
		}
		inside := r.Clone(r.Context())
		inside.URL.Path, inside.URL.RawPath = "/"+path, ""
		inner.ServeHTTP(w, inside)
	}))
}

// writeTimeout is the time that a viewer has to read an update.
const writeTimeout = 5 * time.Second

// limitWriteTime bounds the time of the next write.
func limitWriteTime(w http.ResponseWriter) error {
	return http.NewResponseController(w).SetWriteDeadline(clock.NewReal().Started().Add(writeTimeout))
}

// page writes the current page, or the report.
func (s *Server) page(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	shown := s.report
	s.mu.Unlock()
	if shown == nil {
		var made bytes.Buffer
		d, _ := s.composed()
		if err := s.live.Render(&made, d); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		shown = made.Bytes()
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if limitWriteTime(w) == nil {
		_, _ = w.Write(shown)
	}
}

// events sends updates to a viewer until the run is over or the viewer has left.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	v, err := s.join()
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	control := http.NewResponseController(w)
	// The request has been read; its answer may take long.
	if err := control.SetReadDeadline(time.Time{}); err != nil {
		s.leave(v, false)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(what []byte) bool {
		err := limitWriteTime(w)
		if err == nil {
			_, err = w.Write(what)
		}
		if err == nil {
			err = control.Flush()
		}
		if err != nil {
			s.leave(v, errors.Is(err, os.ErrDeadlineExceeded))
		}
		return err == nil
	}
	if last := s.lastFor(v); last != nil {
		send(last)
		return
	}
	first, err := s.fresh()
	if err != nil || !send(append([]byte("retry: 1000\n\n"), first...)) {
		s.leave(v, false)
		return
	}
	for {
		select {
		case what, more := <-v.next:
			if !more {
				what = s.lastFor(v)
			}
			if what == nil || !send(what) || !more {
				return
			}
		case <-r.Context().Done():
			s.leave(v, false)
			return
		}
	}
}
