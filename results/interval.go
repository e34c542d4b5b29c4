package results

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"
)

// Interval is one whole second of a run: a line of intervals.ndjson. In a long record that was read it is the sum of
// several, see [Read]; quantiles are then upper bounds. Operations count in the second in which they became due, first
// attempts in the one in which they were sent, everything else in the one in which it ended.
type Interval struct {
	Second int64 `json:"second"`
	// Phase is the one in which the second begins, empty between phases.
	Phase string `json:"phase"`
	// Counts are the sums over Kinds. Served are the entities counted for ok attempts.
	Counts
	// Response is of the operations that succeeded, Service of ok attempts.
	Response Quantiles `json:"response_us"`
	Service  Quantiles `json:"service_us"`
	// ResponseBuckets counts the same operations on a logarithmic scale: two
	// buckets to each doubling, see [BucketOf].
	ResponseBuckets [Buckets]int64 `json:"response_buckets"`
	Kinds           []IntervalKind `json:"per_operation"`
	// Injected has the attempts that met an injected fault, see [Injected].
	Injected []Injected `json:"injected,omitempty"`
	// InFlight is how many attempts were under way at the last nanosecond of the second:
	// sent by then, and not ended.
	InFlight int64 `json:"in_flight"`
	// Lag has the delays of the operations sent in the second after they were due.
	Lag Quantiles `json:"lag_us"`
	// Generator is the state of the sending process, nil if it was not observed.
	Generator *Health `json:"generator,omitempty"`

	// Sum describes the seconds of a sum, nil for a single second.
	Sum *SecondsSum `json:"-"`
}

// SecondsSum describes the seconds of a row: Length seconds from its first one on. The others are the numbers of
// seconds in which the generator was not on time, was held back, or waited for its line.
type SecondsSum struct{ Length, NotOnTime, HeldBack, LineBound int64 }

// Seconds returns the number of seconds of the row.
func (i *Interval) Seconds() int64 {
	if i.Sum == nil {
		return 1
	}
	return i.Sum.Length
}

// End returns the second that follows the row.
func (i *Interval) End() int64 { return i.Second + i.Seconds() }

// Span returns the instants at which the row begins and ends.
func (i *Interval) Span() (begin, end time.Duration) {
	return time.Duration(i.Second) * time.Second, time.Duration(i.End()) * time.Second
}

// PerSecond returns a count of the row as a rate.
func (i *Interval) PerSecond(count int64) float64 { return float64(count) / float64(i.Seconds()) }

// MaxLateShare is the maximum share of operations sent late in a second with a generator on time, MaxBehindShare that of due
// operations that are sent in a later one or never, in addition to the last two before its end.
const (
	MaxLateShare   = 0.01
	MaxBehindShare = 0.05
)

// OnTime reports whether the generator was on time in the second. Otherwise the target answered another load.
func (i *Interval) OnTime() bool {
	behind := i.Scheduled - i.Sent
	return float64(i.Late) <= MaxLateShare*float64(i.Sent) && (behind <= 2 || float64(behind) <= MaxBehindShare*float64(i.Scheduled))
}

// LineBound reports whether most attempts of the second waited for the client's line.
func (i *Interval) LineBound() bool { return i.LineHeld > 0 && 2*i.LineHeld >= i.Attempts }

// IsHeldBack reports whether more than 1 % of the operations sent were so late that the target had another load.
func (i *Interval) IsHeldBack() bool {
	lag := cmp.Or(i.Lag.P99, i.Lag.Max)
	return lag != nil && *lag > HeldBackAfter.Microseconds()
}

// SecondsSum returns the description of the row's seconds.
func (i *Interval) SecondsSum() SecondsSum {
	if i.Sum != nil {
		return *i.Sum
	}
	one := SecondsSum{Length: 1}
	if !i.OnTime() {
		one.NotOnTime = 1
	}
	if i.IsHeldBack() {
		one.HeldBack = 1
	}
	if i.LineBound() {
		one.LineBound = 1
	}
	return one
}

// intervalLayout is the layout of a line of intervals.ndjson.
var intervalLayout = LayoutOf[Interval]("second phase scheduled sent late dropped offered_entities attempts ok throttled failed operations " +
	"succeeded served_entities counted_entities returned_entities response_us service_us response_buckets " +
	"per_operation causes injected in_flight lag_us attempts_held_by_line attempts_held_by_limit generator")

