package rest

import (
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// scripted is a client that sends a request again and again, as often as it is read, and
// drops what it is sent.
type scripted struct {
	net.Conn
	sends string
	times int
	sent  int64
}

func (s *scripted) Read(p []byte) (int, error) {
	if s.times == 0 {
		return 0, io.EOF
	}
	s.times--
	return copy(p, s.sends), nil
}

func (s *scripted) Write(p []byte) (int, error) {
	s.sent += int64(len(p))
	return len(p), nil
}

func (*scripted) RemoteAddr() net.Addr             { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }
func (*scripted) SetReadDeadline(time.Time) error  { return nil }
func (*scripted) SetWriteDeadline(time.Time) error { return nil }

// serveTimes has a server answer a request so often on one connection.
func serveTimes(t testing.TB, o ListenOptions, sends string, times int) *scripted {
	t.Helper()
	o.Listener = &nobody{closed: make(chan struct{})}
	s, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Cut() }()
	client := &scripted{sends: sends, times: times}
	d := newDirect(s, &connection{Conn: client, socket: client})
	d.raw = unlooked{}
	if d.serve() {
		t.Fatal("the connection was handed over; want it answered")
	}
	return client
}

// unlooked is a socket that has nothing to be read.
type unlooked struct{}

func (unlooked) Control(func(uintptr)) error    { return nil }
func (unlooked) Read(func(uintptr) bool) error  { return nil }
func (unlooked) Write(func(uintptr) bool) error { return nil }

// nobody is a listener to whom nobody connects.
type nobody struct {
	closed chan struct{}
	once   sync.Once
}

func (n *nobody) Accept() (net.Conn, error) { <-n.closed; return nil, net.ErrClosed }
func (n *nobody) Close() error              { n.once.Do(func() { close(n.closed) }); return nil }
func (*nobody) Addr() net.Addr              { return &net.TCPAddr{} }

// Every one of many requests on a connection is answered, alike.
func TestManyRequestsOnAConnection(t *testing.T) {
	carried := 0
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if string(text) != "hello" || err != nil || r.Header.Get("Authorization") == "" {
			t.Errorf("request %d has the body %q, %v, header %v", carried, text, err, r.Header)
		}
		carried++
		w.WriteHeader(http.StatusNoContent)
	})
	one := serveTimes(t, ListenOptions{Handler: h, Transient: true}, usual+"hello", 1).sent
	all := serveTimes(t, ListenOptions{Handler: h, Transient: true}, usual+"hello", 1000).sent
	if carried != 1001 || all != 1000*one {
		t.Errorf("%d were carried out, and %d bytes of replies sent; want 1001, and %d", carried, all, 1000*one)
	}
}

// A client that goes while its handler waits is missed, if the handler waits for that.
func TestClientsThatGoAreMissed(t *testing.T) {
	entered, left := make(chan struct{}), make(chan error, 1)
	s, err := Listen(ListenOptions{Address: "127.0.0.1:0", Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(entered)
		<-r.Context().Done()
		left <- r.Context().Err()
	})})
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", s.Address())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, usual+"hello"); err != nil {
		t.Fatal(err)
	}
	<-entered
	_ = c.Close()
	if err := <-left; err == nil {
		t.Error("the context of a request whose client is gone has no error")
	}
	if err := s.Cut(); err != nil {
		t.Error(err)
	}
}

// What comes behind a request before its answer is seen on a socket, and that nothing
// came.
func TestLook(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ours, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	raw, err := ours.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var eye look
	if eye.something(raw) {
		t.Error("something = true of a silent client")
	}
	if _, err := io.WriteString(c, "x"); err != nil {
		t.Fatal(err)
	}
	for range 10_000 {
		if eye.something(raw) {
			return
		}
		time.Sleep(time.Millisecond) // until the network has carried it over
	}
	t.Error("something = false of a client that has sent something")
}
