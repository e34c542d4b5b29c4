package rest_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"loadgen/engine/rest"
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

// at once is an echo that nobody has to release.
func atOnce() *echo {
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
	s, err := rest.Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Cut() })
	return s
}

// client is a plain connection.
type client struct {
	t testing.TB
	net.Conn
	in *bufio.Reader
}

func dial(t testing.TB, s *rest.Server) *client {
	t.Helper()
	c, err := net.Dial("tcp", s.Address())
	if err != nil {
		t.Fatal(err)
	}
	return over(t, c)
}

// over is a client over a connection, which is closed with the test.
func over(t testing.TB, c net.Conn) *client {
	t.Helper()
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	return &client{t, c, bufio.NewReader(c)}
}

func (c *client) send(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		c.t.Fatal(err)
	}
}

// reply reads a reply with its body, which is "" where there was none.
func (c *client) reply() (reply *http.Response, body string, err error) {
	reply, err = http.ReadResponse(c.in, nil)
	if err != nil {
		return nil, "", err
	}
	text, err := io.ReadAll(reply.Body)
	return reply, string(text), err
}

// want reads a reply with that status and fails the test otherwise.
func (c *client) want(status int) (body string) {
	c.t.Helper()
	reply, body, err := c.reply()
	if err != nil || reply.StatusCode != status {
		c.t.Fatalf("reply = %v, %v; want %d", reply, err, status)
	}
	return body
}

// wantEnd fails the test unless nothing more comes.
func (c *client) wantEnd(what string) {
	c.t.Helper()
	if rest, err := io.ReadAll(c.in); err != nil || len(rest) > 0 {
		c.t.Errorf("%s: after the reply come %q, %v; want the end", what, rest, err)
	}
}

// answers reads replies to the end and returns their statuses.
func answers(in *bufio.Reader) (statuses []int, err error) {
	for {
		if _, err := in.Peek(1); err == io.EOF {
			return statuses, nil
		} else if err != nil {
			return statuses, err
		}
		reply, err := http.ReadResponse(in, nil)
		if err != nil {
			return statuses, err
		}
		if _, err := io.Copy(io.Discard, reply.Body); err != nil {
			return statuses, err
		}
		if reply.StatusCode != http.StatusContinue {
			statuses = append(statuses, reply.StatusCode)
		}
	}
}

// get is a request without a body, post one with that body.
func get(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n" }

func post(path, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

// shut ends a server whose clients are gone.
func shut(t *testing.T, s *rest.Server) {
	t.Helper()
	if err := s.Close(context.Background()); err != nil && !strings.Contains(err.Error(), "closed") {
		t.Error(err)
	}
}
