package rest

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// field is name and value of a field of a reply's header.
type field = [2]string

// reply is the answer to a request that was read directly: what net/http would have
// written, byte for byte, trailers and replies before the reply proper aside. Its head
// leaves with the beginning of the body, in one write where that is short.
type reply struct {
	of     *direct
	header http.Header
	fields []field
	// head is what was written of the head, body what waits to be sent behind it.
	head, body []byte
	// pieces are sent at once, and lie in room.
	pieces net.Buffers
	room   [4][]byte

	status int
	// length is what the handler says of it, -1 for nothing; written is what it wrote.
	length, written int64
	// begun says that the status is known, closed that the head is complete, ended that
	// the reply is; hasType, hasDate and saysLast what of the head is there, bounded that the handler bounds how long
	// the reply takes, broken that it writes more than it said.
	begun, closed, ended, chunked, hasType, hasDate, saysLast, bounded, broken bool
	// last says that the connection ends with this reply.
	last bool
	err  error
}

const (
	// mostUntold is how much of a body waits for the end of the handler, which tells its
	// length: as much as net/http has wait.
	mostUntold = 2 << 10
	// mostJoined is how much of one of a known length waits for more of it.
	mostJoined = 8 << 10
	// maxKeptReply bounds the room that is kept for the next reply.
	maxKeptReply = 32 << 10
)

func (r *reply) begin() {
	clear(r.header)
	if cap(r.head)+cap(r.body) > maxKeptReply {
		r.head, r.body = nil, nil
	}
	*r = reply{of: r.of, header: r.header, fields: r.fields[:0], head: r.head[:0], body: r.body[:0], length: -1}
}

// Header implements [http.ResponseWriter].
func (r *reply) Header() http.Header { return r.header }

// WriteHeader implements [http.ResponseWriter]. What comes before the reply proper is
// not sent.
func (r *reply) WriteHeader(status int) {
	if r.begun || status < 200 {
		return
	}
	for name, values := range r.header {
		switch name {
		case "Date":
			r.hasDate = true
		case "Content-Type":
			r.hasType = true
		case "Content-Encoding":
			r.hasType = r.hasType || len(values) > 0 && values[0] != ""
		case "Transfer-Encoding", "Trailer":
			continue
		}
		for _, value := range values {
			r.fields = append(r.fields, field{name, value})
		}
	}
	r.open(status)
}

// Reply sends a reply as a whole, for a handler that looks for this method: names and
// values of its header, with a date, a type and the length of its body. It keeps nothing of
// what it is given. A client that is gone gets no reply.
func (r *reply) Reply(status int, fields [][2]string, body []byte) {
	if r.begun {
		return
	}
	r.hasDate, r.hasType = true, true
	r.fields = append(r.fields, fields...)
	r.open(status)
	_, _ = r.Write(body) // a client that is gone
}

// open begins the reply with the fields.
func (r *reply) open(status int) {
	r.begun, r.status = true, status
	r.last = r.of.watch.answer() || r.of.body.rest > discarded || r.of.server.closing.Load()
	if r.last {
		r.fields = append(r.fields, field{"Connection", "close"})
	}
	sortFields(r.fields)
	r.head = appendStatus(r.head, status)
	for i := range r.fields {
		r.put(&r.fields[i])
	}
}

// sortFields sorts fields by name, as few as they are and mostly in order; the fields of
// one name stay as they are.
func sortFields(fields []field) {
	for i := 1; i < len(fields); i++ {
		for at := i; at > 0 && fields[at][0] < fields[at-1][0]; at-- {
			fields[at], fields[at-1] = fields[at-1], fields[at]
		}
	}
}

// put writes a field, unless the reply cannot have it.
func (r *reply) put(f *field) {
	switch f[0] {
	case "Connection":
		if strings.EqualFold(f[1], "close") {
			if r.saysLast {
				return // once is enough
			}
			r.last, r.saysLast = true, true
		}
	case "Content-Length":
		length, ok := digits(strings.TrimSpace(f[1]))
		if !ok || r.length >= 0 || r.status == http.StatusNoContent {
			return
		}
		r.length = length
	case "Content-Type":
		if r.status == http.StatusNotModified {
			return
		}
	}
	r.head = appendField(r.head, f[0], strings.Trim(f[1], " \t"))
}

// appendStatus appends the first line of a reply.
func appendStatus(dst []byte, status int) []byte {
	dst = strconv.AppendInt(append(dst, "HTTP/1.1 "...), int64(status), 10)
	dst = append(dst, ' ')
	if text := http.StatusText(status); text != "" {
		dst = append(dst, text...)
	} else {
		dst = strconv.AppendInt(append(dst, "status code "...), int64(status), 10)
	}
	return append(dst, "\r\n"...)
}

// appendField appends a field with its line end. No value can end a line.
func appendField(dst []byte, name, value string) []byte {
	dst = append(append(dst, name...), ": "...)
	from := len(dst)
	dst = append(dst, value...)
	for i, c := range dst[from:] {
		if c == '\r' || c == '\n' {
			dst[from+i] = ' '
		}
	}
	return append(dst, "\r\n"...)
}

// mayHaveBody reports whether the status is one of replies that have a body.
func (r *reply) mayHaveBody() bool {
	return r.status != http.StatusNoContent && r.status != http.StatusNotModified
}

// isHead reports whether the request is for the head of a reply alone.
func (r *reply) isHead() bool { return r.of.request.Method == http.MethodHead }

