package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/wire"
)

// The account of the bare handler, whose key opens nothing else.
const (
	bareAccount = "bench"
	bareKey     = "bG9hZGdlbiBiZW5jaCBsb2FkZ2VuIGJlbmNoIGxvYWRnZW4="
)

// replay is the least that a handler can do and still give the replies of a table service: it
// reads the body and writes bytes. At first it has another handler answer; from then
// on that one answers the first request of each kind, and all others get the same.
type replay struct {
	inner   http.Handler
	replays atomic.Bool
	replies sync.Map // by kind, *said
}

var _ http.Handler = (*replay)(nil)

// ServeHTTP implements [http.Handler].
func (h *replay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.replays.Load() {
		h.inner.ServeHTTP(w, r)
		return
	}
	kind := kindOf(r)
	kept, found := h.replies.Load(kind)
	if !found {
		first := &said{header: make(http.Header)}
		h.inner.ServeHTTP(first, r)
		kept, _ = h.replies.LoadOrStore(kind, first)
	}
	reply := kept.(*said)
	_, _ = io.Copy(io.Discard, r.Body)
	header := w.Header()
	for _, name := range []string{"Content-Type", "Etag"} {
		if value := reply.header[name]; value != nil {
			header[name] = value
		}
	}
	w.WriteHeader(reply.status)
	_, _ = w.Write(reply.body.Bytes())
}

// kindOf distinguishes requests whose replies differ.
func kindOf(r *http.Request) string {
	path := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	table, _, _ := strings.Cut(path, "(")
	if strings.Contains(path, "(P") { // an entity's
		table += "()"
	}
	return r.Method + " " + table + "?" + r.URL.RawQuery
}

// said is a reply that is kept.
type said struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (s *said) Header() http.Header { return s.header }

func (s *said) WriteHeader(status int) { s.status = status }

func (s *said) Write(p []byte) (int, error) {
	if s.status == 0 {
		s.status = http.StatusOK
	}
	return s.body.Write(p)
}

// ServeBare serves tables without limits through net/http on a free port of this machine, whose
// address it writes on a line. From the first line that it reads on it only replays: see [Measure].
// It ends with its input, or with the context.
func ServeBare(ctx context.Context, input io.Reader, output io.Writer) error {
	inner, err := tables()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	h := &replay{inner: inner}
	server := &http.Server{Handler: h}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(input); lines.Scan(); {
			h.replays.Store(true)
		}
	}()
	if _, err = fmt.Fprintln(output, listener.Addr()); err == nil {
		select {
		case <-ctx.Done():
		case <-ended:
		}
	}
	_ = server.Close()
	<-served
	return err
}

// tables is the table service that `serve` has, without its listener and without limits.
func tables() (http.Handler, error) {
	unlimited, err := model.New(model.Off)
	if err != nil {
		return nil, err
	}
	key, err := wire.NewSecret(bareKey)
	if err != nil {
		return nil, err
	}
	wall := clock.NewReal()
	return rest.New(rest.Options{Clock: wall, Calendar: wall, Accounts: []rest.Account{{Name: bareAccount, Secret: key}},
		Engine: engine.New(engine.Options{Model: unlimited, Accounts: []string{bareAccount}, Calendar: wall})})
}
