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
	slices.SortFunc(list, Counter.compare)
	return list
}

func (c Counter) compare(other Counter) int {
	return cmp.Or(cmp.Compare(c.Operation, other.Operation), cmp.Compare(c.Name, other.Name))
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

// Audit is the result of reading the writes of a run back.
type Audit struct {
	// Writes is the number of operations that wrote with an id = Acknowledged + Unknown +
	// Absent. An unknown write may have been carried out or not: no reply says so. An
	// absent one was throttled until it was given up, or lost a conflict with another
	// writer.
	Writes       int64 `json:"writes"`
	Acknowledged int64 `json:"acknowledged"`
	Unknown      int64 `json:"unknown"`
	Absent       int64 `json:"absent"`
	// Own409, Own412 and Own404 are retries that were refused because an earlier
	// attempt had succeeded: of an insert, a conditional write, a deletion.
	Own409 int64 `json:"own_409"`
	Own412 int64 `json:"own_412"`
	Own404 int64 `json:"own_404"`
	// ForeignConflicts are replies with 409, 412 or 404 caused by another writer.
	ForeignConflicts int64 `json:"foreign_conflicts"`
	// Keys is the number of watched entities; ReadBack of them were read after the
	// run. Unwatched is the number of entity writes beyond the maximum that is watched.
	Keys      int64 `json:"keys"`
	ReadBack  int64 `json:"read_back"`
	Unwatched int64 `json:"unwatched"`
	// Lost is the number of acknowledged writes that are missing although nothing can
	// have replaced them; Doubled is how many times too often counters were raised.
	Lost    int64 `json:"lost"`
	Doubled int64 `json:"doubled"`
	// Blind is how many of Lost the run itself may have overwritten, because it wrote the entity
	// without a condition (If-Match: *).
	Blind int64 `json:"blind,omitempty"`
	// Overwritten is the number of entities whose last writer is unknown to the run.
	Overwritten int64 `json:"overwritten"`
	// Examples name some of the entities at fault, in the order in which they were
	// read.
	Examples []AuditExample `json:"examples"`
}

// AuditExample is an entity that is not what was acknowledged.
type AuditExample struct {
	PartitionKey string `json:"partition_key"`
	RowKey       string `json:"row_key"`
	Fault        string `json:"fault"`
}

// MostAuditExamples is how many entities an [Audit] names at most.
const MostAuditExamples = 10

// Sound reports whether nothing that was read back is lost or doubled.
func (a *Audit) Sound() bool { return a == nil || a.Lost == 0 && a.Doubled == 0 }

// Kept reports whether the table kept every write that it acknowledged, except those that
// the run may have overwritten itself.
func (a *Audit) Kept() bool { return a == nil || a.Lost == a.Blind && a.Doubled == 0 }