// maxSecond is the last second of the longest [time.Duration].
const maxSecond = int64(math.MaxInt64 / time.Second)

// UnmarshalJSON implements [json.Unmarshaler]. It leaves no spare capacity in Kinds: a record has thousands of
// seconds.
func (i *Interval) UnmarshalJSON(text []byte) error {
	type plain Interval
	err := json.Unmarshal(text, (*plain)(i))
	if i.Second < 0 || i.Second > maxSecond {
		return fmt.Errorf("second %d; expected 0 to %d", i.Second, maxSecond)
	}
	i.Kinds = slices.Clip(slices.Clone(i.Kinds))
	return err
}

// MarshalJSON implements [json.Marshaler].
func (i Interval) MarshalJSON() ([]byte, error) { return intervalLayout.Encode(i) }

// IntervalKind is one kind of operation in one second.
type IntervalKind struct {
	Name string `json:"name"`
	Counts
}

// intervalKindLayout is the layout of a kind of operation in a line.
var intervalKindLayout = LayoutOf[IntervalKind]("name attempts ok throttled failed served_entities causes")

// MarshalJSON implements [json.Marshaler].
func (k IntervalKind) MarshalJSON() ([]byte, error) { return intervalKindLayout.Encode(k) }

// Injected is the number of attempts that met an injected fault and have the same values in all other fields.
type Injected struct {
	// Kind is the fault's, as a scenario spells it.
	Kind string `json:"kind"`
	// Status and Code are those that the sender got; a delayed or slow reply has its normal ones.
	Status int    `json:"status"`
	Code   string `json:"code"`
	// Table is the suffix that the name of the table adds to that of the test table, Key the PartitionKey, empty for
	// none.
	Table string `json:"table,omitempty"`
	Key   string `json:"key,omitempty"`
	// Attempts is how many there were.
	Attempts int64 `json:"attempts"`
}

// maxInjected is the maximum number of entries of a second. Later attempts count under the key [OtherCauses] by kind,
// status and code, which are few.
const maxInjected = 1000

// injections count the attempts that met a fault, each without its number. The zero value
// is none.
type injections map[Injected]int64

// add counts attempts.
func (in *injections) add(one Injected) {
	attempts := one.Attempts
	if one.Attempts = 0; len(one.Code) > maxCodeLength {
		one.Code = clipCode(one.Code)
	}
	if _, known := (*in)[one]; !known {
		if *in == nil {
			*in = make(injections)
		}
		if len(*in) >= maxInjected {
			one.Table, one.Key = "", OtherCauses
		}
		one.Code, one.Table, one.Key = strings.Clone(one.Code), strings.Clone(one.Table), strings.Clone(one.Key)
	}
	(*in)[one] += attempts
}

// sorted returns the entries in descending order of attempts; nil for none.
func (in injections) sorted() []Injected {
	var list []Injected
	for one, attempts := range in {
		one.Attempts = attempts
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b Injected) int {
		return cmp.Or(cmp.Compare(b.Attempts, a.Attempts), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Status, b.Status),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Table, b.Table), cmp.Compare(a.Key, b.Key))
	})
	return list
}

// InjectedIn returns the injected faults of some seconds by kind, status and code in descending order of attempts; nil
// for none.
func InjectedIn(seconds []Interval) []Injected {
	var sum injections
	for i := range seconds {
		for _, one := range seconds[i].Injected {
			one.Table, one.Key = "", ""
			sum.add(one)
		}
	}
	return sum.sorted()
}

// Quantiles are in microseconds; nil means too few durations.
type Quantiles struct {
	P50  *int64 `json:"p50"`
	P90  *int64 `json:"p90"`
	P99  *int64 `json:"p99"`
	P999 *int64 `json:"p99_9"`
	Max  *int64 `json:"max"`
	// OverHour is how many durations were over an hour. Quantiles among them, and Max, are
	// then the constant [OverHour].
	OverHour int64 `json:"over_one_hour,omitempty"`
}

// QuantilesOf returns the quantiles of a histogram.
func QuantilesOf(h *Histogram) Quantiles {
	h = h.unpacked()
	quantiles := Quantiles{P50: h.Percentile(.5), P90: h.Percentile(.9), P99: h.Percentile(.99), P999: h.Percentile(.999), OverHour: h.Overlong()}
	if h.Count() > 0 {
		longest := h.Max()
		quantiles.Max = &longest
	}
	return quantiles
}

