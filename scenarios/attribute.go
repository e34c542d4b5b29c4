package scenarios

import (
	"strings"
	"time"

	"loadgen/scenarios/keys"
)

// attributesValue is the map of attributes, in the order of the file. Whether
// names and numbers make sense is for the keys package to judge.
type attributesValue struct{ into *[]keys.Attribute }

var _ binding = attributesValue{}

func (v attributesValue) read(r *reader, path string, n *node) {
	if n.kind != dict {
		r.expect(n, path, "a map from the name of an attribute to its values")
		return
	}
	r.once(path, n)
	var attributes []keys.Attribute
	for _, e := range n.entries {
		if n.find(e.key) == e.value {
			attributes = append(attributes, readAttribute(r, child(path, e.key), e))
		}
	}
	*v.into = attributes
}

// readAttribute reads one attribute. Where its values are at fault it has none,
// so that nothing else is concluded from them.
func readAttribute(r *reader, path string, e entry) keys.Attribute {
	d := newDistribution()
	before := len(r.faults)
	d.binding().read(r, path, e.value)
	a := keys.Attribute{Name: e.key}
	if len(r.faults) == before {
		a.Values = d.values()
	}
	return a
}

func (v attributesValue) write() *node {
	if len(*v.into) == 0 {
		return nil
	}
	n := &node{kind: dict}
	for _, a := range *v.into {
		n.entries = append(n.entries, entry{key: a.Name, value: spell(a.Values)})
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

// newDistribution returns what a file leaves out.
func newDistribution() *distribution {
	return &distribution{latest: keys.Latest{Exponent: 1, Every: 1}, time: keys.Time{Every: time.Second, Speed: 1}}
}

// attributeKind is one way to distribute values.
type attributeKind struct {
	// fields are those of the kind; the first names it.
	fields []field
	// values returns what the fields spell.
	values func() keys.Distribution
}

func (k *attributeKind) name() string { return k.fields[0].name }

func (d *distribution) binding() object {
	o := object{what: "an attribute"}
	kinds := d.kinds()
	for i := range kinds {
		name := kinds[i].name()
		o.one = append(o.one, name)
		for _, f := range kinds[i].fields {
			// Only the kind that is spelled is written.
			f.value = unlessZero{f.value, func() bool { return d.kind != name }}
			o.fields = append(o.fields, f)
		}
	}
	o.then = func(r *reader, path string, n *node) {
		given := present(n, o.one)
		if len(given) != 1 {
			r.fault(n.at, path, "an attribute has %d of %s; expected exactly one", len(given), strings.Join(o.one, ", "))
			return
		}
		d.kind = given[0]
		for i := range kinds {
			d.misplaced(r, path, n, &kinds[i])
		}
	}
	return o
}

// misplaced reports the fields that go with another kind than the one given.
func (d *distribution) misplaced(r *reader, path string, n *node, other *attributeKind) {
	if other.name() == d.kind {
		return
	}
	for _, f := range other.fields[1:] {
		if value := n.find(f.name); value != nil {
			r.fault(value.at, child(path, f.name), "%s belongs to %s, and this is %s; expected none",
				f.name, other.name(), d.kind)
		}
	}
}

// values returns the distribution that was read, nil where there is none.
func (d *distribution) values() keys.Distribution {
	kinds := d.kinds()
	for i := range kinds {
		if kinds[i].name() == d.kind {
			return kinds[i].values()
		}
	}
	return nil
}

// spell returns the node of a distribution: the way back.
func spell(values keys.Distribution) *node {
	d := newDistribution()
	switch values := values.(type) {
	case keys.List:
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
	return d.binding().write()
}
