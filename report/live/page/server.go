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

// Compose says how something fares at present: a document that is of the same shape at every
// call, see [html.Live], and a line for the bar above it.
type Compose func() (d *document.Document, says string)

// Server shows one thing at a time to whoever has its URL. A nil one is nowhere. Whoever made
// it closes it.
type Server struct {
	feed
	server *rest.Server
	live   *html.Live
	token  string
	stop   func()

	// mu guards what is below.
	mu      sync.Mutex
	compose Compose
	report  []byte
	watches sync.WaitGroup
}

// Options say where something is shown. Each may be its zero value.
type Options struct {
	// Address is a port, or a host and a port, of the loopback; empty is any free port.
	Address string
	// Listener is whom connections come from instead, of which no address is asked.
	Listener net.Listener
	// Token is what the path of the URL begins with; empty has one drawn.
	Token string
	// Stop ends what is shown. It is called once at most; nil is for what cannot be ended so.
	Stop func()
}

// connections is how many there are at most, those of viewers and others.
const connections = 64

// Open begins to serve. Its error wraps [rest.ErrAddress] where the address is none of the
// loopback, or is taken.
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
		before := story{run: &Run{Scenario: "run"}, status: &live.Status{}, measured: -1, each: 1, heat: new(heatMap).table(0, false)}
		return before.document(), "waiting for the run to begin"
	}
	s.viewers = make(map[*viewer]struct{})
	s.server, err = rest.Listen(rest.ListenOptions{Listener: o.Listener, Handler: s.handler(), Connections: connections})
	return s, err
}

// URL returns where the page is, with its token; empty where there is none.
func (s *Server) URL() string {
	if s == nil {
		return ""
	}
	return s.server.URL() + "/" + s.token + "/"
}

// Show has what is composed be shown from now on. The caller calls [Server.Refresh] when it
// has changed.
func (s *Server) Show(c Compose) {
	s.mu.Lock()
	s.compose = c
	s.mu.Unlock()
	s.Refresh()
}

// Refresh brings every page that is open up to date. It does nothing while none is, and waits
// for nobody.
func (s *Server) Refresh() {
	if open, _ := s.Viewers(); open > 0 {
		if fresh, err := s.fresh(); err == nil {
			s.publish(fresh)
		}
	}
}

// fresh returns what brings a page up to date.
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

// event is one of the stream, of data that have no line's end in them.
func event(name string, data []byte) []byte {
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, data)
}

// Report has every page that is open become one that stands by itself, which is served from
// now on as well. Nothing is shown after it.
func (s *Server) Report(page []byte) {
	text, err := json.Marshal(string(page))
	if err != nil {
		panic("page: a text that JSON has not: " + err.Error())
	}
	s.mu.Lock()
	s.report = bytes.Clone(page)
	s.mu.Unlock()
	s.finish(event("report", text))
}

// farewell is how long a page that is open has to take what is shown last.
const farewell = 3 * time.Second

// Close ends what [Open] began. Pages that are open are told that nothing follows, where they
// have no report, and have three seconds to take what is on its way.
func (s *Server) Close() {
	if s == nil {
		return
	}
	s.finish(event("ended", []byte(`"the run is over: it left no report"`)))
	s.watches.Wait()
	ctx, cancel := context.WithCancel(context.Background())
	var waiting sync.WaitGroup
	waiting.Go(func() {
		c := clock.NewReal()
		if c.Sleep(ctx, c.Now().Add(farewell)) == nil {
			cancel()
		}
	})
	// What is cut off then had its time.
	_ = s.server.Close(ctx)
	cancel()
	waiting.Wait()
}
