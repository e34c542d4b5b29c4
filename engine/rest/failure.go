package rest

import (
	"bytes"
	"encoding/xml"
	"net/http"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
	"loadgen/engine/wire/service"
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
	switch statusOf(f.code) {
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

// statusOf returns the status of a code, those included that are of this
// package's protocol alone.
func statusOf(code entity.Code) int {
	if code == service.CorsPreflightFailure {
		return http.StatusForbidden
	}
	return code.Status()
}

// presentFailure makes a plain error reply: JSON, or XML for a sender that
// speaks no JSON.
func (x *exchange) presentFailure() {
	x.boundary = ""
	x.status = statusOf(x.failure.code)
	x.headers.add(errorHeader, string(x.failure.code))
	if !x.xml {
		fault := x.fault()
		x.output = wire.AppendError(x.output[:0], &fault)
		return
	}
	// XML has a place of its own for what is wrong with a signature.
	detail := x.failure.detail
	if x.failure.code == entity.AuthenticationFailed {
		x.failure.detail = ""
	} else {
		detail = ""
	}
	fault := x.fault()
	x.output = wire.AppendErrorXML(x.output[:0], &fault)
	if end := []byte("</Error>"); detail != "" && bytes.HasSuffix(x.output, end) {
		x.output = x.output[:len(x.output)-len(end)]
		x.output = append(x.output, "<AuthenticationErrorDetail>"...)
		text := bytes.NewBuffer(x.output)
		// A buffer never fails.
		_ = xml.EscapeText(text, []byte(detail))
		x.output = append(text.Bytes(), "</AuthenticationErrorDetail></Error>"...)
	}
}
