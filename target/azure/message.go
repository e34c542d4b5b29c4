package azure

import (
	"net/http"
	"strconv"

	"loadgen/engine/wire"
)

// The common parts of all heads except the host. Headers are in the order of their names, except the
// first three.
const (
	serviceLine = "DataServiceVersion: 3.0;\r\n"
	newestLine  = "MaxDataServiceVersion: 3.0;NetFx\r\n"
	askLine     = wire.AskHeader + ": " + wire.AskCounted + "\r\n"
	endOfHead   = "\r\nx-ms-version: 2019-02-02\r\n\r\n"
)

// finish signs the request and writes the message as it is sent. path is the length of the path in
// a.line.
func (a *attempt) finish(number uint64, path int) {
	t := a.target
	if a.timeout > 0 {
		a.option("timeout=", strconv.Itoa(a.timeout))
	}
	by := t.endpoint.prove()
	if by.signature != nil {
		a.separate()
		a.line = append(a.line, by.signature.query...)
	}
	today := t.dates.calendar.Date(t.clock.Now())
	latest := t.dates.latest.Load()
	if latest == nil || latest.second != today.Unix() {
		latest = &date{today.Unix(), today.UTC().Format(http.TimeFormat)}
		t.dates.latest.Store(latest)
	}
	m := append(append(append(a.message[:0], a.method...), ' '), a.line...)
	m = append(m, t.begin...)
	if len(a.content) > 0 {
		m = strconv.AppendInt(append(m, "Content-Length: "...), int64(len(a.content)), 10)
		m = append(m, "\r\n"...)
	}
	m = append(m, t.accept...)
	if by.secret != nil {
		m = by.secret.AppendAuthorization(append(m, "Authorization: "...), wire.SharedKeyLite, &wire.Signable{
			Method: a.method, ContentType: a.values[typeSlot], Date: latest.text,
			Account: t.endpoint.account, Path: view(a.line[:path]),
		})
		m = append(m, "\r\n"...)
	}
	if a.token != nil {
		m = appendHeader(m, "Authorization: ", a.token.Header())
	}
	m = appendHeader(m, "Content-Type: ", a.values[typeSlot])
	m = append(m, serviceLine...)
	m = appendHeader(m, "If-Match: ", a.values[matchSlot])
	m = append(m, newestLine...)
	m = appendHeader(m, "Prefer: ", a.values[preferSlot])
	if t.askCounted {
		m = append(m, askLine...)
	}
	m = append(append(m, "x-ms-client-request-id: "...), t.runID...)
	m = strconv.AppendUint(append(m, '-'), number, 10)
	m = append(append(m, "\r\nx-ms-date: "...), latest.text...)
	m = append(m, endOfHead...)
	if !a.bodyIsSeparate() {
		m = append(m, a.content...)
	}
	a.message = m
}

// bodyIsSeparate reports whether head and body are sent separately: the body is too large, or Nagle's
// algorithm is on.
func (a *attempt) bodyIsSeparate() bool {
	return len(a.content) > connectionBuffer || a.target.nagle && len(a.content) > 0
}

// appendHeader appends a header, unless its value is empty.
func appendHeader(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	return append(append(append(dst, name...), value...), "\r\n"...)
}
