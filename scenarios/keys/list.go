package keys

import (
	"fmt"
	"sort"
	"unicode/utf8"

	"loadgen/engine/clock"
)

// ValueList takes each value as often as its weight says: with the weights 40, 35
// and 25 the first comes up for 40% of the entities.
type ValueList struct {
	// Values are texts. One that occurs twice has both shares.
	Values []string `yaml:"list" says:"The texts drawn." list:"0..2147483647 texts"`
	// Weights are positive, one for each value; nil weighs all alike.
	Weights []int64 `yaml:"weights" says:"Relative weight of each text; equal by default." list:"0..2147483647 whole numbers"`
}

var _ Distribution = ValueList{}

// Faults implements [Distribution].
func (l ValueList) Faults(path string) []error {
	faults := textFaults(path+".list", l.Values)
	if l.Weights != nil && len(l.Weights) != len(l.Values) {
		faults = append(faults, valueFaultf(path+".weights", "weights has %d numbers; expected %d, one per value",
			len(l.Weights), len(l.Values)))
	}
	for i, weight := range l.Weights {
		if weight < 1 || weight > maxWeight {
			faults = append(faults, valueFaultf(fmt.Sprintf("%s.weights.%d", path, i),
				"weights[%d] is %d; expected 1 to %d", i, weight, maxWeight))
		}
	}
	return faults
}

func textFaults(path string, values []string) []error {
	var faults []error
	if len(values) == 0 || len(values) > maxValues {
		faults = append(faults, valueFaultf(path, "list has %d values; expected 1 to %d", len(values), maxValues))
	}
	for i, value := range values {
		if !utf8.ValidString(value) {
			faults = append(faults, valueFaultf(fmt.Sprintf("%s.%d", path, i), "list[%d] is not UTF-8; expected UTF-8 text", i))
		}
	}
	return faults
}

// Probes implements [Distribution].
func (l ValueList) Probes() []string { return l.Values }

func (l ValueList) place(i int) (path, what string) {
	return fmt.Sprintf(".list.%d", i), fmt.Sprintf("list[%d]", i)
}

// Compile implements [Distribution].
func (l ValueList) Compile(clock.Stream) ValueSource {
	if l.Weights == nil {
		return ValueSource{picker: evenly(len(l.Values)), texts: l.Values}
	}
	return ValueSource{picker: newWeighted(l.Weights), texts: l.Values}
}

// weighted picks positions as often as their weights say.
type weighted struct {
	// upTo are the running sums of the weights.
	upTo []int64
	// guide cuts the sum into as many equal stretches as there are weights and says
	// at which position each begins, so that a search looks at one or two (the
	// indexed search of Chen and Asau, 1974).
	guide []int32
	// stretch is how long each of those is.
	stretch int64
}

// unguided is up to how many weights a search is as quick without a guide.
const unguided = 16

func newWeighted(weights []int64) *weighted {
	w := &weighted{upTo: make([]int64, len(weights))}
	total := int64(0)
	for i, weight := range weights {
		total += weight
		w.upTo[i] = total
	}
	if len(weights) <= unguided {
		return w
	}
	// All stretches together cover the sum, and perhaps a little more.
	w.stretch = total/int64(len(weights)) + 1
	w.guide = make([]int32, len(weights)+1)
	at := 0
	for j := range w.guide {
		for at < len(weights)-1 && w.upTo[at] <= int64(j)*w.stretch {
			at++
		}
		w.guide[j] = int32(at)
	}
	return w
}

func (w *weighted) pick(_ uint64, draw clock.Draw) int64 {
	ticket := int64(draw.IntN(int(w.upTo[len(w.upTo)-1])))
	low, high := 0, len(w.upTo)-1
	if w.guide != nil {
		j := ticket / w.stretch
		low, high = int(w.guide[j]), int(w.guide[j+1])
	}
	// The position lies from low to high, both included.
	return int64(low + sort.Search(high-low, func(i int) bool { return ticket < w.upTo[low+i] }))
}
