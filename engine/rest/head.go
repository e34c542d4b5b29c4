package rest

import (
	"bytes"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"unsafe"
)

// Bounds on a head that is read directly. A longer one, or one with more fields, is
// net/http's.
const (
	directRoom = 4 << 10
	mostFields = 32
)

// head reads the head of a request in the one form that every reader of HTTP takes
// alike: known methods, a path, fields without anything that is left to
// interpretation, and a length in digits or none. It says nothing of any other. Used
// again for the next request of a client, it knows the names that came before.
type head struct {
	// values are those of the fields, one behind the other, which the map of a
	// request's header holds slices of.
	values [mostFields]string
	names  [mostFields]fieldName
	fields int
	host   string
	length int64
	// transient says that texts are views of what is read, and that address, what the
	// last target means, may be used again.
	transient bool
	target    string
	address   *url.URL
}

// fieldName is the name of a field as it came, and in its canonical form.
type fieldName struct {
	came, canonical string
	kind            fieldKind
}

// fieldKind says what the name of a field means to whoever reads a request.
type fieldKind uint8

const (
	ordinary fieldKind = iota
	hostField
	lengthField
	connectionField
	// strange: what it means is left to net/http.
	strange
)

// headEnd is what ends a head, together with its last line.
var headEnd = []byte("\r\n\r\n")

// read takes the head that p begins with, and returns where it ends. It is false for
// what is not all there, and for what is net/http's to understand. The request has its
// header's map already, which is emptied.
func (h *head) read(p []byte, r *http.Request) (end int, ok bool) {
	at := bytes.Index(p, headEnd)
	if at < 0 {
		return 0, false
	}
	head := p[:at+2]
	if !h.transient {
		// One copy, so that nothing of the request ends with the room it was read into.
		head = bytes.Clone(head)
	}
	text := unsafe.String(unsafe.SliceData(head), len(head))
	line, rest, _ := strings.Cut(text, "\r\n")
	if !h.readLine(line, r) {
		return 0, false
	}
	if h.fields, h.host, h.length = 0, "", -1; !h.readFields(rest) || h.host == "" {
		return 0, false
	}
	h.fill(r)
	return at + len(headEnd), true
}

// readLine takes the first line of a request.
func (h *head) readLine(line string, r *http.Request) bool {
	method, rest, _ := strings.Cut(line, " ")
	target, isHTTP := strings.CutSuffix(rest, " HTTP/1.1")
	if !isHTTP || !knownMethod(method) || target == "" || target[0] != '/' {
		return false
	}
	for i := range len(target) {
		if target[i] <= ' ' || target[i] > '~' {
			return false
		}
	}
	if !h.readTarget(target) {
		return false
	}
	r.Method, r.RequestURI, r.URL = method, target, h.address
	r.Proto, r.ProtoMajor, r.ProtoMinor = "HTTP/1.1", 1, 1
	return true
}

// readTarget finds out what a target means; a client that asks for one again and again has
// it read once.
func (h *head) readTarget(target string) (ok bool) {
	if h.transient {
		if h.target == target && h.address != nil {
			return true
		}
		target = strings.Clone(target)
	}
	address, err := url.ParseRequestURI(target)
	h.target, h.address = target, address
	return err == nil
}

func knownMethod(method string) bool {
	switch method {
	case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch, "MERGE", http.MethodHead, http.MethodOptions:
		return true
	}
	return false
}

// readFields takes the fields, each with its line end.
func (h *head) readFields(text string) bool {
	for text != "" {
		end := strings.IndexByte(text, '\n')
		if end < 1 || text[end-1] != '\r' || h.fields == mostFields {
			return false
		}
		line := text[:end-1]
		text = text[end+1:]
		colon := strings.IndexByte(line, ':')
		if colon < 1 {
			return false
		}
		value := strings.Trim(line[colon+1:], " ")
		for i := range len(value) {
			if value[i] < ' ' || value[i] > '~' {
				return false
			}
		}
		if !h.take(line[:colon], value) {
			return false
		}
	}
	return true
}

// take takes one field.
func (h *head) take(came, value string) bool {
	name := &h.names[h.fields]
	if name.came != came {
		if !isToken(came) {
			return false
		}
		*name = newFieldName(strings.Clone(came))
	}
	switch name.kind {
	case hostField:
		// It is the request's, and not among the fields.
		if h.host != "" || !isHost(value) {
			return false
		}
		h.host = value
	case lengthField:
		length, ok := digits(value)
		if h.length >= 0 || !ok {
			return false
		}
		h.length = length
	case connectionField:
		if !strings.EqualFold(value, "keep-alive") {
			return false
		}
	case strange:
		return false
	}
	h.values[h.fields] = value
	h.fields++
	return true
}

func newFieldName(came string) fieldName {
	name := fieldName{came: came, canonical: textproto.CanonicalMIMEHeaderKey(came)}
	switch name.canonical {
	case "Host":
		name.kind = hostField
	case "Content-Length":
		name.kind = lengthField
	case "Connection":
		name.kind = connectionField
	case "Transfer-Encoding", "Trailer", "Te", "Expect", "Upgrade", "Keep-Alive", "Proxy-Connection", "Pragma":
		name.kind = strange
	}
	return name
}

// fill puts what was read into the request.
func (h *head) fill(r *http.Request) {
	r.Host, r.ContentLength = h.host, max(h.length, 0)
	clear(r.Header)
	for i := range h.fields {
		if h.names[i].kind != hostField {
			r.Header[h.names[i].canonical] = h.values[i : i+1 : i+1]
		}
	}
	if len(r.Header) == h.fields-1 {
		return
	}
	// A name came twice.
	clear(r.Header)
	for i := range h.fields {
		if name := &h.names[i]; name.kind != hostField {
			r.Header[name.canonical] = append(r.Header[name.canonical], h.values[i])
		}
	}
}

// isToken reports whether a text can be the name of a field: RFC 9110, section 5.6.2.
func isToken(text string) bool {
	for i := range len(text) {
		c := text[i]
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return text != ""
}

// isHost reports whether a text is a name or an address, with a port or without, in
// the characters that those usually have.
func isHost(text string) bool {
	for i := range len(text) {
		c := text[i]
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', c == '.', c == ':', c == '-', c == '_':
		default:
			return false
		}
	}
	return text != ""
}

// digits reads a length of up to fifteen digits.
func digits(text string) (n int64, ok bool) {
	const most = 15
	if len(text) == 0 || len(text) > most {
		return 0, false
	}
	for i := range len(text) {
		c := text[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, true
}
