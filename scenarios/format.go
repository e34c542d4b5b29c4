package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"loadgen/engine"
	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
	"loadgen/scenarios/workflow"
)

// The tags of a scenario's types are the file format: every field with its name, its kind and
// its bounds, in the order in which it is written.

func binder() fields.Binder { return fields.Binder{Form: formValue} }

func bind(into any) fields.Object { return binder().Bind(into) }

func bound[T any](into *T) fields.Binding { return bind(into) }

// formValue returns the binding of a value whose tag names a form.
func formValue(name string, into any) fields.Binding {
	switch into := into.(type) {
	case *string:
		return textValue(name, into)
	case *float64:
		switch name {
		case "rate":
			return fields.Rate(into)
		case "level":
			return levelValue(into)
		default:
			return shareValue(into)
		}
	case *Budget:
		return budgetValue(into)
	case *[]engine.FaultRule:
		return FaultsBinding(into)
	case *[]keys.Attribute:
		return attributesValue{into}
	case *[]Setting:
		return settingsValue{into}
	case *[]Override:
		return parametersValue{into}
	case *Place:
		return placeValue(into)
	default:
		return attributePart(into)
	}
}

// textValue returns the binding of a text of a form.
func textValue(form string, into *string) fields.Binding {
	switch form {
	case "table":
		// The suffix has the rest of a table name's 63 characters.
		return fields.FormOf(into, fields.BaseName, "a base name: a letter, then letters or digits, 3 to 40 in all")
	case "table suffix":
		return copyTableValue(into)
	case "retry":
		return RetryBinding(into)
	case "path":
		return pathValue(into)
	case "pattern":
		return fields.Choice{Into: into, What: form, Of: PatternRows()}
	case "type":
		return fields.Choice{Into: into, What: form, Of: nearest.NamesOf(keys.Types(), keys.TypeName)}
	case "workflow":
		return fields.Choice{Into: into, What: form, Of: workflow.Names()}
	default:
		return fields.Name(into)
	}
}

// FieldValue implements [fields.Valuer]: the only design has no name.
func (s *Scenario) FieldValue(string) fields.Binding {
	design := bind(&s.Design)
	design.What, design.Fields = "design", design.Fields[1:]
	return unlessZero{design, func() bool { return len(s.Designs) > 0 }}
}

// FieldValue implements [fields.Valuer].
func (e *Entity) FieldValue(string) fields.Binding { return SizeBinding(&e.Size, &e.Sizes) }

// Complete implements [fields.Completer]: it checks that there is a design or a list of them, and
// makes the columns of the rows attributes of the scenario.
func (s *Scenario) Complete(r *fields.Reader, path string, n *fields.Node) {
	check(r, path, n, []rule{
		{!n.Has("design") && !n.Has("designs"), "design", "a scenario has no design; expected one, or designs"},
		{n.Has("design") && n.Has("designs"), "designs", "design and designs are given; expected one of them"},
	}...)
	if s.Rows == nil {
		return
	}
	s.Attributes = slices.Clone(s.Attributes)
	declared := len(s.Attributes)
	for _, one := range s.Rows.Columns {
		if slices.ContainsFunc(s.Attributes[:declared], func(a keys.Attribute) bool { return a.Name == one.Attribute }) {
			place := s.Rows.path(one.Attribute)
			r.Fault(nodeAt(n, strings.Split(place, ".")).At, place,
				"column %s repeats an attribute's name; expected another attribute, or columns as a map", nearest.Quote(one.Attribute))
			continue
		}
		s.Attributes = append(s.Attributes, keys.Attribute{Name: one.Attribute,
			Values: keys.ValueColumn{File: s.Rows.File, Name: one.Column, ByChance: s.Rows.Draw == DrawByChance}})
	}
}

// phaseKinds are the words for what a phase does, in the order in which they are
// listed.
func phaseKinds() []string { return []string{"load", "count", FormPeak, FormSpread, "traffic"} }

// present returns those of the names that a dict has as fields.
func present(n *fields.Node, names []string) []string { return n.GivenNames(names) }

// defaults of what some verbs have and others have not.
const (
	defaultBatch = entity.MaxBatchChanges
	defaultRows  = 100
)

