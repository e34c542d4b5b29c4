package target

import (
	"errors"
	"io"
	"slices"
	"sync"
)

// The sizes, in bytes.
const (
	// ReplyAllowance is the memory of a reply that does not count.
	ReplyAllowance = 64 << 10
	// CommonReplyBudget is the default limit for all replies of a run, without their allowances and the reserve
	// of the heir.
	CommonReplyBudget = 64 << 20
	// maxSpare limits the returned memory that is kept for reuse.
	maxSpare = 16 << 20
)

// ReplyBudget limits the memory of replies. It is safe for concurrent use.
type ReplyBudget struct {
	most int64

	mu   sync.Mutex
	held int64
	// heir is the share that may exceed the budget, nil for none. Without an heir no share waits.
	heir    *ReplyShare
	waiting []*ReplyShare // first come, first served
	spare   spare
}

// NewReplyBudget returns a budget of most bytes.
func NewReplyBudget(most int64) *ReplyBudget { return &ReplyBudget{most: most} }

// Limit returns the size of the budget in bytes.
func (b *ReplyBudget) Limit() int64 { return b.most }

// Used returns the number of acquired bytes.
func (b *ReplyBudget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}

// ReplyShare is the part of a budget that one reply uses. It belongs to one goroutine, except for [ReplyShare.End]. The
// zero value has no budget and cannot acquire memory.
type ReplyShare struct {
	budget *ReplyBudget
	// own is a former body within the allowance, kept for the next reply.
	own []byte
	// The lock of the budget guards what follows.
	held  int64
	asked int64
	ended bool
	// ready is closed when the request is granted or the attempt ends; nil unless the share waits.
	ready chan struct{}
}

// Share returns an empty share.
func (b *ReplyBudget) Share() ReplyShare { return ReplyShare{budget: b} }

// acquire acquires bytes, waits for them if necessary, and is false if the attempt ends before.
func (s *ReplyShare) acquire(bytes int64) bool {
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
		// Leave returns what was granted at the same time.
		return !s.ended
	}
	b.mu.Unlock()
	return true
}

func (b *ReplyBudget) grant(s *ReplyShare, bytes int64) {
	s.held += bytes
	b.held += bytes
}

// giveBack returns bytes of a share and serves waiting shares. The caller holds the lock.
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

// serve grants requests within the budget, and makes the first waiting share the heir.
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

// End ends the wait of the share and later ones. Any goroutine may call it during the attempt.
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
	// Others behind it may fit.
	b.serve()
}

// Begin prepares a share for the next attempt, before it is shared.
func (s *ReplyShare) Begin() { s.ended = false }

// Leave returns all memory of a share, after the reply.
func (s *ReplyShare) Leave() {
	if s.held == 0 {
		// Only its own goroutine changes held.
		return
	}
	b := s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.giveBack(s, s.held)
}

// The errors of a body.
var (
	// ErrReplyTooLong: the body is longer than it may be.
	ErrReplyTooLong = errors.New("target: the body is too long")
	// ErrReplyEnded: the attempt was ended while its reply waited for room.
	ErrReplyEnded = errors.New("target: ended while the reply waited for room")
)

// BoundedBody is the body of a reply that the caller reads into its own memory. It acquires twice the bytes that exceed
// the allowance: readers of unknown lengths copy from an old buffer to a larger one. It belongs to one goroutine, except
// for the share's End. Close returns the memory.
type BoundedBody struct {
	io.ReadCloser
	share *ReplyShare
	left  int64
	// free is how much of the allowance is left.
	free int64
}

// NewBoundedBody returns a body of at most most bytes; Read returns ErrReplyTooLong for more.
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
		if !b.share.acquire(-2 * b.free) {
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
