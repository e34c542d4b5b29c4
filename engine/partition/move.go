package partition

import (
	"cmp"
	"math/bits"
	"slices"
	"time"

	"loadgen/engine/clock"
)

// better returns the lightest server if with the range it has clearly less load than the
// present server, else nil. Without that margin a range would move back and forth between
// two equal servers.
func (s *stamp) better(r *rangePartition) *server {
	target := s.lightest(r.server)
	if target == nil || target.load+r.served > r.server.load/thousand*(thousand-s.model.MoveGain) {
		return nil
	}
	return target
}

// move hands a range over to another server; it is offline meanwhile.
func (s *stamp) move(now clock.Instant, r *rangePartition, to *server, reason string, lasted clock.Instant) {
	e := event(now, EventMove, r)
	e.To, e.FromLoad, e.ToLoad = to.number, r.server.load/thousand, to.load/thousand
	r.server.over = episode{}
	r.server.leave(r)
	to.host(now, r, s.serverLimit)
	r.over = episode{}
	s.version++
	s.moves++
	draw := s.handOverTimes.Draw(s.moves)
	extra, _ := bits.Mul64(draw.Uint64(), uint64(s.model.OfflineMost-s.model.OfflineLeast))
	s.stop(r, max(now, r.offline).Add(s.model.OfflineLeast+time.Duration(extra)))
	r.stale = r.offline.Add(s.model.MapStale)
	e.Reason, e.Overloaded, e.Until, e.Ranges = reason, lasted.Offset(), r.offline, s.ranges
	s.journal.add(e)
}

// relieve moves as few ranges as possible off an overloaded server until its load is
// acceptable.
func (s *stamp) relieve(now clock.Instant, o *server) {
	lasted, _ := o.over.lasts(now)
	tick := int64(s.tick)
	used := o.seen.busy / (tick / thousand)
	if s.model.ServerTarget > 0 {
		used = max(used, perSecond(o.seen.served, tick)/s.model.ServerTarget)
	}
	if s.model.ServerBandwidth > 0 {
		used = max(used, perSecond(o.seen.bytes, tick)/s.model.ServerBandwidth)
	}
	if used <= s.model.Relief {
		return
	}
	excess := o.load / used * (used - s.model.Relief)
	list := s.rangesByLoad(o)
	for excess > 0 && len(list) > 0 {
		// The smallest sufficient range or, if none is, the largest.
		i := max(0, slices.IndexFunc(list, func(r *rangePartition) bool { return r.served < excess })-1)
		if list[len(list)-1].served >= excess {
			i = len(list) - 1
		}
		r := list[i]
		list = slices.Delete(list, i, i+1)
		if r.served == 0 || !r.online(now) {
			continue
		}
		if target := s.better(r); target != nil {
			excess -= r.served
			s.move(now, r, target, becauseServer, lasted)
		}
	}
}

// rangesByLoad returns the ranges of a server, those with the greatest load first.
func (s *stamp) rangesByLoad(o *server) []*rangePartition {
	var list []*rangePartition
	s.eachRange(func(r *rangePartition) {
		if r.server == o {
			list = append(list, r)
		}
	})
	slices.SortStableFunc(list, func(a, b *rangePartition) int { return cmp.Compare(b.served, a.served) })
	return list
}
