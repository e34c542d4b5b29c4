package fleet

import (
	"maps"
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
	open    map[int64][]*results.Interval
	last    int64
	members []reporter
}

// reporter is what the journal knows of a member. Reports may arrive out of order.
type reporter struct {
	// latest is the last second up to which all reports have arrived, next the sequence number of the one after it.
	latest int64
	next   uint64
	// early maps the sequence numbers of later reports to their seconds.
	early map[uint64]int64
	// gone is set when the member ended or was lost.
	gone bool
}

// maxOpen is the number of seconds for which the journal waits for a member.
const maxOpen = 60

func newReporter() reporter { return reporter{latest: -1, early: make(map[uint64]int64)} }

func newJournal(members int, write func(*results.Interval)) *journal {
	j := &journal{write: write, open: make(map[int64][]*results.Interval), last: -1}
	for range members {
		j.members = append(j.members, newReporter())
	}
	return j
}

// handle processes an event of the fleet.
func (j *journal) handle(e *protocol.Event) {
	if e.Member < 0 || e.Member >= len(j.members) {
		return
	}
	of := &j.members[e.Member]
	switch e.Kind {
	case protocol.MemberJoined:
		// It may replace a member that was lost before the run began.
		*of = newReporter()
	case protocol.SecondTold:
		one := &e.Second.Interval
		of.early[e.Sequence] = one.Second
		for second, came := of.early[of.next]; came; second, came = of.early[of.next] {
			delete(of.early, of.next)
			of.latest, of.next = second, of.next+1
		}
		if one.Second > j.last {
			j.open[one.Second] = append(j.open[one.Second], one)
		}
	case protocol.MemberEnded, protocol.MemberLost:
		of.gone = true
	default:
		return
	}
	for _, second := range slices.Sorted(maps.Keys(j.open)) {
		if len(j.open) <= maxOpen && !j.isComplete(second) {
			return
		}
		sum := results.MergeSecond(j.open[second])
		delete(j.open, second)
		j.last = second
		j.write(&sum)
	}
}

// isComplete reports whether all remaining members have reported a second.
func (j *journal) isComplete(second int64) bool {
	return !slices.ContainsFunc(j.members, func(r reporter) bool { return !r.gone && r.latest < second })
}
