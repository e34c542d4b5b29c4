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
	// MaxMultiplier is the greatest multiplier.
	MaxMultiplier = 100
	// defaultTries is how many there are where nothing is said.
	defaultTries = 4
)

// Formula is a retry policy with values of one's own, as a scenario or a command line spells
// it: "exponential z=30s min=3s max=90s tries=4". Of its values only those of its kind count,
// see [Formula.Parameters].
type Formula struct {
	// Kind is one of [FormulaKinds].
	Kind string
	// Multiplied selects, of the kind exponential, base · multiplier^n in place of the
	// documents' formula.
	Multiplied bool
	// Tries is how many attempts there are at an operation, the first included: 1 to [MostTries].
	Tries int
	// First is x of the first retry of the documents' formula: 1, or 0 as the storage client
	// 1.x counted.
	First int
	// Waits are those of the kind waits, one before each retry.
	Waits []time.Duration

	// base is what the waits begin with, by whatever name, least and most are their bounds.
	base, least, most, elapsed time.Duration
	multiplier                 float64
	jitter                     Jitter
}

// Parameter is a value that belongs to a formula.
type Parameter struct {
	Name string
	// Says is one sentence on what it is.
	Says string
	// Into is where the value is kept: a *[time.Duration], *int, *float64 or *[Jitter]. Least
	// and Most are its bounds, durations in nanoseconds.
	Into        any
	Least, Most int64
	// Required has the value be given. Omit is the text of the value that is not written.
	Required bool
	Omit     string
	// upper is the name of the parameter that this one must not exceed.
	upper string
}

// String returns the value as the text of a formula has it.
func (p Parameter) String() string {
	switch into := p.Into.(type) {
	case *time.Duration:
		return into.String()
	case *Jitter:
		return into.String()
	case *int:
		return strconv.Itoa(*into)
	default:
		return strconv.FormatFloat(*p.Into.(*float64), 'f', -1, 64)
	}
}

// The kinds of formulas.
const (
	exponential        = "exponential"
	linear             = "linear"
	fixed              = "fixed"
	fullJitter         = "full_jitter"
	equalJitter        = "equal_jitter"
	decorrelatedJitter = "decorrelated_jitter"
	// Waits is the kind that lists its waits.
	Waits = "waits"
)

// FormulaKinds returns the names of the kinds. The slice is the caller's.
func FormulaKinds() []string {
	return []string{exponential, linear, fixed, fullJitter, equalJitter, decorrelatedJitter, Waits}
}

// NewFormula returns a formula of a kind whose values are still to be given. isGiven reports
// which are: without z, base or multiplier select base · multiplier^n of the kind exponential.
func NewFormula(kind string, isGiven func(name string) bool) *Formula {
	f := &Formula{Kind: kind, Tries: defaultTries, First: 1}
	if f.Multiplied = kind == exponential && !isGiven("z") && (isGiven("base") || isGiven("multiplier")); f.Multiplied {
		f.most = LongestParameter
	}
	if f.Multiplied && isGiven("elapsed") {
		f.Tries = MostTries
	}
	return f
}

