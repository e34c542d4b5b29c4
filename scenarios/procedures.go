package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/scenarios/keys"
	"loadgen/scenarios/procedure"
)

// argumentsValue is a map of the parameters of an operation's procedure.
type argumentsValue struct{ of *OperationSpec }

var _ binding = argumentsValue{}

func (v argumentsValue) read(r *reader, path string, n *node) {
	if n.kind != dict {
		r.expect(n, path, "a map of the procedure's parameters, such as {place: by-name}")
		return
	}
	r.once(path, n)
	v.of.With = make(procedure.Arguments, len(n.entries))
	for _, e := range n.entries {
		if e.value.kind != scalar {
			r.expect(e.value, child(path, e.key), "a word, a number or a time")
			continue
		}
		v.of.With[e.key] = e.value.text
	}
}

func (v argumentsValue) write() *node {
	n := &node{kind: dict}
	kind := procedure.Find(v.of.Procedure)
	for _, name := range v.of.given() {
		text := v.of.With[name]
		value := plain(text)
		switch kind.Parameter(name).Type {
		case procedure.OfAttribute, procedure.OfProperty, procedure.OfPlace, procedure.OfCopy, procedure.OfName, procedure.OfChoice:
			value = &node{kind: scalar, text: text, quoted: true}
		}
		n.entries = append(n.entries, entry{key: name, value: value})
	}
	return n
}

// schema returns a map of single values: which they are is up to the procedure.
func (v argumentsValue) schema() *schema {
	return &schema{Type: types{"object"}, Additional: typed()}
}

// given returns the names of the parameters that have another value than their
// default, in the order of the procedure.
func (o *OperationSpec) given() []string {
	kind := procedure.Find(o.Procedure)
	if kind == nil {
		return nil
	}
	var names []string
	for _, p := range kind.Parameters {
		if text, some := o.With[p.Name]; some && text != p.Default {
			names = append(names, p.Name)
		}
	}
	return names
}

// settleProcedure fills in what follows from the procedure of an operation and
// refuses what does not belong to it.
func (o *OperationSpec) settleProcedure(r *reader, path string, n *node) {
	verb, named, with := n.find("verb"), n.find("procedure"), n.find("with")
	switch {
	case verb == nil && named == nil:
		r.fault(n.at, child(path, "verb"), "an operation has no verb; expected one, or a procedure")
		return
	case verb != nil && named != nil:
		r.fault(named.at, child(path, "procedure"), "a procedure is an operation of its own; expected no verb beside it, or no procedure")
		return
	case with != nil && named == nil:
		r.fault(with.at, child(path, "with"), "with has the parameters of a procedure, and there is none; expected a procedure, or no with")
		return
	}
	kind := procedure.Find(o.Procedure)
	if kind == nil {
		return
	}
	o.Verb = entity.Get
	if kind.Inserts {
		o.Verb = entity.Insert
	}
	if o.Name == "" {
		o.Name = kind.Name
	}
	if o.Group == "" {
		o.Group = GroupPut
		if kind.Reads {
			o.Group = GroupGet
		}
	}
	o.settleArguments(r, path, n, kind)
}

// settleArguments gives every parameter a value.
func (o *OperationSpec) settleArguments(r *reader, path string, n *node, kind *procedure.Kind) {
	with := n.find("with")
	if with != nil && with.kind != dict {
		return
	}
	var names []string
	for _, p := range kind.Parameters {
		names = append(names, p.Name)
	}
	at := func(name string) *node {
		if with == nil {
			return nil
		}
		return with.find(name)
	}
	if with != nil {
		for _, e := range with.entries {
			if kind.Parameter(e.key) == nil {
				r.fault(e.at, child(path, "with."+e.key), "procedure %s: %s", kind.Name, nearest.Unknown("parameter", e.key, names))
			}
		}
	}
	for i := range kind.Parameters {
		p := &kind.Parameters[i]
		value := at(p.Name)
		switch {
		case value == nil && p.Required && with == nil:
			r.fault(n.at, child(path, "with"), "procedure %s is not told %s; expected %s, within with", kind.Name, p.Name, p.Expected())
		case value == nil && p.Required:
			r.fault(with.at, child(path, "with."+p.Name), "procedure %s is not told %s; expected %s", kind.Name, p.Name, p.Expected())
		case value == nil || value.kind != scalar:
		case p.Type == procedure.OfChoice && !p.Takes(value.text):
			r.fault(value.at, child(path, "with."+p.Name), "%s", nearest.Unknown(p.Name, value.text, p.Choices))
		case !p.Takes(value.text):
			r.expect(value, child(path, "with."+p.Name), p.Expected())
		}
	}
	o.With = kind.Settle(o.With)
}

