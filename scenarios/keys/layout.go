package keys

import (
	"slices"

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

// draws returns the attributes of the options in the form to draw from, the
// built-in ones last.
func (o *Options) draws() []drawn {
	var list []drawn
	var time timeline
	for _, a := range o.Attributes {
		d := drawn{stream: clock.NewStream(o.Seed, "attribute/"+a.Name)}
		switch values := a.Values.(type) {
		case Time:
			d.kind, d.time = byTime, newTimeline(values, o.History)
			time = d.time
		case Text:
			d.kind, d.text = byText, o.resolve(values.Template)
		case ValueColumn:
			// Whoever draws a row draws all of its columns alike.
			d.stream = clock.NewStream(o.Seed, "rows")
			d.values = values.Compile(d.stream)
		default:
			d.values = a.Values.Compile(clock.NewStream(o.Seed, "attribute/"+a.Name+"/once"))
		}
		list = append(list, d)
	}
	random := clock.NewStream(o.Seed, "uuid")
	return append(list, drawn{kind: byNumber}, drawn{kind: byUUID, stream: random},
		drawn{kind: byUUID7, stream: random, time: time})
}

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
		dst = d.values.Append(dst, number, d.stream.At(number))
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
		dst = appendTime(dst, d.time.at(o), format)
	case byNumber:
		dst = appendPadded(dst, o.Number, 1)
	case byUUID:
		draw := d.stream.At(o.Number)
		dst = appendUUID(dst, uuid{draw.Uint64(), draw.Uint64()}.marked(4))
	case byUUID7:
		dst = appendUUID(dst, orderedUUID(d.time.at(o), o.Number, d.stream.At(o.Number)))
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
