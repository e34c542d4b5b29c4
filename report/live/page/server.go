package page

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/rest"
	"loadgen/report/document"
	"loadgen/report/html"
	"loadgen/report/live"
)

// compose returns the current document, of constant shape, see [html.Live], and a line for the status bar.
type compose func() (d *document.Document, says string)

// Server shows one document at a time to those who have its URL. A nil one does nothing. The caller of Open closes it.
type Server struct {
	feed
	server *rest.Server
	live   *html.Live
	token  string
	stop   func()

	// mu guards the following fields.
	mu      sync.Mutex
	compose compose
	report  []byte
	watches sync.WaitGroup
}

// Options say where a page is served. Each may be its zero value.
type Options struct {
	// Address is a loopback port, or host and port; empty is any free port.
	Address string
	// Listener accepts connections in place of an address.
	Listener net.Listener
	// Token is the first part of the URL's path; a token is drawn if it is empty.
	Token string
	// Stop ends the run. It is called at most once; nil if the page cannot stop it.
	Stop func()
}

// connections is the maximum number of connections, of viewers and others.
const connections = 64

// Open begins to serve. Its error wraps [rest.ErrAddress] if the address is not of the
// loopback, or is in use.
func Open(o Options) (*Server, error) {
	if o.Listener == nil {
		listener, err := rest.ListenAt(o.Address, true)
		if err != nil {
			return nil, err
		}
		o.Listener = listener
	}
	updates, err := html.NewLive(o.Stop != nil)
	if o.Token == "" {
		var secret [16]byte
		_, drawn := io.ReadFull(clock.Secrets(), secret[:])
		o.Token, err = hex.EncodeToString(secret[:]), errors.Join(err, drawn)
	}
	if err != nil {
		return nil, errors.Join(err, o.Listener.Close())
	}
	s := &Server{live: updates, token: o.Token, stop: o.Stop}
	s.compose = func() (*document.Document, string) {
		before := snapshot{run: &Run{Scenario: "run"}, status: &live.Status{}, measured: -1, each: 1, heat: new(heatMap).table(0, false)}
		return before.document(), "waiting for the run"
	}
	s.viewers = make(map[*viewer]struct{})
	s.server, err = rest.Listen(rest.ListenOptions{Listener: o.Listener, Handler: s.handler(), Connections: connections})
	return s, err
}

// URL returns the URL of the page, with its token; empty for a nil server.
func (s *Server) URL() string {
	if s == nil {
		return ""
	}
	return s.server.URL() + "/" + s.token + "/"
}

// Show shows a document from now on. The caller calls [Server.Refresh] when it has changed.
func (s *Server) Show(c compose) {
	s.mu.Lock()
	s.compose = c
	s.mu.Unlock()
	s.Refresh()
}

// Refresh updates every open page. It does not wait for them.
func (s *Server) Refresh() {
	if open, _ := s.counts(); open > 0 {
		if fresh, err := s.fresh(); err == nil {
			s.publish(fresh)
		}
	}
}

// fresh returns an update of a page.
func (s *Server) fresh() ([]byte, error) {
	update, err := s.live.Update(s.composed())
	if err != nil {
		return nil, err
	}
	return event("update", update), nil
}

func (s *Server) composed() (*document.Document, string) {
	s.mu.Lock()
	compose := s.compose
	s.mu.Unlock()
	return compose()
}

// event returns an event of the stream. Its data must not contain a line feed.
func event(name string, data []byte) []byte {
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, data)
}

// Report replaces every open page by a self-contained one, which is served from now on as well. Nothing is shown after it.
func (s *Server) Report(page []byte) {
	text, err := json.Marshal(string(page))
	if err != nil {
		panic("page: encoding a page as JSON: " + err.Error())
	}
	s.mu.Lock()
	s.report = bytes.Clone(page)
	s.mu.Unlock()
	s.finish(event("report", text))
}

// lastUpdateTimeout is the time that an open page has to read its last update.
const lastUpdateTimeout = 3 * time.Second

// Close ends what [Open] began. Open pages without a report get a last update; they have three seconds to read.
func (s *Server) Close() {
	if s == nil {
		return
	}
	s.finish(event("ended", []byte(`"the run is over, without a report"`)))
	s.watches.Wait()
	ctx, release := clock.WithTimeout(context.Background(), clock.NewReal(), lastUpdateTimeout, context.DeadlineExceeded)
	defer release()
	_ = s.server.Close(ctx)
}

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

// The limits of viewers, and of updates that wait for each.
const (
	maxViewers = 16
	maxWaiting = 4
)

var errCrowd = errors.New("too many open pages")

// feed sends updates to viewers.
type feed struct {
	guard   sync.Mutex
	viewers map[*viewer]struct{}
	// last is the last update of every page, nil until then.
	last []byte
	// dropped is the number of viewers that did not read their updates.
	dropped int64
}

// viewer is an open page.
type viewer struct {
	// next has its updates; it is closed when only last follows.
	next chan []byte
	// gone means disconnected.
	gone bool
}

// join adds a viewer. Its first update comes from the caller.
func (f *feed) join() (*viewer, error) {
	f.guard.Lock()
	defer f.guard.Unlock()
	v := &viewer{next: make(chan []byte, maxWaiting)}
	if f.last != nil {
		close(v.next)
		return v, nil
	}
	if len(f.viewers) >= maxViewers {
		return nil, errCrowd
	}
	f.viewers[v] = struct{}{}
	return v, nil
}

// leave removes a viewer that has left, or did not read.
func (f *feed) leave(v *viewer, unread bool) {
	f.guard.Lock()
	defer f.guard.Unlock()
	delete(f.viewers, v)
	if unread && !v.gone {
		f.dropped++
	}
	v.gone = true
}

// publish sends an update to every viewer, and disconnects those with too many waiting.
func (f *feed) publish(fresh []byte) {
	f.guard.Lock()
	defer f.guard.Unlock()
	for v := range f.viewers {
		select {
		case v.next <- fresh:
		default:
			delete(f.viewers, v)
			v.gone = true
			f.dropped++
			close(v.next)
		}
	}
}

// finish sends the last update to every viewer; only the first call counts.
func (f *feed) finish(last []byte) {
	f.guard.Lock()
	defer f.guard.Unlock()
	if f.last != nil {
		return
	}
	f.last = last
	for v := range f.viewers {
		delete(f.viewers, v)
		close(v.next)
	}
}

// lastFor returns the last update for a viewer, nil for one that was disconnected.
func (f *feed) lastFor(v *viewer) []byte {
	f.guard.Lock()
	defer f.guard.Unlock()
	if v.gone {
		return nil
	}
	return f.last
}

// counts returns the number of open pages, and of viewers that were disconnected because they did not read their
// updates.
func (f *feed) counts() (open int, dropped int64) {
	f.guard.Lock()
	defer f.guard.Unlock()
	return len(f.viewers), f.dropped
}
