package rest

import (
	"sync/atomic"

	"loadgen/engine/entity"
)

// Bounds, in bytes, on the room that the bodies of requests are read into. What
// counts is the room that is held, not the length that a sender claims.
const (
	// defaultBodyBytes is for all bodies together: 32 of the longest. Go's
	// collector lets garbage grow to as much as what is held, so that they come to
	// a quarter of a gigabyte at worst.
	defaultBodyBytes = 128 << 20
	// freeRoom is for every body, and counts for nothing: a documented entity of
	// 1 KiB fits as JSON, so that it is served whatever others hold. The bound on
	// connections bounds the sum.
	freeRoom = 4 << 10
	// firstRead is how much room a body gets before any of it has come: what a
	// client says of its length it has yet to send.
	firstRead = 64 << 10
	// mostKept is how much room an exchange keeps for the next request. A page or
	// a transaction of a thousand bytes for each entity fits.
	mostKept = 2 << 20
)

// bodies is the room that the bodies of all requests of a handler share. An
// eighth of it is for those that need no more than firstRead: whoever sends long
// bodies cannot keep out who sends short ones. Exchanges that nobody needs keep
// theirs while no more than a quarter is held by anybody.
type bodies struct {
	most          int64
	held, refused atomic.Int64
	// peak is the most that was held since somebody looked.
	peak atomic.Int64
}

// mostFor returns how much may be held with a room of so many bytes among it.
func (b *bodies) mostFor(bytes int64) int64 {
	if bytes > firstRead {
		return b.most - b.most/8
	}
	return b.most
}

// BodyBytes returns how many bytes the bodies under way hold, and the most that
// they held since the last call.
func (h *Handler) BodyBytes() (now, peak int64) {
	now = h.bodies.held.Load()
	return now, max(now, h.bodies.peak.Swap(now))
}

// Crowded returns how many requests were refused because the bodies of others
// left no room for theirs. [Handler.Counts] has them among the failed: their
// status is 503, but it says nothing of the model's limits.
func (h *Handler) Crowded() int64 { return h.bodies.refused.Load() }

// share is what one exchange holds of the room for bodies.
type share struct {
	of   *bodies
	held int64
}

// hold makes it hold so much, whether or not there is room.
func (s *share) hold(bytes int64) {
	if bytes != s.held {
		s.of.held.Add(bytes - s.held)
		s.held = bytes
	}
}

// counted returns how much of a room counts.
func counted(room []byte) int64 {
	if cap(room) <= freeRoom {
		return 0
	}
	return int64(cap(room))
}

// fits reports whether there is room for all of a body at present. One for which there
// is none is refused when it first needs more, before it has been moved about in vain;
// what a sender claims holds nothing for it.
func (x *exchange) fits(whole int64) bool {
	others := x.share.of.held.Load() - x.share.held
	return others+whole <= x.share.of.mostFor(whole)
}

// widen gives the body so much room, and reports whether there was any. Until it
// has moved, the body holds the old room as well.
func (x *exchange) widen(bytes int64) bool {
	if bytes > freeRoom {
		b := x.share.of
		held := b.held.Add(bytes)
		if held > b.mostFor(bytes) {
			b.held.Add(-bytes)
			return false
		}
		if held > b.peak.Load() {
			// Another may have stored more in between; the next to ask corrects that.
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
	x.share.hold(x.share.held - before)
	return true
}

// crowdedOut refuses a body for which there is no room. Its sender may try again
// when others have been answered; what is left of the body is not read, so that
// the connection ends.
func (x *exchange) crowdedOut() (entity.Code, string) {
	x.crowded = true
	x.headers.add("Retry-After", "1")
	x.headers.add("Connection", "close")
	return entity.ServerBusy, "Concurrent requests use all memory for bodies."
}
