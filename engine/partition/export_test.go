package partition

import "loadgen/engine/clock"

// Assign puts the range that a place lies in on a server, at once and without
// taking it offline: a layout to begin with.
func (l *Layer) Assign(now clock.Instant, p Place, serverNumber int) {
	now = l.Advance(now)
	r, to := l.stamp.known[p.Table].find(p.PartitionKey), l.stamp.servers[serverNumber]
	if to != r.server {
		r.server.leave(r)
		to.host(now, r, l.stamp.serverLimit)
		r.over = episode{}
		l.stamp.version++
	}
}
