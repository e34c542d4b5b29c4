package keystatistics

import (
	"strings"

	"loadgen/engine/entity"
	"loadgen/results"
)

// block is the number of keys with a common minimum and maximum. A key is compared with the current and
// the previous block only: further back, an outlier would hide the order of all later keys.
const block = 64

// Stream classifies keys that arrive once and in order: whether each is above or below all earlier keys
// but the last few. The zero value is empty. It belongs to one goroutine.
type Stream struct {
	count int
	// recent are the last keys, which later keys are not compared with yet.
	recent         []string
	current, prior reach
}

// reach is the minimum and the maximum of a number of keys.
type reach struct {
	keys            int
	least, greatest string
}

// Reset empties the stream.
func (s *Stream) Reset() {
	clear(s.recent)
	*s = Stream{recent: s.recent[:0]}
}

// Next adds a key and returns it as the count of its order, without keys if there was none to compare
// with. Later keys are compared with it after lag more, since concurrent keys have no order; early on
// after an eighth of the keys so far.
func (s *Stream) Next(key string, lag int) results.Order {
	came, before := s.current.way(key), s.prior.way(key)
	switch {
	case came.Keys == 0:
		came = before
	case before.Keys > 0 && before != came:
		came = results.Order{Keys: 1}
	}
	s.count++
	s.recent = append(s.recent, strings.Clone(key))
	for len(s.recent) > min(lag, s.count/8) {
		if s.current.keys == block {
			s.prior, s.current = s.current, reach{}
		}
		oldest, into := s.recent[0], &s.current
		if into.keys == 0 || entity.Compare(oldest, into.greatest) > 0 {
			into.greatest = oldest
		}
		if into.keys == 0 || entity.Compare(oldest, into.least) < 0 {
			into.least = oldest
		}
		into.keys++
		copy(s.recent, s.recent[1:])
		s.recent[len(s.recent)-1] = ""
		s.recent = s.recent[:len(s.recent)-1]
	}
	return came
}

func (r *reach) way(key string) results.Order {
	switch {
	case r.keys == 0:
		return results.Order{}
	case entity.Compare(key, r.greatest) > 0:
		return results.Order{Keys: 1, Ascending: 1}
	case entity.Compare(key, r.least) < 0:
		return results.Order{Keys: 1, Descending: 1}
	default:
		return results.Order{Keys: 1}
	}
}
