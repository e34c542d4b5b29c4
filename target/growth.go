package target

// What bodies grow by.
const (
	// least is how much room is made where nothing is known.
	least = 512
	// step is what their sizes beyond the allowance are multiples of.
	step = 128 << 10
	// mostAhead is how much room is made at once for what did not come yet, as long as the
	// budget has plenty.
	mostAhead = 1 << 20
)

// Grow returns a body with room for more, about twice as much as before, and up to
// mostAhead where there is plenty: what was announced may never come. It never exceeds most
// bytes by more than a step. The body given has less than most, and is not the caller's any
// more. Grow may wait, see [ReplyBudget], and is false where the attempt was ended meanwhile; the
// body is the old one then.
func (s *ReplyShare) Grow(body []byte, expected, most int) ([]byte, bool) {
	size := max(cap(body)*2, len(body)+least)
	if whole := len(body) + expected; whole <= ReplyAllowance {
		size = max(size, whole)
	}
	if cap(body) < ReplyAllowance {
		size = min(size, ReplyAllowance)
	}
	if size = min(size, most); size <= ReplyAllowance {
		return append(make([]byte, 0, size), body...), true
	}
	if ahead := min(mostAhead, most); ahead > size && s.budget.Held() < s.budget.most/2 {
		size = ahead
	}
	size = (size + step - 1) / step * step
	if !s.take(int64(size)) {
		return body, false
	}
	larger := append(s.budget.unused(size), body...)
	if cap(body) <= ReplyAllowance {
		s.own = body
	}
	s.drop(body)
	return larger, true
}

// Drop gives back a body, and returns what of it is the share's own to keep for the next
// reply.
func (s *ReplyShare) Drop(body []byte) []byte {
	s.drop(body)
	s.Leave()
	if cap(body) > ReplyAllowance {
		body = s.own
	}
	s.own = nil
	return body
}

// drop gives the room of a body back, where that was taken.
func (s *ReplyShare) drop(body []byte) {
	if cap(body) <= ReplyAllowance {
		return
	}
	b := s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if kept := &b.spare; kept.bytes+cap(body) <= mostSpare {
		kept.bodies = append(kept.bodies, body[:0])
		kept.bytes += cap(body)
	}
	b.giveBack(s, int64(cap(body)))
}

// unused returns an empty body with just so much room.
func (b *ReplyBudget) unused(size int) []byte {
	b.mu.Lock()
	kept := &b.spare
	for i := len(kept.bodies) - 1; i >= 0; i-- {
		if body := kept.bodies[i]; cap(body) == size {
			last := len(kept.bodies) - 1
			kept.bodies[i], kept.bodies[last] = kept.bodies[last], nil
			kept.bodies = kept.bodies[:last]
			kept.bytes -= size
			b.mu.Unlock()
			return body
		}
	}
	b.mu.Unlock()
	return make([]byte, 0, size)
}

// spare are bodies that nobody uses, kept for the next: they are beside the budget, and
// bounded on their own.
type spare struct {
	bodies [][]byte // the one that was used last at the end
	bytes  int
}
