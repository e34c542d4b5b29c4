package keys

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
)

// Plan is the best query of a design for a reader with some knowledge: the smallest range of
// the index that certainly has all wanted entities. It is immutable and safe for
// concurrent use.
type Plan struct {
	// Class is that of the query. Of a single event it can be a better one: where the
	// reader knows a span of time and both its ends lie within the same hour, an hour
	// key is known after all.
	Class filter.Class
	// Why is a sentence, without its full stop, on what the reader lacks for a better
	// one: "RowKey begins with {bib}, which is unknown".
	Why string

	generator      *Generator
	partition, row route
	// single is the route along the PartitionKey of one query instead of several, nil
	// if the plan has only one.
	single *route
	span   entity.Ticks
}

// route is how far the reader gets along one key.
type route struct {
	steps []step
	// stop is what the template has where the reader gets no further; empty where he
	// gets to the end.
	stop string
	// ways is how many values the stop has at most, 0 where that is not known.
	ways int
}

// step is one slot of a key about which the reader knows something.
type step struct {
	slot
	how certainty
}

type certainty uint8

const (
	// known: the slot's text.
	known certainty = iota
	// rising and falling: what it is at both ends of a span of time, between which
	// the text increases or decreases with time.
	rising
	falling
	// bucket: nothing, but it has few values, each with a query.
	bucket
)

// Plan returns the plan of a reader who knows the values of some attributes, and
// perhaps a span of time: from that long before the event to the event itself.
// Zero or less is no span. Built-in names can be known, too; unknown names are ignored.
func (g *Generator) Plan(know []string, span time.Duration) Plan {
	p := Plan{generator: g, span: entity.Ticks(max(0, span) / nanosPerTick)}
	r := p.reader(know, span)
	p.partition, p.row = r.follow(g.partition), r.follow(g.row)
	p.Class, p.Why = p.judge()
	return p
}

// AnyRow returns the plan of a reader whose filter has conditions on the RowKey of its own:
// the text with which all row keys of a design begin does not narrow it.
func (p *Plan) AnyRow() Plan {
	any := *p
	if len(p.row.steps) == 0 || slices.ContainsFunc(p.row.steps, func(s step) bool { return s.attribute >= 0 }) {
		return any
	}
	any.row = route{stop: p.row.stop}
	if any.Class, any.Why = any.judge(); any.Class == filter.ClassPartitionScan {
		any.Why = "where selects the rows"
	}
	return any
}

// reader is who asks: what he knows, by position.
type reader struct {
	generator *Generator
	known     map[int]bool
	spanned   bool
	// fans is over how many values the reader may ask for each, 0 for none.
	fans int
}

// follow returns how far the reader gets along a key.
func (r *reader) follow(l layout) route {
	var way route
	r.extend(&way, l)
	return way
}

// extend adds the steps of a layout, and reports whether the reader gets to its end.
func (r *reader) extend(way *route, l layout) bool {
	for i := range l {
		s := &l[i]
		if s.attribute < 0 || r.knows(s.attribute) {
			way.steps = append(way.steps, step{slot: *s})
			continue
		}
		d := &r.generator.attributes[s.attribute]
		if d.kind == byText && len(s.apply) == 0 {
			if r.extend(way, d.text) {
				continue
			}
			return false
		}
		part, some, whole := r.part(s, d)
		if some {
			way.steps = append(way.steps, part)
		}
		if ways := s.ways(); !some && ways > 0 && ways <= r.fans {
			r.fans /= ways
			way.steps = append(way.steps, step{*s, bucket})
			continue
		}
		if !whole {
			way.stop, way.ways = s.source, s.ways()
			return false
		}
	}
	return true
}

// knows reports whether the reader knows the value of an attribute: directly, because
// all entities have it, or because all attributes that it is derived from are known.
func (r *reader) knows(attribute int) bool {
	d := &r.generator.attributes[attribute]
	if r.known[attribute] || d.fixed {
		return true
	}
	return d.kind == byText && !slices.ContainsFunc(d.text, func(s slot) bool {
		return s.attribute >= 0 && !r.knows(s.attribute)
	})
}

