package scenarios

import (
	"errors"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"

	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
)

// attributesValue is the map of attributes, in the order of the file. Whether
// names and numbers make sense is for the keys package to judge.
type attributesValue struct{ into *[]keys.Attribute }

func (v attributesValue) Read(r *fields.Reader, path string, n *fields.Node) {
	*v.into = nil
	for at, e := range r.Entries(path, n, "a map from attributes to values") {
		kinds, before := attributeKinds(), len(r.Faults)
		attributeObject(kinds).Read(r, at, e.Value)
		a := keys.Attribute{Name: e.Key}
		for _, kind := range kinds {
			// Of values that are at fault nothing else is concluded.
			if len(r.Faults) == before && e.Value.Find(kind.name()) != nil {
				a.Values = reflect.ValueOf(kind.into).Elem().Interface().(keys.Distribution)
			}
		}
		*v.into = append(*v.into, a)
	}
}

func (v attributesValue) Write() *fields.Node {
	n := &fields.Node{Kind: fields.Dict}
	for _, a := range *v.into {
		one := &fields.Node{Kind: fields.Dict}
		for _, kind := range attributeKinds() {
			if into := reflect.ValueOf(kind.into).Elem(); a.Values != nil && into.Type() == reflect.TypeOf(a.Values) {
				into.Set(reflect.ValueOf(a.Values))
				one = fields.Object{Fields: kind.fields}.Write()
			}
		}
		if !keys.IsColumn(a.Values) {
			n.Entries = append(n.Entries, fields.Entry{Key: a.Name, Value: one})
		}
	}
	if len(n.Entries) == 0 {
		return nil
	}
	return n
}

func (v attributesValue) Schema() *fields.Schema {
	return &fields.Schema{Type: fields.Types{"object"}, Names: fields.Patterned(attributeName), Additional: attributeObject(attributeKinds()).Schema()}
}

// attributeKind is one way to distribute values.
type attributeKind struct {
	// into points to the [keys.Distribution] that the fields spell.
	into any
	// fields are those of the kind; the first names it.
	fields []fields.Field
}

func (k *attributeKind) name() string { return k.fields[0].Name }

// attributeObject has the fields of all kinds.
func attributeObject(kinds []attributeKind) fields.Object {
	o := fields.Object{What: "an attribute"}
	for _, kind := range kinds {
		o.Exactly = append(o.Exactly, kind.name())
		for _, f := range kind.fields {
			// Of no kind there are no defaults.
			f.Value = unlessZero{f.Value, func() bool { return true }}
			o.Fields = append(o.Fields, f)
		}
	}
	o.Then = func(r *fields.Reader, path string, n *fields.Node) {
		given := present(n, o.Exactly)[0]
		for _, kind := range kinds {
			for _, f := range kind.fields[1:] {
				misplaced(r, path, n, given, owned{f.Name, kind.name(), kind.name() == given})
			}
		}
	}
	return o
}

// attributeKinds returns all kinds, in the order in which they are listed.
func attributeKinds() []attributeKind {
	// The fields of some kinds are siblings of the name of the kind, those of others are below it.
	beside := func(into any) attributeKind { return attributeKind{into, binder().Fresh(into).Fields} }
	below := func(into any, name, says string) attributeKind {
		return attributeKind{into, []fields.Field{{Name: name, Says: says, Value: binder().Fresh(into)}}}
	}
	ranked := func(into any, name, says string) attributeKind {
		o := binder().Fresh(into)
		o.Fields = slices.Concat(o.Fields[:2], o.Fields[3:], o.Fields[2:3])
		return attributeKind{into, []fields.Field{{Name: name, Says: says, Value: o}}}
	}
	uniform := new(keys.Uniform)
	ends := pairValue[int64]{&uniform.Low, &uniform.High, "whole numbers", func(i *int64) fields.Binding {
		return fields.Whole[int64]{Into: i, Least: math.MinInt64, Most: math.MaxInt64}
	}}
	return []attributeKind{
		beside(new(keys.ValueList)),
		{uniform, []fields.Field{{Name: "uniform", Says: "Lowest and highest integer, equally likely.", Value: ends}}},
		beside(new(keys.Sequence)),
		ranked(new(keys.Zipf), "zipf", "Values of rank k in proportion to 1/k^exponent."),
		ranked(new(keys.HotSet), "hot_set", "A few values with most entities."),
		beside(new(keys.Partitions)),
		below(new(keys.Gaussian), "gaussian", "Normally distributed integers."),
		below(new(keys.Latest), "latest", "Recent numbers, such as the ordering customer."),
		below(new(keys.CSV), "csv", "The values of a CSV column, by frequency."),
		beside(new(keys.Time)),
		beside(new(keys.Text)),
	}
}