// FieldValue implements [fields.Valuer].
func (o *OperationSpec) FieldValue(name string) fields.Binding {
	switch name {
	case "verb":
		return unlessZero{verbValue(&o.Verb, name, verbs()), func() bool { return o.Workflow != "" }}
	case "with":
		return unlessZero{argumentsValue{o}, func() bool { return len(o.setParameters()) == 0 }}
	case "change":
		return unlessZero{verbValue(&o.Change, name, changes), func() bool { return o.Change == o.defaultChange() }}
	case "class":
		return unlessZero{fields.Choice{Into: &o.Class, What: name, Of: classes}, func() bool { return o.Class == o.defaultClass() }}
	default:
		all := fields.Word(&o.All, "all", "a list of properties, or all")
		return fields.Either{{Binding: all, Given: func() bool { return o.All }},
			{Binding: propertiesValue(&o.Properties), Takes: fields.List, Given: func() bool { return len(o.Properties) > 0 }}}
	}
}

func propertiesValue(into *[]PropertySpec) fields.Binding {
	return fields.ListOf(into, 0, entity.MaxProperties, "properties", bound[PropertySpec])
}

// Complete implements [fields.Completer]: it fills in what follows from the verb and refuses
// what does not belong to it.
func (o *OperationSpec) Complete(r *fields.Reader, path string, n *fields.Node) {
	check(r, path, n, rule{n.Has("timeout") && o.Timeout%time.Second != 0, "timeout",
		fmt.Sprintf("timeout is %v; expected whole seconds, 1s to 30s", o.Timeout)})
	o.settleWorkflow(r, path, n)
	if o.Verb == 0 {
		return
	}
	if o.Name == "" {
		o.Name = o.Verb.String()
	}
	if o.Group == "" {
		o.Group = group(o.Verb)
	}
	batch, query := o.Verb == entity.Batch, o.Verb == entity.Query
	if batch && o.Entities == 0 {
		o.Entities = defaultBatch
	}
	if o.Change == 0 {
		o.Change = o.defaultChange()
	}
	misplaced(r, path, n, "a "+o.Verb.String(), []owned{
		{"entities", "batch", batch},
		{"change", "batch", batch},
		{"class", "query", query},
		{"partitions", "query", query},
		{"where", "query", query},
		{"select", "query", query},
		{"rows", "query", query},
		{"top", "query", query},
		{"pages", "query", query},
		{"save", "query", query},
		{"from", "query", query},
		{"properties", "merge and insert-or-merge", o.Merges()},
		{"read_first", "updates and delete", o.Updates() || o.Verb == entity.Delete},
		{"counter", "updates", o.Updates()},
		{"blind", "updates and delete", o.Updates() || o.Verb == entity.Delete},
		{"of", "operations on existing entities", !o.Inserts()},
		{"by", "get, query, updates and delete", o.Verb == entity.Get || query || o.Updates() || o.Verb == entity.Delete},
		{"span", "query", query},
		{"together", "batch", batch},
		{"killed", "what writes", o.Verb.IsChange() || batch},
	}...)
	readFirst := o.ReadFirst || o.Counter != ""
	check(r, path, n, []rule{
		{n.Has("read_first") && !o.ReadFirst && readFirst, "read_first", "counter needs read_first; expected read_first true, or no counter"},
		{n.Has("blind") && o.Blind && !readFirst, "blind", "blind needs read_first; expected read_first, or no blind"},
		{o.Merges() && !n.Has("properties") && o.Counter == "", "", fmt.Sprintf("a %s has no properties; expected those to write", o.Verb)},
	}...)
	if o.ReadFirst = readFirst; query {
		o.settleQuery(r, path, n)
	}
}

// rule is what must not be of some fields together.
type rule struct {
	broken bool
	// field is where it is reported; it is the struct where the field is not given, or empty.
	field, says string
}

// pathIn returns the path of the field, below that of the struct.
func (r rule) pathIn(path string) string {
	if r.field == "" {
		return path
	}
	return fields.Child(path, r.field)
}

// check reports the rules that are broken, and whether any is.
func check(r *fields.Reader, path string, n *fields.Node, rules ...rule) bool {
	broken := false
	for _, one := range rules {
		if !one.broken {
			continue
		}
		at := n.At
		if given := n.Find(one.field); given != nil {
			at = given.At
		}
		r.Fault(at, one.pathIn(path), "%s", one.says)
		broken = true
	}
	return broken
}

// owned is a field that belongs to some kinds of what can have it.
type owned struct {
	field, owner string
	belongs      bool
}

// misplaced reports the fields that are given and belong to another kind than this.
func misplaced(r *fields.Reader, path string, n *fields.Node, this string, parts ...owned) {
	for _, part := range parts {
		check(r, path, n, rule{n.Has(part.field) && !part.belongs, part.field,
			fmt.Sprintf("%s belongs to %s, and this is %s; expected none", part.field, part.owner, this)})
	}
}