// Parameters returns the values that belong to the formula's kind, each with where it is kept;
// none for the kind waits, and for one that does not exist.
func (f *Formula) Parameters() []Parameter {
	length := func(name, upper, says string, least int64, into *time.Duration) Parameter {
		return Parameter{Name: name, Says: says, Into: into, Least: least, Most: int64(LongestParameter), Required: true, upper: upper}
	}
	optional := func(p Parameter, omit string) Parameter {
		p.Required, p.Omit = false, omit
		return p
	}
	const doubles = "The first bound, which doubles per retry."
	least := length("min", "max", "The minimum wait.", 0, &f.least)
	most := length("max", "", "The maximum wait.", 1, &f.most)
	bound := length("cap", "", "The maximum wait.", 1, &f.most)
	tries := Parameter{Name: "tries", Says: "Attempts per operation, including the first.", Into: &f.Tries, Least: 1, Most: MostTries}
	switch {
	case f.Multiplied:
		most.Says = "The maximum wait before its jitter, 24h if not given."
		tries.Says = "Attempts per operation, including the first; 1001 if only elapsed is given."
		return []Parameter{
			length("base", "max", "The first wait.", 1, &f.base),
			{Name: "multiplier", Says: "The factor from each wait to the next.", Into: &f.multiplier, Least: 1, Most: MaxMultiplier, Required: true},
			optional(least, "0s"), optional(most, LongestParameter.String()),
			{Name: "jitter", Says: "How far a wait deviates at random.", Into: &f.jitter, Most: 1000, Omit: "none"},
			optional(length("elapsed", "", "No retry later than this after the first attempt; 0s for no limit.", 0, &f.elapsed), "0s"), tries}
	case f.Kind == exponential:
		return []Parameter{length("z", "", "Back-off, multiplied by 2^x - 1 and 0.8 to 1.2.", 1, &f.base), least, most, tries,
			{Name: "first", Says: "First x: 1, or 0 as in storage client 1.x.", Into: &f.First, Most: 1, Omit: "1"}}
	case f.Kind == linear:
		return []Parameter{length("step", "max", "The first wait and its increase per retry.", 1, &f.base), most, tries}
	case f.Kind == fixed:
		return []Parameter{length("every", "", "Each wait.", 0, &f.base), tries}
	case f.Kind == fullJitter, f.Kind == equalJitter:
		return []Parameter{length("base", "cap", doubles, 1, &f.base), bound, tries}
	case f.Kind == decorrelatedJitter:
		return []Parameter{length("base", "cap", "The minimum wait.", 1, &f.base), bound, tries}
	default:
		return nil
	}
}

// Preset returns the policy of the formula, which is called by its text. What is wrong with
// it [Formula.Validate] says.
func (f *Formula) Preset() Preset {
	p := Policy{Name: f.Text(), Retries: f.Tries - 1, Elapsed: f.elapsed}
	switch {
	case f.Multiplied:
		p.Delay = Multiplied{Base: f.base, Min: f.least, Max: f.most, Multiplier: f.multiplier, Jitter: f.jitter}
		p.Retries = p.possibleRetries()
	case f.Kind == exponential:
		p.Delay = Exponential{Base: f.base, Min: f.least, Max: f.most, FromZero: f.First == 0}
	case f.Kind == linear:
		p.Delay = Linear{Step: f.base, Max: f.most}
	case f.Kind == fixed:
		p.Delay = Fixed{Every: f.base}
	case f.Kind == fullJitter:
		p.Delay = FullJitter{Base: f.base, Cap: f.most}
	case f.Kind == equalJitter:
		p.Delay = EqualJitter{Base: f.base, Cap: f.most}
	case f.Kind == decorrelatedJitter:
		p.Delay = Decorrelated{Base: f.base, Cap: f.most}
	case f.Kind == Waits:
		p.Delay, p.Retries = Ladder(f.Waits), len(f.Waits)
	}
	formula := formulaOf(p.Delay)
	if p.Elapsed > 0 {
		formula += fmt.Sprintf(", no retry later than %v after the first attempt", p.Elapsed)
	}
	return Preset{p, formula, "own values"}
}

// Validate returns everything that is wrong with the formula, each wrapped around [ErrInvalid].
func (f *Formula) Validate() []error {
	var faults faultList
	if faults.when(!slices.Contains(FormulaKinds(), f.Kind), "%s", nearest.Unknown("formula", f.Kind, FormulaKinds())); len(faults) > 0 {
		return faults
	}
	for _, p := range f.Parameters() {
		switch into := p.Into.(type) {
		case *time.Duration:
			least, most := time.Duration(p.Least), time.Duration(p.Most)
			faults.when(*into < least || *into > most, "%s is %v; expected %v to %v", p.Name, p, least, most)
		case *int:
			faults.when(*into < int(p.Least) || *into > int(p.Most), "%s is %v; expected %d to %d", p.Name, p, p.Least, p.Most)
		case *float64:
			faults.when(!(*into >= float64(p.Least) && *into <= float64(p.Most)), "%s is %v; expected %d to %d", p.Name, p, p.Least, p.Most)
		}
	}
	if f.Kind == Waits {
		faults.when(len(f.Waits) < 1 || len(f.Waits) > MaxRetries, "waits has %d items; expected 1 to %d waits, such as waits 1s 5s 30s", len(f.Waits), MaxRetries)
	}
	for _, wait := range f.Waits {
		faults.when(wait < 0 || wait > LongestParameter, "a wait is %v; expected %v to %v", wait, time.Duration(0), LongestParameter)
	}
	if _, what := f.Crossed(); what != "" && len(faults) == 0 {
		faults.when(true, "%s", what)
	}
	return faults
}

