package target

// The sizes of bodies.
const (
	// least is the minimum size.
	least = 512
	// step divides the sizes above the allowance.
	step = 128 << 10
	// maxAhead is the size of one allocation while less than half of the budget is used.
	maxAhead = 1 << 20
)

// Grow returns a larger copy of a body: about twice the size, or up to maxAhead, but not the announced length, which may
// never arrive. The size exceeds most by less than a step. The given body must be shorter than most and belongs to the
// share then. Grow may wait, see [ReplyBudget]; if the attempt ends meanwhile it is false and returns the old body.
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
	if ahead := min(maxAhead, most); ahead > size && s.budget.Used() < s.budget.most/2 {
		size = ahead
	}
	size = (size + step - 1) / step * step
	if !s.acquire(int64(size)) {
		return body, false
	}
	larger := append(s.budget.unused(size), body...)
	if cap(body) <= ReplyAllowance {
		s.own = body
	}
	s.drop(body)
	return larger, true
}

// Drop returns the memory of a body, and returns a body within the allowance for the next reply.
func (s *ReplyShare) Drop(body []byte) []byte {
	s.drop(body)
	s.Leave()
	if cap(body) > ReplyAllowance {
		body = s.own
	}
	s.own = nil
	return body
}

// drop returns the memory of a body that counts.
func (s *ReplyShare) drop(body []byte) {
	if cap(body) <= ReplyAllowance {
		return
	}
	b := s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if kept := &b.spare; kept.bytes+cap(body) <= maxSpare {
		kept.bodies = append(kept.bodies, body[:0])
		kept.bytes += cap(body)
	}
	b.giveBack(s, int64(cap(body)))
}

// unused returns an empty body of a size.
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

// spare are unused bodies, kept for reuse. They do not count for the budget and have a limit of their own.
type spare struct {
	bodies [][]byte // the one that was used last at the end
	bytes  int
}
