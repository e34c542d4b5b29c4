package workflow

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ParameterType is the type of a parameter's values.
type ParameterType uint8

// The types of parameters.
const (
	// OfChoice: one of several words.
	OfChoice ParameterType = iota + 1
	// OfCount: a whole number from Least to Most.
	OfCount
	// OfShare: a share of all, such as 5%.
	OfShare
	// OfDuration: a time from Least to Most nanoseconds, such as 30s.
	OfDuration
	// OfAttribute, OfProperty and OfPlace: the name of an attribute of the scenario,
	// of a property of its entities, or of a place of its design.
	OfAttribute
	OfProperty
	OfPlace
	// OfName: a letter, then letters and digits, 3 to 12 in all, for the name of a store.
	OfName
	// OfTruth: true or false.
	OfTruth
	// OfResolver: rules for [parseResolver].
	OfResolver
)

// Parameter is a parameter of a kind.
type Parameter struct {
	// Name is its name in scenarios, Says describes it in one sentence. Was is its former name, empty
	// for none.
	Name, Says, Was string
	Type            ParameterType
	// Required parameters have no default. A missing optional name is empty.
	Required bool
	Default  string
	Choices  []string
	// Least and Most bound a count, or a duration in nanoseconds.
	Least, Most int64
}

// choice returns a parameter with one of several words, by default the first.
func choice(name, says string, words ...string) Parameter {
	return Parameter{Name: name, Says: says, Type: OfChoice, Choices: words, Default: words[0]}
}

// share returns a parameter with a share, by default 0.
func share(name, says string) Parameter {
	return Parameter{Name: name, Says: says, Type: OfShare, Default: "0"}
}

func truth(name, says, value string) Parameter {
	return Parameter{Name: name, Says: says, Type: OfTruth, Default: value}
}

func count(name, says string, least, most int64, value string) Parameter {
	return Parameter{Name: name, Says: says, Type: OfCount, Least: least, Most: most, Default: value}
}

func duration(name, says string, least, most time.Duration, value string) Parameter {
	return Parameter{Name: name, Says: says, Type: OfDuration, Least: int64(least), Most: int64(most), Default: value}
}

// required and optional return a parameter with a name, without a default.
func required(name, says string, kind ParameterType) Parameter {
	return Parameter{Name: name, Says: says, Type: kind, Required: true}
}

func optional(name, says string, kind ParameterType) Parameter {
	return Parameter{Name: name, Says: says, Type: kind}
}

// Arguments are the valid values of all of a kind's parameters as texts, by name. Callers must not
// change them.
type Arguments map[string]string

// Text returns the value of a parameter.
func (a Arguments) Text(name string) string { return a[name] }

// Count returns the value of a count.
func (a Arguments) Count(name string) int {
	n, _ := strconv.Atoi(a[name])
	return n
}

// Share returns the value of a share, from 0 to 1.
func (a Arguments) Share(name string) float64 {
	share, _ := parseShare(a[name])
	return share
}

// Duration returns the value of a duration.
func (a Arguments) Duration(name string) time.Duration {
	d, _ := time.ParseDuration(a[name])
	return d
}

// Truth returns the value of a truth.
func (a Arguments) Truth(name string) bool { return a[name] == "true" }

// Expected describes a value of the parameter for messages, without the scenario's names.
func (p *Parameter) Expected() string {
	switch p.Type {
	case OfChoice:
		return strings.Join(p.Choices, ", ")
	case OfCount:
		return fmt.Sprintf("a whole number from %d to %d", p.Least, p.Most)
	case OfShare:
		return "a part of all, such as 5%"
	case OfDuration:
		return fmt.Sprintf("a time from %v to %v, such as 30s", time.Duration(p.Least), time.Duration(p.Most))
	case OfName:
		return "a letter, then letters or digits, 3 to 12 in all"
	case OfTruth:
		return "true or false"
	case OfResolver:
		return "rules PARTITION/ROW/PROPERTY such as */*/Card, vip-*/*/Phone"
	case OfAttribute:
		return "the name of an attribute"
	case OfProperty:
		return "the name of a property"
	default:
		return "the name of a place"
	}
}

var nameForm = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9]{2,11}$`)

// Takes reports whether a text is a value of the parameter, as far as it does not depend on the
// scenario.
func (p *Parameter) Takes(text string) bool {
	switch p.Type {
	case OfChoice:
		return slices.Contains(p.Choices, text)
	case OfCount:
		n, err := strconv.ParseInt(text, 10, 64)
		return err == nil && n >= p.Least && n <= p.Most && strconv.FormatInt(n, 10) == text
	case OfShare:
		_, valid := parseShare(text)
		return valid
	case OfDuration:
		d, err := time.ParseDuration(text)
		return err == nil && int64(d) >= p.Least && int64(d) <= p.Most
	case OfName:
		return nameForm.MatchString(text)
	case OfTruth:
		return text == "true" || text == "false"
	case OfResolver:
		_, err := parseResolver(text)
		return err == nil
	default:
		return text != ""
	}
}

// parseShare parses a share: a number from 0 to 1, or from 0 to 100 with %.
func parseShare(text string) (float64, bool) {
	number, percent := strings.CutSuffix(text, "%")
	share, err := strconv.ParseFloat(number, 64)
	if percent {
		share /= 100
	}
	return share, err == nil && share >= 0 && share <= 1 && !strings.ContainsAny(number, "xXpPnN_")
}

// Parameter returns the kind's parameter with a name, nil for none.
func (k *Kind) Parameter(name string) *Parameter {
	return k.find(func(p Parameter) bool { return p.Name == name })
}

// Renamed returns the kind's parameter with a former name, nil for none.
func (k *Kind) Renamed(was string) *Parameter {
	return k.find(func(p Parameter) bool { return p.Was == was && was != "" })
}

func (k *Kind) find(matches func(Parameter) bool) *Parameter {
	if at := slices.IndexFunc(k.Parameters, matches); at >= 0 {
		return &k.Parameters[at]
	}
	return nil
}

// Where returns the arguments that identify what a check reads: places, stores, properties and
// attributes, by the names of the parameters.
func (k *Kind) Where(a Arguments) map[string]string {
	at := make(map[string]string)
	for _, p := range k.Parameters {
		switch p.Type {
		case OfPlace, OfName, OfProperty, OfAttribute, OfResolver:
			at[p.Name] = a[p.Name]
		}
	}
	return at
}

// WithDefaults adds the defaults of missing parameters.
func (k *Kind) WithDefaults(given map[string]string) Arguments {
	a := make(Arguments, len(k.Parameters))
	for _, p := range k.Parameters {
		a[p.Name] = p.Default
		if text, some := given[p.Name]; some {
			a[p.Name] = text
		}
	}
	return a
}
