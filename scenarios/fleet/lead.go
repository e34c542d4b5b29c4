package fleet

import (
	"context"
	"fmt"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/scenarios/fleet/protocol"
)

// leadership leads one run after another. Between two runs a goroutine of its own replies to the members.
type leadership struct {
	transport
	clock  clock.Real
	leader *protocol.Leader
	// nextTick is when the leader needs the next tick.
	nextTick clock.Instant
	// seen handles every event, in one goroutine; it may be nil.
	seen func(protocol.Event)
	// endPause ends the pause between two runs, nil during one.
	endPause func()
}

// lead leads the next run until it is over, and until all members know if no run can follow. Only the first run of a series
// uses all of the plan, others its assignment and search. An error says that the run did not start; the outcome of a run
// names the members that were lost. The end of the context stops the run.
func (s *leadership) lead(ctx context.Context, p protocol.Plan, seen func(protocol.Event)) (protocol.Outcome, error) {
	var err error
	if s.endPause != nil {
		s.endPause()
		err = s.leader.Assign(p.Assignment, p.Search)
	} else {
		s.leader, err = protocol.NewLeader(p)
	}
	if err != nil {
		return protocol.Outcome{}, err
	}
	s.seen = seen
	stop := func() { s.leader.Stop(s.clock.Now(), context.Cause(ctx).Error()) }
	s.loop(ctx, stop, s.leader.IsOver)
	o, err := s.outcome()
	if next := s.leader.Next(); p.Assignment.Follows && next != nil && ctx.Err() == nil {
		s.leader = next
		s.pause()
		return o, err
	}
	if p.Assignment.Follows {
		s.leader.End(s.clock.Now())
	}
	s.loop(ctx, stop, s.mayExit)
	return o, err
}

// pause replies to the members until the next run starts, or the series ends.
func (s *leadership) pause() {
	ctx, cancel := context.WithCancel(context.Background())
	var replying sync.WaitGroup
	s.seen = nil
	replying.Go(func() { s.loop(ctx, func() {}, func() bool { return ctx.Err() != nil }) })
	s.endPause = func() {
		cancel()
		replying.Wait()
		s.endPause = nil
	}
}

// end ends a series early: members that wait for another run are told that there is none.
func (s *leadership) end() {
	if s.endPause != nil {
		s.endPause()
		s.leader.End(s.clock.Now())
		s.loop(context.Background(), func() {}, s.mayExit)
	}
}

func (s *leadership) mayExit() bool { return s.leader.MayExit(s.clock.Now()) }

// loop replies to the members and lets time pass until a condition holds. It calls stop once the context is done.
func (s *leadership) loop(ctx context.Context, stop func(), until func() bool) {
	pump(ctx, s.Messages(), s.clock, s.tick, s.reply, stop, until)
}

// tick lets time pass, handles events, and returns when the next tick is due. No member is lost while its messages wait.
func (s *leadership) tick() clock.Instant {
	const tickEvery = 100 * time.Millisecond
	if s.clock.Now() >= s.nextTick {
		s.replyToWaiting()
		s.leader.Tick(s.clock.Now())
		s.nextTick = s.clock.Now().Add(tickEvery)
	}
	for _, e := range s.leader.Events() {
		if s.seen != nil {
			s.seen(e)
		}
	}
	return s.nextTick
}

// pump passes messages and the time to one side of the protocol until a condition holds. It calls interrupt once the context
// is done.
func pump(ctx context.Context, messages <-chan message, clk clock.Clock, tick func() clock.Instant, receive func(message), interrupt func(), until func() bool) {
	interrupted := ctx.Done()
	for {
		next := tick()
		if until() {
			return
		}
		alarm := clk.Alarm(next)
		select {
		case m := <-messages:
			receive(m)
		case <-alarm.C:
		case <-interrupted:
			interrupted = nil
			interrupt()
		}
		alarm.Stop()
	}
}

// replyToWaiting replies to the messages that wait.
func (s *leadership) replyToWaiting() {
	const maxReplies = 1024
	for range maxReplies {
		select {
		case m := <-s.Messages():
			s.reply(m)
		default:
			return
		}
	}
}

// reply handles a message. A reply that gets lost is requested again.
func (s *leadership) reply(m message) {
	if text := s.leader.Receive(s.clock.Now(), m.From, m.Text); text != nil {
		_ = s.Send(m.From, text)
	}
}

// outcome returns the outcome, with a note on dropped messages.
func (s *leadership) outcome() (protocol.Outcome, error) {
	o, err := s.leader.Outcome()
	if dropped := s.Dropped(); dropped > 0 {
		o.Notes = append(o.Notes, fmt.Sprintf("Messages that a full queue dropped, and that were requested again: %d.", dropped))
	}
	return o, err
}
