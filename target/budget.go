package target

import (
	"errors"
	"io"
	"slices"
	"sync"
)

// The sizes, in bytes.
const (
	// ReplyAllowance is what each reply may hold without asking.
	ReplyAllowance = 64 << 10
	// CommonReplyBudget is what all replies of a run may hold together beyond their allowances, but
	// for what the heir takes out of the reserve.
	CommonReplyBudget = 64 << 20
	// mostSpare is what is kept of what was given back, for the next.
	mostSpare = 16 << 20
)

// ReplyBudget is what replies may hold together. It is safe for concurrent use.
type ReplyBudget struct {
	most int64

	mu   sync.Mutex
	held int64
	// heir is the one who may take more than there is, nil for none. While there is none,
	// nobody waits.
	heir    *ReplyShare
	waiting []*ReplyShare // in the order in which they asked
	spare   spare
}

// NewReplyBudget returns a budget of so many bytes.
func NewReplyBudget(most int64) *ReplyBudget { return &ReplyBudget{most: most} }

// Most returns of how many bytes the budget is.
func (b *ReplyBudget) Most() int64 { return b.most }

// Held returns how many bytes are taken.
func (b *ReplyBudget) Held() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}

// ReplyShare is what one reply holds of a budget. It belongs to one goroutine, but for
// [ReplyShare.End]. The zero value has no budget and must not take.
type ReplyShare struct {
	budget *ReplyBudget
	// own is the body that was outgrown and is within the allowance, kept for the next reply.
	own []byte
	// The lock of the budget guards what follows.
	held  int64
	asked int64
	ended bool
	// ready is closed when what was asked for is granted, or the attempt ended; nil where
	// nobody waits.
	ready chan struct{}
}

// Share returns a share that holds nothing yet.
func (b *ReplyBudget) Share() ReplyShare { return ReplyShare{budget: b} }

// take takes so many bytes, and waits for them where there are none. It reports whether
// it has them: not where the attempt ended before.
func (s *ReplyShare) take(bytes int64) bool {
	b := s.budget
	b.mu.Lock()
	switch {
	case s.ended:
		b.mu.Unlock()
		return false
	case s == b.heir, len(b.waiting) == 0 && b.held+bytes <= b.most:
		b.grant(s, bytes)
	case b.heir == nil:
		b.heir = s
		b.grant(s, bytes)
	default:
		ready := make(chan struct{})
		s.asked, s.ready = bytes, ready
		b.waiting = append(b.waiting, s)
		b.mu.Unlock()
		<-ready
		b.mu.Lock()
		defer b.mu.Unlock()
		// What was granted in the same moment goes back with the rest.
		return !s.ended
	}
	b.mu.Unlock()
	return true
}

func (b *ReplyBudget) grant(s *ReplyShare, bytes int64) {
	s.held += bytes
	b.held += bytes
}

// giveBack returns bytes of a share and serves who waits. It is called with the lock.
func (b *ReplyBudget) giveBack(s *ReplyShare, bytes int64) {
	s.held -= bytes
	b.held -= bytes
	if b.held < 0 || s.held < 0 {
		panic("target: more was given back than was taken")
	}
	if s.held == 0 && s == b.heir {
		b.heir = nil
	}
	b.serve()
}

// serve grants what is asked for as far as there is room, and has an heir as long as
// somebody waits.
func (b *ReplyBudget) serve() {
	for len(b.waiting) > 0 {
		first := b.waiting[0]
		if b.held+first.asked > b.most {
			if b.heir != nil {
				return
			}
			b.heir = first
		}
		b.waiting[0] = nil
		b.waiting = b.waiting[1:]
		b.grant(first, first.asked)
		close(first.ready)
		first.ready = nil
	}
}

// End has the share wait no more, and take nothing. Any goroutine may call it, while the
// attempt is under way.
func (s *ReplyShare) End() {
	b := s.budget
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s.ended = true
	if s.ready == nil {
		return
	}
	b.waiting = slices.DeleteFunc(b.waiting, func(other *ReplyShare) bool { return other == s })
	close(s.ready)
	s.ready = nil
	// It may have stood before others that fit.
	b.serve()
}

// Begin readies a share for the next attempt, which nobody else knows of yet.
func (s *ReplyShare) Begin() { s.ended = false }

// Leave gives back all that a share holds, when the reply is done with.
func (s *ReplyShare) Leave() {
	if s.held == 0 {
		// Only its own goroutine takes and gives back.
		return
	}
	b := s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.giveBack(s, s.held)
}

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
