package logs

import "loadgen/engine/accesslog"

// doubles knows the last requests by their ids, so that a line that stands twice counts
// once.
type doubles struct {
	// now takes up to maxDoubles; before has as many that came before.
	now, before map[uint64]struct{}
}

// maxDoubles is how many requests at least a line may lie behind the other one.
const maxDoubles = 1 << 18

// isRepeated reports whether the line of a request was there before. One without an id is
// always new.
func (d *doubles) isRepeated(e *accesslog.Entry) bool {
	if e.RequestID == "" {
		return false
	}
	if d.now == nil {
		d.now = make(map[uint64]struct{}, maxDoubles/8)
	}
	h := uint64(14695981039346656037) // FNV-1a of 64 bits
	for i := range len(e.RequestID) {
		h = (h ^ uint64(e.RequestID[i])) * 1099511628211
	}
	id := h ^ uint64(max(0, e.Index))*0x9E3779B97F4A7C15
	if _, there := d.before[id]; there {
		return true
	}
	// Looked up once: what was there leaves the number as it is.
	known := len(d.now)
	d.now[id] = struct{}{}
	isKnown := len(d.now) == known
	if len(d.now) == maxDoubles {
		d.before, d.now = d.now, make(map[uint64]struct{}, maxDoubles)
	}
	return isKnown
}
