package backoff

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"loadgen/engine/nearest"
)

// Preset is a built-in policy with where it comes from.
type Preset struct {
	Policy
	// Formula is the rule in one line, Source where it is from.
	Formula, Source string
}

// Presets returns the built-in policies, sorted by name. The slice is the
// caller's.
func Presets() []Preset {
	const (
		documents = "Azure documentation"
		brooker   = "Exponential Backoff and Jitter, AWS Architecture Blog, 2015"
		ms, s     = time.Millisecond, time.Second
	)
	// Statuses that current clients retry, as well as attempts without a reply.
	modern := []int{408, 429, 500, 502, 503, 504}
	older := append([]int{408}, DocumentedCodes()...)
	var presets []Preset
	for _, row := range []struct {
		name    string
		retries int
		always  bool // whether the first retry waits, too
		codes   []int
		delay   Delay
		source  string
	}{
		{"azcore", 3, true, modern, Proportional{800 * ms, time.Minute, 800, 1300, true}, "Azure SDK for Go, azcore"},
		{"azure-core-net", 3, true, modern, Proportional{800 * ms, time.Minute, 800, 1200, false}, "Azure SDK for .NET, RetryOptions"},
		{"botocore-standard", 2, true, []int{500, 502, 503, 504}, FullJitter(s, 20*s), "botocore, standard mode"},
		{"decorrelated-jitter", 5, false, nil, Decorrelated{100 * ms, 20 * s}, brooker},
		{"documented", 3, false, nil, Exponential{Base: 30 * s, Min: 3 * s, Max: 90 * s}, documents},
		{"equal-jitter", 5, false, nil, EqualJitter(100*ms, 20*s), brooker},
		{"fixed-1s", 3, false, nil, Ladder{s}, documents},
		{"fixed-5s", 3, false, nil, Ladder{5 * s}, documents},
		{"full-jitter", 5, false, nil, FullJitter(100*ms, 20*s), brooker},
		{"js", 3, true, older, EqualJitter(s, 64*s), "Azure SDK for JavaScript, core-rest-pipeline"},
		{"ladder", 4, false, nil, Ladder{2 * s, 4 * s, 10 * s, 30 * s}, documents},
		{"linear", 3, false, nil, Linear{Step: 2 * s, Max: 10 * s}, "none; for comparison"},
		{"none", 0, false, nil, nil, documents},
		{"short", 3, false, nil, Exponential{Base: 100 * ms, Min: 50 * ms, Max: 2 * s}, "documented formula, shortened"},
		{"storage-net", 3, true, older, Exponential{4 * s, 3 * s, 120 * s, true}, "storage client for .NET, ExponentialRetry"},
		{"was-1.x", 3, true, nil, Exponential{30 * s, 3 * s, 90 * s, true}, "storage client 1.x, 2011"},
	} {
		p := Policy{Name: row.name, Retries: row.retries, WaitsAlways: row.always, Codes: row.codes, Delay: row.delay}
		presets = append(presets, Preset{p, formulaOf(row.delay), row.source})
	}
	return presets
}

// formulaOf returns the rule of a delay in one line, with its values.
func formulaOf(delay Delay) string {
	switch d := delay.(type) {
	case Exponential:
		first := 1
		if d.FromZero {
			first = 0
		}
		return fmt.Sprintf("min(zmin + U(0.8 z, 1.2 z) · (2^x − 1), zmax), z = %v, zmin = %v, zmax = %v, x = %d …", d.Base, d.Min, d.Max, first)
	case Linear:
		return fmt.Sprintf("min(%v, %v · x), x = 1 …", d.Max, d.Step)
	case Decorrelated:
		return fmt.Sprintf("min(%v, U(%[2]v, 3 · previous)), first previous %[2]v", d.Cap, d.Base)
	case Proportional:
		power := "2^(x−1)"
		if d.LessOne {
			power = "(2^x − 1)"
		}
		return fmt.Sprintf("min(%v, %v · %s · U(%v, %v)), x = 1 …", d.Cap, d.Base, power, float64(d.Low)/1000, float64(d.High)/1000)
	case Ladder:
		if len(d) == 1 {
			return d[0].String()
		}
		return strings.Trim(fmt.Sprint([]time.Duration(d)), "[]") + ", then failed"
	case Multiplied:
		return d.formula() + ", x = 1 …"
	default:
		return "never"
	}
}

// formula returns the rule in one line, with its values.
func (m Multiplied) formula() string {
	bound := fmt.Sprintf("%v · %v^(x−1)", m.Base, m.Multiplier)
	if m.Min > 0 {
		bound = fmt.Sprintf("max(%v, %s)", m.Min, bound)
	}
	bound = fmt.Sprintf("min(%v, %s)", m.Max, bound)
	switch [2]int64{m.Low, m.High} {
	case [2]int64{0, 1000}:
		return fmt.Sprintf("U(0, %s)", bound)
	case [2]int64{500, 1000}:
		return "e/2 + U(0, e/2), e = " + bound
	case [2]int64{1000, 1000}:
		return bound
	default:
		return fmt.Sprintf("%s · U(%v, %v)", bound, float64(m.Low)/1000, float64(m.High)/1000)
	}
}

// Choose returns the policies of some names or formulas, in that order, and all presets
// where none is given. The error joins that of [ByName] for each that is none.
func Choose(names ...string) ([]Preset, error) {
	if len(names) == 0 {
		return Presets(), nil
	}
	var chosen []Preset
	var faults []error
	for _, name := range names {
		p, err := presetOf(name)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		chosen = append(chosen, p)
	}
	return chosen, errors.Join(faults...)
}

// Names returns the names of the built-in policies, sorted. The slice is the
// caller's.
func Names() []string {
	var names []string
	for _, p := range Presets() {
		names = append(names, p.Name)
	}
	return names
}

// ByName returns the built-in policy of that name, of [Presets]: none never
// retries; documented is the documents' exponential formula with their example
// values; short is the same formula with waits of 0.05 to 2 s, so that a test of a
// minute sees retries end; the others are those of clients and publications. Where
// the name is the text of a [Formula] it returns the policy of that.
//
// For any other name the error is [ErrUnknown] and says which known names come
// nearest; for a formula that is none it wraps [ErrInvalid].
func ByName(name string) (Policy, error) {
	p, err := presetOf(name)
	return p.Policy, err
}

func presetOf(name string) (Preset, error) {
	all := Presets()
	if at := slices.IndexFunc(all, func(p Preset) bool { return p.Name == name }); at >= 0 {
		return all[at], nil
	}
	kind, _, parameters := strings.Cut(strings.TrimSpace(name), " ")
	if slices.Contains(FormulaKinds(), kind) && (parameters || !slices.Contains(Names(), kind)) {
		f, err := ParseFormula(name)
		if err != nil {
			return Preset{}, err
		}
		return f.Preset(), nil
	}
	return Preset{}, fmt.Errorf("%w %s; nearest: %s", ErrUnknown, nearest.Quote(name), strings.Join(nearest.Names(name, Names()), ", "))
}
