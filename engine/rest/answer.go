package rest

import (
	"io"
	"net/http"
	"time"

	"loadgen/engine/clock"
)

// answer is the reply to a request; it says Connection: close where no other is to
// follow.
type answer struct {
	http.ResponseWriter
	connection *connection
	begun      bool
}

// WriteHeader implements [http.ResponseWriter]. What comes before the reply proper,
// as 100 Continue, is no answer.
func (a *answer) WriteHeader(status int) {
	if status >= 200 {
		a.begin()
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(p []byte) (int, error) {
	a.begin()
	return a.ResponseWriter.Write(p)
}

// Unwrap lets [http.ResponseController] find what it controls.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *answer) begin() {
	if a.begun {
		return
	}
	a.begun = true
	state := a.connection.state.Or(isAnswered)
	if state&isDoubtful != 0 || state&isWhole == 0 && a.connection.framing.rest > discarded {
		a.Header().Set("Connection", "close")
	}
}

// Bounds on what is read of a body that nobody wants. discarded is how much net/http
// reads itself before it sends the reply, less its own buffer: a client that has no
// more to send may use the connection again. More than that is read behind the
// reply: closing at once would make the network forget the reply that a client has
// yet to read, which sends all of its body first. It is not kept, and ends at
// drainBytes, four times the longest body that anybody should send, or drainTime.
const (
	discarded  = 256<<10 - 8<<10
	drainBytes = 32 << 20
	drainTime  = 10 * time.Second
)

// drain reads on after the reply where much of the body has not come. A reply that
// says its length is with the client by then; the end of one in chunks is not.
func (c *connection) drain(w http.ResponseWriter, r *http.Request) {
	state := c.state.Load()
	switch {
	case state&isWhole != 0, state&isAnswered == 0:
		// A client that has all of the reply may have begun its next request before
		// the handler returned; framing is that request's by then, and another
		// goroutine's.
		return
	case c.framing.stage == inBody && c.framing.rest <= discarded:
		return
	case r.Header.Get("Expect") != "":
		// Who waits to be told to send it was told otherwise.
		return
	}
	if http.NewResponseController(w).Flush() != nil {
		return
	}
	_ = c.SetReadDeadline(clock.NewReal().Started().Add(drainTime))
	_, _ = io.CopyN(io.Discard, r.Body, drainBytes) // whatever it was, the connection ends
}
