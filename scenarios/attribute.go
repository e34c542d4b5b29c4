package scenarios

import (
	"math"

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
	var d distribution
	before := len(r.faults)
	d.binding().read(r, path, e.value)
	a := keys.Attribute{Name: e.key}
	if len(r.faults) == before {
		a.Values = d.values(e.value)
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

// distribution is how the file spells the values of an attribute.
type distribution struct {
	list     []string
	weights  []int64
	uniform  []int64
	sequence int64
}

func (d *distribution) binding() object {
	integer := func(i *int64) binding {
		return wholeValue[int64]{into: i, least: math.MinInt64, most: math.MaxInt64}
	}
	kinds := []string{"list", "uniform", "sequence"}
	return object{
		what: "an attribute",
		fields: []field{
			{name: "list", value: listOf[string]{into: &d.list, most: math.MaxInt32, what: "texts",
				bind: func(s *string) binding { return textValue{into: s} }}},
			{name: "weights", value: listOf[int64]{into: &d.weights, most: math.MaxInt32, what: "whole numbers", bind: integer}},
			{name: "uniform", value: listOf[int64]{into: &d.uniform, least: 2, most: 2, what: "whole numbers", bind: integer}},
			{name: "sequence", value: integer(&d.sequence)},
		},
		then: func(r *reader, path string, n *node) {
			if given := present(n, kinds); len(given) != 1 {
				r.fault(n.at, path, "an attribute has %d of list, uniform and sequence; expected exactly one", len(given))
			} else if weights := n.find("weights"); weights != nil && given[0] != "list" {
				r.fault(weights.at, child(path, "weights"), "weights belong to a list; expected none")
			}
		},
	}
}

// values returns the distribution that the fields of a node spell, nil where
// they spell none.
func (d *distribution) values(n *node) keys.Distribution {
	switch {
	case n.find("list") != nil:
		return keys.List{Values: d.list, Weights: d.weights}
	case len(d.uniform) == 2:
		return keys.Uniform{Low: d.uniform[0], High: d.uniform[1]}
	case n.find("sequence") != nil:
		return keys.Sequence{Start: d.sequence}
	default:
		return nil
	}
}

// spell returns the node of a distribution: the way back.
func spell(values keys.Distribution) *node {
	d := distribution{}
	spelled := d.binding()
	all := spelled.fields
	switch values := values.(type) {
	case keys.List:
		d.list, d.weights = values.Values, values.Weights
		spelled.fields = all[:2]
	case keys.Uniform:
		d.uniform = []int64{values.Low, values.High}
		spelled.fields = all[2:3]
	case keys.Sequence:
		d.sequence = values.Start
		spelled.fields = all[3:]
	default:
		spelled.fields = nil
	}
	return spelled.write()
}
