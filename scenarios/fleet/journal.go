package fleet

import (
	"maps"
	"math"
	"slices"

	"loadgen/results"
	"loadgen/scenarios/fleet/protocol"
)

// journal merges the members' reports of a second once all remaining members have reported it. So a leader that is
// killed leaves the seconds before. It belongs to one goroutine.
type journal struct {
	// write receives each merged second, in order.
	write func(*results.Interval)
	// open holds the reports of seconds that are not complete, by second; last is the last second written.
	open map[int64][]*results.Interval
	last int64
	// through is the last second that each member has reported, -1 for none, and the greatest number after its end.
	through []int64
}

// maxOpen is the number of seconds for which the journal waits for a member.
const maxOpen = 60

func newJournal(members int, write func(*results.Interval)) *journal {
	return &journal{write: write, open: make(map[int64][]*results.Interval), last: -1, through: slices.Repeat([]int64{-1}, members)}
}

// handle processes an event of the fleet.
func (j *journal) handle(e *protocol.Event) {
	if e.Member < 0 || e.Member >= len(j.through) {
		return
	}
	switch e.Kind {
	case protocol.MemberJoined:
		// It may replace a member that was lost before the run began.
		j.through[e.Member] = -1
	case protocol.SecondReported:
		i := &e.Second.Interval
		j.through[e.Member] = i.Second
		if i.Second > j.last {
			j.open[i.Second] = append(j.open[i.Second], i)
		}
	case protocol.MemberEnded, protocol.MemberLost:
		j.through[e.Member] = math.MaxInt64
	default:
		return
	}
	for _, second := range slices.Sorted(maps.Keys(j.open)) {
		if len(j.open) <= maxOpen && second > slices.Min(j.through) {
			return
		}
		sum := results.MergeSecond(j.open[second])
		delete(j.open, second)
		j.last = second
		j.write(&sum)
	}
}
