package fleet

import (
	"fmt"
	"slices"
	"time"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/fleet/protocol"
	"loadgen/scenarios/run"
)

// shown is a progress that shows the reports of members.
type shown interface {
	run.Progress
	// Present returns the time of the leader's run. Phase announces a phase by the same clock, AddSecond adds a second
	// of a member as one that ended by an instant.
	Present() time.Duration
	Phase(index int, p *results.Phase)
	AddSecond(member int, at time.Duration, of *results.Interval, responses []*results.Histogram)
	// Joined adds a member, and updates its state.
	Joined(m *results.FleetMember, does results.MemberState)
	// Aside writes something next to what is shown.
	Aside(write func())
}

// watch shows a fleet in progress. It belongs to one goroutine.
type watch struct {
	// shown is nil if the progress does not show members.
	shown
	plan []campaign.Offered
	// search chooses the plan while it goes on, nil where that is known beforehand.
	search *search
	say    func(line string)
	// begun is when the first phase begins, next the first phase that has not been entered.
	begun   time.Duration
	started bool
	next    int
	// members is how many processes there are.
	members int
}

// stateAfter is what a member does from an event on.
var stateAfter = map[protocol.EventKind]results.MemberState{
	protocol.MemberJoined: results.MemberJoined, protocol.MemberReady: results.MemberReady,
	protocol.MemberEnded: results.MemberEnded, protocol.MemberLost: results.MemberLost,
}

// see handles an event.
func (w *watch) see(e protocol.Event) {
	if state, says := stateAfter[e.Kind]; says && e.Of != nil && w.shown != nil {
		w.Joined(&results.FleetMember{Name: e.Of.Name, Index: e.Of.Index, Labels: e.Of.Labels, ClockBound: e.Of.Bound}, state)
	}
	switch e.Kind {
	case protocol.MemberLost, protocol.MemberRefused, protocol.RunStopped:
		w.tell(e.Text)
	case protocol.RunStarted:
		w.tell(fmt.Sprintf("%s, which begin together in %.1f s", document.Counted(w.members, "process", "processes"), e.Wait.Seconds()))
		if w.shown != nil {
			w.begun, w.started = w.Present()+e.Wait, true
		}
	case protocol.TurnOrdered:
		if w.shown != nil && w.search != nil {
			after := w.Present() + e.Wait - w.begun
			last := slices.Clone(w.search.offered)
			at := slices.IndexFunc(last, func(o campaign.Offered) bool { return o.Stage == last[len(last)-1].Stage })
			for i := range last[at:] {
				last[at+i].Begin += after
				last[at+i].End += after
			}
			w.plan = append(w.plan, last[at:]...)
		}
	case protocol.SecondTold:
		w.second(&e)
	}
}

func (w *watch) tell(line string) {
	if w.shown == nil {
		w.say(line)
		return
	}
	w.Aside(func() { w.say(line) })
}

// second shows a member's second, and the stage that has begun by now.
func (w *watch) second(e *protocol.Event) {
	if w.shown == nil || !w.started || e.Second == nil {
		return
	}
	now := w.Present()
	for w.next < len(w.plan) && (w.next == 0 || now >= w.at(w.next)) {
		// A stage with all of its phases.
		first := w.next
		stage := campaign.Progress{Stage: w.plan[first].Stage}
		for ; w.next < len(w.plan) && w.plan[w.next].Stage == stage.Stage; w.next++ {
			one := w.plan[w.next]
			for _, n := range one.Shares {
				stage.Operations += uint64(n)
			}
			stage.Length = one.End - w.plan[first].Begin
		}
		w.Enters(stage)
		for i := first; i < w.next; i++ {
			one := w.plan[i].Phase
			one.Begin, one.End = w.at(i), w.at(i)+one.End-one.Begin
			w.Phase(i, &one)
		}
	}
	w.AddSecond(e.Member, now.Truncate(time.Second), &e.Second.Interval, e.Second.Response)
}

// at is when a phase begins, by the run of who leads.
func (w *watch) at(phase int) time.Duration { return w.begun + w.plan[phase].Begin - w.plan[0].Begin }
