package partition

import (
	"loadgen/engine/clock"
)

// The reasons for which ranges are split, moved, merged or kept.
const (
	becauseOverloaded = "overloaded"
	becauseLarge      = "too large"
	becauseNeighbour  = "beside a partition that cannot be split"
	becauseServer     = "its server overloaded"
	becauseQuiet      = "quiet"
	becauseAsked      = "asked for"

	keptOneKey   = "no boundary divides its load"
	keptSameSide = "the last split left all load on one side"
	keptFull     = "as many ranges as the high watermark"
)

// splitLoad splits an overloaded range, if the budget of the tick allows, and moves
// the lighter side. It returns the reason if the range itself cannot be relieved.
func (s *stamp) splitLoad(now clock.Instant, r *rangePartition, budget *int64, relieved map[*server]bool) string {
	boundary, divides := r.profile.cut(func(m mark) int64 { return m.load }, s.model.SplitShare)
	// A boundary that divides the current load is used whatever the last split did. If keys
	// are appended, there is none: a cut among keys without current load is tried once.
	live := divides && r.probe.divides(boundary.key, s.model.SplitShare)
	if !live {
		if better, some := r.probe.cut(s.model.SplitShare); some {
			boundary, divides, live = better, true, true
			boundary.at, _ = r.profile.findMark(better.key)
		}
	}
	futile := !live && len(r.probe.last.came) > 0 // the probe has enough samples
	switch {
	case !divides:
		return keptOneKey
	case !live && (r.tried || s.keptLoad(r)):
		return keptSameSide
	case s.full():
		return keptFull
	case *budget == 0:
		return ""
	}
	*budget--
	relieved[r.server] = true
	lasted, _ := r.over.lasts(now)
	e := event(now, EventSplit, r)
	e.Reason, e.Overloaded = becauseOverloaded, lasted.Offset()
	upper := s.split(now, r, boundary, e)
	upper.partner, r.partner = r, upper
	r.tried = r.tried || futile
	upper.tried = r.tried
	lighter := upper
	if r.offered < upper.offered {
		lighter = r
	}
	if target := s.better(lighter); target != nil {
		s.move(now, lighter, target, becauseOverloaded, lasted)
	}
	return ""
}

// full reports whether the number of ranges is at its maximum.
func (s *stamp) full() bool {
	return int64(s.ranges) >= s.model.HighWatermark*int64(len(s.servers))
}

// split cuts a range at a boundary of its profile and returns the upper part. Both
// parts are on the same server, and both are offline for a moment.
func (s *stamp) split(now clock.Instant, r *rangePartition, c cut, e Event) *rangePartition {
	upper := s.newRange(now, r.table)
	upper.low, upper.high, upper.last = c.key, r.high, r.last
	r.high, r.last = c.key, false
	load := r.profile.load
	upper.profile = r.profile.split(c)
	above := int64(0)
	switch {
	case c.probed:
		above = thousand - c.below
	case load > 0:
		above = upper.profile.load * thousand / load
	}
	upper.offered, upper.served = r.offered/thousand*above, r.served/thousand*above
	r.offered -= upper.offered
	r.server.load -= upper.served
	r.served -= upper.served
	upper.bucket = r.bucket
	if r.partner != nil {
		r.partner.partner = nil
	}
	for _, part := range []*rangePartition{r, upper} {
		part.over, part.reported, part.born = episode{}, false, now
		part.probe.forget(now)
		s.stop(part, now.Add(s.model.Pause))
	}
	r.table.insert(r, upper)
	r.server.host(now, upper, s.serverLimit)
	s.ranges++
	s.version++
	e.Other, e.Key, e.Share, e.Until, e.Ranges = upper.number, c.key, c.below, r.offline, s.ranges
	s.journal.add(e)
	return upper
}

// stop takes a range offline until an instant.
func (s *stamp) stop(r *rangePartition, until clock.Instant) {
	r.offline = max(r.offline, until)
	s.returns.Push(r.offline, r.number, struct{}{})
}

// splitLarge splits ranges with too many bytes.
func (s *stamp) splitLarge(now clock.Instant, budget *int64) {
	if s.model.RangeBytes == 0 {
		return
	}
	for _, t := range s.tables {
		for i := 0; i < len(t.ranges) && *budget > 0 && !s.full(); i++ {
			r := t.ranges[i]
			if r.profile.bytes <= s.model.RangeBytes || !r.online(now) {
				continue
			}
			boundary, divides := r.profile.cut(func(m mark) int64 { return m.bytes }, thousand)
			if !divides {
				continue
			}
			*budget--
			e := event(now, EventSizeSplit, r)
			e.Reason = becauseLarge
			s.split(now, r, boundary, e)
			i++
		}
	}
}
