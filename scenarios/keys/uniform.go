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

func (u Uniform) faults(path string) []error {
	var faults []error
	for i, end := range []int64{u.Low, u.High} {
		if end < -MaxInteger || end > MaxInteger {
			faults = append(faults, faultf(fmt.Sprintf("%s.uniform.%d", path, i),
				"uniform[%d] is %d; expected -%d to %d", i, end, int64(MaxInteger), int64(MaxInteger)))
		}
	}
	if u.Low > u.High {
		faults = append(faults, faultf(path+".uniform", "uniform is [%d, %d]; expected the lower bound first", u.Low, u.High))
	}
	return faults
}

func (u Uniform) probes() []string { return outermost(u.Low, u.High) }

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

func (u Uniform) compile(clock.Stream) source {
	return source{low: u.Low, picker: evenly(u.High - u.Low + 1)}
}

// Sequence numbers the entities: Start for entity 0, one more for each after.
type Sequence struct {
	Start int64
}

func (s Sequence) faults(path string) []error {
	if s.Start < -MaxInteger || s.Start > MaxInteger {
		return []error{faultf(path+".sequence", "sequence is %d; expected -%d to %d",
			s.Start, int64(MaxInteger), int64(MaxInteger))}
	}
	return nil
}

func (s Sequence) probes() []string {
	return []string{strconv.FormatInt(s.Start, 10), strconv.FormatInt(s.Start+furthest, 10)}
}

func (s Sequence) compile(clock.Stream) source { return source{low: s.Start, picker: inOrder{}} }