// Crossed returns the name of a lower bound that exceeds its upper one, and what is wrong;
// empty texts where none does.
func (f *Formula) Crossed() (low, what string) {
	parameters := f.Parameters()
	for _, p := range parameters {
		at := slices.IndexFunc(parameters, func(other Parameter) bool { return other.Name == p.upper })
		if at < 0 {
			continue
		}
		high := parameters[at]
		if top := *high.Into.(*time.Duration); top > 0 && *p.Into.(*time.Duration) > top {
			return p.Name, fmt.Sprintf("%s is %v and %s %v; expected %s at most %s", p.Name, p, high.Name, high, p.Name, high.Name)
		}
	}
	return "", ""
}

// Text returns the formula in its one form, which [ByName] reads.
func (f *Formula) Text() string {
	text := f.Kind
	for _, p := range f.Parameters() {
		if p.Omit == "" || p.String() != p.Omit {
			text += fmt.Sprintf(" %s=%v", p.Name, p)
		}
	}
	for _, wait := range f.Waits {
		text += " " + wait.String()
	}
	return text
}

// ParseFormula reads the text of a formula: its kind, and behind it name=value for each of its
// parameters, in any order; or the waits themselves. The error wraps [ErrInvalid] and says in a
// line what is wrong with which.
func ParseFormula(text string) (*Formula, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, nearest.Faultf(ErrInvalid, "formula is empty; expected one such as exponential z=30s min=3s max=90s tries=4")
	}
	if !slices.Contains(FormulaKinds(), words[0]) {
		return nil, nearest.Faultf(ErrInvalid, "%s", nearest.Unknown("formula", words[0], FormulaKinds()))
	}
	given := map[string]bool{}
	for _, word := range words[1:] {
		name, _, _ := strings.Cut(word, "=")
		if given[name] && words[0] != Waits {
			return nil, nearest.Faultf(ErrInvalid, "%s occurs twice; expected once", nearest.Shown(name))
		}
		given[name] = true
	}
	f := NewFormula(words[0], func(name string) bool { return given[name] })
	for _, word := range words[1:] {
		if err := f.read(word); err != nil {
			return nil, err
		}
	}
	for _, p := range f.Parameters() {
		if p.Required && !given[p.Name] {
			return nil, nearest.Faultf(ErrInvalid, "%s has no %s; expected %s", f.Kind, p.Name, p.example())
		}
	}
	if faults := f.Validate(); len(faults) > 0 {
		return nil, faults[0]
	}
	return f, nil
}

// example returns how the parameter can be given.
func (p Parameter) example() string {
	if _, length := p.Into.(*time.Duration); length {
		return p.Name + "=3s or similar"
	}
	return p.Name + "=2 or similar"
}

// read reads a word behind the kind.
func (f *Formula) read(word string) error {
	if f.Kind == Waits {
		wait, err := time.ParseDuration(word)
		if err != nil {
			return nearest.Faultf(ErrInvalid, "wait %d is %s; expected a duration such as 250ms: n waits are n + 1 tries", len(f.Waits)+1, nearest.Shown(word))
		}
		f.Waits = append(f.Waits, wait)
		return nil
	}
	name, value, _ := strings.Cut(word, "=")
	parameters := f.Parameters()
	at := slices.IndexFunc(parameters, func(p Parameter) bool { return p.Name == name })
	if at < 0 {
		names := nearest.Of(parameters, func(p Parameter) string { return p.Name })
		return nearest.Faultf(ErrInvalid, "%s", nearest.Unknown(f.Kind+" parameter", name, names))
	}
	var err error
	expected := "a whole number"
	switch into := parameters[at].Into.(type) {
	case *time.Duration:
		*into, err = time.ParseDuration(value)
		expected = "a duration such as 250ms"
	case *int:
		*into, err = strconv.Atoi(value)
	case *float64:
		*into, err = strconv.ParseFloat(value, 64)
		expected = "a number such as 1.5"
	case *Jitter:
		*into, err = ParseJitter(value)
		expected = ExpectedJitter
	}
	if err != nil {
		return nearest.Faultf(ErrInvalid, "%s is %s; expected %s", name, nearest.Shown(value), expected)
	}
	return nil
}
