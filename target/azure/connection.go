package azure

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/wire"
	"loadgen/target"
)

// connection carries one request after another. It belongs to one attempt at a
// time, or to the pool.
type connection struct {
	net.Conn
	reader *bufio.Reader
	inflow *inflow
	// raw looks at a socket of the system, nil where there is none under it.
	raw   syscall.RawConn
	look  look
	used  bool
	since clock.Instant
}

// connectionBuffer holds the request for an entity of ordinary size whole, and
// as much of a reply.
const connectionBuffer = 16 << 10

func newConnection(conn net.Conn) *connection {
	in := &inflow{from: conn}
	c := &connection{Conn: conn, reader: bufio.NewReaderSize(in, connectionBuffer), inflow: in}
	if socket, ok := c.under().(syscall.Conn); ok {
		c.raw, _ = socket.SyscallConn() // where it cannot be had, it is not looked at
	}
	return c
}

// inflow counts the bytes that come.
type inflow struct {
	from  io.Reader
	bytes int64
}

// Read implements [io.Reader].
func (f *inflow) Read(p []byte) (int, error) {
	n, err := f.from.Read(p)
	f.bytes += int64(n)
	return n, err
}

// consumed returns how many bytes have been read of what came.
func (c *connection) consumed() int64 { return c.inflow.bytes - int64(c.reader.Buffered()) }

// under returns what carries the bytes, below TLS.
func (c *connection) under() net.Conn {
	if secured, ok := c.Conn.(*tls.Conn); ok {
		return secured.NetConn()
	}
	return c.Conn
}

// atOnce returns a deadline that is over.
func atOnce() time.Time { return time.Unix(1, 0) }

// interrupt has what is under way on the connection end at once, and all that
// comes after.
func (c *connection) interrupt() { _ = c.SetDeadline(atOnce()) } // of a connection that is closed already

// cut closes a connection on which something went wrong: without a farewell,
// which in TLS may have to wait for the other side.
func (c *connection) cut() { _ = c.under().Close() } // nobody is left to be told

// quiet reports whether an idle connection is still open, and nothing came on
// it that nobody asked for.
func (c *connection) quiet() bool {
	return c.reader.Buffered() == 0 && (c.raw == nil || c.look.quiet(c.raw))
}

func (c *connection) write(a *attempt) error {
	if _, err := c.Write(a.message); err != nil {
		return err
	}
	if !a.apart() {
		return nil
	}
	_, err := c.Write(a.content)
	return err
}

// receive reads the reply of an attempt, and notes when its first byte came.
func (c *connection) receive(a *attempt, clk clock.Clock) error {
	before := c.consumed()
	if _, err := c.reader.Peek(1); err != nil {
		return err
	}
	a.answered, a.first = true, clk.Now()
	err := a.reply.read(c.reader)
	a.came = c.consumed() - before
	return err
}

// farewell is how long the rest of a request may take to be written once the
// reply to it has come, and a reply to be read once the request cannot be written.
const farewell = 50 * time.Millisecond

// await waits for what is about to end, and reports whether it did before a
// farewell was over.
func await(clk clock.Clock, ended <-chan struct{}) bool {
	alarm := clk.Alarm(clk.Now().Add(farewell))
	defer alarm.Stop()
	select {
	case <-ended:
		return true
	case <-alarm.C:
		return false
	}
}

// exchange sends the request of an attempt and reads its reply. A large request
// is written while the reply is awaited, since a service may answer before it
// has read what it does not want. It reports whether the connection may carry
// another.
func (c *connection) exchange(a *attempt, clk clock.Clock) (again bool, err error) {
	if c.raw != nil && !a.apart() && len(a.message) <= 2*connectionBuffer {
		if err := c.write(a); err != nil {
			return false, err
		}
		err = c.receive(a, clk)
		return err == nil && c.lasts(a), err
	}
	unsent := make(chan error, 1)
	written, received := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(written)
		if err := c.write(a); err != nil {
			unsent <- err
			// The reply may be there already, and say why.
			await(clk, received)
			c.interrupt()
		}
	}()
	err = c.receive(a, clk)
	close(received)
	again = err == nil && c.lasts(a) && await(clk, written)
	select {
	case failure := <-unsent:
		// What ended the reply was that there was no request.
		again = false
		if err != nil {
			err = failure
		}
	default:
	}
	if !again {
		c.interrupt()
	}
	<-written
	return again, err
}

// lasts reports whether the connection may carry another request. Nothing that came may be left
// above the socket, where no look at that finds it: TLS takes in more than the record that is read.
func (c *connection) lasts(a *attempt) bool {
	if a.reply.closing || c.reader.Buffered() != 0 {
		return false
	}
	if _, secured := c.Conn.(*tls.Conn); !secured {
		return true
	}
	if c.SetReadDeadline(atOnce()) != nil {
		return false
	}
	_, err := c.reader.Peek(1)
	return errors.Is(err, os.ErrDeadlineExceeded) && c.SetReadDeadline(time.Time{}) == nil
}

// counted returns how many entities an attempt counts against the targets: what
// the service says where it is asked, and otherwise what the documented rule
// gives, which is derived here and was measured nowhere.
//
// The rule: what the service admits counts, whatever came of it. A transaction
// counts its writes, a query what it scanned, at least one, any other operation
// on an entity one. That a query scanned what it returned holds as long as its
// filter is a range of keys; how many entities one on properties dropped, the
// service does not say, and what is derived is the least. Nothing counts that
// never came to a table's entities: a refusal (503, 429, 500, 504), an operation
// on a table that does not exist, a request that failed for its form or its
// sender's rights (401, 403, 405, 411, 413, 415, 501, a 400 to what only reads or
// whose body says a property twice, a transaction of no writes or more than one
// has), an operation on a table as a whole.
func (t *Target) counted(op *target.Operation, o *target.Outcome, part bool, r *reply) int64 {
	if t.askCounted {
		if n, err := strconv.ParseUint(r.first(wire.CountedHeader), 10, 31); err == nil {
			return int64(n)
		}
	}
	if !admitted(op, o, part) {
		return 0
	}
	switch op.Verb {
	case entity.CreateTable, entity.DeleteTable:
		return 0
	case entity.Query:
		return max(1, o.Returned)
	case entity.Batch:
		return int64(len(op.Changes))
	default:
		return 1
	}
}

// admitted reports whether a request came to a table's entities. A part of a
// transaction did whatever the client's fault in it; a limit on the entities'
// sizes is answered with 413 there.
func admitted(op *target.Operation, o *target.Outcome, part bool) bool {
	writes := len(op.Changes)
	if op.Verb == entity.Batch && (writes == 0 || writes > entity.MaxBatchChanges) ||
		o.Code == entity.TableNotFound || o.Code == entity.DuplicateProperties {
		return false
	}
	reads := op.Verb == entity.Get || op.Verb == entity.Query
	switch s := o.Status; {
	case s >= 200 && s < 300:
		return true
	case part:
		return s >= 400 && s < 500 && s != http.StatusTooManyRequests
	default:
		return s == 400 && !reads || s == 404 || s == 409 || s == 412
	}
}
