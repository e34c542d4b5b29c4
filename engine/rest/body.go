package rest

import (
	"io"
	"strings"

	"loadgen/engine/entity"
)

// maxBody limits the body of a request; every valid entity fits. An entity counts two bytes for each UTF-16 unit
// of its 1 MiB of text, and JSON takes at most six (an escape such as \u20ac): 3 MiB. Annotations may repeat names, of
// which there are at most 252 of 255 units.
const maxBody = 4 << 20

// maxBatchBody limits the body of a transaction. The service limits the payload, the JSON of the entities, to
// 4 MiB. In addition each of up to 100 parts has a frame: a delimiter and the headers of the part, 300 bytes
// with SDKs; a request line with two keys of 512 UTF-16 units, each at most nine bytes (three of UTF-8, each as
// %XX), so 9,216; and the request's own headers, about 200. 12 KiB a part leave 2,500 for the rest.
const maxBatchBody = entity.MaxBatchPayload + entity.MaxBatchChanges*12<<10

// maxHeaderBytes limits headers of a request, like [Listen].
const maxHeaderBytes = 64 << 10

// readBody reads the whole body of the request, at most most bytes.
func (x *exchange) readBody(most int64) (entity.Code, string) {
	r := x.request
	if r.ContentLength > most {
		x.headers.add("Connection", "close") // net/http would first wait for a short body
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
	// One more byte detects the end.
	whole := most + 1
	if !chunked {
		whole = r.ContentLength + 1
	}
	if expected := min(firstRead, whole); int64(cap(x.body)) < expected && !x.widen(expected) {
		return x.crowdedOut()
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
		if len(x.body) < cap(x.body) {
			continue
		}
		if !chunked && !x.fits(whole) || !x.widen(min(2*int64(cap(x.body)), whole)) {
			return x.crowdedOut()
		}
	}
}

// readJSON reads the body unless its type is XML.
func (x *exchange) readJSON() (entity.Code, string) {
	mediaType, _, _ := strings.Cut(headerOf(x.request, "Content-Type"), ";")
	if strings.HasSuffix(strings.ToLower(strings.TrimSpace(mediaType)), "xml") {
		return entity.AtomFormatNotSupported, ""
	}
	return x.readBody(maxBody)
}

// maxXML bounds the body of a request in XML.
const maxXML = 64 << 10

func (x *exchange) readXML() (entity.Code, string) { return x.readBody(maxXML) }
