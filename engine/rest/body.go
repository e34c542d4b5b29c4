package rest

import (
	"io"
	"strings"

	"loadgen/engine/entity"
)

// maxBody bounds the body of a request; it is
// enough for whatever entity the service takes. An entity counts two bytes for each UTF-16
// unit of its 1 MiB of text, and JSON takes six at most (\uXXXX): 3 MiB; names
// may come twice, in an annotation as well, but there are 252 of 255 units only.
const maxBody = 4 << 20

// maxBatchBody bounds the body of a transaction. What the service bounds is the
// payload, the JSON of the entities: 4 MiB. Each of up to 100 parts has a frame
// beside it: a delimiter and the headers of the part, of 300 bytes as SDKs write
// them; a request line with two keys of 512 UTF-16 units, of which each takes nine
// bytes at most (three of UTF-8, each as %XX), so 9,216; and the request's own
// headers, some 200. 12 KiB a part leave 2,500 for the address of the account and
// whatever else a client says.
const maxBatchBody = entity.MaxBatchPayload + entity.MaxBatchChanges*12<<10

// maxHeaderBytes is what the header of a request may have in bytes: what the
// [Listen] lets through, so that no list of names in it can be longer.
const maxHeaderBytes = 64 << 10

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

// readJSON reads the body where it may be JSON.
func (x *exchange) readJSON() (entity.Code, string) {
	mediaType := headerOf(x.request, "Content-Type")
	mediaType, _, _ = strings.Cut(mediaType, ";")
	mediaType = strings.TrimSpace(mediaType)
	const xml = "xml"
	if len(mediaType) >= len(xml) && strings.EqualFold(mediaType[len(mediaType)-len(xml):], xml) {
		return entity.AtomFormatNotSupported, ""
	}
	return x.readBody(maxBody)
}

// maxXML bounds the body of a request in XML.
const maxXML = 64 << 10

func (x *exchange) readXML() (entity.Code, string) { return x.readBody(maxXML) }
