package scenarios

import (
	"slices"
	"strings"
	"time"

	"loadgen/backoff"
	"loadgen/engine/nearest"
	"loadgen/scenarios/fields"
)

// RetryBinding is the binding of a retry policy, kept as the text that [backoff.ByName] reads: the name
// of a built-in policy, or a formula as a map of its kind, such as
// {exponential: {z: 30s, min: 3s, max: 90s, tries: 4}} or {waits: [1s, 5s, 30s]}.
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
		if tries := n.Find("tries"); tries != nil && n.Find("waits") != nil {
			r.Fault(tries.At, fields.Child(path, "tries"), "tries and waits are both given; expected waits alone: n waits are n + 1 tries")
			return
		}
		if len(n.Entries) != 1 {
			r.Fault(n.At, path, "%s has %d formulas; expected one of %s", fields.Label(path), len(n.Entries), nearest.Choice(backoff.FormulaKinds()))
			return
		}
		e := n.Entries[0]
		if !slices.Contains(backoff.FormulaKinds(), e.Key) {
			r.Fault(e.At, fields.Child(path, e.Key), "%s", nearest.Unknown("formula", e.Key, backoff.FormulaKinds()))
			return
		}
		f := backoff.NewFormula(e.Key, func(name string) bool { return e.Value.Find(name) != nil })
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

// formulaOf binds the values of a formula of one kind.
func formulaOf(f *backoff.Formula) fields.Binding {
	if f.Kind == backoff.Waits {
		return fields.ListOf(&f.Waits, 1, backoff.MaxRetries, "waits", func(wait *time.Duration) fields.Binding {
			return fields.Duration{Into: wait, Most: backoff.MaxParameter}
		})
	}
	o := fields.Object{What: "the formula " + f.Kind}
	for _, p := range f.Parameters() {
		value := unlessZero{parameterOf(p), func() bool { return p.Omit != "" && p.String() == p.Omit }}
		o.Fields = append(o.Fields, fields.Field{Name: p.Name, Says: p.Says, Required: p.Required, Value: value})
	}
	o.Then = func(r *fields.Reader, path string, n *fields.Node) {
		low, what := f.Crossed()
		if given := n.Find(low); given != nil {
			r.Fault(given.At, fields.Child(path, low), "%s", what)
		}
	}
	return o
}

// parameterOf binds a value of a formula.
func parameterOf(p backoff.Parameter) fields.Binding {
	form := fields.Numeric("number", p.Text(p.Least), p.Text(p.Most))
	switch p.Unit {
	case backoff.Length:
		return fields.Duration{Into: (*time.Duration)(p.Into), Least: time.Duration(p.Least), Most: time.Duration(p.Most)}
	case backoff.Count:
		return fields.Whole[int64]{Into: p.Into, Least: p.Least, Most: p.Most}
	case backoff.Share:
		form = &fields.Schema{Type: fields.Types{"string"}, Pattern: `^(none|(100(\.0+)?|[1-9]?[0-9](\.[0-9]+)?)%)$`}
	}
	form.Description = fields.Sentence(p.Expected())
	return fields.Single[int64]{Into: p.Into, Expected: p.Expected(), Written: p.Text, Form: form, Parse: p.Parse}
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
	"exponential":         "Waits min(min + z · U(0.8, 1.2) · (2^x - 1), max) before retry x; with a multiplier, base · multiplier^(x - 1).",
	"linear":              "Waits increase linearly.",
	"fixed":               "Constant waits.",
	"full_jitter":         "Waits from 0 to a bound that doubles.",
	"equal_jitter":        "Waits from half to all of a doubling bound.",
	"decorrelated_jitter": "Waits from the minimum to three times the last.",
	"waits":               "The waits themselves, one before each retry.",
}

// Schema implements [fields.Binding].
func (v retry) Schema() *fields.Schema {
	formulas := fields.Object{What: "a retry formula"}
	none := func(string) bool { return false }
	for _, kind := range backoff.FormulaKinds() {
		formulas.Fields = append(formulas.Fields, fields.Field{Name: kind, Says: formulaSays[kind], Value: formulaOf(backoff.NewFormula(kind, none))})
		formulas.One = append(formulas.One, kind)
	}
	// The first is the documents' formula, or base · multiplier^n.
	multiplied := backoff.NewFormula(backoff.FormulaKinds()[0], func(name string) bool { return name == "multiplier" })
	formulas.Fields[0].Value = fields.Either{{Binding: formulas.Fields[0].Value}, {Binding: formulaOf(multiplied)}}
	text := &fields.Schema{Type: fields.Types{"string"}, Pattern: "^(" + strings.Join(backoff.FormulaKinds(), "|") + ") "}
	return &fields.Schema{AnyOf: []*fields.Schema{{Enum: backoff.Names()}, text, formulas.Schema()}}
}
