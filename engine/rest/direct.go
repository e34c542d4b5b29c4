package rest

import (
	"errors"
	"io"
	"net/http"
	"syscall"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/invariants"
)

// direct answers the requests of a connection one after the other, each in the
// goroutine that has read it: no other is started for it, no timer set, and nothing
// allocated but a copy of its head. It reads those alone whose head is such as [head]
// takes, has come at once, and is followed by no other request; a connection that sends
// anything else is net/http's from then on, to whom that is given as it came.
type direct struct {
	*connection
	server *Server
	// raw looks at a socket of the system, nil where there is none.
	raw   syscall.RawConn
	look  look
	watch watch

	room     [directRoom]byte
	from, to int
	head     head
	// request is used for every request in turn; blank is how it begins.
	request, blank *http.Request
	body           body
	reply          reply
	// begun is when the request under way began to come, readBy and wroteBy are the
	// deadlines that the connection has.
	begun, readBy, wroteBy clock.Instant
}

func newDirect(s *Server, c *connection) *direct {
	d := &direct{connection: c, server: s}
	if socket, ok := c.socket.(syscall.Conn); ok {
		d.raw, _ = socket.SyscallConn() // where it cannot be had, it is not looked at
	}
	d.watch.begin(d)
	d.head.transient = s.transient
	d.body.of, d.reply.of = d, d
	d.reply.header = make(http.Header)
	d.blank = (&http.Request{Header: make(http.Header), RemoteAddr: c.RemoteAddr().String()}).WithContext(&d.watch)
	d.request = new(http.Request)
	c.watched.Store(&d.watch)
	return d
}

// slack is by how much a deadline may come early: it is not set anew for each request.
const slack = time.Second

// readUntil bounds what is read from now on, give or take.
func (d *direct) readUntil(by clock.Instant, slack time.Duration) {
	if d.readBy <= by && d.readBy > by.Add(-slack) {
		return
	}
	d.readBy = by
	_ = d.SetReadDeadline(deadline(d.server.clock, by)) // of a connection that is closed the read tells
}

// serve answers until the connection ends, or is handed over: then it returns true.
func (d *direct) serve() (handedOver bool) {
	wait := HeaderTime
	for {
		d.readUntil(d.server.clock.Now().Add(wait), slack)
		n, err := d.connection.Conn.Read(d.room[d.to:])
		for n == 0 && err == nil {
			n, err = d.connection.Conn.Read(d.room[d.to:])
		}
		if d.to += n; n == 0 || !d.wake() {
			return false
		}
		if err == nil && !d.take() {
			d.prefix = d.room[:d.to]
			return true
		}
		if err != nil || !d.exchange() || !d.idle(d.server) {
			return false
		}
		wait = idleTime
	}
}

// take takes the request that was read, and reports whether it is one to be answered
// here.
func (d *direct) take() bool {
	*d.request = *d.blank
	end, ok := d.head.read(d.room[:d.to], d.request)
	if !ok || int64(d.to-end) > d.request.ContentLength {
		return false
	}
	d.from = end
	d.body.begin(d.request)
	return true
}

// exchange has the request answered, and reports whether the connection may have
// another.
func (d *direct) exchange() (again bool) {
	d.begun = d.server.clock.Now()
	d.reply.begin()
	d.watch.enter()
	answered := d.answer()
	d.watch.leave()
	if !answered {
		return false
	}
	d.reply.end()
	rest := d.body.end()
	if again = !d.reply.last && d.reply.err == nil; !again {
		d.part(rest)
		return false
	}
	if d.head.transient {
		invariants.Poison(&spent{d.room[:]}, "room")
	}
	d.to = d.watch.carry(d.room[:])
	return true
}

// spent is room that nobody may read any more.
type spent struct{ room []byte }

// answer calls the handler. It is false where that gave up.
func (d *direct) answer() (answered bool) {
	defer func() {
		if recover() != nil {
			answered = false // as net/http does, where a handler panics
		}
	}()
	d.server.handler.ServeHTTP(&d.reply, d.request)
	return true
}

// idle takes down that nothing is under way, and reports whether the server goes on.
func (d *direct) idle(s *Server) bool {
	d.connection.idle.CompareAndSwap(busy, s.door.turns.Add(1))
	return !s.closing.Load()
}

// part ends a connection whose client may still send: the rest of a body, and what comes
// behind it, is read in vain for a while, or the network would forget the reply with it.
func (d *direct) part(rest int64) {
	if rest > 0 && !d.forgo(min(rest, drainBytes), drainTime) {
		return
	}
	_ = d.CloseWrite()
	d.forgo(leaveBytes, leaveTime)
}

// forgo reads so many bytes in vain, for so long at most, and reports whether all came.
func (d *direct) forgo(bytes int64, within time.Duration) bool {
	d.readUntil(d.server.clock.Now().Add(within), 0)
	_, err := io.CopyN(io.Discard, d.connection.Conn, bytes)
	return err == nil
}

// body is that of a request, as far as the handler reads it.
type body struct {
	of   *direct
	rest int64
	over bool
}

var errTooLate = errors.New("rest: a body that is read after the answer to it")

func (b *body) begin(r *http.Request) {
	b.rest, b.over = r.ContentLength, false
	if r.Body = http.NoBody; b.rest > 0 {
		r.Body = b
	}
}

// end returns how much of the body has yet to come.
func (b *body) end() int64 {
	b.over = true
	if b.rest == 0 {
		return 0
	}
	return b.rest - int64(b.of.to-b.of.from)
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	switch {
	case b.over:
		return 0, errTooLate
	case b.rest == 0:
		return 0, io.EOF
	}
	n, err := b.read(p[:min(int64(len(p)), b.rest)])
	b.rest -= int64(n)
	switch {
	case b.rest == 0:
		b.of.watch.whole()
		return n, io.EOF
	case err == io.EOF:
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (b *body) read(p []byte) (int, error) {
	d := b.of
	if d.from < d.to {
		n := copy(p, d.room[d.from:d.to])
		d.from += n
		return n, nil
	}
	d.readUntil(d.begun.Add(ReadTime), 0)
	return d.connection.Conn.Read(p)
}

// Close implements [io.Closer].
func (b *body) Close() error { return nil }
