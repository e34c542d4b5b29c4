package fleet

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/fleet/protocol"
	"loadgen/scenarios/run"
)

// progress is a progress that shows the reports of members.
type progress interface {
	run.Progress
	// Present returns the time of the leader's run. Phase announces a phase by the same clock, AddSecond adds a second
	// of a member as one that ended by an instant.
	Present() time.Duration
	Phase(index int, p *results.Phase)
	AddSecond(member int, at time.Duration, i *results.Interval, responses []*results.Histogram)
	// Joined adds a member, and updates its state.
	Joined(m *results.FleetMember, state results.MemberState)
	// Aside writes something next to what is shown.
	Aside(write func())
}

// watch shows a fleet in progress. It belongs to one goroutine.
type watch struct {
	// progress is nil if the progress does not show members.
	progress
	plan []campaign.Offered
	// search extends the plan during the run, nil for a fixed plan.
	search *search
	notify func(line string)
	// begun is when the first phase begins, next the first phase that has not begun.
	begun   time.Duration
	started bool
	next    int
	// members is the number of processes.
	members int
}

// stateAfter is the state of a member after an event.
var stateAfter = map[protocol.EventKind]results.MemberState{
	protocol.MemberJoined: results.MemberJoined, protocol.MemberReady: results.MemberReady,
	protocol.MemberEnded: results.MemberEnded, protocol.MemberLost: results.MemberLost,
}

// handle handles an event.
func (w *watch) handle(e *protocol.Event) {
	if state, changes := stateAfter[e.Kind]; changes && e.Share != nil && w.progress != nil {
		w.Joined(&e.Share.FleetMember, state)
	}
	switch e.Kind {
	case protocol.MemberLost, protocol.MemberRefused, protocol.RunStopped:
		w.write(e.Text)
	case protocol.RunStarted:
		w.write(fmt.Sprintf("%s, which begin together in %.1f s", document.Counted(w.members, "process", "processes"), e.Wait.Seconds()))
		if w.progress != nil {
			w.begun, w.started = w.Present()+e.Wait, true
		}
	case protocol.StepOrdered:
		if w.progress != nil && w.search != nil {
			after := w.Present() + e.Wait - w.begun
			last := slices.Clone(w.search.offered)
			at := slices.IndexFunc(last, func(o campaign.Offered) bool { return o.Stage == last[len(last)-1].Stage })
			for i := range last[at:] {
				last[at+i].Begin += after
				last[at+i].End += after
			}
			w.plan = append(w.plan, last[at:]...)
		}
	case protocol.SecondReported:
		w.addSecond(e)
	}
}

// write writes a line for the user.
func (w *watch) write(line string) {
	if w.progress == nil {
		w.notify(line)
		return
	}
	w.Aside(func() { w.notify(line) })
}

// addSecond shows a member's second, and the stage that has begun by now.
func (w *watch) addSecond(e *protocol.Event) {
	if w.progress == nil || !w.started || e.Second == nil {
		return
	}
	now := w.Present()
	for w.next < len(w.plan) && (w.next == 0 || now >= w.begin(w.next)) {
		// A stage with all of its phases.
		first := w.next
		stage := campaign.Progress{Stage: w.plan[first].Stage}
		for ; w.next < len(w.plan) && w.plan[w.next].Stage == stage.Stage; w.next++ {
			phase := w.plan[w.next]
			for _, n := range phase.Shares {
				stage.Operations += uint64(n)
			}
			stage.Length = phase.End - w.plan[first].Begin
		}
		w.Enters(stage)
		for i := first; i < w.next; i++ {
			phase := w.plan[i].Phase
			phase.Begin, phase.End = w.begin(i), w.begin(i)+phase.End-phase.Begin
			w.Phase(i, &phase)
		}
	}
	w.AddSecond(e.Member, now.Truncate(time.Second), &e.Second.Interval, e.Second.Response)
}

// begin returns when a phase begins by the clock of the leader's run.
func (w *watch) begin(phase int) time.Duration {
	return w.begun + w.plan[phase].Begin - w.plan[0].Begin
}

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
