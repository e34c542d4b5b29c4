package partition

import (
	"slices"

	"loadgen/engine/clock"
)

// mergeQuiet merges neighbours that have been quiet for long enough, one pair at
// a tick, and two near the high watermark. It reports whether time alone may bring
// another merge about.
func (s *stamp) mergeQuiet(now clock.Instant) (more bool) {
	pairs := 1
	if int64(s.ranges)*10 >= s.model.HighWatermark*int64(len(s.servers))*9 {
		pairs = 2
	}
	for _, t := range s.tables {
		for i := 0; i+1 < len(t.ranges) && pairs > 0 && int64(s.ranges) > s.model.LowWatermark; i++ {
			left, right := t.ranges[i], t.ranges[i+1]
			if s.isQuiet(now, left) && s.isQuiet(now, right) && s.fits(left, right) {
				s.merge(now, left, right)
				pairs--
			}
		}
	}
	if int64(s.ranges) <= s.model.LowWatermark || s.model.MergeBelow == 0 {
		return false
	}
	for _, t := range s.tables {
		for i := range t.ranges[1:] {
			if s.fits(t.ranges[i], t.ranges[i+1]) {
				return true
			}
		}
	}
	return false
}

func (s *stamp) isQuiet(now clock.Instant, r *rangePartition) bool {
	lasted, on := r.quiet.lasts(now)
	return on && lasted >= clock.Instant(s.model.Quiet) && r.online(now)
}

// fits reports whether two neighbours together are not so large that they would
// be split again, by some margin.
func (s *stamp) fits(left, right *rangePartition) bool {
	return s.model.RangeBytes == 0 || left.profile.bytes+right.profile.bytes <= s.model.RangeBytes/2
}

func (s *stamp) merge(now clock.Instant, left, right *rangePartition) {
	lasted := now - max(left.quiet.since, right.quiet.since)
	e := event(now, EventMerge, left)
	e.Other, e.Key, e.From = right.number, right.low, right.server.number
	e.Offered, e.Served = (left.offered+right.offered)/thousand, (left.served+right.served)/thousand
	right.server.leave(right)
	t := left.table
	i := slices.Index(t.ranges, right)
	t.ranges = slices.Delete(t.ranges, i, i+1)
	for _, r := range []*rangePartition{left, right} {
		if r.partner != nil {
			// What a side that takes nothing any more is merged with does not make
			// the next split of the other side any better.
			r.partner.tried = r.partner.tried || s.keptLoad(r)
			r.partner.partner, r.partner = nil, nil
		}
	}
	left.high, left.last = right.high, right.last
	left.offered += right.offered
	left.served += right.served
	left.server.load += right.served
	left.profile.append(&right.profile)
	left.probe.forget(now)
	left.tried = false
	left.quiet.since = max(left.quiet.since, right.quiet.since)
	s.stop(left, now.Add(s.model.Pause))
	s.ranges--
	s.version++
	e.Reason, e.Overloaded, e.Until, e.Ranges = becauseQuiet, lasted.Offset(), left.offline, s.ranges
	s.journal.add(e)
}
