package rest

import (
	"io"
	"strings"

	"loadgen/engine/entity"
)

// maxBody bounds the body of a request: a transaction's 4 MiB, and enough for
// whatever entity the service takes. An entity counts two bytes for each UTF-16
// unit of its 1 MiB of text, and JSON takes six at most (\uXXXX): 3 MiB; names
// may come twice, in an annotation as well, but there are 252 of 255 units only.
const maxBody = 4 << 20

// maxHeaderBytes is what the header of a request may have in bytes: what the
// package listen lets through, so that no list of names in it can be longer.
const maxHeaderBytes = 64 << 10

// firstRead is how much room a body gets before any of it has come: what a
// client says of its length it has yet to send.
const firstRead = 64 << 10

// readBody reads the body of the request as a whole, unless it has more bytes
// than that.
func (x *exchange) readBody(most int64) (entity.Code, string) {
	r := x.request
	if r.ContentLength > most {
		return entity.RequestBodyTooLarge, ""
	}
	chunked := len(r.TransferEncoding) > 0 || r.ContentLength < 0
	if r.ContentLength == 0 && !chunked && len(r.Header["Content-Length"]) == 0 {
		return entity.MissingContentLength, ""
	}
	x.body = x.body[:0]
	if r.Body == nil {
		return entity.OK, ""
	}
	// One byte more than expected makes room for the end of the file.
	expected := min(int64(firstRead), most+1)
	if !chunked {
		expected = min(expected, r.ContentLength+1)
	}
	if int64(cap(x.body)) < expected {
		x.body = make([]byte, 0, expected)
	}
	for {
		n, err := r.Body.Read(x.body[len(x.body):cap(x.body)])
		x.body = x.body[:len(x.body)+n]
		if err == io.EOF || !chunked && err == nil && int64(len(x.body)) == r.ContentLength {
			return entity.OK, ""
		}
		if err != nil {
			return entity.InvalidInput, "the body ended before its length"
		}
		if int64(len(x.body)) > most {
			return entity.RequestBodyTooLarge, ""
		}
		if len(x.body) == cap(x.body) {
			grown := make([]byte, len(x.body), min(2*int64(cap(x.body)), most+1))
			copy(grown, x.body)
			x.body = grown
		}
	}
}

// readJSON reads the body where it may be JSON.
func (x *exchange) readJSON() (entity.Code, string) {
	if asksForXML(headerOf(x.request, "Content-Type")) {
		return entity.AtomFormatNotSupported, ""
	}
	return x.readBody(maxBody)
}

// maxXML bounds the body of a request in XML.
const maxXML = 64 << 10

func (x *exchange) readXML() (entity.Code, string) { return x.readBody(maxXML) }

// asksForXML reports whether a media type is the one that the service spoke
// before JSON.
func asksForXML(mediaType string) bool {
	mediaType, _, _ = strings.Cut(mediaType, ";")
	mediaType = strings.TrimSpace(mediaType)
	const xml = "xml"
	return len(mediaType) >= len(xml) && strings.EqualFold(mediaType[len(mediaType)-len(xml):], xml)
}
