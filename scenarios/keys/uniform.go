package keys

import (
	"fmt"
	"strconv"

	"loadgen/engine/clock"
)

// Uniform takes the integers from Low to High, both included, each as often as
// any other.
type Uniform struct {
	Low, High int64
}

var (
	_ Distribution = Uniform{}
	_ Distribution = Sequence{}
)

// Faults implements [Distribution].
func (u Uniform) Faults(path string) []error {
	var faults []error
	for i, end := range []int64{u.Low, u.High} {
		at, name := fmt.Sprintf("%s.uniform.%d", path, i), fmt.Sprintf("uniform[%d]", i)
		faults = append(faults, between(at, name, end, -MaxInteger, MaxInteger)...)
	}
	if u.Low > u.High {
		faults = append(faults, valueFaultf(path+".uniform", "uniform is [%d, %d]; expected low at most high", u.Low, u.High))
	}
	return faults
}

// Probes implements [Distribution].
func (u Uniform) Probes() []string { return outermost(u.Low, u.High) }

// outermost returns the texts of all integers of a range where they are few, else
// of its ends, and of 0 where that lies between them.
func outermost(low, high int64) []string {
	var texts []string
	add := func(value int64) { texts = append(texts, strconv.FormatInt(value, 10)) }
	if high-low < fewValues {
		for value := low; value <= high; value++ {
			add(value)
		}
		return texts
	}
	add(low)
	add(high)
	if low < 0 && high > 0 {
		add(0)
	}
	return texts
}

// Compile implements [Distribution].
func (u Uniform) Compile(clock.Stream) ValueSource {
	return ValueSource{low: u.Low, picker: evenly(u.High - u.Low + 1)}
}

// Sequence numbers the entities: Start for entity 0, one more for each after.
type Sequence struct {
	Start int64 `yaml:"sequence" says:"The first entity's number."`
}

// Faults implements [Distribution].
func (s Sequence) Faults(path string) []error {
	return between(path+".sequence", "sequence", s.Start, -MaxInteger, MaxInteger)
}

// Probes implements [Distribution].
func (s Sequence) Probes() []string {
	return []string{strconv.FormatInt(s.Start, 10), strconv.FormatInt(s.Start+furthest, 10)}
}

// Compile implements [Distribution].
func (s Sequence) Compile(clock.Stream) ValueSource {
	return ValueSource{low: s.Start, picker: inOrder{}}
}
