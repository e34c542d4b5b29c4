package rest

import (
	"net/http"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// failure is why a request was not carried out. The code is OK where it was.
type failure struct {
	code entity.Code
	// detail is one line for a person.
	detail string
}

// message returns the text of an error reply: the service's own for the code,
// and the detail where that says more.
func (f *failure) message() string {
	if f.code == entity.ServerBusy && f.detail != "" {
		// The service has several texts, and the engine knows which.
		return f.detail
	}
	text := wire.Message(f.code)
	switch f.code.Status() {
	case 400, 403, 415, 501:
		if f.detail != "" {
			return text + " (" + f.detail + ")"
		}
	}
	return text
}

// fault returns what the error reply says. The request's identifier is the first
// of its headers by then.
func (x *exchange) fault() wire.Failure {
	return wire.Failure{
		Code:      x.failure.code,
		Message:   x.failure.message(),
		RequestID: x.headers.value(requestIDHeader),
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
