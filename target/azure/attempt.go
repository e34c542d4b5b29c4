package azure

import (
	"loadgen/engine/clock"
	"loadgen/engine/invariants"
	"loadgen/engine/wire"
)

// attempt is the room that one request and its reply need, to be used again and
// again. It belongs to one goroutine, save for what it says of itself under the
// lock of the watch.
type attempt struct {
	target  *Target
	watched watched
	sending

	// line and content are what the request line and the body are made in.
	line, content []byte
	// message is the request as it goes out; a body that does not fit follows it.
	message []byte
	reply   reply
	rows    []wire.Row
}

// sending is what belongs to one request.
type sending struct {
	method string
	// values are those of the headers that differ.
	values [headerSlots]string
	// answered says that a reply began to come, first when.
	answered bool
	first    clock.Instant
	// came is how long the reply was, head included, in bytes.
	came int64
}

// attempt returns the room for a request.
func (t *Target) attempt() *attempt {
	a := t.attempts.Get().(*attempt)
	a.sending = sending{}
	return a
}

// mostRows is for how many entities room is kept: more than fit on a page.
const mostRows = 2 * mostTop

// end gives the room back, without what is not to be kept for the next request. The watch
// has its place in the list empty.
func (a *attempt) end() {
	a.reply.trim()
	if cap(a.content) > mostKept {
		a.content = nil
	}
	clear(a.rows)
	if cap(a.rows) > mostRows {
		a.rows = nil
	}
	invariants.Poison(a, "target", "watched", "line", "content", "message", "reply", "rows")
	invariants.Poison(&a.reply, "body", "head", "fields")
	a.target.attempts.Put(a)
}
