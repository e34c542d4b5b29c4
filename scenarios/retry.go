package scenarios

import (
	"slices"
	"strings"

	"loadgen/backoff"
	"loadgen/engine/nearest"
	"loadgen/scenarios/fields"
)

// RetryBinding is the binding of a retry policy, kept as the text that [backoff.ByName] reads: the name
// of a built-in policy, or a formula as a map of its kind, such as
// {exponential: {z: 30s, min: 3s, max: 90s, tries: 4}}.
func RetryBinding(into *string) fields.Binding { return retry{into} }

type retry struct{ into *string }

// Read implements [fields.Binding].
func (v retry) Read(r *fields.Reader, path string, n *fields.Node) {
	// The text of a formula begins with its kind.
	kind, _, _ := strings.Cut(n.Text, " ")
	switch {
	case n.Kind == fields.Dict:
		before := len(r.Faults)
		r.Once(path, n)
		if len(n.Entries) != 1 {
			r.Fault(n.At, path, "%s has %d formulas; expected one of %s", fields.Label(path), len(n.Entries), nearest.Choice(backoff.FormulaKinds()))
			return
		}
		e := n.Entries[0]
		if !slices.Contains(backoff.FormulaKinds(), e.Key) {
			r.Fault(e.At, fields.Child(path, e.Key), "%s", nearest.Unknown("formula", e.Key, backoff.FormulaKinds()))
			return
		}
		f := backoff.NewFormula(e.Key)
		formulaOf(f).Read(r, fields.Child(path, e.Key), e.Value)
		if len(r.Faults) == before {
			*v.into = f.Text()
		}
	case n.Kind == fields.Scalar && slices.Contains(backoff.FormulaKinds(), kind) && !slices.Contains(backoff.Names(), n.Text):
		f, err := backoff.ParseFormula(n.Text)
		if err != nil {
			r.Fault(n.At, path, "%s", nearest.What(err))
			return
		}
		*v.into = f.Text()
	default:
		fields.Choice{Into: v.into, What: "retry policy", Of: backoff.Names()}.Read(r, path, n)
	}
}

// formulaOf binds the parameters of a formula of one kind.
func formulaOf(f *backoff.Formula) fields.Object {
	o := fields.Object{What: "the formula " + f.Kind}
	for _, p := range f.Parameters() {
		o.Fields = append(o.Fields, fields.Field{Name: p.Name, Says: p.Says, Required: true,
			Value: fields.Duration{Into: p.Into, Least: p.Least, Most: backoff.LongestParameter}})
	}
	o.Fields = append(o.Fields, fields.Field{Name: "tries", Says: "Attempts per operation, including the first.",
		Value: fields.Whole[int]{Into: &f.Tries, Least: 1, Most: backoff.MostTries}})
	if f.FirstCounts() {
		o.Fields = append(o.Fields, fields.Field{Name: "first", Says: "First x: 1, or 0 as in storage client 1.x.",
			Value: unlessFirst{fields.Whole[int]{Into: &f.First, Most: 1}}})
	}
	o.Then = func(r *fields.Reader, path string, n *fields.Node) {
		low, high, wrong := f.Crossed()
		if given := n.Find(low.Name); wrong && given != nil && n.Find(high.Name) != nil && *high.Into > 0 {
			r.Fault(given.At, fields.Child(path, low.Name), "%s is %v and %s %v; expected %s at most %s",
				low.Name, *low.Into, high.Name, *high.Into, low.Name, high.Name)
		}
	}
	return o
}

// unlessFirst leaves a number of 1 out when it is written.
type unlessFirst struct{ fields.Whole[int] }

// Write implements [fields.Binding].
func (v unlessFirst) Write() *fields.Node {
	if *v.Into == 1 {
		return nil
	}
	return v.Whole.Write()
}

// Write implements [fields.Binding]. What is no sound formula is written as the text that it is.
func (v retry) Write() *fields.Node {
	if *v.into == "" {
		return nil
	}
	f, err := backoff.ParseFormula(*v.into)
	if slices.Contains(backoff.Names(), *v.into) || err != nil {
		return fields.TextNode(*v.into)
	}
	return &fields.Node{Kind: fields.Dict, Entries: []fields.Entry{{Key: f.Kind, Value: formulaOf(f).Write()}}}
}

// formulaSays has a sentence on each kind of formula.
var formulaSays = map[string]string{
	"exponential":         "Waits min(min + z · U(0.8, 1.2) · (2^x - 1), max) before retry x.",
	"linear":              "Waits increase linearly.",
	"fixed":               "Constant waits.",
	"full_jitter":         "Waits from 0 to a bound that doubles.",
	"equal_jitter":        "Waits from half to all of a doubling bound.",
	"decorrelated_jitter": "Waits from the minimum to three times the last.",
}

// Schema implements [fields.Binding].
func (v retry) Schema() *fields.Schema {
	formulas := fields.Object{What: "a retry formula"}
	for _, kind := range backoff.FormulaKinds() {
		formulas.Fields = append(formulas.Fields, fields.Field{Name: kind, Says: formulaSays[kind], Value: formulaOf(backoff.NewFormula(kind))})
		formulas.One = append(formulas.One, kind)
	}
	text := &fields.Schema{Type: fields.Types{"string"}, Pattern: "^(" + strings.Join(backoff.FormulaKinds(), "|") + ") "}
	return &fields.Schema{AnyOf: []*fields.Schema{{Enum: backoff.Names()}, text, formulas.Schema()}}
}
