package keys

import (
	"fmt"

	"loadgen/engine/clock"
	"loadgen/engine/nearest"
)

// Ranked are the values of [Zipf] and [HotSet]: a number of integers, or a list of
// texts. The first is the most frequent.
type Ranked struct {
	_ struct{} `one:"of,list"`
	// Of means the integers 0 … Of-1, at most a billion; 0 with a ValueList.
	Of int64 `yaml:"of,omitempty" says:"Number of values, integers from 0, most frequent first." range:"1..1000000000"`
	// ValueList is texts, none of them twice.
	List []string `yaml:"list" says:"Distinct texts instead of integers, most frequent first." list:"0..2147483647 texts"`
	// Scramble exchanges the values among each other, so that the common ones do
	// not stand side by side: which one comes up how often depends on the seed and
	// the attribute's name, and how uneven they are stays exactly as it was.
	Scramble bool `yaml:"scramble,omitempty" says:"Whether common values are scattered rather than adjacent; frequencies stay the same."`
}

func (r Ranked) size() int64 {
	if r.List != nil {
		return int64(len(r.List))
	}
	return r.Of
}

// Faults implements [Distribution].
func (r Ranked) Faults(path string) []error {
	if r.List == nil {
		return nil
	}
	faults := textFaults(path+".list", r.List)
	first := make(map[string]int, len(r.List))
	for i, value := range r.List {
		if j, twice := first[value]; twice {
			faults = append(faults, valueFaultf(fmt.Sprintf("%s.list.%d", path, i),
				"list[%d] is %s, like list[%d]; expected different texts", i, nearest.Quote(value), j))
			continue
		}
		first[value] = i
	}
	return faults
}

// Probes implements [Distribution].
func (r Ranked) Probes() []string {
	if r.List != nil {
		return r.List
	}
	return outermost(0, r.Of-1)
}

// place returns where a probe stands, below the path of the kind.
func (r Ranked) place(kind string, i int) (path, what string) {
	if r.List == nil {
		return kind, "a value"
	}
	return fmt.Sprintf("%s.list.%d", kind, i), fmt.Sprintf("list[%d]", i)
}

// source returns a source that takes the values by rank.
func (r Ranked) source(ranks picker, once clock.Stream) ValueSource {
	if r.Scramble {
		ranks = scrambled{ranks, newPermutation(r.size(), once)}
	}
	return ValueSource{picker: ranks, texts: r.List}
}

// scrambled exchanges the values that another picker picks.
type scrambled struct {
	ranks  picker
	spread *permutation
}

func (s scrambled) pick(n uint64, draw clock.Draw) int64 {
	return s.spread.walk(uint64(s.ranks.pick(n, draw)), 0)
}
