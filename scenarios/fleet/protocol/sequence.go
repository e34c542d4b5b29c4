package protocol

// mostAhead is how far a second may be ahead of the first that is missing. A member has
// fewer under way.
const mostAhead = 4096

// sequences are the numbers that have come, in constant memory: all below next, and some
// above. The zero value has none.
type sequences struct {
	next  uint64
	above map[uint64]struct{}
	count uint64
}

// take reports whether a number comes for the first time, and whether it may come at all.
func (s *sequences) take(number uint64) (first, sound bool) {
	if number < s.next {
		return false, true
	}
	if number-s.next >= mostAhead {
		return false, false
	}
	if _, had := s.above[number]; had {
		return false, true
	}
	if s.above == nil {
		s.above = make(map[uint64]struct{})
	}
	s.above[number] = struct{}{}
	s.count++
	for {
		if _, had := s.above[s.next]; !had {
			return true, true
		}
		delete(s.above, s.next)
		s.next++
	}
}
