package rest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
)

// echo answers each request with its body's length, once it is released. It counts
// what it carried out.
type echo struct {
	released chan struct{}
	carried  atomic.Int64
	// entered has a value for each of the first requests.
	entered chan struct{}
}

func newEcho() *echo {
	return &echo{released: make(chan struct{}), entered: make(chan struct{}, 16)}
}

// newReleased returns an echo that nobody has to release.
func newReleased() *echo {
	e := newEcho()
	close(e.released)
	return e
}

func (e *echo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.carried.Add(1)
	select {
	case e.entered <- struct{}{}:
	default:
	}
	n, err := io.Copy(io.Discard, r.Body)
	<-e.released
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if _, err := fmt.Fprintf(w, "%s %d", r.URL, n); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// open opens a server that is closed with the test.
func open(t testing.TB, o rest.ListenOptions) *rest.Server {
	t.Helper()
	if o.Address == "" && o.Listener == nil {
		o.Address = "127.0.0.1:0"
	}
	s := must(rest.Listen(o))(t)
	t.Cleanup(func() { _ = s.Cut() })
	return s
}

// openPipes opens a server to which only those connect that dial its pipes.
func openPipes(t testing.TB, o rest.ListenOptions) (*rest.Server, *resttest.Pipes) {
	t.Helper()
	pipes := resttest.NewPipes()
	o.Listener = pipes
	return open(t, o), pipes
}

// dial connects to a server with an address.
func dial(t testing.TB, s *rest.Server) *resttest.Conn { return resttest.DialConn(t, s.Address()) }

// get is a request without a body, post one with that body.
func get(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n" }

func post(path, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

// shut closes a server whose clients are gone.
func shut(t *testing.T, s *rest.Server) {
	t.Helper()
	if err := s.Close(context.Background()); err != nil && !strings.Contains(err.Error(), "closed") {
		t.Error(err)
	}
}
