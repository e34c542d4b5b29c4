package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
	"loadgen/scenarios/workflow"
)

// argumentsValue is a map of the parameters of an operation's workflow.
type argumentsValue struct{ of *OperationSpec }

func (v argumentsValue) Read(r *fields.Reader, path string, n *fields.Node) {
	v.of.With = make(workflow.Arguments, len(n.Entries))
	for at, e := range r.Entries(path, n, "a map of parameters, such as {place: by-name}") {
		if e.Value.Kind != fields.Scalar {
			r.Expect(e.Value, at, "a text, number or time")
			continue
		}
		v.of.With[e.Key] = e.Value.Text
	}
}

func (v argumentsValue) Write() *fields.Node {
	n := &fields.Node{Kind: fields.Dict}
	kind := workflow.Find(v.of.Workflow)
	for _, name := range v.of.setParameters() {
		text := v.of.With[name]
		value := fields.PlainNode(text)
		switch kind.Parameter(name).Type {
		case workflow.OfAttribute, workflow.OfProperty, workflow.OfPlace, workflow.OfName, workflow.OfChoice, workflow.OfResolver:
			value = &fields.Node{Kind: fields.Scalar, Text: text, Quoted: true}
		}
		n.Entries = append(n.Entries, fields.Entry{Key: name, Value: value})
	}
	return n
}

// Schema returns a map of single values: which they are is up to the workflow.
func (v argumentsValue) Schema() *fields.Schema {
	return &fields.Schema{Type: fields.Types{"object"}, Additional: fields.Typed()}
}

