package keys

import "loadgen/scenarios/keys/values"

// Shared is a set of attributes of one list of them. The zero value is empty.
type Shared [(values.MaxAttributes + 63) / 64]uint64

func (s *Shared) has(attribute int) bool {
	return attribute < values.MaxAttributes && s[attribute/64]>>(attribute%64)&1 != 0
}

// Sharing returns the set of the named attributes, for [Event.Shared] of this
// generator, and of others of the same attributes. Names that do not exist are left
// out.
func (g *Generator) Sharing(names []string) Shared {
	var s Shared
	for _, name := range names {
		if i := g.options.position(name); i >= 0 {
			s[i/64] |= 1 << (i % 64)
		}
	}
	return s
}
