package keys

import "slices"

// Pinned returns the same generator held to the partition of entity witness: all
// its entities have that PartitionKey. An attribute that the PartitionKey holds as
// it is, or in a form that gives it away, has the witness's value, too, and with a
// column of whole rows has the others of that row; of one that only a function or a cut
// of it decides about, such as {hash(user,16)}, the values differ as before, as
// everything else does.
func (g *Generator) Pinned(witness uint64) *Generator {
	pinned := *g
	pinned.attributes = slices.Clone(g.attributes)
	o := &occurrence{Event: loaded(witness)}
	g.hold(pinned.attributes, g.partition, o)
	pinned.partition = layout{{literal: string(g.expand(nil, g.partition, o)), attribute: -1}}
	return &pinned
}

// hold gives the attributes that a layout gives away the values of an occurrence.
func (g *Generator) hold(attributes []drawn, l layout, o *occurrence) {
	for i := range l {
		s := &l[i]
		if s.attribute < 0 || !s.tells() {
			continue
		}
		switch d := &g.attributes[s.attribute]; d.kind {
		case byTime:
			attributes[s.attribute].fixed, attributes[s.attribute].time = true, held(d.time.at(o))
		default:
			if d.kind == byText {
				g.hold(attributes, d.text, o)
			}
			for _, at := range g.options.wholeRow(s.attribute) {
				attributes[at].fix(string(g.fill(nil, &slot{attribute: at}, o)))
			}
		}
	}
}

func (s *slot) tells() bool {
	return !slices.ContainsFunc(s.apply, func(f transform) bool { return !f.tells() })
}

// tells reports whether different values come out as different texts.
func (f transform) tells() bool {
	switch f.kind {
	case asIs, toPadded, toReverse, toTicks, toInverted:
		return true
	default:
		return false
	}
}
