package rest_test

import (
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
)

// Past the bound the connection that has been idle for longest makes room, and
// where all are busy the newest is told so. A server is given the time to see that a
// connection is idle after its answer: which of two came first is then known.
func TestConnectionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEcho()
		s, pipes := openPipes(t, rest.ListenOptions{Handler: e, Connections: 3})
		dial := func() *resttest.Conn { return resttest.NewConn(t, pipes.Dial()) }
		first, second, third := dial(), dial(), dial()
		fill := func(c *resttest.Conn) {
			c.Send("POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhell")
		}
		fill(first)
		fill(second)
		<-e.entered
		<-e.entered
		// The third has said nothing: it makes room for the fourth.
		fourth := dial()
		fill(fourth)
		third.WantEnd("who was idle for longest")
		<-e.entered
		fifth := dial()
		reply, _, err := fifth.Reply()
		assert.Truef(t, err == nil && reply.StatusCode == 503 && reply.Header.Get("Retry-After") == "1" && reply.Close,
			"one too many: %v, %v; want 503, when to come again, and the end", reply, err)
		fifth.WantEnd("one too many")
		assert.Equal(t, rest.Connections{Open: 3, Evicted: 1, TurnedAway: 1}, s.Connections())
		assert.EqualValues(t, 3, e.carried.Load(), "requests were carried out")
		close(e.released)
		for _, c := range []*resttest.Conn{second, first, fourth} {
			c.Send("o")
			c.Want(200)
			synctest.Wait()
		}
		// All are idle now, the second for longest: two more take two places.
		for _, path := range []string{"/sixth", "/seventh"} {
			c := dial()
			c.Send(get(path))
			c.Want(200)
			synctest.Wait()
		}
		second.WantEnd("the second")
		first.WantEnd("the first")
		fourth.Send(get("/fourth"))
		fourth.Want(200)
	})
}

// Where nobody is idle, whoever comes is told quickly, many at once, and the server
// ends while some are still being told.
func TestACrowdIsTurnedAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEcho()
		s, listener := openPipes(t, rest.ListenOptions{Handler: e, Connections: 1})
		busy := listener.Dial()
		must(io.WriteString(busy, get("/busy")))(t)
		synctest.Wait()
		// They read nothing, so that nobody can be told anything.
		const crowd = 200
		var clients []net.Conn
		for range crowd {
			clients = append(clients, listener.Dial())
		}
		synctest.Wait()
		assert.Equal(t, rest.Connections{Open: 1, TurnedAway: crowd}, s.Connections())
		began := time.Now()
		told := 0
		for _, c := range clients {
			if text, _ := io.ReadAll(c); strings.HasPrefix(string(text), "HTTP/1.1 503 ") {
				told++
			}
			_ = c.Close()
		}
		assert.Truef(t, told > 0 && told <= 64, "%d were told; want some, and no more than are told at once", told)
		assert.LessOrEqual(t, time.Since(began), 2*time.Second)
		left := listener.Dial()
		synctest.Wait()
		go func() { close(e.released) }()
		_, _ = io.Copy(io.Discard, io.LimitReader(busy, 1))
		_ = busy.Close()
		assert.NoError(t, s.Cut())
		_ = left.Close()
	})
}

// starved is a listener that has no descriptor left until there is room again.
type starved struct {
	*resttest.Pipes
	failures chan error
}

func (s starved) Accept() (net.Conn, error) {
	select {
	case err := <-s.failures:
		return nil, err
	default:
	}
	select {
	case err := <-s.failures:
		return nil, err
	case c := <-s.Connections:
		return c, nil
	case <-s.Closed:
		return nil, net.ErrClosed
	}
}

// A want of descriptors closes an idle connection, and the server goes on, without
// asking again and again.
func TestWantOfDescriptors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := starved{resttest.NewPipes(), make(chan error, 100)}
		s := open(t, rest.ListenOptions{Listener: listener, Handler: newReleased()})
		idle := listener.Dial()
		synctest.Wait()
		began := time.Now()
		for range 10 {
			listener.failures <- &net.OpError{Op: "accept", Err: syscall.EMFILE}
		}
		_, err := idle.Read(make([]byte, 1))
		assert.Equal(t, io.EOF, err, "the idle connection")
		c := listener.Dial()
		go func() { _, _ = io.WriteString(c, get("/after")) }()
		got, err := io.ReadAll(io.LimitReader(c, 12))
		assert.Truef(t, string(got) == "HTTP/1.1 200", "after that: %q, %v; want an answer", got, err)
		assert.GreaterOrEqual(t, time.Since(began), time.Second, "ten failures have pauses between them")
		assert.EqualValues(t, 1, s.Connections().Evicted)
		_ = c.Close()
		shut(t, s)
	})
}
