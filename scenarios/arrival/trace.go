package arrival

import (
	"slices"
	"strings"
	"time"

	"loadgen/engine/entity"
)

// Trace is a schedule that was recorded: the instants of operations, and, where
// it has them, which operation each was and on which entity. It is read by
// [ReadTrace].
type Trace struct {
	// at are the instants since the first, in order.
	at     []time.Duration
	length time.Duration
	// SpreadOver is the second or the minute over which rows with the same timestamp were
	// spread evenly, because the file has whole ones; 0 where none were.
	SpreadOver time.Duration
	// operations are the numbers of the names that the rows have; it is nil where
	// the rows are instants alone.
	operations []uint16
	// text holds the keys, PartitionKey and RowKey of one row after the other's;
	// begins says where each row's do, and partitions how long the first of the two
	// is.
	text       string
	begins     []int64
	partitions []uint16
}

var _ Schedule = (*Trace)(nil)

// Row is what a row of a trace says beside its instant.
type Row struct {
	// Operation is the number that the row's name was given.
	Operation int
	Key       entity.Key
}

// NewTrace returns a trace of operations by their numbers at instants since the first, in
// order, without keys: what the rows are about is known to whoever made it. The slices
// become the trace's.
func NewTrace(at []time.Duration, operations []uint16) *Trace {
	t := &Trace{at: at, operations: operations}
	if len(at) > 0 {
		t.length = at[len(at)-1] + 1
	}
	return t
}

// Keyed reports whether the rows name operations and keys.
func (t *Trace) Keyed() bool { return t.operations != nil }

// Row returns what row n says; the trace must be keyed.
func (t *Trace) Row(n uint64) Row {
	if t.begins == nil {
		return Row{Operation: int(t.operations[n])}
	}
	end := int64(len(t.text))
	if n+1 < uint64(len(t.begins)) {
		end = t.begins[n+1]
	}
	keys := t.text[t.begins[n]:end]
	return Row{int(t.operations[n]), entity.Key{Partition: keys[:t.partitions[n]], Row: keys[t.partitions[n]:]}}
}

// Until returns the trace that lasts so long: rows that come later are left out,
// and where the last one comes sooner there is nothing after it. Both share their
// memory. Its error wraps [ErrSchedule].
func (t *Trace) Until(length time.Duration) (*Trace, error) {
	var l limits
	if l.lasting("the length of the trace", length); l.err != nil {
		return nil, l.err
	}
	rows, _ := slices.BinarySearch(t.at, length)
	short := *t
	short.at, short.length = t.at[:rows], length
	return &short, nil
}

// From returns a trace of instants alone without so many of its first rows: it begins
// with the next, which there is.
func (t *Trace) From(row uint64) *Trace {
	later := *t
	first := t.at[row]
	later.at, later.length = make([]time.Duration, len(t.at)-int(row)), t.length-first
	for i, at := range t.at[row:] {
		later.at[i] = at - first
	}
	return &later
}

// At implements [Schedule].
func (t *Trace) At(n uint64) time.Duration { return t.at[n] }

// Len implements [Schedule].
func (t *Trace) Len() uint64 { return uint64(len(t.at)) }

// Rate implements [Schedule]: how many rows are due in the whole second that a
// time lies in.
func (t *Trace) Rate(at time.Duration) float64 {
	if at < 0 || at >= t.length {
		return 0
	}
	second := at.Truncate(time.Second)
	from, _ := slices.BinarySearch(t.at, second)
	to, _ := slices.BinarySearch(t.at, second+time.Second)
	return float64(to - from)
}

// Length implements [Schedule]. A trace as it was read lasts until just after its
// last row.
func (t *Trace) Length() time.Duration { return t.length }

func (t *Trace) add(at time.Duration, text *strings.Builder, operation int, key entity.Key) {
	t.at = append(t.at, at)
	if operation < 0 {
		return
	}
	t.operations = append(t.operations, uint16(operation))
	t.begins = append(t.begins, int64(text.Len()))
	t.partitions = append(t.partitions, uint16(len(key.Partition)))
	text.WriteString(key.Partition)
	text.WriteString(key.Row)
}
