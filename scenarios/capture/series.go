package capture

import "loadgen/report/compare/statistics"

// seriesLength is how many numbers a series keeps: one a second for half an hour.
const seriesLength = 1800

// series is a row of numbers, one for each of many seconds. Where it gets too
// long it keeps every second one, then every fourth, and so on.
type series struct {
	kept []uint32
	// stride is the distance between two that are kept, 0 at first for 1.
	stride       int64
	count        int64
	least, great int64
}

func (s *series) reset() { *s = series{kept: s.kept[:0]} }

// add takes a number that is not negative.
func (s *series) add(n int64) {
	if s.count == 0 || n < s.least {
		s.least = n
	}
	s.great = max(s.great, n)
	place := s.count
	s.count++
	if s.stride == 0 {
		s.stride = 1
	}
	if place%s.stride != 0 {
		return
	}
	if len(s.kept) == seriesLength {
		for i := range seriesLength / 2 {
			s.kept[i] = s.kept[2*i]
		}
		s.kept = s.kept[:seriesLength/2]
		s.stride *= 2
	}
	const most = 1<<32 - 1
	s.kept = append(s.kept, uint32(min(n, most)))
}

// median returns the middle of the numbers that are kept; 0 where there are none.
func (s *series) median() float64 {
	if len(s.kept) == 0 {
		return 0
	}
	return statistics.Median(s.kept)
}
