package rest

import (
	"encoding/binary"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// The names of headers, in the canonical form, under which net/http finds them
// without another look.
const (
	versionHeader       = "X-Ms-Version"
	requestIDHeader     = "X-Ms-Request-Id"
	clientIDHeader      = "X-Ms-Client-Request-Id"
	errorHeader         = "X-Ms-Error-Code"
	nextTableHeader     = "X-Ms-Continuation-Nexttablename"
	nextPartitionHeader = "X-Ms-Continuation-Nextpartitionkey"
	nextRowHeader       = "X-Ms-Continuation-Nextrowkey"
	dataServiceIDHeader = "Dataserviceid"
	preferenceHeader    = "Preference-Applied"
	etagHeader          = "Etag"
)

// write sends the reply. The real service sends JSON in chunks; this one sends the whole body with its length in one
// write. It returns false for a reply that has to be cut and has no body: nothing is sent.
func (x *exchange) write(w http.ResponseWriter) (sent bool) {
	x.headers.text = appendGUID(x.headers.text, &x.identity)
	x.headers.close(requestIDHeader)
	x.addCORS()
	switch {
	case x.failure.code == entity.OK:
		x.status = x.operation.status
		if x.operation.present != nil {
			x.operation.present(x)
		}
	case x.operation != nil && x.operation.refuse != nil && x.operation.refuse(x):
	default:
		x.presentFailure()
	}
	if counted := x.request.Header[wire.AskHeader]; len(counted) > 0 && counted[0] == wire.AskCounted {
		x.headers.text = strconv.AppendInt(x.headers.text, x.reply.Counted, 10)
		x.headers.close(wire.CountedHeader)
	}
	// A 204 has no length: RFC 9110 forbids it, and net/http would take it out.
	if x.status != http.StatusNoContent {
		x.headers.text = strconv.AppendInt(x.headers.text, int64(len(x.output)), 10)
		x.headers.close("Content-Length")
	}
	if x.asked.Bytes > 0 && x.failure.code != entity.ServerBusy {
		const typicalHead = 380
		x.handler.engine.ChargeReply(x.asked.Account, int64(typicalHead+len(x.headers.text)+len(x.output)))
	}
	body := x.output
	if x.request.Method == http.MethodHead {
		body = nil
	}
	if x.verdict.Cut && len(body) == 0 {
		x.status = 0
		return false
	}
	x.setHeaders(w.Header())
	w.WriteHeader(x.status)
	if x.verdict.Cut {
		// net/http closes the connection of who writes less than was announced.
		body, x.status = body[:len(body)/2], 0
	}
	if x.verdict.Drip > 0 {
		body = x.drip(w, body)
	}
	if len(body) > 0 {
		// A sender that is gone by now gets no reply, and needs none.
		_, _ = w.Write(body)
	}
	return true
}

// drips is in how many pieces a body comes that drips.
const drips = 10

// drip writes all of a body but its last piece, one piece after another, and returns that
// when it is due; a reply without a body comes when its last piece would.
func (x *exchange) drip(w http.ResponseWriter, body []byte) []byte {
	control, size := http.NewResponseController(w), len(body)/drips
	for piece := range drips {
		if piece > 0 {
			_, _ = w.Write(body[:size])
			body = body[size:]
		}
		if size > 0 {
			// What cannot be flushed comes with the last piece.
			_ = control.Flush()
		}
		due := x.released.Add(-x.verdict.Drip * time.Duration(drips-1-piece) / drips)
		if x.handler.clock.Sleep(x.request.Context(), due) != nil {
			return nil
		}
	}
	return body
}

// setHeaders adds the headers whose values need not be made, and sets all of them. Those that
// were made are copies: net/http reads them after the handler has returned.
func (x *exchange) setHeaders(header http.Header) {
	h := &x.headers
	h.constant("Cache-Control", "no-cache")
	if len(x.output) > 0 && x.boundary == "" {
		if x.xml {
			h.constant("Content-Type", "application/xml")
		} else {
			h.constant("Content-Type", x.level.ContentType())
		}
	}
	h.constant("Date", x.handler.calendar.header(x.released))
	switch {
	case x.failure.code != entity.OK:
	case x.operation == &insertEntity || x.operation == &createTable:
		if x.bare {
			h.constant(preferenceHeader, preferNothing)
		} else {
			h.constant(preferenceHeader, preferContent)
		}
	}
	h.constant("Server", x.handler.name)
	h.constant("X-Content-Type-Options", "nosniff")
	if id := headerOf(x.request, clientIDHeader); id != "" && headerText(id, maxClientIDBytes) {
		h.constant(clientIDHeader, id)
	}
	switch version := headerOf(x.request, versionHeader); {
	case version != "" && wire.IsServiceVersion(version):
		h.constant(versionHeader, version)
	case x.access.given != nil:
		h.constant(versionHeader, x.access.given.Version)
	default:
		h.constant(versionHeader, "2019-02-02")
	}
	text := string(h.text)
	values := make([]string, h.count)
	for i := range h.count {
		entry := &h.entries[i]
		if values[i] = entry.constant; values[i] == "" {
			values[i] = text[entry.from:entry.to]
		}
		header[entry.name] = values[i : i+1 : i+1]
	}
}

// maxClientIDBytes limits echoed client request ids.
const maxClientIDBytes = 1 << 10

// headers are those of a reply. The values that this one alone has are collected in one
// text.
type headers struct {
	text    []byte
	entries [maxHeaders]headerEntry
	count   int
}

const maxHeaders = 24

// headerEntry has a value, or else says where in the text it is.
type headerEntry struct {
	name, constant string
	from, to       int
}

// close ends the value that has been appended to the text since the last one.
func (h *headers) close(name string) { h.constant(name, "") }

func (h *headers) add(name, value string) {
	h.text = append(h.text, value...)
	h.close(name)
}

// constant adds a header whose value lasts at least as long as the request.
func (h *headers) constant(name, value string) {
	from := 0
	if h.count > 0 {
		from = h.entries[h.count-1].to
	}
	h.entries[h.count] = headerEntry{name, value, from, len(h.text)}
	h.count++
}

// view returns the value of a header that has been added, empty for none. It is good until
// the next request.
func (h *headers) view(name string) string {
	for i := range h.count {
		entry := &h.entries[i]
		switch {
		case entry.name != name:
		case entry.constant != "":
			return entry.constant
		default:
			return unsafe.String(unsafe.SliceData(h.text[entry.from:]), entry.to-entry.from)
		}
	}
	return ""
}

// appendGUID appends a random GUID (version 4, RFC 9562).
func appendGUID(dst []byte, chance *clock.Draw) []byte {
	var guid [16]byte
	binary.BigEndian.PutUint64(guid[:], chance.Uint64()&^0xF000|0x4000)
	binary.BigEndian.PutUint64(guid[8:], chance.Uint64()&^(3<<62)|2<<62)
	from := 0
	for _, to := range [...]int{4, 6, 8, 10, 16} {
		if from > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, guid[from:to])
		from = to
	}
	return dst
}