// attributePart returns the binding of a part of an attribute.
func attributePart(into any) fields.Binding {
	const instant = "an instant such as 2026-11-01T00:00:00Z, in the years 1601 to 9999"
	switch into := into.(type) {
	case *keys.Size:
		return fields.Single[keys.Size]{Into: into, Parse: keys.ParseSize, Written: keys.Size.String, Quotes: true,
			Expected: "a share of partitions and a factor, such as 20% x2.5", Form: fields.Patterned(keys.SizeForm)}
	case *entity.Ticks:
		return fields.Single[entity.Ticks]{Into: into, Expected: instant, Written: entity.Ticks.String, Quotes: true,
			Form: &fields.Schema{Type: fields.Types{"string"}, Description: fields.Sentence(instant)},
			Parse: func(text string) (entity.Ticks, bool) {
				t, err := entity.ParseTicks(text)
				return t, err == nil && t >= entity.EarliestDateTime && t <= entity.LatestDateTime
			}}
	default:
		return templateValue{into.(*keys.Template)}
	}
}

// pairValue is a list of two numbers, which are stored separately.
type pairValue[T any] struct {
	low, high *T
	what      string
	bind      func(*T) fields.Binding
}

func (v pairValue[T]) list(into *[]T) fields.Binding {
	return fields.ListOf(into, 2, 2, v.what, v.bind)
}

func (v pairValue[T]) Read(r *fields.Reader, path string, n *fields.Node) {
	var both []T
	if v.list(&both).Read(r, path, n); len(both) == 2 {
		*v.low, *v.high = both[0], both[1]
	}
}

func (v pairValue[T]) Write() *fields.Node { return v.list(&[]T{*v.low, *v.high}).Write() }

func (v pairValue[T]) Schema() *fields.Schema { return v.list(new([]T)).Schema() }

// templateValue is a template whose syntax is looked at where it is read. Whether its
// attributes exist is for the keys package to judge.
type templateValue struct{ into *keys.Template }

func (v templateValue) Read(r *fields.Reader, path string, n *fields.Node) {
	var typed string
	before := len(r.Faults)
	fields.Text{Into: &typed}.Read(r, path, n)
	if len(r.Faults) > before {
		return
	}
	t, err := keys.ParseTemplate(typed)
	if err == nil {
		*v.into = t
		return
	}
	at := n.At
	if fault, _ := errors.AsType[*keys.TemplateError](err); at.Inner > 0 {
		at.Column = at.Inner + utf8.RuneCountInString(typed[:fault.Offset])
		r.Fault(at, path, "%s", fault.What)
	} else {
		r.Fault(at, path, "byte %d: %s", fault.Offset, fault.What)
	}
}

func (v templateValue) Write() *fields.Node { return fields.TextNode(v.into.String()) }

func (v templateValue) Schema() *fields.Schema { return fields.Typed() }

const maxColumn = 1000

