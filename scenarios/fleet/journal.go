package fleet

import (
	"maps"
	"slices"

	"loadgen/results"
	"loadgen/scenarios/fleet/protocol"
)

// journal merges what the members report by the second, as soon as all have reported a second that
// are still there, so that a leader that is killed leaves what it was told. It belongs to one goroutine.
type journal struct {
	// write is called with each merged second, in order.
	write func(*results.Interval)
	// open are the seconds that some members have not reported yet, last the last one written.
	open    map[int64][]*results.Interval
	last    int64
	members []reporter
}

// reporter is a member as the journal sees it. Its reports may arrive in another order.
type reporter struct {
	// latest is the last second before which all have arrived, next the sequence of the report after it.
	latest int64
	next   uint64
	ahead  map[uint64]int64
	// gone says that it will report no more.
	gone bool
}

// maxOpen bounds the seconds that are kept for a member which reports none.
const maxOpen = 60

func newReporter() reporter { return reporter{latest: -1, ahead: make(map[uint64]int64)} }

func newJournal(members int, write func(*results.Interval)) *journal {
	j := &journal{write: write, open: make(map[int64][]*results.Interval), last: -1}
	for range members {
		j.members = append(j.members, newReporter())
	}
	return j
}

// see takes an event of the fleet.
func (j *journal) see(e *protocol.Event) {
	if e.Member < 0 || e.Member >= len(j.members) {
		return
	}
	of := &j.members[e.Member]
	switch e.Kind {
	case protocol.MemberJoined:
		// It may take the place of one that was lost before the run began.
		*of = newReporter()
	case protocol.SecondTold:
		one := &e.Second.Interval
		of.ahead[e.Sequence] = one.Second
		for second, came := of.ahead[of.next]; came; second, came = of.ahead[of.next] {
			delete(of.ahead, of.next)
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
		if len(j.open) <= maxOpen && !j.complete(second) {
			return
		}
		sum := results.MergeSecond(j.open[second])
		delete(j.open, second)
		j.last = second
		j.write(&sum)
	}
}

// complete reports whether nobody who is still there has yet to report a second.
func (j *journal) complete(second int64) bool {
	return !slices.ContainsFunc(j.members, func(r reporter) bool { return !r.gone && r.latest < second })
}
