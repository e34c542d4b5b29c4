package arrival

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/nearest"
)

// Trace is a schedule that was recorded: the instants of operations, and, where
// it has them, which operation each was and on which entity. It is read by
// [ReadTrace].
type Trace struct {
	// at are the instants since the first, in order.
	at     []time.Duration
	length time.Duration
	// SpreadOver is the second, minute, hour or day over which rows with the same timestamp were
	// spread evenly, because the file has whole ones; 0 where none were.
	SpreadOver time.Duration
	// Notes are sentences about what was assumed or left out of a file.
	Notes []string
	// operations are the numbers of the names that the rows have; it is nil where
	// the rows are instants alone.
	operations []uint16
	// text holds the keys, PartitionKey and RowKey of one row after the other's;
	// begins says where each row's do, and partitions how long the first of the two
	// is.
	text       string
	begins     []int64
	partitions []uint16
	// rows are the numbers of the rows as they were read, nil where each is its own.
	rows []uint32
}

var _ Schedule = (*Trace)(nil)

// Row has the columns of a row of a trace other than its instant.
type Row struct {
	// Operation is the number that the row's name was given.
	Operation int
	Key       entity.Key
}

// NewTrace returns a trace of operations by their numbers at instants since the first, in
// order, without keys: the caller knows what the rows are about. The slices
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
	if t.rows != nil {
		n = uint64(t.rows[n])
	}
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

// Truncate returns the trace that lasts so long: rows that come later are left out,
// and where the last one comes sooner there is nothing after it. Both share their
// memory. Its error wraps [ErrSchedule].
func (t *Trace) Truncate(length time.Duration) (*Trace, error) {
	var l limits
	if l.lasting("the length of the trace", length); l.err != nil {
		return nil, l.err
	}
	rows, _ := slices.BinarySearch(t.at, length)
	short := *t
	short.at, short.length = t.at[:rows], length
	return &short, nil
}

// SkipRows returns a trace of instants alone without its first rows: it begins
// with the next, which there is.
func (t *Trace) SkipRows(row uint64) *Trace {
	later := *t
	first := t.at[row]
	later.at, later.length = make([]time.Duration, len(t.at)-int(row)), t.length-first
	for i, at := range t.at[row:] {
		later.at[i] = at - first
	}
	return &later
}

// Faster returns the trace at a multiple of its speed, 0 for its own: instants come that many times
// earlier.
func (t *Trace) Faster(speed float64) *Trace {
	if speed == 0 {
		return t
	}
	faster := *t
	faster.at, faster.length = make([]time.Duration, len(t.at)), 1
	for i, at := range t.at {
		faster.at[i] = time.Duration(float64(at) / speed)
		faster.length = faster.at[i] + 1
	}
	return &faster
}

// Busiest returns the greatest number of rows in a whole second since the first.
func (t *Trace) Busiest() (most int) {
	for from, to := 0, 0; from < len(t.at); from = to {
		to = t.secondEnd(from)
		most = max(most, to-from)
	}
	return most
}

// secondEnd returns the first row after the whole second of a row.
func (t *Trace) secondEnd(row int) int {
	rows, _ := slices.BinarySearch(t.at[row:], t.at[row].Truncate(time.Second)+time.Second)
	return row + rows
}

// WithPeak returns the trace with operations added or left out so that its busiest second has a rate, per
// second. All seconds are scaled by one factor, each rounded so that the counts add up: of its
// rows each occurs equally often, except for some drawn at random, which occur one more time. The
// further operations of a row are due at random instants before that of the next, within its
// second. Its error wraps [ErrSchedule] where no operation is left, or more than [MaxTraceRows].
func (t *Trace) WithPeak(rate float64, chance clock.Stream) (*Trace, error) {
	// The factor is a fraction, so that the busiest second has the rate exactly.
	busiest := t.Busiest()
	times, of := int64(math.Round(rate*1000)), int64(busiest)*1000
	due := func(rows int) int { return int((int64(rows)*times + of/2) / of) }
	if all := float64(len(t.at)) * rate / float64(busiest); all > MaxTraceRows || due(len(t.at)) < 1 {
		return nil, nearest.Faultf(ErrSchedule, "a peak of %s makes %.0f operations of the trace's %d; expected 1 to %d", strconv.FormatFloat(rate, 'f', -1, 64), all, len(t.at), MaxTraceRows)
	}
	scaled := *t
	scaled.at, scaled.rows = nil, []uint32{}
	for from, to := 0, 0; from < len(t.at); from = to {
		to = t.secondEnd(from)
		count := due(to) - due(from)
		each, more := count/(to-from), count%(to-from)
		for row := from; row < to; row++ {
			draw := chance.Draw(uint64(row))
			copies, first := each, len(scaled.at)
			if draw.IntN(to-row) < more {
				copies, more = copies+1, more-1
			}
			end := t.at[from].Truncate(time.Second) + time.Second
			if row+1 < to {
				end = t.at[row+1]
			}
			for i := range copies {
				at := t.at[row]
				if i > 0 {
					at += time.Duration(draw.Float64() * float64(end-at))
				}
				scaled.at, scaled.rows = append(scaled.at, at), append(scaled.rows, uint32(row))
				scaled.length = max(scaled.length, at+1)
			}
			slices.Sort(scaled.at[first:])
		}
	}
	return &scaled, nil
}

// DueTime implements [Schedule].
func (t *Trace) DueTime(n uint64) time.Duration { return t.at[n] }

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
