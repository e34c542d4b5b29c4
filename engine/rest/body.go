package rest

import (
	"io"
	"strings"
	"sync/atomic"

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

// The limits, in bytes, of memory for the bodies of requests. Allocated memory counts, not the announced length.
const (
	// defaultBodyBytes is the limit for all bodies: 32 of the longest. With garbage they take at most a quarter of
	// a gigabyte.
	defaultBodyBytes = 128 << 20
	// freeRoom does not count: an entity of 1 KiB fits as JSON and is always accepted. The maximum number of
	// connections limits the sum.
	freeRoom = 4 << 10
	// firstRead is the memory of a body before its first byte, whatever its announced length.
	firstRead = 64 << 10
	// maxKept is the maximum memory that an exchange keeps for the next request. A page or a transaction of
	// a thousand bytes for each entity fits.
	maxKept = 2 << 20
)

// bodies is the memory for the bodies of all requests of a handler. An eighth of it is reserved for bodies of at
// most firstRead, so that long bodies cannot block short ones. Idle exchanges keep their memory while at most a
// quarter is in use.
type bodies struct {
	most          int64
	held, refused atomic.Int64
	// peak is the maximum since the last call of BodyBytes.
	peak atomic.Int64
}

// limitFor returns the limit of all memory with a body of a size.
func (b *bodies) limitFor(bytes int64) int64 {
	if bytes > firstRead {
		return b.most - b.most/8
	}
	return b.most
}

// BodyBytes returns the memory of bodies in progress, and its maximum since the last call.
func (h *Handler) BodyBytes() (now, peak int64) {
	now = h.bodies.held.Load()
	return now, max(now, h.bodies.peak.Swap(now))
}

// Crowded returns how many requests were refused because the bodies of others
// left no room for theirs. [Handler.Counts] has them among the failed: their
// status is 503, but it says nothing of the model's limits.
func (h *Handler) Crowded() int64 { return h.bodies.refused.Load() }

// share is the memory of one exchange.
type share struct {
	of   *bodies
	held int64
}

// set sets the memory without a check of the limit.
func (s *share) set(bytes int64) {
	if bytes != s.held {
		s.of.held.Add(bytes - s.held)
		s.held = bytes
	}
}

// counted returns the size that counts.
func counted(room []byte) int64 {
	if cap(room) <= freeRoom {
		return 0
	}
	return int64(cap(room))
}

// fits reports whether a whole body fits at present. Otherwise it is rejected when it first needs more memory, before
// it is copied in vain. The announced length reserves nothing.
func (x *exchange) fits(whole int64) bool {
	others := x.share.of.held.Load() - x.share.held
	return others+whole <= x.share.of.limitFor(whole)
}

// widen enlarges the memory of the body, and reports whether the limit allows it. During the copy both buffers count.
func (x *exchange) widen(bytes int64) bool {
	if bytes > freeRoom {
		b := x.share.of
		held := b.held.Add(bytes)
		if held > b.limitFor(bytes) {
			b.held.Add(-bytes)
			return false
		}
		if held > b.peak.Load() {
			// A concurrent call may have stored a larger value; the next call corrects that.
			b.peak.Store(held)
		}
	}
	before := counted(x.body)
	wider := make([]byte, len(x.body), bytes)
	copy(wider, x.body)
	x.body = wider
	if bytes > freeRoom {
		x.share.held += bytes
	}
	x.share.set(x.share.held - before)
	return true
}

// crowdedOut rejects a body that exceeds the limit. The client may retry; the rest of the body is not read, so that the
// connection ends.
func (x *exchange) crowdedOut() (entity.Code, string) {
	x.crowded = true
	x.headers.add("Retry-After", "1")
	x.headers.add("Connection", "close")
	return entity.ServerBusy, "Concurrent requests use all memory for bodies."
}
