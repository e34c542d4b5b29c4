package keystatistics

import (
	"strings"

	"loadgen/engine/entity"
	"loadgen/results"
)

// block is how many keys of a stream share a least and a greatest one. A key is held
// against those of the last block and of the one under way: further back, an outlier
// would hide for ever how the others come.
const block = 64

// Stream says how keys come that are seen once and in order: whether each lies beyond
// all that came before it, but for the last few. The zero value has seen none. It
// belongs to one goroutine.
type Stream struct {
	count int
	// recent are the last keys, which no other is held against yet.
	recent         []string
	current, prior reach
}

// reach is the least and the greatest of so many keys.
type reach struct {
	keys            int
	least, greatest string
}

// Reset has the stream begin anew.
func (s *Stream) Reset() {
	clear(s.recent)
	*s = Stream{recent: s.recent[:0]}
}

// Next takes a key, and returns it as the count of how it came: no key where there
// was none to hold it against. Later ones are held against it once lag more have
// come, since what was under way together has no order. Early on fewer do: an eighth
// of the keys so far.
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
