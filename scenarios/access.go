package scenarios

import (
	"fmt"
	"loadgen/scenarios/fields"
)

// Access says which of the entities that are there an operation of event traffic
// works on. The zero value is [AccessUniform].
type Access struct {
	// Kind is one of those below; empty stands for [AccessUniform].
	Kind string
	// Exponent is that of [AccessZipf], 0 to 5.
	Exponent float64
	// Window is how many of the newest entities [AccessLatest] chooses from, each as
	// likely as any other.
	Window int
	// Hot is the part of the entities that gets Share of the operations of
	// [AccessHot], both above 0 and at most 1.
	Hot, Share float64
}

// The kinds of access.
const (
	// AccessUniform: every entity is as likely as any other.
	AccessUniform = "uniform"
	// AccessLatest: one of the newest.
	AccessLatest = "latest"
	// AccessZipf: of those that were loaded, in an order that chance decides, the
	// one of rank r in proportion to r to the power of minus the exponent.
	AccessZipf = "zipf"
	// AccessHot: a part of those that were loaded gets a share of the operations.
	AccessHot = "hot"
)

const (
	maxExponent = 5
	maxWindow   = 1_000_000
)

// Loaded reports whether only entities that were loaded are chosen.
func (a *Access) Loaded() bool { return a.Kind == AccessZipf || a.Kind == AccessHot }

// accessValue is the word of an access, or a map of the numbers that it needs.
type accessValue struct{ into *Access }

var _ fields.Binding = accessValue{}

func (v accessValue) expected() string {
	return "uniform, latest, {latest: 1000}, {zipf: 1.1} or {hot: 10%, share: 90%}"
}

func (v accessValue) Read(r *fields.Reader, path string, n *fields.Node) {
	switch {
	case n.Kind == fields.Dict:
		v.numbers(n).Read(r, path, n)
	case n.Kind == fields.Scalar && n.Text == AccessUniform:
		*v.into = Access{}
	case n.Kind == fields.Scalar && n.Text == AccessLatest:
		*v.into = Access{Kind: AccessLatest, Window: 1}
	default:
		r.Expect(n, path, v.expected())
	}
}

func (v accessValue) numbers(n *fields.Node) fields.Object {
	a := v.into
	return fields.Object{
		What: "of",
		Fields: []fields.Field{
			{Name: AccessLatest, Says: "How many of the newest entities it is one of, each as likely as any other.",
				Value: fields.Whole[int]{Into: &a.Window, Least: 1, Most: maxWindow, UnlessZero: true}},
			{Name: AccessZipf, Says: "How steeply the chance falls with the rank of a loaded entity: by its power of minus this.",
				Value: unlessZero{exponentValue(&a.Exponent), func() bool { return a.Kind != AccessZipf }}},
			{Name: AccessHot, Says: "The part of the loaded entities that is hot.",
				Value: unlessZero{shareValue(&a.Hot), func() bool { return a.Kind != AccessHot }}},
			{Name: "share", Says: "The share of the operations that goes to the hot part.",
				Value: unlessZero{shareValue(&a.Share), func() bool { return a.Kind != AccessHot }}},
		},
		One: []string{AccessLatest, AccessZipf, AccessHot},
		Then: func(r *fields.Reader, path string, n *fields.Node) {
			given := present(n, []string{AccessLatest, AccessZipf, AccessHot})
			if len(given) != 1 {
				r.Fault(n.At, path, "of has %d of latest, zipf and hot; expected exactly one", len(given))
				return
			}
			a.Kind = given[0]
			if share := n.Find("share"); (share != nil) != (a.Kind == AccessHot) {
				r.Fault(n.At, path, "share is how many operations go to the hot part; expected it beside hot, and nowhere else")
			}
		},
	}
}

func (v accessValue) Write() *fields.Node {
	switch v.into.Kind {
	case "", AccessUniform:
		return nil
	default:
		return v.numbers(nil).Write()
	}
}

// exponentValue is the exponent of a zipf distribution.
func exponentValue(into *float64) fields.Binding {
	return fields.Decimal(into, fields.DecimalNumber, 0, maxExponent, fmt.Sprintf("an exponent from 0 to %d, such as 1.1", maxExponent))
}

// Schema returns the word, or the map of numbers.
func (v accessValue) Schema() *fields.Schema {
	return &fields.Schema{AnyOf: []*fields.Schema{
		{Enum: []string{AccessUniform, AccessLatest}},
		accessValue{&Access{}}.numbers(nil).Schema(),
	}}
}
