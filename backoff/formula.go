package backoff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"loadgen/engine/nearest"
)

// Bounds of a [Formula].
const (
	// MostTries is the greatest number of attempts at an operation, the first included.
	MostTries = MaxRetries + 1
	// LongestParameter bounds every length of time of a formula.
	LongestParameter = 24 * time.Hour
	// defaultTries is how many there are where nothing is said.
	defaultTries = 4
)

// Formula is a retry policy with values of one's own, as a scenario or a command line spells
// it: "exponential z=30s min=3s max=90s tries=4". Of its lengths only those of its kind count,
// see [Formula.Parameters].
type Formula struct {
	// Kind is one of [FormulaKinds].
	Kind string
	// Tries is how many attempts there are at an operation, the first included: 1 to [MostTries].
	Tries int
	// First is x of the first retry of the documents' formula: 1, or 0 as the storage client
	// 1.x counted.
	First int

	z, least, most, every, step, base, top time.Duration
}

// Parameter is a length of time that belongs to a formula.
type Parameter struct {
	Name string
	// Says is one sentence on what it is, Least its lower bound.
	Says  string
	Least time.Duration
	Into  *time.Duration
}

// The kinds of formulas.
const (
	exponential        = "exponential"
	linear             = "linear"
	fixed              = "fixed"
	fullJitter         = "full_jitter"
	equalJitter        = "equal_jitter"
	decorrelatedJitter = "decorrelated_jitter"
)

// FormulaKinds returns the names of the kinds. The slice is the caller's.
func FormulaKinds() []string {
	return []string{exponential, linear, fixed, fullJitter, equalJitter, decorrelatedJitter}
}

// NewFormula returns a formula of a kind whose lengths are still to be given.
func NewFormula(kind string) *Formula { return &Formula{Kind: kind, Tries: defaultTries, First: 1} }

// Parameters returns the lengths that belong to the formula's kind, each with where it is kept;
// none for a kind that does not exist.
func (f *Formula) Parameters() []Parameter {
	greatest := Parameter{"max", "The maximum wait.", 1, &f.most}
	jittered := []Parameter{
		{"base", "The first bound, which doubles per retry.", 1, &f.base},
		{"cap", "The maximum wait.", 1, &f.top},
	}
	switch f.Kind {
	case exponential:
		return []Parameter{
			{"z", "Back-off, multiplied by 2^x - 1 and 0.8 to 1.2.", 1, &f.z},
			{"min", "The minimum wait.", 0, &f.least}, greatest}
	case linear:
		return []Parameter{{"step", "The first wait and its increase per retry.", 1, &f.step}, greatest}
	case fixed:
		return []Parameter{{"every", "Each wait.", 0, &f.every}}
	case fullJitter, equalJitter:
		return jittered
	case decorrelatedJitter:
		jittered[0].Says = "The minimum wait."
		return jittered
	default:
		return nil
	}
}

// FirstCounts reports whether First belongs to the formula's kind.
func (f *Formula) FirstCounts() bool { return f.Kind == exponential }

// Preset returns the policy of the formula, which is called by its text. What is wrong with
// it [Formula.Validate] says.
func (f *Formula) Preset() Preset {
	p := Policy{Name: f.Text(), Retries: f.Tries - 1}
	switch f.Kind {
	case exponential:
		p.Delay = Exponential{Base: f.z, Min: f.least, Max: f.most, FromZero: f.First == 0}
	case linear:
		p.Delay = Linear{Step: f.step, Max: f.most}
	case fixed:
		p.Delay = Fixed{Every: f.every}
	case fullJitter:
		p.Delay = FullJitter{Base: f.base, Cap: f.top}
	case equalJitter:
		p.Delay = EqualJitter{Base: f.base, Cap: f.top}
	case decorrelatedJitter:
		p.Delay = Decorrelated{Base: f.base, Cap: f.top}
	}
	return Preset{p, formulaOf(p.Delay), "own values"}
}