// attributeName is what templates can call an attribute.
var attributeName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Rows are the rows of a file. Each entity has one whole row, so that what
// stands in one row stays together.
type Rows struct {
	_ struct{} `object:"rows"`
	// File is the path, from the folder of the scenario.
	File string `yaml:"file,required" says:"A CSV file with a header, plain or gzip, relative to the scenario's folder." form:"path"`
	// Columns are the attributes that the rows yield.
	Columns []RowColumn `yaml:"columns,required,own" says:"Columns as attributes, or a map from attributes to columns."`
	// Draw is how an entity gets its row: [DrawInOrder] or [DrawByChance].
	Draw string `yaml:"draw,default=in order" says:"Whether rows are taken in order, repeating, or at random." choice:"in order,by chance"`
	// TimeFormat is how columns of times are written, by a name of clock.NotationNames; empty finds it.
	TimeFormat string `yaml:"time_format,omitempty" says:"How columns of times are written, such as day-first; found by default." max:"40"`
	// mapped says that the columns are spelled as a map.
	mapped bool
}

// RowColumn is one attribute, and what the file calls the column that it is.
type RowColumn struct{ Attribute, Column string }

// The ways to draw a row.
const (
	// DrawInOrder: entity n has row n, and behind the last row comes the first.
	DrawInOrder = "in order"
	// DrawByChance: each row is as likely as any other.
	DrawByChance = "by chance"
)

// FieldValue implements [fields.Valuer].
func (w *Rows) FieldValue(string) fields.Binding { return columnsValue{w} }

// columnsValue is a list of columns, or a map from attributes to columns.
type columnsValue struct{ of *Rows }

func (v columnsValue) Read(r *fields.Reader, path string, n *fields.Node) {
	v.of.Columns, v.of.mapped = nil, n.Kind == fields.Dict
	switch n.Kind {
	case fields.Dict:
		for at, e := range r.Entries(path, n, "") {
			column := RowColumn{Attribute: e.Key}
			fields.LongText(&column.Column, maxColumn).Read(r, at, e.Value)
			v.of.Columns = append(v.of.Columns, column)
		}
	case fields.List:
		var names []string
		v.list(&names).Read(r, path, n)
		for i, name := range names {
			at := fields.Child(path, strconv.Itoa(i))
			switch {
			case slices.Contains(names[:i], name):
				r.Fault(n.Items[i].At, at, "column %s occurs twice; expected once", nearest.Quote(name))
			case !attributeName.MatchString(name):
				r.Fault(n.Items[i].At, at, "%s cannot name an attribute; expected a map, such as {finished: %s}", nearest.Quote(name), nearest.Quote(name))
			default:
				v.of.Columns = append(v.of.Columns, RowColumn{name, name})
			}
		}
	default:
		r.Expect(n, path, "a list of columns, or a map from attributes to columns")
		return
	}
	if len(v.of.Columns) == 0 && len(r.Faults) == 0 {
		r.Fault(n.At, path, "rows have no columns; expected at least one")
	}
}

func (v columnsValue) list(into *[]string) fields.Binding {
	return fields.ListOf(into, 1, keys.MaxAttributes, "names of columns", func(text *string) fields.Binding { return fields.LongText(text, maxColumn) })
}

func (v columnsValue) Write() *fields.Node {
	if v.of.mapped {
		n := &fields.Node{Kind: fields.Dict}
		for _, one := range v.of.Columns {
			n.Entries = append(n.Entries, fields.Entry{Key: one.Attribute, Value: fields.TextNode(one.Column)})
		}
		return n
	}
	names := nearest.NamesOf(v.of.Columns, func(c RowColumn) string { return c.Column })
	return v.list(&names).Write()
}

func (v columnsValue) Schema() *fields.Schema {
	return &fields.Schema{AnyOf: []*fields.Schema{v.list(new([]string)).Schema(),
		{Type: fields.Types{"object"}, Names: fields.Patterned(attributeName), Additional: fields.Typed(), MinProperties: 1}}}
}

// path returns where the column that an attribute is stands in the scenario, empty
// where it is none.
func (w *Rows) path(attribute string) string {
	at := slices.IndexFunc(w.Columns, func(one RowColumn) bool { return one.Attribute == attribute })
	switch {
	case at < 0:
		return ""
	case w.mapped:
		return "rows.columns." + attribute
	default:
		return "rows.columns." + strconv.Itoa(at)
	}
}
