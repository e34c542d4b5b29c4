package backoff

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"loadgen/engine/nearest"
)

// Bounds of a [Formula].
const (
	// MaxTries is the greatest number of attempts at an operation, the first included.
	MaxTries = MaxRetries + 1
	// MaxParameter bounds every length of time of a formula.
	MaxParameter = 24 * time.Hour
	// defaultTries is how many there are where nothing is said.
	defaultTries = 4
)

// Formula is a retry policy with values of one's own, as a scenario or a command line spells
// it: "exponential z=30s min=3s max=90s tries=4". Of its values only those of its kind count,
// see [Formula.Parameters].
type Formula struct {
	// Kind is one of [FormulaKinds].
	Kind string
	// multiplied selects, of the kind exponential, base · multiplier^n in place of the
	// documents' formula.
	multiplied bool
	// Waits are those of the kind waits, one before each retry.
	Waits []time.Duration

	// base is what the waits begin with, by whatever name, least and most are their bounds, in
	// nanoseconds; first is x of the first retry of the documents' formula.
	base, least, most, elapsed, multiplier, jitter, tries, first int64
}

// Parameter is a value that belongs to a formula.
type Parameter struct {
	Name string
	// Says is one sentence on what it is.
	Says string
	// Unit is what the value counts, which is kept in Into, from Least to Most.
	Unit        Unit
	Into        *int64
	Least, Most int64
	// Required has the value be given. Omit is the text of the value that is not written.
	Required bool
	Omit     string
	// upper is the name of the parameter that this one must not exceed.
	upper string
}

// Unit is what the value of a [Parameter] counts.
type Unit int

// The units: nanoseconds, attempts, thousandths of 1, thousandths of a wait.
const (
	Length Unit = iota
	Count
	Factor
	Share
)

// String returns the value as the text of a formula has it.
func (p Parameter) String() string { return p.Text(*p.Into) }

// Text returns a value as the text of a formula has it.
func (p Parameter) Text(value int64) string {
	switch {
	case p.Unit == Length:
		return time.Duration(value).String()
	case p.Unit == Count:
		return strconv.FormatInt(value, 10)
	case p.Unit == Factor:
		return strconv.FormatFloat(float64(value)/1000, 'f', -1, 64)
	case value == 0:
		return "none"
	default:
		return strconv.FormatFloat(float64(value)/10, 'f', -1, 64) + "%"
	}
}

// Expected says what the text of the value is.
func (p Parameter) Expected() string {
	return [...]string{"a duration such as 250ms,", "a whole number", "a number such as 1.5, of three decimals at most,",
		"a percentage such as 12.5%,"}[p.Unit] + " from " + p.Text(p.Least) + " to " + p.Text(p.Most)
}

var decimal = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// Parse reads a value, and returns false for text that is none, or out of bounds.
func (p Parameter) Parse(text string) (value int64, sound bool) {
	digits, percent := strings.CutSuffix(text, "%")
	scale := 1000.0
	switch {
	case p.Unit == Length:
		length, err := time.ParseDuration(text)
		value, sound = int64(length), err == nil
	case p.Unit == Count:
		number, err := strconv.ParseInt(text, 10, 64)
		value, sound = number, err == nil
	case p.Unit == Share && text == "none":
		sound = true
	case percent == (p.Unit == Share) && decimal.MatchString(digits):
		if percent {
			scale = 10
		}
		number, _ := strconv.ParseFloat(digits, 64)
		value = int64(math.Round(min(number*scale, 1e9)))
		sound = float64(value)/scale == number
	}
	return value, sound && value >= p.Least && value <= p.Most
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
	f := &Formula{Kind: kind, tries: defaultTries, first: 1}
	if f.multiplied = kind == exponential && !isGiven("z") && (isGiven("base") || isGiven("multiplier")); f.multiplied {
		f.most = int64(MaxParameter)
	}
	if f.multiplied && isGiven("elapsed") {
		f.tries = MaxTries
	}
	return f
}

// Parameters returns the values that belong to the formula's kind, each with where it is kept;
// none for the kind waits, and for one that does not exist.
func (f *Formula) Parameters() []Parameter {
	length := func(name, upper, omit, says string, least int64, into *int64) Parameter {
		return Parameter{Name: name, Says: says, Into: into, Least: least, Most: int64(MaxParameter), Required: omit == "", Omit: omit, upper: upper}
	}
	least := length("min", "max", "", "The minimum wait.", 0, &f.least)
	most := length("max", "", "", "The maximum wait.", 1, &f.most)
	bound := length("cap", "", "", most.Says, 1, &f.most)
	tries := Parameter{Name: "tries", Says: "Attempts per operation, including the first.", Unit: Count, Into: &f.tries, Least: 1, Most: MaxTries}
	switch {
	case f.multiplied:
		tries.Says = "Attempts per operation, including the first; 1001 if only elapsed is given."
		return []Parameter{
			length("base", "max", "", "The first wait.", 1, &f.base),
			{Name: "multiplier", Says: "The factor from each wait to the next.", Unit: Factor, Into: &f.multiplier, Least: 1000, Most: 100_000, Required: true},
			length("min", "max", "0s", least.Says, 0, &f.least),
			length("max", "", MaxParameter.String(), "The maximum wait before its jitter, 24h if not given.", 1, &f.most),
			{Name: "jitter", Says: "How far a wait deviates at random, to either side.", Unit: Share, Into: &f.jitter, Most: 1000, Omit: "none"},
			length("elapsed", "", "0s", "No retry later than this after the first attempt; 0s for no limit.", 0, &f.elapsed), tries}
	case f.Kind == exponential:
		return []Parameter{length("z", "", "", "Back-off, multiplied by 2^x - 1 and 0.8 to 1.2.", 1, &f.base), least, most, tries,
			{Name: "first", Says: "First x: 1, or 0 as in storage client 1.x.", Unit: Count, Into: &f.first, Most: 1, Omit: "1"}}
	case f.Kind == linear:
		return []Parameter{length("step", "max", "", "The first wait and its increase per retry.", 1, &f.base), most, tries}
	case f.Kind == fixed:
		return []Parameter{length("every", "", "", "Each wait.", 0, &f.base), tries}
	case f.Kind == fullJitter, f.Kind == equalJitter:
		return []Parameter{length("base", "cap", "", "The first bound, which doubles per retry.", 1, &f.base), bound, tries}
	case f.Kind == decorrelatedJitter:
		return []Parameter{length("base", "cap", "", least.Says, 1, &f.base), bound, tries}
	default:
		return nil
	}
}

