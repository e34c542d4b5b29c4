package results

import (
	"cmp"
	"math/bits"
	"slices"
)

// CounterName is what a workflow counts: a name of its own, by the operation of the
// scenario.
type CounterName struct {
	Operation string `json:"operation"`
	Name      string `json:"name"`
}

// Counter is how often operations of the whole run came upon something.
type Counter struct {
	CounterName
	Count int64 `json:"count"`
}

// NewCounters returns counts in the order of their names.
func NewCounters(counts map[CounterName]int64) []Counter {
	list := make([]Counter, 0, len(counts))
	for name, count := range counts {
		list = append(list, Counter{name, count})
	}
	slices.SortFunc(list, func(a, b Counter) int {
		return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// Invariant is something that must hold of what a run leaves behind, and whether it
// does.
type Invariant struct {
	// Name says what must hold.
	Name string `json:"name"`
	// Looked is at how many things was looked, Faults in how many it does not hold, of
	// which Examples name some.
	Looked   int64    `json:"looked"`
	Faults   int64    `json:"violations"`
	Examples []string `json:"examples,omitempty"`
}

// Counters takes down what the workflows of the run have counted, before
// [Recorder.Finish].
func (r *Recorder) Counters(list []Counter) { r.Take(func(of *Record) { of.Counters = list }) }

// SharesOf returns the partitions of a phase of so many seconds by how much they were
// offered, least first, with what each was served; nil for a phase of no length. Those that were due nothing have no
// share of it. The partitions come in an order that repeats: the sums of their shares are
// then the same to the last bit.
func SharesOf(seconds float64, offered []PartitionStats, served func(*PartitionStats) int64) []SharesClass {
	if seconds <= 0 {
		return nil
	}
	// The classes by the bits of the whole entities per second: 0 for less than one.
	var classes [65]SharesClass
	for i := range offered {
		one := &offered[i]
		if one.Entities <= 0 {
			continue
		}
		served := served(one)
		length := bits.Len64(uint64(min(float64(one.Entities)/seconds, 1<<62)))
		c := &classes[length]
		if length > 0 {
			c.From = 1 << (length - 1)
		}
		share := min(1, float64(served)/float64(one.Entities))
		c.Partitions++
		c.Offered += one.Entities
		c.Served += served
		c.Shares += share
		c.Squares += share * share
	}
	return slices.DeleteFunc(classes[:], func(c SharesClass) bool { return c.Partitions == 0 })
}
