package results

import (
	"cmp"
	"slices"
	"time"
)

// maxRows is the greatest number of rows of equal length that a record that is read has: the seconds of 6 hours.
// Those of a longer run are summed up by the minute, those of more than 15 days by the hour.
const maxRows = 6 * 3600

// condenser takes the seconds of a record in order, and keeps at most [maxRows] rows and one more for each phase.
// A row lies in one phase, and begins and ends with it or at a multiple of its length.
type condenser struct {
	record *Record
	// cuts are the seconds with which phases begin and end, and the run.
	cuts   []int64
	length int64
	rows   []Interval
	// seconds are those of the open row, which is [from, to); next is the second after the last one of all.
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

// coarsen makes the rows so long that those of the run, up to a second, are few.
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

// around returns the row that a second lies in.
func (c *condenser) around(second int64) (from, to int64) {
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
		c.from, c.to = c.around(row.Second)
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
		more := one.Of()
		AddTimes(sum.Sum, &more, 1)
		sum.Generator = sum.Generator.followedBy(one.Generator)
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

// hasAllSeconds reports whether the counts of the seconds are those of the phases.
func (r *Record) hasAllSeconds() bool {
	phases, seconds := r.Counts(Everything), Counts{}
	for i := range r.Intervals {
		seconds.Add(&r.Intervals[i].Counts)
	}
	return seconds.Scheduled == phases.Scheduled && seconds.Attempts == phases.Attempts && seconds.Operations == phases.Operations
}

// fill adds rows for the idle stretches of reported phases, if it is to, and for those parts of the others that are
// too short for one.
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
				_, to := c.around(second)
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
