package logs

import (
	"strings"
	"time"

	"loadgen/engine/accesslog"
	"loadgen/engine/entity"
)

// order holds entries until they are handed on, the earliest first, those of one instant as
// they came.
type order struct {
	heap []waiting
	came uint64
	// lines are what waits, of which those in free are empty.
	lines []line
	free  []uint32
}

type waiting struct {
	at   entity.Ticks
	came uint64
	// line is its place in order.lines.
	line uint32
}

func (o *order) len() int { return len(o.heap) }

func (w *waiting) before(other *waiting) bool {
	return w.at < other.at || w.at == other.at && w.came < other.came
}

func (o *order) push(l line) {
	if len(o.free) == 0 {
		o.free = append(o.free, uint32(len(o.lines)))
		o.lines = append(o.lines, line{})
	}
	place := o.free[len(o.free)-1]
	o.free = o.free[:len(o.free)-1]
	o.lines[place] = l
	o.heap = append(o.heap, waiting{l.at, o.came, place})
	o.came++
	for i := len(o.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !o.heap[i].before(&o.heap[parent]) {
			return
		}
		o.heap[i], o.heap[parent] = o.heap[parent], o.heap[i]
		i = parent
	}
}

func (o *order) pop() line {
	place, last := o.heap[0].line, len(o.heap)-1
	first := o.lines[place]
	o.lines[place] = line{}
	o.free = append(o.free, place)
	o.heap[0] = o.heap[last]
	o.heap = o.heap[:last]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if o.heap[child].before(&o.heap[least]) {
				least = child
			}
		}
		if least == i {
			return first
		}
		o.heap[i], o.heap[least] = o.heap[least], o.heap[i]
		i = least
	}
}

// doubles knows the last requests by their ids, so that a line that stands twice counts
// once.
type doubles struct {
	// now takes up to mostDoubles; before has as many that came before.
	now, before map[uint64]struct{}
}

// mostDoubles is how many requests at least a line may lie behind the other one.
const mostDoubles = 1 << 18

// again reports whether the line of a request was there before. One without an id is
// always new.
func (d *doubles) again(e *accesslog.Entry) bool {
	if e.RequestID == "" {
		return false
	}
	if d.now == nil {
		d.now = make(map[uint64]struct{}, mostDoubles/8)
	}
	h := uint64(14695981039346656037) // FNV-1a of 64 bits
	for i := range len(e.RequestID) {
		h = (h ^ uint64(e.RequestID[i])) * 1099511628211
	}
	id := h ^ uint64(max(0, e.Index))*0x9E3779B97F4A7C15
	if _, there := d.before[id]; there {
		return true
	}
	if len(d.now) == mostDoubles {
		if _, there := d.now[id]; there {
			return true
		}
		d.before, d.now = d.now, make(map[uint64]struct{}, mostDoubles)
	}
	// Looked up once: what was there leaves the number as it is.
	known := len(d.now)
	d.now[id] = struct{}{}
	return len(d.now) == known
}

// line is what of an entry waits to be put in order: a third of its size, with one text of
// its own.
type line struct {
	at                                    entity.Ticks
	endToEnd, server                      time.Duration
	request, response, top, entities      int64
	operation, status, table, class, form string
	// text holds PartitionKey, RowKey, the client's id, and a query's filter.
	text                            string
	partition, row, client          uint32
	http                            int16
	verb                            entity.Verb
	keyed, keyedRow, exact, further bool
}

// labels keep one copy of each text that stands in many lines.
type labels struct{ known map[string]string }

// mostLabels is how many are kept; others have a copy for each line.
const mostLabels = 1 << 12

func (s *labels) of(text string) string {
	if text == "" {
		return ""
	}
	if own, some := s.known[text]; some {
		return own
	}
	own := strings.Clone(text)
	if s.known == nil {
		s.known = make(map[string]string)
	}
	if len(s.known) < mostLabels {
		s.known[own] = own
	}
	return own
}
