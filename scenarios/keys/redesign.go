package keys

import (
	"errors"
	"slices"

	"loadgen/engine/nearest"
)

// Design returns the generator of the same entities under other keys: every
// attribute of every event has the value that it has here, pinned or not. The error
// joins what [Options.Validate] finds; it wraps [ErrInvalidOptions].
func (g *Generator) Design(partition, row Template) (*Generator, error) {
	o := g.options
	o.PartitionKey, o.RowKey = partition, row
	return g.withOptions(o)
}

// Project returns the generator of the same entities with no other properties than
// the named ones, in the order in which they are stored, and without a filler unless
// that is named, too. The error wraps [ErrInvalidOptions] and has the nearest name for one
// that does not exist.
func (g *Generator) Project(names []string) (*Generator, error) {
	o := g.options
	o.Properties = nil
	var known []string
	for _, spec := range g.options.Properties {
		known = append(known, spec.Name)
		if slices.Contains(names, spec.Name) {
			o.Properties = append(o.Properties, spec)
		}
	}
	if o.Filler != "" {
		known = append(known, o.Filler)
	}
	if !slices.Contains(names, o.Filler) {
		o.Filler = ""
	}
	var faults []error
	for _, name := range names {
		if !slices.Contains(known, name) {
			faults = append(faults, valueFaultf("properties", "%s", nearest.Unknown("property", name, known)))
		}
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	h, err := g.withOptions(o)
	if err == nil {
		h.partition, h.row = g.partition, g.row
	}
	return h, err
}

// withOptions returns the generator of options that have the same attributes.
func (g *Generator) withOptions(o Options) (*Generator, error) {
	h, err := New(o)
	if err == nil {
		h.attributes, h.blank = g.attributes, g.blank
	}
	return h, err
}