// Write implements [http.ResponseWriter].
func (r *reply) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	switch {
	case len(p) == 0:
		return 0, r.err
	case !r.mayHaveBody():
		return 0, http.ErrBodyNotAllowed
	case r.length >= 0 && r.written+int64(len(p)) > r.length:
		r.broken = true
		return 0, http.ErrContentLength
	}
	r.written += int64(len(p))
	most := mostUntold
	if r.length >= 0 {
		most = mostJoined
	}
	if waits := len(r.body) + len(p); waits <= most && !r.chunked {
		r.body = append(r.body, p...)
		return len(p), nil
	}
	r.send(p)
	if r.err != nil {
		return 0, r.err
	}
	return len(p), nil
}

// send sends what waits, and then p, of which it keeps nothing.
func (r *reply) send(p []byte) {
	if r.err != nil {
		return
	}
	r.closeHead(p, false)
	switch {
	case r.isHead():
		r.body, p = r.body[:0], nil
	case r.chunked:
		p = r.chunk(p)
	}
	pieces := r.room[:0]
	if len(r.head)+len(r.body)+len(p) <= mostJoined {
		r.head = append(append(r.head, r.body...), p...)
		r.body, p = r.body[:0], nil
	}
	for _, piece := range [...][]byte{r.head, r.body, p} {
		if len(piece) > 0 {
			pieces = append(pieces, piece)
		}
	}
	r.within()
	switch len(pieces) {
	case 0:
	case 1:
		_, r.err = r.of.connection.Conn.Write(pieces[0])
	default:
		r.pieces = pieces
		_, r.err = r.pieces.WriteTo(r.of.connection.Conn)
	}
	r.room, r.head, r.body = [4][]byte{}, r.head[:0], r.body[:0]
}

// chunk makes a chunk of what waits and of p, and returns what of it is to be sent.
func (r *reply) chunk(p []byte) []byte {
	if size := len(r.body) + len(p); size > 0 {
		r.head = strconv.AppendInt(r.head, int64(size), 16)
		r.head = append(r.head, "\r\n"...)
		r.body = append(append(r.body, p...), "\r\n"...)
	}
	return nil
}

// closeHead completes the head of a reply whose body begins with what waits, or else
// with p. Done says that this is all of it.
func (r *reply) closeHead(p []byte, done bool) {
	if r.closed {
		return
	}
	r.closed = true
	if len(r.body) > 0 {
		p = r.body
	}
	r.readRest()
	if !r.hasDate {
		now := deadline(r.of.server.clock, r.of.server.clock.Now())
		r.head = appendField(r.head, "Date", now.UTC().Format(http.TimeFormat))
	}
	if r.mayHaveBody() {
		if done && r.length < 0 && (!r.isHead() || r.written > 0) {
			r.length = r.written
			r.head = strconv.AppendInt(append(r.head, "Content-Length: "...), r.length, 10)
			r.head = append(r.head, "\r\n"...)
		}
		if !r.hasType && len(p) > 0 {
			r.head = appendField(r.head, "Content-Type", http.DetectContentType(p))
		}
		r.chunked = r.length < 0 && !r.isHead()
	}
	if r.last && !r.saysLast {
		r.head = appendField(r.head, "Connection", "close")
	}
	if r.chunked {
		r.head = appendField(r.head, "Transfer-Encoding", "chunked")
	}
	r.head = append(r.head, "\r\n"...)
}

// readRest reads what the handler did not of a body that is not long: who sends all of
// it before reading anything would not hear the reply otherwise.
func (r *reply) readRest() {
	if b := &r.of.body; b.rest > 0 && !r.last {
		if _, err := io.Copy(io.Discard, b); err != nil {
			r.last = true
		}
	}
}

// end ends the reply once the handler has returned, or said that there is no more.
func (r *reply) end() {
	r.WriteHeader(http.StatusOK)
	r.closeHead(nil, true)
	if r.chunked && !r.ended {
		r.head = append(r.head, "0\r\n\r\n"...)
	}
	r.ended = true
	r.send(nil)
	if !r.isHead() && (r.broken || r.length > r.written && r.mayHaveBody()) {
		r.last = true // the client is to learn that something is missing
	}
}

// FlushError is for [http.ResponseController].
func (r *reply) FlushError() error {
	r.WriteHeader(http.StatusOK)
	r.send(nil)
	return r.err
}

// Flush implements [http.Flusher].
func (r *reply) Flush() { _ = r.FlushError() } // whoever writes learns it as well

// SetWriteDeadline is for [http.ResponseController].
func (r *reply) SetWriteDeadline(by time.Time) error {
	r.bounded, r.of.wroteBy = true, 0
	return r.of.connection.SetWriteDeadline(by)
}

// SetReadDeadline is for [http.ResponseController].
func (r *reply) SetReadDeadline(by time.Time) error {
	r.of.readBy = 0
	return r.of.connection.SetReadDeadline(by)
}

// within bounds how long a client may take to hear a reply, give or take: from when the
// request came.
func (r *reply) within() {
	d := r.of
	by := d.begun.Add(writeTime)
	if r.bounded || d.wroteBy <= by && d.wroteBy > by.Add(-writeSlack) {
		return
	}
	d.wroteBy = by
	_ = d.connection.SetWriteDeadline(deadline(d.server.clock, by)) // of a connection that is closed the write tells
}

// writeSlack is by how much the bound may come early.
const writeSlack = time.Minute
