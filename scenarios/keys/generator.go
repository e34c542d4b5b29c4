package keys

import (
	"errors"
	"slices"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

// Generator yields the entities of a key design. It is immutable: every method
// is a pure function of its arguments and safe for concurrent use. Entity
// numbers lie below 2⁶².
type Generator struct {
	options        Options
	attributes     []drawn
	partition, row layout
	properties     []formed
	letters        clock.Stream
}

// drawn is an attribute ready to be drawn.
type drawn struct {
	stream clock.Stream
	values source
}

// layout is a template with its attributes resolved to positions.
type layout []slot

// slot is literal text, or the attribute at a position where that is not
// negative.
type slot struct {
	literal   string
	attribute int
}

// formed is a property with its template resolved.
type formed struct {
	name  string
	kind  entity.Type
	value layout
}

// New returns the generator of the options, which must not be altered
// afterwards. The error joins what [Options.Validate] finds; it wraps
// [ErrInvalid].
func New(o Options) (*Generator, error) {
	if err := errors.Join(o.Validate()...); err != nil {
		return nil, err
	}
	g := &Generator{options: o, letters: clock.NewStream(o.Seed, "filler")}
	for _, a := range o.Attributes {
		g.attributes = append(g.attributes, drawn{clock.NewStream(o.Seed, "attribute/"+a.Name), a.Values.compile()})
	}
	g.partition = o.resolve(o.PartitionKey)
	g.row = o.resolve(o.RowKey)
	g.properties = o.form(o.Properties)
	return g, nil
}

func (o *Options) resolve(t Template) layout {
	var l layout
	for _, p := range t.parts {
		s := slot{literal: p.literal, attribute: -1}
		if p.attribute != "" {
			s.attribute = o.position(p.attribute)
		}
		l = append(l, s)
	}
	return l
}

func (o *Options) form(specs []PropertySpec) []formed {
	var list []formed
	for _, spec := range specs {
		list = append(list, formed{spec.Name, spec.Type, o.resolve(spec.Value)})
	}
	return list
}

// position returns where an attribute stands, negative where it does not exist.
func (o *Options) position(attribute string) int {
	return slices.IndexFunc(o.Attributes, func(a Attribute) bool { return a.Name == attribute })
}

// keyRoom is enough for most keys, so that forming one costs a single
// allocation.
const keyRoom = 128

// Key returns the key of entity n.
func (g *Generator) Key(n uint64) entity.Key {
	var room [keyRoom]byte
	partition := string(g.expand(room[:0], g.partition, n))
	return entity.Key{Partition: partition, Row: string(g.expand(room[:0], g.row, n))}
}

// PartitionKey returns the PartitionKey of entity n.
func (g *Generator) PartitionKey(n uint64) string {
	var room [keyRoom]byte
	return string(g.expand(room[:0], g.partition, n))
}

// Value returns the value of an attribute for entity n, and false where there
// is no such attribute.
func (g *Generator) Value(attribute string, n uint64) (string, bool) {
	i := g.options.position(attribute)
	if i < 0 {
		return "", false
	}
	return string(g.expand(nil, layout{{attribute: i}}, n)), true
}

// Properties returns the properties of entity n, its filler last. The slice is
// the caller's.
func (g *Generator) Properties(n uint64) []entity.Property {
	properties := g.form(make([]entity.Property, 0, len(g.properties)+1), g.properties, n)
	if g.options.Filler == "" {
		return properties
	}
	room := g.options.Size - entity.Size(g.Key(n), properties)
	draw := g.letters.At(n)
	for _, p := range pad(g.options.Filler, room) {
		text := fill(make([]byte, 0, p.units), p.units, &draw)
		properties = append(properties, entity.Property{Name: p.name, Value: entity.String(string(text))})
	}
	return properties
}

// form adds the properties of entity n to dst.
func (g *Generator) form(dst []entity.Property, properties []formed, n uint64) []entity.Property {
	var room [keyRoom]byte
	for i := range properties {
		p := &properties[i]
		if value, ok := parseValue(p.kind, string(g.expand(room[:0], p.value, n))); ok {
			dst = append(dst, entity.Property{Name: p.name, Value: value})
		}
	}
	return dst
}

// expand adds the text of a layout for entity n to dst.
func (g *Generator) expand(dst []byte, l layout, n uint64) []byte {
	for i := range l {
		s := &l[i]
		if s.attribute < 0 {
			dst = append(dst, s.literal...)
			continue
		}
		a := &g.attributes[s.attribute]
		dst = a.values.append(dst, n, a.stream.At(n))
	}
	return dst
}

// Pinned returns the same generator with every attribute of the PartitionKey
// held at the value that entity witness has: all its entities fall into the
// partition of the witness, and differ as before in all else.
func (g *Generator) Pinned(witness uint64) *Generator {
	pinned := *g
	pinned.attributes = slices.Clone(g.attributes)
	for _, s := range g.partition {
		if s.attribute >= 0 {
			value := g.expand(nil, layout{s}, witness)
			pinned.attributes[s.attribute].values = constant(string(value))
		}
	}
	return &pinned
}

// Find returns the first of the entities 0 … n-1 that has the PartitionKey, and
// false where none has.
func (g *Generator) Find(partitionKey string, n uint64) (uint64, bool) {
	for i := range n {
		if g.isIn(partitionKey, i) {
			return i, true
		}
	}
	return 0, false
}

// Members returns those of the entities 0 … n-1 that have the PartitionKey, in
// ascending order.
func (g *Generator) Members(partitionKey string, n uint64) []uint64 {
	var members []uint64
	for i := range n {
		if g.isIn(partitionKey, i) {
			members = append(members, i)
		}
	}
	return members
}

func (g *Generator) isIn(partitionKey string, n uint64) bool {
	var room [keyRoom]byte
	return string(g.expand(room[:0], g.partition, n)) == partitionKey
}