// Validate returns everything that is wrong with the formula, each wrapped around [ErrInvalid].
func (f *Formula) Validate() []error {
	var faults faultList
	if faults.when(!slices.Contains(FormulaKinds(), f.Kind), "%s", nearest.Unknown("formula", f.Kind, FormulaKinds())); len(faults) > 0 {
		return faults
	}
	for _, p := range f.Parameters() {
		faults.when(*p.Into < p.Least || *p.Into > LongestParameter, "%s is %v; expected %v to %v", p.Name, *p.Into, p.Least, LongestParameter)
	}
	faults.when(f.Tries < 1 || f.Tries > MostTries, "tries is %d; expected 1 to %d", f.Tries, MostTries)
	faults.when(f.First != 0 && f.First != 1, "first is %d; expected 0 or 1", f.First)
	if len(faults) > 0 {
		return faults
	}
	if low, high, wrong := f.Crossed(); wrong {
		faults.when(true, "%s is %v and %s %v; expected %s at most %s", low.Name, *low.Into, high.Name, *high.Into, low.Name, high.Name)
	}
	return faults
}

// Crossed returns the lower and the upper bound of the waits, and whether the lower exceeds
// the upper.
func (f *Formula) Crossed() (low, high Parameter, wrong bool) {
	p := f.Parameters()
	if len(p) < 2 {
		return low, high, false
	}
	low, high = p[len(p)-2], p[len(p)-1]
	return low, high, *low.Into > *high.Into
}

// Text returns the formula in its one form, which [ByName] reads.
func (f *Formula) Text() string {
	text := f.Kind
	for _, p := range f.Parameters() {
		text += fmt.Sprintf(" %s=%v", p.Name, *p.Into)
	}
	text += fmt.Sprintf(" tries=%d", f.Tries)
	if f.FirstCounts() && f.First == 0 {
		text += " first=0"
	}
	return text
}

// ParseFormula reads the text of a formula: its kind, and behind it name=value for each of its
// parameters, tries and first, in any order. The error wraps [ErrInvalid] and says in a line
// what is wrong with which.
func ParseFormula(text string) (*Formula, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, nearest.Faultf(ErrInvalid, "formula is empty; expected one such as exponential z=30s min=3s max=90s tries=4")
	}
	if !slices.Contains(FormulaKinds(), words[0]) {
		return nil, nearest.Faultf(ErrInvalid, "%s", nearest.Unknown("formula", words[0], FormulaKinds()))
	}
	f := NewFormula(words[0])
	given := map[string]bool{}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		if given[name] {
			return nil, nearest.Faultf(ErrInvalid, "%s occurs twice; expected once", nearest.Shown(name))
		}
		given[name] = true
		if err := f.set(name, value); err != nil {
			return nil, err
		}
	}
	for _, p := range f.Parameters() {
		if !given[p.Name] {
			return nil, nearest.Faultf(ErrInvalid, "%s has no %s; expected %s=3s or similar", f.Kind, p.Name, p.Name)
		}
	}
	if faults := f.Validate(); len(faults) > 0 {
		return nil, faults[0]
	}
	return f, nil
}

// set reads the value of one parameter.
func (f *Formula) set(name, value string) error {
	names := []string{"tries"}
	if f.FirstCounts() {
		names = append(names, "first")
	}
	var number *int
	switch {
	case name == "tries":
		number = &f.Tries
	case name == "first" && f.FirstCounts():
		number = &f.First
	}
	if number != nil {
		n, err := strconv.Atoi(value)
		if err != nil {
			return nearest.Faultf(ErrInvalid, "%s is %s; expected a whole number", name, nearest.Shown(value))
		}
		*number = n
		return nil
	}
	for _, p := range f.Parameters() {
		if names = append(names, p.Name); p.Name != name {
			continue
		}
		length, err := time.ParseDuration(value)
		if err != nil {
			return nearest.Faultf(ErrInvalid, "%s is %s; expected a duration such as 250ms", name, nearest.Shown(value))
		}
		*p.Into = length
		return nil
	}
	return nearest.Faultf(ErrInvalid, "%s", nearest.Unknown(f.Kind+" parameter", name, names))
}
