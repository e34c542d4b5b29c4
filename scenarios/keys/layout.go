package keys

import (
	"slices"
	"strconv"

	"loadgen/engine/clock"
)

// layout is a template with its attributes resolved to positions.
type layout []slot

// slot is literal text, or the attribute at a position where that is not negative,
// put through transforms.
type slot struct {
	literal   string
	attribute int
	apply     []transform
	// source is what the template has in the slot's place.
	source string
}

func (o *Options) resolve(t Template) layout {
	var l layout
	for i := range t.parts {
		p := &t.parts[i]
		s := slot{literal: p.literal, attribute: -1, source: p.source}
		if p.attribute != "" {
			s = o.slotOf(p.attribute)
			s.source = p.source
			for _, f := range []transform{p.call, p.format} {
				if f.kind != asIs {
					s.apply = append(s.apply, f)
				}
			}
		}
		l = append(l, s)
	}
	return l
}

// drawn is an attribute ready to be drawn.
type drawn struct {
	kind drawnKind
	// fixed says that every entity has the same value, for it was pinned.
	fixed  bool
	stream clock.Stream
	// values is what [byChance] draws from, text what [byText] is formed of.
	values ValueSource
	text   layout
	// time is that of [byTime], and of the attribute that [byUUID7] goes by.
	time timeline
}

type drawnKind uint8

const (
	byChance drawnKind = iota
	byText
	byTime
	byNumber
	byUUID
	byUUID7
)

func (g *Generator) expand(dst []byte, l layout, o *occurrence) []byte {
	for i := range l {
		dst = g.fill(dst, &l[i], o)
	}
	return dst
}

func (g *Generator) fill(dst []byte, s *slot, o *occurrence) []byte {
	if s.attribute < 0 {
		return append(dst, s.literal...)
	}
	start := len(dst)
	d := &g.attributes[s.attribute]
	apply := s.apply
	switch d.kind {
	case byChance:
		number := o.Number
		if o.Shared.has(s.attribute) {
			number = o.Lead
		}
		i := d.values.picker.pick(number, d.stream.Draw(number))
		if d.values.texts != nil {
			dst = append(dst, d.values.texts[i]...)
		} else {
			dst = strconv.AppendInt(dst, d.values.low+i, 10)
		}
	case byText:
		whole := o
		if o.Shared.has(s.attribute) {
			// What is shared is shared with all that it is derived from.
			lead := *o
			lead.Number = o.Lead
			whole = &lead
		}
		dst = g.expand(dst, d.text, whole)
	case byTime:
		format := transform{}
		if len(apply) > 0 && apply[0].ofTime() {
			format, apply = apply[0], apply[1:]
		}
		dst = appendTime(dst, d.time.instantOf(o), format)
	case byNumber:
		dst = appendPadded(dst, o.Number, 1)
	case byUUID:
		// Version 4 (RFC 9562, section 5.4).
		draw := d.stream.Draw(o.Number)
		dst = appendUUID(dst, uuid{draw.Uint64(), draw.Uint64()}.marked(4))
	case byUUID7:
		// Version 7 (RFC 9562, section 5.7): 48 bits of milliseconds since 1970, before which it is that of
		// 1970; then 42 bits of the entity's number, so that those of one millisecond are in its
		// order (section 6.2, method 1); then 32 bits of chance.
		const ticksPerMilli, perField = 10_000, 30
		millis := uint64(max(0, d.time.instantOf(o)-unixEpoch)) / ticksPerMilli
		draw := d.stream.Draw(o.Number)
		dst = appendUUID(dst, uuid{
			millis<<16 | o.Number>>perField&0xfff,
			o.Number&(1<<perField-1)<<32 | draw.Uint64()>>32,
		}.marked(7))
	}
	for _, f := range apply {
		dst = f.apply(dst, start)
	}
	return dst
}

// position returns where an attribute stands, negative where it does not exist.
func (o *Options) position(attribute string) int {
	return slices.IndexFunc(o.Attributes, func(a Attribute) bool { return a.Name == attribute })
}
