package keys

import (
	"slices"
	"strings"

	"loadgen/engine/filter"
)

// Tells returns the attributes whose values all entities in the plan's range that match
// [Plan.RowsOf] share with the event, because the keys contain them unchanged. An attribute at the end of a
// key's prefix is not one, because longer values can begin like it; nor is one without a separator from its neighbour.
func (p *Plan) Tells() []string {
	return p.addKnown(&p.row, p.addKnown(&p.partition, nil))
}

// TellsSpan reports whether all entities of the range, and of [Plan.RowsOf], lie within
// the reader's span of time. Cut off times tell it only roughly.
func (p *Plan) TellsSpan() bool {
	return p.tellsSpan(&p.partition) || p.tellsSpan(&p.row)
}

func (p *Plan) tellsSpan(w *route) bool {
	for i := range w.steps {
		s := &w.steps[i]
		if s.isOpen() {
			return s.slot.isInjective() && p.generator.attributes[s.attribute].kind == byTime
		}
	}
	return false
}

// NarrowsRows reports whether the plan knows something of the RowKey that its range
// leaves out, since that holds several partitions.
func (p *Plan) NarrowsRows() bool { return !p.partition.isExact() && len(p.row.steps) > 0 }

// RowsOf returns the condition of the plan's query on the RowKey in addition to its range, as the text
// of a $filter: the known part of the RowKey, if the range has several partitions and
// cannot end at a RowKey. It is empty without a condition. The service still reads
// the whole range, and returns less.
func (p *Plan) RowsOf(e Event) string {
	if !p.NarrowsRows() {
		return ""
	}
	low, high, exact := p.ends(&p.row, e, 0)
	rows := filter.RowPrefixes("", low, high)
	if exact {
		rows = filter.Point("", low)
	}
	text, _ := rows.RowText()
	return text
}

// addKnown adds the attributes that a key determines to names.
func (p *Plan) addKnown(w *route, names []string) []string {
	known := slices.IndexFunc(w.steps, step.isOpen)
	if known < 0 {
		known = len(w.steps)
	}
	var l layout
	for i := range w.steps[:known] {
		l = append(l, w.steps[i].slot)
	}
	return p.generator.addKnown(l, w.isExact(), names)
}

// addKnown adds to names the attributes that a text with this layout determines. The layout describes the whole text, or
// its beginning.
func (g *Generator) addKnown(l layout, whole bool, names []string) []string {
	for i, parted := range g.parted(l, whole) {
		s := &l[i]
		if !parted || s.attribute < 0 || !s.isInjective() {
			continue
		}
		if attributes := g.options.Attributes; s.attribute < len(attributes) && !slices.Contains(names, attributes[s.attribute].Name) {
			names = append(names, attributes[s.attribute].Name)
		}
		if d := &g.attributes[s.attribute]; d.kind == byText {
			names = g.addKnown(d.text, true, names)
		}
	}
	return names
}

// parted reports of each slot whether it is clear where in a text it begins and ends:
// read from the front, and of a whole text from the back as well.
func (g *Generator) parted(l layout, whole bool) []bool {
	sure := make([]bool, len(l))
	front := 0
	for ; front < len(l); front++ {
		last := front == len(l)-1
		sure[front] = g.isWide(&l[front]) || last && whole
		if !sure[front] && !last && l[front+1].attribute < 0 && l[front+1].literal != "" {
			// It ends where the literal behind it first occurs, unless a value holds that.
			texts, behind := g.texts(&l[front]), l[front+1].literal
			sure[front] = len(texts) > 0 && !slices.ContainsFunc(texts, func(text string) bool {
				return strings.Index(text+behind, behind) != len(text)
			})
		}
		if !sure[front] {
			break
		}
	}
	for back := len(l) - 1; whole && back >= front; back-- {
		if !g.isWide(&l[back]) {
			sure[back] = back == front
			break
		}
		sure[back] = true
	}
	return sure
}

// isWide reports whether all that a slot comes to has the same width.
func (g *Generator) isWide(s *slot) bool {
	texts := g.texts(s)
	return len(texts) > 0 && !slices.ContainsFunc(texts, func(text string) bool { return len(text) != len(texts[0]) })
}

// maxTexts bounds how many values of a slot are looked at.
const maxTexts = 4096

// texts returns some of what a slot comes to, the widest and the outermost where that is
// without end.
func (g *Generator) texts(s *slot) []string {
	if s.attribute < 0 {
		return []string{s.literal}
	}
	var values []string
	switch d := &g.attributes[s.attribute]; {
	case s.attribute >= len(g.options.Attributes) || d.kind == byText:
		name := builtins[max(0, s.attribute-len(g.options.Attributes))]
		if d.kind == byText {
			name = g.options.Attributes[s.attribute].Name
		}
		values = g.options.Probes([]string{name})[name]
	default:
		values = g.options.Attributes[s.attribute].Values.Probes()
	}
	texts := make([]string, 0, min(len(values), maxTexts))
	for i := 0; i < len(values); i += 1 + len(values)/maxTexts {
		text := []byte(values[i])
		for _, f := range s.apply {
			text = f.apply(text, 0)
		}
		texts = append(texts, string(text))
	}
	return texts
}