// calendar writes the dates of instants as the wire has them. It is safe for concurrent
// use.
type calendar struct {
	of clock.Calendar
	// latest is the text of the second that was asked for last: almost every
	// reply falls into the same second as the one before it.
	latest atomic.Pointer[dated]
}

// dated is a second of the calendar, and the value of a header Date for it.
type dated struct {
	second int64
	value  string
}

// httpDate is the form of the headers Date and x-ms-date.
const httpDate = "Mon, 02 Jan 2006 15:04:05 GMT"

const ticksPerSecond = entity.Ticks(time.Second / 100)

func (c *calendar) ticks(i clock.Instant) entity.Ticks { return entity.TicksOf(c.of.Date(i)) }

// header returns the value of a header Date at an instant.
func (c *calendar) header(i clock.Instant) string {
	t := c.ticks(i)
	second := int64(t / ticksPerSecond)
	if known := c.latest.Load(); known != nil && known.second == second {
		return known.value
	}
	fresh := &dated{second, t.Time().Format(httpDate)}
	c.latest.Store(fresh)
	return fresh.value
}

// failure is why a request was not carried out. The code is OK where it was.
type failure struct {
	code entity.Code
	// detail is one line for a person.
	detail string
}

// fault returns what the error reply says: the service's own text for the code, and the
// detail where that says more. The request's identifier is the first of its headers by
// then.
func (x *exchange) fault() wire.Failure {
	code, detail := x.failure.code, x.failure.detail
	text := wire.Message(code)
	switch code.Status() {
	case 400, 403, 415, 501:
		if detail != "" {
			text += " (" + detail + ")"
		}
	}
	if code == entity.ServerBusy && detail != "" {
		// The service has several texts, and the engine knows which.
		text = detail
	}
	return wire.Failure{
		Code:      code,
		Message:   text,
		RequestID: strings.Clone(x.headers.view(requestIDHeader)),
		Time:      x.handler.calendar.ticks(x.released),
	}
}

// presentFailure makes a plain error reply: JSON, or XML for a sender that
// speaks no JSON.
func (x *exchange) presentFailure() {
	x.boundary = ""
	x.status = x.failure.code.Status()
	x.headers.add(errorHeader, string(x.failure.code))
	if x.challenged {
		x.status = http.StatusUnauthorized
		x.headers.add("Www-Authenticate", x.handler.tokens.Challenge())
	}
	fault := x.fault()
	if x.xml {
		x.output = wire.AppendErrorXML(x.output[:0], &fault)
	} else {
		x.output = wire.AppendError(x.output[:0], &fault)
	}
}
