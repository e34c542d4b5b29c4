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
	// raw gives access to the socket, nil if the connection has none.
	raw   syscall.RawConn
	look  look
	used  bool
	since clock.Instant
}

// connectionBuffer fits the whole request for an entity of ordinary size.
const connectionBuffer = 16 << 10

func newConnection(conn net.Conn) *connection {
	in := &inflow{from: conn}
	c := &connection{Conn: conn, reader: bufio.NewReaderSize(in, connectionBuffer), inflow: in}
	if socket, ok := c.transport().(syscall.Conn); ok {
		c.raw, _ = socket.SyscallConn() // nil disables the check
	}
	return c
}

// inflow counts the received bytes.
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

// consumed returns the number of received bytes without the buffered ones.
func (c *connection) consumed() int64 { return c.inflow.bytes - int64(c.reader.Buffered()) }

// transport returns the connection below TLS.
func (c *connection) transport() net.Conn {
	if secured, ok := c.Conn.(*tls.Conn); ok {
		return secured.NetConn()
	}
	return c.Conn
}

// atOnce returns a deadline in the past.
func atOnce() time.Time { return time.Unix(1, 0) }

// interrupt ends current and future reads and writes at once.
func (c *connection) interrupt() { _ = c.SetDeadline(atOnce()) } // the error of a closed connection

// cut closes a broken connection without TLS's close message, which may have to wait for the other side.
func (c *connection) cut() { _ = c.transport().Close() } // closing twice is harmless

// quiet reports whether an idle connection is still open and has received nothing.
func (c *connection) quiet() bool {
	return c.reader.Buffered() == 0 && (c.raw == nil || c.look.quiet(c.raw))
}

func (c *connection) write(a *attempt) error {
	if _, err := c.Write(a.message); err != nil {
		return err
	}
	if !a.bodyIsSeparate() {
		return nil
	}
	_, err := c.Write(a.content)
	return err
}

// receive reads the reply of an attempt, and records the time of its first byte.
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

// farewell is the time to write the rest of a request after its reply, and to read a reply after a
// failed write.
const farewell = 50 * time.Millisecond

// await waits for ended, and reports whether it was closed within farewell.
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

// exchange sends the request of an attempt and reads its reply. It writes a large request while it
// waits for the reply, since a service may reject a body before it has read all of it. It reports
// whether the connection may carry another request.
func (c *connection) exchange(a *attempt, clk clock.Clock) (again bool, err error) {
	if c.raw != nil && !a.bodyIsSeparate() && len(a.message) <= 2*connectionBuffer {
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
			// The reply may already explain the failure.
			await(clk, received)
			c.interrupt()
		}
	}()
	err = c.receive(a, clk)
	close(received)
	again = err == nil && c.lasts(a) && await(clk, written)
	select {
	case failure := <-unsent:
		// Without a request there is no reply.
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

// lasts reports whether the connection may carry another request. No received bytes may remain in
// the buffers above the socket, which quiet cannot see: TLS reads more than one record.
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

// counted returns the number of entities that an attempt counts against the targets: the service's
// own number with AskCounted, otherwise the one of the documented rule, which was not measured.
//
// The rule: every admitted request counts, whatever its outcome. A transaction counts its writes, a
// query the entities that it scanned, at least one, any other operation on an entity one. A query
// whose filter is a range of keys scans what it returns; for a filter on properties that number is a
// lower bound. Requests that never reach the entities of a table count nothing: refusals (503, 429,
// 500, 504), operations on a missing table, requests that are malformed or not authorized (401, 403,
// 405, 411, 413, 415, 501, 400 for a read or for a repeated property, a transaction without writes
// or with too many), and operations on a whole table.
func (t *Target) counted(op *target.Operation, o *target.Outcome, part bool, r *reply) int64 {
	if t.askCounted {
		if n, err := strconv.ParseUint(r.firstValue(wire.CountedHeader), 10, 31); err == nil {
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

// admitted reports whether a request reached the entities of a table. A part of a transaction did,
// whatever the client's fault; there a limit on the size of entities is answered with 413.
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
