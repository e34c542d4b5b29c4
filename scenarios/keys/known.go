package keys

import (
	"slices"
)

// Differing returns the attributes from which a template is formed, directly or through
// derived ones, in which entities that share the values of some can still
// differ: each once, in the order of their first use. The options may have faults.
func (o Options) Differing(t Template, shared []string) []string {
	var seen, found []string
	shared = o.WholeRows(o.meant(shared))
	var visit func(t Template)
	visit = func(t Template) {
		for _, name := range o.meant(t.Attributes()) {
			// Attributes that were visited are skipped, which ends a cycle.
			if slices.Contains(shared, name) || slices.Contains(seen, name) {
				continue
			}
			seen = append(seen, name)
			if derived, is := o.values(name).(Text); is {
				visit(derived.Template)
			} else {
				found = append(found, name)
			}
		}
	}
	visit(t)
	return found
}

// meant returns the names with those of the one time in place of what stands for it.
func (o *Options) meant(names []string) []string {
	meant := slices.Clone(names)
	for i, name := range meant {
		times := o.times()
		if (name == nameTime || name == nameTicks) && o.position(name) < 0 && len(times) == 1 {
			meant[i] = o.Attributes[times[0]].Name
		}
	}
	return meant
}

// values returns the distribution of an attribute, nil if it does not exist.
func (o *Options) values(name string) Distribution {
	if at := o.position(name); at >= 0 {
		return o.Attributes[at].Values
	}
	return nil
}

// Probes returns, by name, values that represent all values of an attribute in a
// validation: every one if they are few, the widest and the outermost
// otherwise; of a derived one, the texts of the template with those of the others.
// It has none for a name that does not exist, is not sound, or whose file was not read.
func (o Options) Probes(names []string) map[string][]string {
	c := o.newCheck()
	c.attributes()
	probes := map[string][]string{}
	for _, name := range names {
		if c.sound[name] != nil {
			probes[name] = c.outcomes(&part{attribute: name})
		}
	}
	return probes
}

// Unique returns the names in a template that differ between any two entities, without
// those that another template determines: a [Sequence], {number}, {uuid}
// and {uuid7}, as long as no function makes one value of several, and the columns of
// rows in the order of their file if no two rows share all of them. A time alone does
// not, because two events can be simultaneous. The options may have faults.
func (o Options) Unique(in, notIn Template) []string {
	lacks, has := o.WholeRows(o.addDetermined(notIn, nil)), o.addDetermined(in, nil)
	var table *ValueTable
	var columns []string
	byChance := false
	for _, name := range has {
		if column, is := o.values(name).(ValueColumn); is {
			byChance = byChance || column.ByChance
			table, columns = column.Table, append(columns, column.Name)
		}
	}
	// As long as the file was not read, its rows may differ.
	rows := len(columns) > 0 && !byChance && (table == nil || table.AllDiffer(columns))
	return slices.DeleteFunc(has, func(name string) bool {
		_, sequence := o.values(name).(Sequence)
		unique := sequence || o.position(name) < 0 && slices.Contains([]string{nameNumber, nameUUID, nameUUID7}, name)
		return !unique && !(rows && o.isColumn(name)) || slices.Contains(lacks, name)
	})
}

// addDetermined adds to names those whose values a template determines, and those that derived ones among
// them determine, each once.
func (o *Options) addDetermined(t Template, names []string) []string {
	for i := range t.parts {
		p := &t.parts[i]
		if p.attribute == "" || !p.call.isInjective() || !p.format.isInjective() || slices.Contains(names, p.attribute) {
			continue
		}
		names = append(names, p.attribute)
		if derived, is := o.values(p.attribute).(Text); is {
			names = o.addDetermined(derived.Template, names)
		}
	}
	return names
}

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