// Preset returns the policy of the formula, which is called by its text.
func (f *Formula) Preset() Preset {
	p := Policy{Name: f.Text(), Retries: int(f.tries) - 1, Elapsed: time.Duration(f.elapsed)}
	base, least, most := time.Duration(f.base), time.Duration(f.least), time.Duration(f.most)
	switch {
	case f.multiplied:
		p.Delay = Multiplied{Base: base, Min: least, Max: most, Multiplier: float64(f.multiplier) / 1000, Low: 1000 - f.jitter, High: 1000 + f.jitter}
		p.Retries = p.possibleRetries()
	case f.Kind == exponential:
		p.Delay = Exponential{Base: base, Min: least, Max: most, FromZero: f.first == 0}
	case f.Kind == linear:
		p.Delay = Linear{Step: base, Max: most}
	case f.Kind == fixed:
		p.Delay = Ladder{base}
	case f.Kind == fullJitter:
		p.Delay = FullJitter(base, most)
	case f.Kind == equalJitter:
		p.Delay = EqualJitter(base, most)
	case f.Kind == decorrelatedJitter:
		p.Delay = Decorrelated{Base: base, Cap: most}
	case f.Kind == Waits:
		p.Delay, p.Retries = Ladder(f.Waits), len(f.Waits)
	}
	formula := formulaOf(p.Delay)
	if p.Elapsed > 0 {
		formula += fmt.Sprintf(", no retry later than %v after the first attempt", p.Elapsed)
	}
	return Preset{p, formula, "own values"}
}

// Crossed returns the name of a lower bound that exceeds its upper one, and what is wrong;
// empty texts where none does.
func (f *Formula) Crossed() (low, what string) {
	parameters := f.Parameters()
	for _, p := range parameters {
		at := slices.IndexFunc(parameters, func(other Parameter) bool { return other.Name == p.upper })
		if at >= 0 && *parameters[at].Into > 0 && *p.Into > *parameters[at].Into {
			return p.Name, fmt.Sprintf("%s is %v and %s %v; expected %[1]s at most %[3]s", p.Name, p, p.upper, parameters[at])
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
	isGiven := func(name string) bool { return given[name] }
	if words[0] == Waits {
		f := NewFormula(Waits, isGiven)
		return f, f.readWaits(words[1:])
	}
	for _, word := range words[1:] {
		name, _, _ := strings.Cut(word, "=")
		if given[name] {
			return nil, nearest.Faultf(ErrInvalid, "%s occurs twice; expected once", nearest.Quote(name))
		}
		given[name] = true
	}
	f := NewFormula(words[0], isGiven)
	parameters := f.Parameters()
	names := nearest.NamesOf(parameters, func(p Parameter) string { return p.Name })
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		at := slices.Index(names, name)
		if at < 0 {
			return nil, nearest.Faultf(ErrInvalid, "%s", nearest.Unknown(f.Kind+" parameter", name, names))
		}
		number, sound := parameters[at].Parse(value)
		if !sound {
			return nil, nearest.Faultf(ErrInvalid, "%s is %s; expected %s", name, nearest.Quote(value), parameters[at].Expected())
		}
		*parameters[at].Into = number
	}
	for _, p := range parameters {
		if p.Required && !given[p.Name] {
			return nil, nearest.Faultf(ErrInvalid, "%s has no %s; expected %s", f.Kind, p.Name, p.Expected())
		}
	}
	if _, what := f.Crossed(); what != "" {
		return nil, nearest.Faultf(ErrInvalid, "%s", what)
	}
	return f, nil
}

// readWaits reads the waits of a list.
func (f *Formula) readWaits(words []string) error {
	wait := Parameter{Most: int64(MaxParameter)}
	for i, word := range words {
		value, sound := wait.Parse(word)
		if !sound {
			return nearest.Faultf(ErrInvalid, "wait %d is %s; expected %s: n waits are n + 1 tries", i+1, nearest.Quote(word), wait.Expected())
		}
		f.Waits = append(f.Waits, time.Duration(value))
	}
	if len(words) < 1 || len(words) > MaxRetries {
		return nearest.Faultf(ErrInvalid, "waits has %d items; expected 1 to %d waits, such as waits 1s 5s 30s", len(words), MaxRetries)
	}
	return nil
}
