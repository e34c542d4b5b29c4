package keys

import (
	"errors"

	"loadgen/engine/entity"
)

// Part yields some properties of entities, formed from the attributes of a
// generator: what a merge changes. It is immutable and safe for concurrent use.
type Part struct {
	generator  *Generator
	properties []formed
	whole      bool
}

// Whole returns the part that is all of an entity, its filler with it.
func (g *Generator) Whole() *Part { return &Part{generator: g, whole: true} }

// IsWhole reports whether the part is all of an entity.
func (p *Part) IsWhole() bool { return p.whole }

// Part returns the part that the specs describe. Made from a pinned generator,
// it sees the pinned values. The error joins what
// [Options.ValidateProperties] finds; it wraps [ErrInvalid].
func (g *Generator) Part(specs []PropertySpec) (*Part, error) {
	if err := errors.Join(g.options.ValidateProperties(specs)...); err != nil {
		return nil, err
	}
	return &Part{generator: g, properties: g.options.form(specs)}, nil
}

// Properties returns the part of entity n, which was loaded. The slice is the
// caller's.
func (p *Part) Properties(n uint64) []entity.Property { return p.PropertiesOf(loaded(n)) }

// PropertiesOf returns the part of an event. The slice is the caller's.
func (p *Part) PropertiesOf(e Event) []entity.Property {
	if p.whole {
		return p.generator.PropertiesOf(e)
	}
	return p.generator.form(make([]entity.Property, 0, len(p.properties)), p.properties, e)
}
