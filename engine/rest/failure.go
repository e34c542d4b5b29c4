package rest

import (
	"net/http"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

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
