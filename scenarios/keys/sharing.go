package keys

import (
	"slices"
)

// Shared is a set of attributes of one list of them. The zero value is empty.
type Shared [(MaxAttributes + 63) / 64]uint64

func (s *Shared) has(attribute int) bool {
	return attribute < MaxAttributes && s[attribute/64]>>(attribute%64)&1 != 0
}

// Sharing returns the set of the named attributes, for [Event.Shared] of this
// generator, and of others of the same attributes. Names that do not exist are left
// out; who shares a column of whole rows shares the row.
func (g *Generator) Sharing(names []string) Shared {
	var s Shared
	for _, name := range g.options.WholeRows(names) {
		if i := g.options.position(name); i >= 0 {
			s[i/64] |= 1 << (i % 64)
		}
	}
	return s
}

// WholeRows returns names, with all columns of the rows where one of them is such: no
// event has one column of a row and another of another row.
func (o Options) WholeRows(names []string) []string {
	if !slices.ContainsFunc(names, o.isColumn) {
		return names
	}
	whole := slices.Clone(names)
	for _, a := range o.Attributes {
		if IsColumn(a.Values) && !slices.Contains(whole, a.Name) {
			whole = append(whole, a.Name)
		}
	}
	return whole
}

func (o *Options) isColumn(name string) bool { return IsColumn(o.values(name)) }
