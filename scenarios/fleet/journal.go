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

// reporter is what the journal knows of a member: the second up to which all of its reports have arrived, and whether
// it ended or was lost.
type reporter struct {
	through int64
	gone    bool
}

// maxOpen is the number of seconds for which the journal waits for a member.
const maxOpen = 60

func newJournal(members int, write func(*results.Interval)) *journal {
	return &journal{write: write, open: make(map[int64][]*results.Interval), last: -1, members: slices.Repeat([]reporter{{through: -1}}, members)}
}

// handle processes an event of the fleet.
func (j *journal) handle(e *protocol.Event) {
	if e.Member < 0 || e.Member >= len(j.members) {
		return
	}
	member := &j.members[e.Member]
	switch e.Kind {
	case protocol.MemberJoined:
		// It may replace a member that was lost before the run began.
		*member = reporter{through: -1}
	case protocol.SecondReported:
		i := &e.Second.Interval
		member.through = e.Through
		if i.Second > j.last {
			j.open[i.Second] = append(j.open[i.Second], i)
		}
	case protocol.MemberEnded, protocol.MemberLost:
		member.gone = true
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
	return !slices.ContainsFunc(j.members, func(r reporter) bool { return !r.gone && r.through < second })
}
