package protocol

import (
	"encoding/json"
	"fmt"
	"time"

	"loadgen/engine/clock"
)

// Next returns the leader of the run that follows, nil unless this one is over and whole, so that
// nobody was lost, and nobody stopped it: its members keep their places, and are waited for. What
// they are charged with comes with [Leader.Charge]; until then they are told to wait.
func (l *Leader) Next() *Leader {
	if l.phase != over || l.err != nil || l.stop != "" {
		return nil
	}
	for _, s := range l.seats {
		if s == nil || !s.ended || s.early {
			return nil
		}
	}
	n := &Leader{plan: l.plan, run: l.run + 1, seats: make([]*seat, len(l.seats)), known: make(map[string]*seat),
		began: l.began, ticked: l.ticked, deadline: clock.Never}
	n.plan.Search = nil
	for i, s := range l.seats {
		one := &seat{Share: Share{Index: s.Index, Name: s.Name, Epoch: s.Epoch, Labels: s.Labels}, heard: l.ticked, took: newSequence()}
		n.seats[i], n.known[s.Epoch] = one, one
	}
	return n
}

// Charge says what the members of a later run are charged with, and how its turns are chosen,
// nil where it has none.
func (l *Leader) Charge(c Charge, search Search) error {
	l.plan.Search = search
	err := l.charged(c)
	l.assemble()
	return err
}

// End says that no run follows: members that ask for one are told so.
func (l *Leader) End(now clock.Instant) {
	l.last, l.phase, l.ended = true, over, now
}

// order orders the next turn, the first as the run starts and each other once all have said what
// came of the last. Where somebody was lost none follows: nobody offers that share of it.
func (l *Leader) order(now clock.Instant) {
	if l.plan.Search == nil || l.phase != running || l.turn != nil && l.turn.What == nil {
		return
	}
	var came []json.RawMessage
	whole, turn := true, &Turn{Number: 1, Start: l.start}
	if l.turn != nil {
		for _, s := range l.seats {
			switch {
			case s.Lost != "" || s.ended:
				whole = false
			case s.came == nil:
				return
			}
			came = append(came, s.came)
		}
		turn.Number = l.turn.Number + 1
		// It begins on a whole second of the run, as everything does.
		ahead := now.Add(l.plan.StartAfter).Sub(l.start)
		turn.Start = l.start.Add((ahead + time.Second - 1).Truncate(time.Second))
	}
	if l.short = !whole; whole {
		var err error
		if turn.What, err = l.plan.Search.Next(came); err != nil {
			l.halt(now, err.Error())
			return
		}
	}
	for _, s := range l.seats {
		s.came = nil
	}
	if l.turn = turn; turn.What != nil {
		l.event(now, Event{Kind: TurnOrdered, Member: -1, Wait: turn.Start.Sub(now), Text: fmt.Sprintf("turn %d", turn.Number)})
	}
}