// procedures checks the operations of one phase that are procedures against the
// design in use.
func (c *checker) procedures(phase int, list []OperationSpec, path string) {
	if c.before.cover("attributes") || c.before.cover("entity.properties") || c.before.concern("design", "designs", "use") {
		return
	}
	for i := range list {
		o := &list[i]
		kind, at := procedure.Find(o.Procedure), fmt.Sprintf("%s.%d", path, i)
		if kind == nil || c.before.concern(at) {
			continue
		}
		if len(c.Design.Copies) > 0 && !kind.Reads {
			c.add(at+".procedure", "procedure %s writes entities and knows nothing of their copies; expected a design without copies", kind.Name)
		}
		design := c.procedureDesign(phase)
		known := true
		for j := range kind.Parameters {
			known = c.knows(o, &kind.Parameters[j], &design, at) && known
		}
		if !known || kind.Serves == nil {
			continue
		}
		for _, lack := range kind.Serves(&design, o.With) {
			where := at + ".procedure"
			if lack.Parameter != "" {
				where = at + ".with." + lack.Parameter
			}
			c.add(where, "procedure %s: %s", kind.Name, lack.Says)
		}
	}
}

// knows checks that the name which a parameter has is there.
func (c *checker) knows(o *OperationSpec, p *procedure.Parameter, d *procedure.Design, path string) bool {
	text := o.With[p.Name]
	var what string
	var known []string
	switch p.Type {
	case procedure.OfAttribute:
		what, known = "attribute", d.Attributes
	case procedure.OfProperty:
		what = "property"
		for _, one := range d.Properties {
			known = append(known, one.Name)
		}
	case procedure.OfPlace:
		what = "place"
		for i := range c.Design.Places {
			known = append(known, c.Design.Places[i].Name)
		}
	case procedure.OfCopy:
		what = "copy"
		for i := range c.Design.Copies {
			known = append(known, c.Design.Copies[i].Name)
		}
	}
	if what == "" || text == "" && !p.Required || slices.Contains(known, text) {
		return true
	}
	c.add(path+".with."+p.Name, "procedure %s: %s", o.Procedure, nearest.Unknown(what, text, known))
	return false
}

// talliesOf returns the names of what the procedure of an operation counts.
func (c *checker) talliesOf(operation string) []string {
	for i := range c.Phases {
		for _, o := range c.Phases[i].Operations() {
			if kind := procedure.Find(o.Procedure); kind != nil && o.Name == operation {
				return kind.Tallies
			}
		}
	}
	return nil
}

// procedureDesign returns what procedures have to know of the scenario.
func (c *checker) procedureDesign(phase int) procedure.Design {
	d := procedure.Design{Filler: c.Entity.Filler, Loaded: c.Loaded(phase) > 0,
		Own: c.Design.keys().place(""), Places: make(map[string]procedure.DesignPlace)}
	for _, a := range c.Attributes {
		d.Attributes = append(d.Attributes, a.Name)
	}
	for _, p := range c.Entity.Properties {
		one := procedure.DesignProperty{Name: p.Name}
		one.Type, _ = entity.ParseType(p.Type)
		if name, whole := strings.CutPrefix(p.Value, "{"); whole && strings.IndexByte(name, '}') == len(name)-1 {
			one.Attribute = strings.TrimSuffix(name, "}")
		}
		d.Properties = append(d.Properties, one)
	}
	for i := range c.Design.Places {
		one := &c.Design.Places[i]
		d.Places[one.Name] = Design{PartitionKey: one.PartitionKey, RowKey: one.RowKey}.place(one.Table)
	}
	return d
}

// placesOf checks the places of one design: their keys, and that names are their own.
func (c *checker) placesOf(d *Design, path string) {
	for i := range d.Places {
		one, at := &d.Places[i], fmt.Sprintf("%s.places.%d", path, i)
		c.formed(Design{PartitionKey: one.PartitionKey, RowKey: one.RowKey}, at)
		if one.Name != "" && slices.ContainsFunc(d.Places[:i], func(p Place) bool { return p.Name == one.Name }) {
			c.add(at+".name", "place %q occurs twice; expected names of their own", one.Name)
		}
	}
}

// keys returns the design without its copies and places.
func (d *Design) keys() Design { return Design{PartitionKey: d.PartitionKey, RowKey: d.RowKey} }

// place returns where a design has things lie.
func (d Design) place(table string) procedure.DesignPlace {
	p := procedure.DesignPlace{Table: table, PartitionKey: d.PartitionKey, RowKey: d.RowKey}
	if t, err := keys.ParseTemplate(d.PartitionKey); err == nil {
		p.PartitionNames = t.Attributes()
	}
	if t, err := keys.ParseTemplate(d.RowKey); err == nil {
		p.RowNames = t.Attributes()
	}
	return p
}