// Buckets is the number of buckets of an interval's histogram.
const Buckets = 64

// BucketOf returns the bucket that a duration falls into: with m the whole
// microseconds, m itself for m ≤ 1, else twice the position of m's highest bit,
// plus one if the next bit is set. The last bucket holds everything from 53 min
// 41 s on.
func BucketOf(d time.Duration) int {
	m := uint64(max(0, d/time.Microsecond))
	if m <= 1 {
		return int(m)
	}
	high := bits.Len64(m) - 1
	half := int(m >> (high - 1) & 1)
	return min(2*high+half, Buckets-1)
}

// BucketFrom returns the minimum duration, in microseconds, of a bucket from 0 to [Buckets] − 1; 0 and 1 for the first
// two.
func BucketFrom(bucket int) int64 {
	if bucket < 2 {
		return int64(bucket)
	}
	from := int64(1) << (bucket / 2)
	if bucket%2 == 1 {
		from += from / 2
	}
	return from
}

// maxRows is the maximum number of rows of equal length of a record that is read: the seconds of 6 hours. A longer run
// has rows of a minute, one of more than 15 days rows of an hour.
const maxRows = 6 * 3600

// condenser takes the seconds of a record in order, and keeps at most [maxRows] rows and one more for each phase. A
// row lies in one phase, and begins and ends with it or at a multiple of its length.
type condenser struct {
	record *Record
	// cuts are the seconds with which phases begin and end, and the run.
	cuts   []int64
	length int64
	rows   []Interval
	// seconds are those of the open row [from, to); next is the second after the last one.
	seconds  []Interval
	from, to int64
	next     int64
	// idle are the stretches between rows that were left out because nothing happened in them.
	idle []secondsRange
}

type secondsRange struct{ from, to int64 }

func newCondenser(r *Record) *condenser {
	c := &condenser{record: r, length: 1}
	ceil := func(at time.Duration) int64 { return int64((at + time.Second - 1) / time.Second) }
	for p := range r.Phases {
		c.cuts = append(c.cuts, ceil(r.Phases[p].Begin), ceil(r.Phases[p].End))
	}
	end := int64(r.Duration / time.Second)
	c.cuts = append(c.cuts, end)
	slices.Sort(c.cuts)
	c.coarsen(end)
	return c
}

// Condensed returns a record with the rows that [Read] returns, of one with the seconds of a file. Both share memory.
func (r *Record) Condensed() *Record {
	condensed := *r
	c := newCondenser(&condensed)
	for i := range r.Intervals {
		c.add(r.Intervals[i])
	}
	c.finish()
	return &condensed
}

// coarsen increases the length of rows until a run up to a second has few.
func (c *condenser) coarsen(end int64) {
	length := c.length
	for c.length < end/maxRows+min(1, end%maxRows) {
		c.length *= 60
	}
	if c.length == length || len(c.rows)+len(c.seconds) == 0 {
		return
	}
	c.close()
	rows, next := c.rows, c.next
	c.rows, c.idle, c.to, c.next = nil, nil, 0, 0
	for i := range rows {
		c.add(rows[i])
	}
	c.next = next
}

// rowAround returns the row of a second.
func (c *condenser) rowAround(second int64) (from, to int64) {
	from = second - second%c.length
	to = from + c.length
	at, _ := slices.BinarySearch(c.cuts, second+1)
	if at > 0 {
		from = max(from, c.cuts[at-1])
	}
	if at < len(c.cuts) {
		to = min(to, c.cuts[at])
	}
	return from, to
}

// add adds a row of a file. Where seconds are missing that are no idle stretch, or are out of order, rows show that.
func (c *condenser) add(row Interval) {
	c.coarsen(row.End())
	gap := row.Second - c.next
	ordered := gap == 0 || isIdle(gap)
	same := len(c.seconds) > 0 && row.Phase == c.seconds[0].Phase
	if !ordered || !same || row.Second >= c.to {
		if !ordered || len(c.seconds) > 0 && row.Second < c.to {
			c.to = min(c.to, c.next)
		}
		c.close()
		end := c.to
		c.from, c.to = c.rowAround(row.Second)
		if ordered {
			c.from = max(c.from, end)
		} else {
			c.from = row.Second
		}
		if isIdle(gap) && end < c.from {
			c.idle = append(c.idle, secondsRange{end, c.from})
		}
	}
	c.seconds, c.next = append(c.seconds, row), row.End()
}

