package page

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
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
	ctx, release := clock.Within(context.Background(), clock.NewReal(), lastUpdateTimeout, context.DeadlineExceeded)
	defer release()
	_ = s.server.Close(ctx)
}
