package keys

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Attribute is a named fact about each entity, from which keys and properties
// are formed. Its value for an entity is a pure function of the seed, the
// attribute's name and the entity's number.
type Attribute struct {
	// Name is what templates call it.
	Name string
	// Values is how the values are distributed over entities.
	Values Distribution
}

// Distribution says which values an attribute takes, and how often. It is one
// of [List], [Uniform] and [Sequence].
type Distribution interface {
	// faults returns what is wrong, each under the given path.
	faults(path string) []error
	// compile returns the distribution in the form that draws quickly. It may
	// be called only where there are no faults.
	compile() source
	// probes returns the values that stand for all in a check ahead of time:
	// every value where there are few, the widest and the outermost otherwise.
	probes() []string
}

var (
	_ Distribution = List{}
	_ Distribution = Uniform{}
	_ Distribution = Sequence{}
)

// Limits of distributions.
const (
	maxAttributes = 100
	maxValues     = 100_000
	maxWeight     = 1_000_000_000
	// maxInteger bounds the integers of a distribution, either side of zero:
	// sums and differences of two stay exact in 64 bits.
	maxInteger = 1_000_000_000_000_000
	// furthest is the greatest entity number that checks ahead of time think
	// of. What numbers above it do to widths and types is not foreseen.
	furthest = 1_000_000_000
	// fewValues is up to how many integers a check tries each one.
	fewValues = 64
)

// List takes each value as often as its weight says: with the weights 40, 35
// and 25 the first comes up for 40 % of the entities.
type List struct {
	// Values are texts. One that occurs twice has both shares.
	Values []string
	// Weights are positive, one for each value; nil weighs all alike.
	Weights []int64
}

func (l List) faults(path string) []error {
	var faults []error
	if len(l.Values) == 0 || len(l.Values) > maxValues {
		faults = append(faults, faultf(path+".list", "list has %d values; expected 1 to %d", len(l.Values), maxValues))
	}
	for i, value := range l.Values {
		if !utf8.ValidString(value) {
			faults = append(faults, faultf(fmt.Sprintf("%s.list.%d", path, i), "list[%d] is not UTF-8; expected UTF-8 text", i))
		}
	}
	if l.Weights != nil && len(l.Weights) != len(l.Values) {
		faults = append(faults, faultf(path+".weights", "weights has %d numbers; expected %d, one for each value of the list", len(l.Weights), len(l.Values)))
	}
	for i, weight := range l.Weights {
		if weight < 1 || weight > maxWeight {
			faults = append(faults, faultf(fmt.Sprintf("%s.weights.%d", path, i), "weights[%d] is %d; expected 1 to %d", i, weight, maxWeight))
		}
	}
	return faults
}

func (l List) probes() []string { return l.Values }

func (l List) compile() source {
	s := source{texts: l.Values}
	total := int64(0)
	for _, weight := range l.Weights {
		total += weight
		s.upTo = append(s.upTo, total)
	}
	return s
}

// Uniform takes the integers from Low to High, both included, each as often as
// any other.
type Uniform struct {
	Low, High int64
}

func (u Uniform) faults(path string) []error {
	var faults []error
	for i, end := range []int64{u.Low, u.High} {
		if end < -maxInteger || end > maxInteger {
			faults = append(faults, faultf(fmt.Sprintf("%s.uniform.%d", path, i), "uniform[%d] is %d; expected -%d to %d", i, end, int64(maxInteger), int64(maxInteger)))
		}
	}
	if u.Low > u.High {
		faults = append(faults, faultf(path+".uniform", "uniform is [%d, %d]; expected the lower bound first", u.Low, u.High))
	}
	return faults
}

func (u Uniform) probes() []string {
	var texts []string
	add := func(value int64) { texts = append(texts, strconv.FormatInt(value, 10)) }
	if u.High-u.Low < fewValues {
		for value := u.Low; value <= u.High; value++ {
			add(value)
		}
		return texts
	}
	add(u.Low)
	add(u.High)
	if u.Low < 0 && u.High > 0 {
		add(0)
	}
	return texts
}

func (u Uniform) compile() source { return source{low: u.Low, span: int(u.High - u.Low + 1)} }

// Sequence numbers the entities: Start for entity 0, one more for each after.
type Sequence struct {
	Start int64
}

func (s Sequence) faults(path string) []error {
	if s.Start < -maxInteger || s.Start > maxInteger {
		return []error{faultf(path+".sequence", "sequence is %d; expected -%d to %d", s.Start, int64(maxInteger), int64(maxInteger))}
	}
	return nil
}

func (s Sequence) probes() []string {
	return []string{strconv.FormatInt(s.Start, 10), strconv.FormatInt(s.Start+furthest, 10)}
}

func (s Sequence) compile() source { return source{low: s.Start} }
