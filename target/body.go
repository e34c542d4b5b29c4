package target

import (
	"errors"
	"io"
)

// The faults of a body.
var (
	// ErrReplyTooLong: the body is longer than it may be.
	ErrReplyTooLong = errors.New("target: the body is too long")
	// ErrReplyEnded: the attempt was ended while its reply waited for room.
	ErrReplyEnded = errors.New("target: ended while the reply waited for room")
)

// BoundedBody is the body of a reply that somebody else reads into memory of his own. It takes of
// a budget what was read beyond the allowance, twice over: who reads a body of unknown
// length grows what he reads into, and has the old room and the new one then. It belongs
// to one goroutine, but for the share's End. Its Close gives back.
type BoundedBody struct {
	io.ReadCloser
	share *ReplyShare
	left  int64
	// free is how much of the allowance is left.
	free int64
}

// NewBoundedBody returns a body of at most so many bytes; its Read gives ErrTooLong for one more.
func NewBoundedBody(body io.ReadCloser, share *ReplyShare, most int64) *BoundedBody {
	return &BoundedBody{ReadCloser: body, share: share, left: most, free: ReplyAllowance}
}

// Read implements [io.Reader].
func (b *BoundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, ErrReplyTooLong
	}
	if b.free -= int64(n); b.free < 0 {
		if !b.share.take(-2 * b.free) {
			return 0, ErrReplyEnded
		}
		b.free = 0
	}
	return n, err
}

// Close implements [io.Closer].
func (b *BoundedBody) Close() error {
	err := b.ReadCloser.Close()
	b.share.Leave()
	return err
}
