package keystatistics

import (
	"slices"

	"loadgen/engine/clock"
)

// sample keeps a few of any number of inserts, each as likely as the others
// (algorithm R, Vitter 1985).
type sample struct {
	most   int
	chance clock.Stream
	seen   uint64
	kept   []kept
}

// kept is an insert of the sample. Its text is used again for the next that takes
// its place.
type kept struct {
	at        clock.Instant
	partition []byte
}

func (s *sample) add(at clock.Instant, partition []byte) {
	number := s.seen
	s.seen++
	if len(s.kept) < s.most {
		s.kept = append(s.kept, kept{at, slices.Clone(partition)})
		return
	}
	draw := s.chance.At(number)
	if place := draw.IntN(int(s.seen)); place < s.most {
		s.kept[place].at = at
		s.kept[place].partition = append(s.kept[place].partition[:0], partition...)
	}
}

// arrival is an insert of the sample, ready to be judged.
type arrival struct {
	at  clock.Instant
	key string
	// mixed orders inserts of one instant, whose order nobody knows, by no order
	// of their keys.
	mixed uint64
	// stretch is the place of the key, hot whether it lies in the hottest place of
	// its window.
	stretch int
	hot     bool
	// number is how many lesser keys the sample has.
	number int
}