// setParameters returns the names of the parameters that have another value than their
// default, in the order of the workflow.
func (o *OperationSpec) setParameters() []string {
	kind := workflow.Find(o.Workflow)
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

// settleWorkflow fills in what follows from the workflow of an operation and
// refuses what does not belong to it.
func (o *OperationSpec) settleWorkflow(r *fields.Reader, path string, n *fields.Node) {
	if verb, named := n.Has("verb"), n.Has("workflow"); check(r, path, n, []rule{
		{!verb && !named, "verb", "an operation has no verb; expected one, or a workflow"},
		{verb && named, "workflow", "verb and workflow are given; expected one of them"},
		{verb && !named && n.Has("with"), "with", "with needs a workflow; expected a workflow, or no with"},
	}...) {
		return
	}
	kind := workflow.Find(o.Workflow)
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

func (o *OperationSpec) settleArguments(r *fields.Reader, path string, n *fields.Node, kind *workflow.Kind) {
	with := n.Find("with")
	if with != nil && with.Kind != fields.Dict {
		return
	}
	names := nearest.NamesOf(kind.Parameters, func(p workflow.Parameter) string { return p.Name })
	at := func(name string) *fields.Node {
		if with == nil {
			return nil
		}
		return with.Find(name)
	}
	if with != nil {
		for _, e := range with.Entries {
			if now := kind.Renamed(e.Key); now != nil {
				r.Fault(e.At, fields.Child(path, "with."+now.Name), "%s is called %s now; expected that name, and %s", e.Key, now.Name, now.Expected())
			} else if kind.Parameter(e.Key) == nil {
				r.Fault(e.At, fields.Child(path, "with."+e.Key), "workflow %s: %s", kind.Name, nearest.Unknown("parameter", e.Key, names))
			}
		}
	}
	for i := range kind.Parameters {
		p := &kind.Parameters[i]
		value := at(p.Name)
		switch {
		case value == nil && p.Required && with == nil:
			r.Fault(n.At, fields.Child(path, "with"), "workflow %s lacks %s; expected %s, within with", kind.Name, p.Name, p.Expected())
		case value == nil && p.Required:
			r.Fault(with.At, fields.Child(path, "with."+p.Name), "workflow %s lacks %s; expected %s", kind.Name, p.Name, p.Expected())
		case value == nil || value.Kind != fields.Scalar:
		case p.Type == workflow.OfChoice && !p.Takes(value.Text):
			r.Fault(value.At, fields.Child(path, "with."+p.Name), "%s", nearest.Unknown(p.Name, value.Text, p.Choices))
		case !p.Takes(value.Text):
			r.Expect(value, fields.Child(path, "with."+p.Name), p.Expected())
		}
	}
	o.With = kind.WithDefaults(o.With)
}

// workflows checks the operations of one phase that are workflows against the
// design in use.
func (c *checker) workflows(phase int, list []OperationSpec, path string) {
	if c.before.Cover("attributes") || c.before.Cover("entity.properties") || c.before.Concern("design", "designs", "use") {
		return
	}
	for i := range list {
		o := &list[i]
		kind, at := workflow.Find(o.Workflow), fmt.Sprintf("%s.%d", path, i)
		if kind == nil || c.before.Concern(at) {
			continue
		}
		if len(c.Design.Copies) > 0 && !kind.Reads && !kind.Copies {
			c.add(at+".workflow", "workflow %s ignores copies; expected a design without copies", kind.Name)
		}
		design := c.workflowDesign(phase)
		known := true
		for j := range kind.Parameters {
			known = c.knows(o, &kind.Parameters[j], &design, at) && known
		}
		if !known || kind.Serves == nil {
			continue
		}
		for _, lack := range kind.Serves(&design, o.With) {
			where := at + ".workflow"
			if lack.Parameter != "" {
				where = at + ".with." + lack.Parameter
			}
			c.add(where, "workflow %s: %s", kind.Name, lack.Says)
		}
	}
}

// knows checks that the name which a parameter has is there.
func (c *checker) knows(o *OperationSpec, p *workflow.Parameter, d *workflow.Design, path string) bool {
	text := o.With[p.Name]
	var what string
	var known []string
	switch p.Type {
	case workflow.OfAttribute:
		what, known = "attribute", d.Attributes
	case workflow.OfProperty:
		what, known = "property", nearest.NamesOf(d.Properties, func(p workflow.DesignProperty) string { return p.Name })
	case workflow.OfPlace:
		what, known = "place", nearest.NamesOf(c.Design.Places, func(p Place) string { return p.Name })
	}
	if what == "" || text == "" && !p.Required || slices.Contains(known, text) {
		return true
	}
	c.add(path+".with."+p.Name, "workflow %s: %s", o.Workflow, nearest.Unknown(what, text, known))
	return false
}

func (c *checker) countersOf(operation string) []string {
	for _, o := range c.operations() {
		if o.Name == operation && o.Killed > 0 {
			return []string{workflow.Killed}
		}
		if kind := workflow.Find(o.Workflow); kind != nil && o.Name == operation {
			return kind.Counters
		}
	}
	return nil
}

func (c *checker) workflowDesign(phase int) workflow.Design {
	d := workflow.Design{Filler: c.Entity.Filler, Loaded: c.Loaded(phase) > 0, Copied: len(c.Design.Copies) > 0,
		Own: c.Design.place(""), Places: make(map[string]workflow.DesignPlace),
		Attributes: nearest.NamesOf(c.Attributes, func(a keys.Attribute) string { return a.Name })}
	for _, p := range c.Entity.Properties {
		one := workflow.DesignProperty{Name: p.Name}
		one.Type, _ = entity.ParseType(p.Type)
		if name, whole := strings.CutPrefix(p.Value, "{"); whole && strings.IndexByte(name, '}') == len(name)-1 {
			one.Attribute = strings.TrimSuffix(name, "}")
		}
		d.Properties = append(d.Properties, one)
	}
	for i := range c.Design.Places {
		one := &c.Design.Places[i]
		d.Places[one.Name] = one.keys().place(one.Table)
	}
	return d
}

// place returns where a design has things lie.
func (d Design) place(table string) workflow.DesignPlace {
	p := workflow.DesignPlace{Table: table, PartitionKey: d.PartitionKey, RowKey: d.RowKey}
	if t, err := keys.ParseTemplate(d.PartitionKey); err == nil {
		p.PartitionNames = t.Attributes()
	}
	if t, err := keys.ParseTemplate(d.RowKey); err == nil {
		p.RowNames = t.Attributes()
	}
	return p
}
