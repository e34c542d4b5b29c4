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
	// open are the seconds that some members have not reported yet.
	open map[int64][]*results.Interval
	// latest is the last second of each member, gone who will report none any more.
	latest []int64
	gone   []bool
}

// maxOpen bounds the seconds that are kept for a member which reports none.
const maxOpen = 60

func newJournal(members int, write func(*results.Interval)) *journal {
	j := &journal{write: write, open: make(map[int64][]*results.Interval), latest: make([]int64, members), gone: make([]bool, members)}
	for i := range j.latest {
		j.latest[i] = -1
	}
	return j
}

// see takes an event of the fleet.
func (j *journal) see(e *protocol.Event) {
	if e.Member < 0 || e.Member >= len(j.latest) {
		return
	}
	switch e.Kind {
	case protocol.SecondTold:
		one := &e.Second.Interval
		j.latest[e.Member] = max(j.latest[e.Member], one.Second)
		j.open[one.Second] = append(j.open[one.Second], one)
	case protocol.MemberEnded, protocol.MemberLost:
		j.gone[e.Member] = true
	default:
		return
	}
	for _, second := range slices.Sorted(maps.Keys(j.open)) {
		if len(j.open) <= maxOpen && !j.complete(second) {
			return
		}
		sum := results.MergeSecond(j.open[second])
		delete(j.open, second)
		j.write(&sum)
	}
}

// complete reports whether nobody who is still there has yet to report a second.
func (j *journal) complete(second int64) bool {
	for member, latest := range j.latest {
		if !j.gone[member] && latest < second {
			return false
		}
	}
	return true
}
