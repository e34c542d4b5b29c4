package azure

import (
	"loadgen/engine/clock"
	"loadgen/engine/wire"
)

// attempt is the room that one request and its reply need, to be used again and
// again. It belongs to one goroutine, save for what it says of itself under the
// lock of the watch.
type attempt struct {
	target  *Target
	watched watched

	method string
	// values are those of the headers that differ.
	values [headerSlots]string
	// line and content are what the request line and the body are made in.
	line, content []byte
	// message is the request as it goes out; a body that does not fit follows it.
	message []byte

	// answered says that a reply began to come, first when.
	answered bool
	first    clock.Instant
	// came is how long the reply was, head included, in bytes.
	came  int64
	reply reply
	rows  []wire.Row
}

// mostRows is for how many entities room is kept: more than fit on a page.
const mostRows = 2 * mostTop

// trim lets go of what is not to be kept for the next request.
func (a *attempt) trim() {
	a.reply.trim()
	if cap(a.content) > mostKept {
		a.content = nil
	}
	clear(a.rows)
	if cap(a.rows) > mostRows {
		a.rows = nil
	}
}
