package scenarios

import (
	"fmt"
	"strconv"
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

var _ binding = accessValue{}

func (v accessValue) expected() string {
	return "uniform, latest, {latest: 1000}, {zipf: 1.1} or {hot: 10%, share: 90%}"
}

func (v accessValue) read(r *reader, path string, n *node) {
	switch {
	case n.kind == dict:
		v.numbers(n).read(r, path, n)
	case n.kind == scalar && n.text == AccessUniform:
		*v.into = Access{}
	case n.kind == scalar && n.text == AccessLatest:
		*v.into = Access{Kind: AccessLatest, Window: 1}
	default:
		r.expect(n, path, v.expected())
	}
}

// numbers is the map of an access.
func (v accessValue) numbers(n *node) object {
	a := v.into
	return object{
		what: "of",
		fields: []field{
			{name: AccessLatest, says: "How many of the newest entities it is one of, each as likely as any other.",
				value: wholeValue[int]{into: &a.Window, least: 1, most: maxWindow, unlessZero: true}},
			{name: AccessZipf, says: "How steeply the chance falls with the rank of a loaded entity: by its power of minus this.",
				value: unlessZero{exponentValue{&a.Exponent}, func() bool { return a.Kind != AccessZipf }}},
			{name: AccessHot, says: "The part of the loaded entities that is hot.",
				value: unlessZero{shareValue{&a.Hot}, func() bool { return a.Kind != AccessHot }}},
			{name: "share", says: "The share of the operations that goes to the hot part.",
				value: unlessZero{shareValue{&a.Share}, func() bool { return a.Kind != AccessHot }}},
		},
		one: []string{AccessLatest, AccessZipf, AccessHot},
		then: func(r *reader, path string, n *node) {
			given := present(n, []string{AccessLatest, AccessZipf, AccessHot})
			if len(given) != 1 {
				r.fault(n.at, path, "of has %d of latest, zipf and hot; expected exactly one", len(given))
				return
			}
			a.Kind = given[0]
			if share := n.find("share"); (share != nil) != (a.Kind == AccessHot) {
				r.fault(n.at, path, "share is how many operations go to the hot part; expected it beside hot, and nowhere else")
			}
		},
	}
}

func (v accessValue) write() *node {
	switch v.into.Kind {
	case "", AccessUniform:
		return nil
	default:
		return v.numbers(nil).write()
	}
}

// exponentValue is the exponent of a zipf distribution.
type exponentValue struct{ into *float64 }

var _ binding = exponentValue{}

func (v exponentValue) read(r *reader, path string, n *node) {
	exponent, err := strconv.ParseFloat(n.text, 64)
	if n.kind != scalar || n.quoted || !decimalNumber.MatchString(n.text) || err != nil || exponent > maxExponent {
		r.expect(n, path, fmt.Sprintf("an exponent from 0 to %d, such as 1.1", maxExponent))
		return
	}
	*v.into = exponent
}

func (v exponentValue) write() *node { return plain(strconv.FormatFloat(*v.into, 'f', -1, 64)) }

// schema returns the word, or the map of numbers.
func (v accessValue) schema() *schema {
	return &schema{AnyOf: []*schema{
		{Enum: []string{AccessUniform, AccessLatest}},
		accessValue{&Access{}}.numbers(nil).schema(),
	}}
}

func (v exponentValue) schema() *schema { return numeric("number", "0", strconv.Itoa(maxExponent)) }
