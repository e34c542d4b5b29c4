package scenarios

import (
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
)

// attributesValue is the map of attributes, in the order of the file. Whether
// names and numbers make sense is for the keys package to judge.
type attributesValue struct{ into *[]keys.Attribute }

var _ fields.Binding = attributesValue{}

func (v attributesValue) Read(r *fields.Reader, path string, n *fields.Node) {
	if n.Kind != fields.Dict {
		r.Expect(n, path, "a map from attributes to values")
		return
	}
	r.Once(path, n)
	var attributes []keys.Attribute
	for _, e := range n.Entries {
		if n.Find(e.Key) != e.Value {
			continue
		}
		d, before := newDistribution(), len(r.Faults)
		d.binding().Read(r, fields.Child(path, e.Key), e.Value)
		a := keys.Attribute{Name: e.Key}
		for _, kind := range d.kinds() {
			// Of values that are at fault nothing else is concluded.
			if len(r.Faults) == before && kind.name() == d.kind {
				a.Values = kind.values()
			}
		}
		attributes = append(attributes, a)
	}
	*v.into = attributes
}

func (v attributesValue) Write() *fields.Node {
	n := &fields.Node{Kind: fields.Dict}
	for _, a := range *v.into {
		if keys.IsColumn(a.Values) {
			continue
		}
		d := newDistribution()
		switch values := a.Values.(type) {
		case keys.ValueList:
			d.kind, d.list, d.weights = kindList, values.Values, values.Weights
		case keys.Uniform:
			d.kind, d.uniform = kindUniform, []int64{values.Low, values.High}
		case keys.Sequence:
			d.kind, d.sequence = kindSequence, values.Start
		case keys.Zipf:
			d.kind, d.zipf = kindZipf, values
		case keys.HotSet:
			d.kind, d.hotSet = kindHotSet, values
		case keys.Partitions:
			d.kind, d.partitions = kindPartitions, values
		case keys.Gaussian:
			d.kind, d.gaussian = kindGaussian, values
		case keys.Latest:
			d.kind, d.latest = kindLatest, values
		case keys.CSV:
			d.kind, d.csv = kindCSV, values
		case keys.Time:
			d.kind, d.time = kindTime, values
		case keys.Text:
			d.kind, d.text = kindText, values.Template
		}
		n.Entries = append(n.Entries, fields.Entry{Key: a.Name, Value: d.binding().Write()})
	}
	if len(n.Entries) == 0 {
		return nil
	}
	return n
}

// distribution is how the file spells the values of an attribute: the field that
// names their kind, and those that go with it.
type distribution struct {
	// kind is the name of the one that is given, empty for none.
	kind string

	list       []string
	weights    []int64
	uniform    []int64
	sequence   int64
	zipf       keys.Zipf
	hotSet     keys.HotSet
	partitions keys.Partitions
	gaussian   keys.Gaussian
	latest     keys.Latest
	csv        keys.CSV
	time       keys.Time
	text       keys.Template
}

func newDistribution() *distribution {
	return &distribution{latest: keys.Latest{Exponent: 1, Every: 1}, time: keys.Time{Every: time.Second, Speed: 1}}
}

// attributeKind is one way to distribute values.
type attributeKind struct {
	// fields are those of the kind; the first names it.
	fields []fields.Field
	// values returns what the fields spell.
	values func() keys.Distribution
}

func (k *attributeKind) name() string { return k.fields[0].Name }

func (d *distribution) binding() fields.Object {
	o := fields.Object{What: "an attribute"}
	kinds := d.kinds()
	for i := range kinds {
		name := kinds[i].name()
		o.One = append(o.One, name)
		for _, f := range kinds[i].fields {
			// Only the kind that is spelled is written.
			f.Value = unlessZero{f.Value, func() bool { return d.kind != name }}
			o.Fields = append(o.Fields, f)
		}
	}
	o.Then = func(r *fields.Reader, path string, n *fields.Node) {
		given := present(n, o.One)
		if len(given) != 1 {
			r.Fault(n.At, path, "an attribute has %d of %s; expected exactly one", len(given), strings.Join(o.One, ", "))
			return
		}
		d.kind = given[0]
		for i := range kinds {
			for _, f := range kinds[i].fields[1:] {
				misplaced(r, path, n, d.kind, owned{f.Name, kinds[i].name(), kinds[i].name() == d.kind})
			}
		}
	}
	return o
}

// The kinds of values that follow from the event itself, or from other attributes.
const (
	kindTime = "time"
	kindText = "text"
)

// templateValue is a template whose syntax is looked at where it is read. Whether its
// attributes exist is for the keys package to judge.
type templateValue struct{ into *keys.Template }

var _ fields.Binding = templateValue{}

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
	if fault, ok := errors.AsType[*keys.TemplateError](err); !ok {
		r.Fault(at, path, "%s", err)
	} else if at.Inner > 0 {
		at.Column = at.Inner + utf8.RuneCountInString(typed[:fault.Offset])
		r.Fault(at, path, "%s", fault.What)
	} else {
		r.Fault(at, path, "byte %d: %s", fault.Offset, fault.What)
	}
}

func (v templateValue) Write() *fields.Node { return fields.TextNode(v.into.String()) }

func (v templateValue) Schema() *fields.Schema { return fields.Typed() }
