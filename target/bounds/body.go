package bounds

import (
	"errors"
	"io"
)

// The faults of a body.
var (
	// ErrTooLong: the body is longer than it may be.
	ErrTooLong = errors.New("bounds: the body is too long")
	// ErrEnded: the attempt was ended while its reply waited for room.
	ErrEnded = errors.New("bounds: ended while the reply waited for room")
)

// Body is the body of a reply that somebody else reads into memory of his own. It takes of
// a budget what was read beyond the allowance, twice over: who reads a body of unknown
// length grows what he reads into, and has the old room and the new one then. It belongs
// to one goroutine, but for the share's End. Its Close gives back.
type Body struct {
	io.ReadCloser
	share *Share
	left  int64
	// free is how much of the allowance is left.
	free int64
}

// NewBody returns a body of at most so many bytes; its Read gives ErrTooLong for one more.
func NewBody(body io.ReadCloser, share *Share, most int64) *Body {
	return &Body{ReadCloser: body, share: share, left: most, free: Allowance}
}

// Read implements [io.Reader].
func (b *Body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, ErrTooLong
	}
	if b.free -= int64(n); b.free < 0 {
		if !b.share.take(-2 * b.free) {
			return 0, ErrEnded
		}
		b.free = 0
	}
	return n, err
}

// Close implements [io.Closer].
func (b *Body) Close() error {
	err := b.ReadCloser.Close()
	b.share.Leave()
	return err
}