// close sums up the open row.
func (c *condenser) close() {
	switch {
	case len(c.seconds) == 0:
		return
	case c.to-c.from == 1, c.length == 1:
		c.rows = append(c.rows, c.seconds...)
	default:
		c.rows = append(c.rows, c.sum())
	}
	clear(c.seconds)
	c.seconds = c.seconds[:0]
}

// sum returns the sum of the seconds of the open row.
func (c *condenser) sum() Interval {
	of := make([]*Interval, len(c.seconds))
	for i := range of {
		of[i] = &c.seconds[i]
	}
	sum := MergeSecond(of)
	sum.Second, sum.Sum = c.from, &SecondsSum{}
	sum.InFlight, sum.Generator = of[len(of)-1].InFlight, nil
	for _, one := range of {
		more := one.SecondsSum()
		AddTimes(sum.Sum, &more, 1)
		sum.Generator = sum.Generator.combined(one.Generator, "follow")
	}
	sum.Sum.Length = c.to - c.from
	if c.from%60 == 0 && c.to-c.from == 60 && countOf(of, (*Interval).hasSuccess) > 1 {
		at, found := slices.BinarySearchFunc(c.record.Minutes, c.from/60, func(m Minute, n int64) int { return cmp.Compare(m.Minute, n) })
		if found {
			sum.Response = QuantilesOf(c.record.Minutes[at].Response)
		}
	}
	return sum
}

func (i *Interval) hasSuccess() bool { return i.Succeeded > 0 }

func countOf[T any](list []T, is func(T) bool) (n int) {
	for _, one := range list {
		if is(one) {
			n++
		}
	}
	return n
}

// finish has the record take the rows. Idle stretches within reported phases become rows, unless the record is of
// captured traffic, or the seconds do not have the counts of the phases: then seconds were lost, which missing rows show.
func (c *condenser) finish() {
	end := int64(c.record.Duration / time.Second)
	gap := end - c.next
	if gap > 0 && !isIdle(gap) || c.to > end {
		c.to = min(c.to, c.next)
	}
	c.close()
	if isIdle(gap) && c.to < end {
		c.idle = append(c.idle, secondsRange{c.to, end})
	}
	r := c.record
	r.Intervals = c.rows
	c.fill(r.Capture == nil && r.hasAllSeconds())
}

// hasAllSeconds reports whether the counts of the seconds equal those of the phases.
func (r *Record) hasAllSeconds() bool {
	phases, seconds := r.Counts(Everything), Counts{}
	for i := range r.Intervals {
		seconds.Add(&r.Intervals[i].Counts)
	}
	return seconds.Scheduled == phases.Scheduled && seconds.Attempts == phases.Attempts && seconds.Operations == phases.Operations
}

// fill adds rows for the idle stretches of reported phases, if reported is set, and for parts of other stretches that
// are too short to be idle.
func (c *condenser) fill(reported bool) {
	kinds := rows{kinds: c.record.Manifest.Operations}
	empty := kinds.empty(0)
	var list []Interval
	at := 0
	for _, stretch := range c.idle {
		for ; at < len(c.rows) && c.rows[at].Second < stretch.from; at++ {
			list = append(list, c.rows[at])
		}
		for second := stretch.from; second < stretch.to; {
			end := stretch.to
			if next, _ := slices.BinarySearch(c.cuts, second+1); next < len(c.cuts) {
				end = min(end, c.cuts[next])
			}
			phase, found := phaseAt(c.record.Phases, nil, time.Duration(second)*time.Second)
			empty.Phase = phaseName(c.record.Phases, nil, second)
			if isIdle(end-second) && !(reported && found && c.record.Phases[phase].Reported) {
				second = end
			}
			for second < end {
				_, to := c.rowAround(second)
				to = min(to, end)
				if empty.Second, empty.Sum = second, nil; to-second > 1 {
					empty.Sum = &SecondsSum{Length: to - second}
				}
				list, second = append(list, empty), to
			}
		}
	}
	c.record.Intervals = slices.Clip(append(list, c.rows[at:]...))
}
