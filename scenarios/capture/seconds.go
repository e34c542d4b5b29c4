package capture

import (
	"cmp"
	"slices"

	"loadgen/results"
	"loadgen/results/figure"
)

// openSeconds is how many seconds of a partition are open at a time: requests
// that end together are not always seen in that order.
const openSeconds = 8

// maxKept is how many seconds of a partition are kept to tell where it saturates: those
// in which most was asked of it.
const maxKept = 128

// second has the counts of one partition in one second, in total and by group.
type second struct {
	number int64
	tally
	groups [len(groups)]tally
}

// groups are the groups of operations that may each have a limit: what reads an
// entity or a page, and all else.
var groups = [...]string{groupGet, groupPut}

// tally is what a second has of some operations.
type tally struct {
	// attempts = ok + throttled by the partition + throttled by the account + failed.
	attempts, ok, throttled int64
	// counted are the entities of what was answered, offered those of the
	// operations whose first attempt was.
	counted, offered int64
}

// seconds are the seconds of one partition; the last few are open. The
// zero value has none.
type seconds struct {
	// open is in order; every second before from is closed.
	open []second
	from int64

	active           series
	busiest, offered int64
	// kept are the seconds in which most was asked.
	kept []second
}

// demand is the number of entities that a second asked for: due in it, or served in it, whichever is more.
func (s *tally) demand() int64 { return max(s.offered, s.counted) }

// secondAt returns a second to add to. One that was closed, or is too long ago for
// another to be opened, is the oldest that is open.
func (s *seconds) secondAt(number int64) *second {
	number = max(number, s.from)
	i := len(s.open)
	for i > 0 && s.open[i-1].number > number {
		i--
	}
	if i > 0 && s.open[i-1].number == number {
		return &s.open[i-1]
	}
	if len(s.open) == openSeconds {
		if i == 0 {
			return &s.open[0]
		}
		s.close(&s.open[0])
		s.open = slices.Delete(s.open, 0, 1)
		i--
	}
	s.open = slices.Insert(s.open, i, second{number: number})
	return &s.open[i]
}

func (s *seconds) close(done *second) {
	s.from = done.number + 1
	a := &s.active
	a.stride = max(a.stride, 1)
	if a.count%a.stride == 0 {
		if len(a.kept) == seriesLength {
			for i := range seriesLength / 2 {
				a.kept[i] = a.kept[2*i]
			}
			a.kept = a.kept[:seriesLength/2]
			a.stride *= 2
		}
		const most = 1<<32 - 1
		a.kept = append(a.kept, uint32(min(done.counted, most)))
	}
	a.count++
	s.busiest = max(s.busiest, done.counted)
	s.offered = max(s.offered, done.offered)
	if len(s.kept) < maxKept {
		s.kept = append(s.kept, *done)
		return
	}
	least := 0
	for i := range s.kept {
		if s.kept[i].demand() < s.kept[least].demand() {
			least = i
		}
	}
	if s.kept[least].demand() < done.demand() {
		s.kept[least] = *done
	}
}

// limit says where some operations of the partition saturate, as of any load: see [figure.LadderOfSeconds].
func (s *seconds) limit(of func(*second) *tally) figure.Value {
	rows := make([]results.Interval, 0, len(s.kept))
	for i := range s.kept {
		if one := of(&s.kept[i]); one.attempts > 0 {
			rows = append(rows, results.Interval{Second: s.kept[i].number, Counts: results.Counts{
				Attempts: one.attempts, Ok: one.ok, Throttled: one.throttled, Offered: one.offered, Served: one.counted}})
		}
	}
	slices.SortFunc(rows, func(a, b results.Interval) int { return cmp.Compare(a.Second, b.Second) })
	met := figure.LadderOfSeconds(rows)
	return met.Saturation()
}

// burst is the part of a second in which an idle partition saves its target for a burst, as the model assumes.
const burst = 0.1

// demand returns the highest requested rate over any time, without what a burst covers, if a second exceeds a
// target; else 0.
func (s *seconds) demand(target int64) (rate float64) {
	if target == 0 || max(s.busiest, s.offered) <= target {
		return 0
	}
	slices.SortFunc(s.kept, func(a, b second) int { return cmp.Compare(a.number, b.number) })
	for i := range s.kept {
		sum := -burst * float64(target)
		for j := i; j < len(s.kept) && s.kept[j].number-s.kept[i].number == int64(j-i); j++ {
			sum += float64(s.kept[j].demand())
			rate = max(rate, sum/float64(j-i+1))
		}
	}
	return rate
}

// What it takes to call a group of operations free while another is limited: of the attempts
// at it in the seconds in which the other is throttled, at least minSpared would have
// been throttled if both met one limit, and at most maxThrottled of them were.
const (
	minSpared    = 10
	maxThrottled = 0.01
)

// throttledWith reports whether another partition was throttled in at least half of the
// seconds in which this one was.
func (s *seconds) throttledWith(other *seconds) bool {
	own, both := 0, 0
	for i := range s.kept {
		if s.kept[i].throttled == 0 {
			continue
		}
		own++
		if slices.ContainsFunc(other.kept, func(one second) bool { return one.number == s.kept[i].number && one.throttled > 0 }) {
			both++
		}
	}
	return own > 0 && 2*both >= own
}