// part returns what the reader knows of a slot with an attribute whose value he does
// not know, whether it is something, and whether it is the whole slot.
func (r *reader) part(s *slot, d *drawn) (part step, some, whole bool) {
	switch {
	case d.kind == byTime && r.spanned:
		// Instants and ticks have a width of their own, and so their first characters are
		// in the same order.
		how := rising
		for _, f := range s.apply {
			switch f.kind {
			case toHash, toReverse, toPadded:
				return step{}, false, false
			case toInverted:
				how = falling
			}
		}
		return step{*s, how}, true, true
	case d.kind == byUUID7 && len(s.apply) == 0:
		begins := *s
		begins.apply = []transform{{toPrefix, uuidTime}}
		if r.knows(r.generator.options.times()[0]) {
			return step{begins, known}, true, false
		}
		return step{begins, rising}, r.spanned, false
	default:
		return step{}, false, false
	}
}

// ways returns how many values a slot has at most, 0 where that is not known.
func (s *slot) ways() int {
	if len(s.apply) > 0 && s.apply[0].kind == toHash {
		return s.apply[0].n
	}
	return 0
}

// isExact reports whether the reader knows the whole key; over a span he does not.
func (w *route) isExact() bool {
	return w.stop == "" && !slices.ContainsFunc(w.steps, step.isOpen)
}

func (s step) isOpen() bool { return s.how == rising || s.how == falling }

// judge returns the class of the plan, and why it is no better.
func (p *Plan) judge() (filter.Class, string) {
	switch {
	case !p.partition.isExact() && len(p.partition.steps) == 0:
		return filter.ClassTableScan, p.partition.lack("PartitionKey") + p.partition.fan()
	case !p.partition.isExact():
		const alone = ", and no RowKey narrows several partitions"
		return filter.ClassPartitionRangeScan, p.partition.lack("PartitionKey") + alone + p.partition.fan()
	case p.row.isExact():
		return filter.ClassPoint, "known attributes form both keys"
	case len(p.row.steps) > 0:
		return filter.ClassRowRange, p.row.lack("RowKey")
	default:
		return filter.ClassPartitionScan, p.row.lack("RowKey")
	}
}

func (w *route) lack(key string) string {
	for _, s := range w.steps {
		if s.isOpen() {
			return fmt.Sprintf("%s has %s, known as a span", key, s.source)
		}
	}
	if len(w.steps) == 0 {
		return fmt.Sprintf("%s begins with %s, which is unknown", key, w.stop)
	}
	return fmt.Sprintf("%s continues with %s, which is unknown", key, w.stop)
}

// fan says how many queries would get past a stop with few values.
func (w *route) fan() string {
	if w.ways == 0 {
		return ""
	}
	return fmt.Sprintf("; %d queries, one per value, would avoid this", w.ways)
}

// Range returns the stretch of the index that the plan's query reads for an event.
// Every entity lies in it that shares with the event what the reader knows, and whose
// time is no later than the event's, nor earlier by more than the span. Others can,
// too: what else the reader wants is for a filter on properties to pick.
func (p *Plan) Range(e Event) filter.Range {
	if p.single != nil {
		low, high, _ := p.ends(p.single, e, 0)
		return filter.PartitionPrefixes(low, high)
	}
	return p.rangeOf(e, 0)
}

// rangeOf returns what the query of a number reads, of those that the reader is fanned
// out to.
func (p *Plan) rangeOf(e Event, query int) filter.Range {
	low, high, exact := p.ends(&p.partition, e, query)
	if !exact {
		return filter.PartitionPrefixes(low, high)
	}
	partition := low
	if low, high, exact = p.ends(&p.row, e, query); exact {
		return filter.Point(partition, low)
	}
	return filter.RowPrefixes(partition, low, high)
}

// ends returns the least and the greatest text with which a key begins that lies in
// the plan's range, and whether that is the whole key.
func (p *Plan) ends(w *route, e Event, query int) (low, high string, exact bool) {
	var room, other [keyRoom]byte
	text := room[:0]
	late, early := &occurrence{Event: e}, &occurrence{Event: e, back: p.span}
	for i := range w.steps {
		s := &w.steps[i]
		start := len(text)
		if s.how == bucket {
			text = strconv.AppendInt(text, int64(query%s.ways()), 10)
			for _, f := range s.apply[1:] {
				text = f.apply(text, start)
			}
			query /= s.ways()
			continue
		}
		text = p.generator.fill(text, &s.slot, late)
		if s.how == known {
			continue
		}
		earlier := p.generator.fill(other[:0], &s.slot, early)
		if string(earlier) == string(text[start:]) {
			continue
		}
		low, high = string(text[:start])+string(earlier), string(text)
		if s.how == falling {
			low, high = high, low
		}
		return low, high, false
	}
	return string(text), string(text), w.stop == ""
}
