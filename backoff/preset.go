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
	// Formula is the rule in one line, Source who has it so.
	Formula, Source string
}

// growing is the documents' formula in one line.
const growing = "min(zmin + U(0.8 z, 1.2 z) · (2^x − 1), zmax)"

// Presets returns the built-in policies, sorted by name. The slice is the
// caller's.
func Presets() []Preset {
	const (
		documents = "the service's documents on retries"
		brooker   = "Exponential Backoff and Jitter, AWS Architecture Blog, 2015"
	)
	// What the clients of today retry, beside attempts without a reply.
	modern := []int{408, 429, 500, 502, 503, 504}
	return []Preset{
		{Policy{Name: "azcore", Retries: 3, WaitsAlways: true, Codes: modern,
			Delay: Proportional{Base: 800 * time.Millisecond, Cap: time.Minute, Low: 800, High: 1300, LessOne: true}},
			"min(60 s, 0.8 s · (2^x − 1) · U(0.8, 1.3)), x = 1 …", "azcore of the Azure SDK for Go, policy_retry.go"},
		{Policy{Name: "azure-core-net", Retries: 3, WaitsAlways: true, Codes: modern,
			Delay: Proportional{Base: 800 * time.Millisecond, Cap: time.Minute, Low: 800, High: 1200}},
			"min(60 s, 0.8 s · 2^(x−1) · U(0.8, 1.2)), x = 1 …", "Azure.Core of the Azure SDK for .NET, RetryOptions"},
		{Policy{Name: "botocore-standard", Retries: 2, WaitsAlways: true, Codes: []int{500, 502, 503, 504},
			Delay: FullJitter{Base: time.Second, Cap: 20 * time.Second}},
			"U(0, 1) · min(2^x s, 20 s), x = 0 …", "botocore, standard mode: three attempts"},
		{Policy{Name: "decorrelated-jitter", Retries: 5, Delay: Decorrelated{Base: 100 * time.Millisecond, Cap: 20 * time.Second}},
			"min(20 s, U(0.1 s, 3 · the wait before)), the first before being 0.1 s", brooker},
		{Policy{Name: "documented", Retries: 3, Delay: Exponential{Base: 30 * time.Second, Min: 3 * time.Second, Max: 90 * time.Second}},
			growing + ", z = 30 s, zmin = 3 s, zmax = 90 s, x = 1 …", documents},
		{Policy{Name: "equal-jitter", Retries: 5, Delay: EqualJitter{Base: 100 * time.Millisecond, Cap: 20 * time.Second}},
			"e/2 + U(0, e/2), e = min(20 s, 0.1 s · 2^(x−1)), x = 1 …", brooker},
		{Policy{Name: "fixed-1s", Retries: 3, Delay: Fixed{Every: time.Second}}, "1 s", documents},
		{Policy{Name: "fixed-5s", Retries: 3, Delay: Fixed{Every: 5 * time.Second}}, "5 s", documents},
		{Policy{Name: "full-jitter", Retries: 5, Delay: FullJitter{Base: 100 * time.Millisecond, Cap: 20 * time.Second}},
			"U(0, min(20 s, 0.1 s · 2^(x−1))), x = 1 …", brooker},
		{Policy{Name: "js", Retries: 3, WaitsAlways: true, Codes: append([]int{408}, DocumentedCodes()...), Delay: EqualJitter{Base: time.Second, Cap: 64 * time.Second}},
			"e/2 + U(0, e/2), e = min(64 s, 1 s · 2^x), x = 0 …", "core-rest-pipeline of the Azure SDK for JavaScript"},
		{Policy{Name: "ladder", Retries: 4, Delay: Ladder{2 * time.Second, 4 * time.Second, 10 * time.Second, 30 * time.Second}},
			"2 s, 4 s, 10 s, 30 s, then give up", documents},
		{Policy{Name: "linear", Retries: 3, Delay: Linear{Step: 2 * time.Second, Max: 10 * time.Second}}, "min(10 s, 2 s · x), x = 1 …",
			"none; for comparison"},
		{Policy{Name: "none"}, "never", documents},
		{Policy{Name: "short", Retries: 3, Delay: Exponential{Base: 100 * time.Millisecond, Min: 50 * time.Millisecond, Max: 2 * time.Second}},
			growing + ", z = 100 ms, zmin = 50 ms, zmax = 2 s, x = 1 …", "the documents' formula, for tests of a minute"},
		{Policy{Name: "storage-net", Retries: 3, WaitsAlways: true, Codes: append([]int{408}, DocumentedCodes()...),
			Delay: Exponential{Base: 4 * time.Second, Min: 3 * time.Second, Max: 2 * time.Minute, FromZero: true}},
			growing + ", z = 4 s, zmin = 3 s, zmax = 120 s, x = 0 …", "the storage client for .NET, ExponentialRetry"},
		{Policy{Name: "was-1.x", Retries: 3, WaitsAlways: true,
			Delay: Exponential{Base: 30 * time.Second, Min: 3 * time.Second, Max: 90 * time.Second, FromZero: true}},
			growing + ", z = 30 s, zmin = 3 s, zmax = 90 s, x = 0 …", "the storage client 1.x, 2011"},
	}
}

// With returns the preset with values of one's own in the documents' formula. They are
// not checked; [Policy.Validate] does so.
func (p Preset) With(values Exponential) Preset {
	p.Delay, p.Source, p.Formula = values, "the documents' formula, with values of one's own", values.line()
	return p
}

// line is the formula with its values.
func (e Exponential) line() string {
	first := 1
	if e.FromZero {
		first = 0
	}
	return fmt.Sprintf(growing+", z = %v, zmin = %v, zmax = %v, x = %d …", e.Base, e.Min, e.Max, first)
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
	return Preset{}, fmt.Errorf("%w %s; nearest: %s", ErrUnknown, nearest.Shown(name), strings.Join(nearest.Names(name, Names()), ", "))
}
