package fleet

import (
	"context"
	"fmt"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/fleet/protocol"
)

// outcome is the outcome of a run of a fleet.
type outcome struct {
	protocol.Outcome
	// Records are those of the members in the order of their places, nil if one did not arrive.
	Records []*results.Record
}

// leadership leads one run after another. Between two runs a goroutine of its own replies to the members.
type leadership struct {
	transport
	clock  clock.Real
	leader *protocol.Leader
	// seen handles every event, in one goroutine; it may be nil.
	seen func(protocol.Event)
	// endPause ends the pause between two runs, nil during one.
	endPause func()
}

// lead leads the next run until it is over, and until all members know if no run can follow. Only the first run of a series
// uses all of the plan, others its assignment and search. An error says that the run did not start; the outcome of a run
// names the members that were lost. The end of the context stops the run.
func (s *leadership) lead(ctx context.Context, p protocol.Plan, seen func(protocol.Event)) (outcome, error) {
	var err error
	if s.endPause != nil {
		s.endPause()
		err = s.leader.Assign(p.Assignment, p.Search)
	} else {
		s.leader, err = protocol.NewLeader(p)
	}
	if err != nil {
		return outcome{}, err
	}
	s.seen = seen
	stop := func() { s.leader.Stop(s.clock.Now(), context.Cause(ctx).Error()) }
	if !p.Assignment.Follows {
		s.loop(ctx, stop, s.mayExit)
		return s.outcome()
	}
	s.loop(ctx, stop, func() bool { return s.leader.IsOver() })
	o, err := s.outcome()
	if next := s.leader.Next(); next != nil && ctx.Err() == nil {
		s.leader = next
		s.pause()
		return o, err
	}
	s.leader.End(s.clock.Now())
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

// end ends a series early: members that wait for another run learn that none follows.
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
	const tickEvery = 100 * time.Millisecond
	interrupted := ctx.Done()
	for !until() {
		alarm := s.clock.Alarm(s.clock.Now().Add(tickEvery))
		select {
		case m := <-s.Messages():
			s.reply(m)
		case <-alarm.C:
			// No member is lost while its messages wait.
			s.replyToWaiting()
			s.leader.Tick(s.clock.Now())
		case <-interrupted:
			interrupted = nil
			stop()
		}
		alarm.Stop()
		for _, e := range s.leader.Events() {
			if s.seen != nil {
				s.seen(e)
			}
		}
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

// outcome returns the outcome with the decoded records.
func (s *leadership) outcome() (outcome, error) {
	run, err := s.leader.Outcome()
	o := outcome{Outcome: run, Records: make([]*results.Record, len(run.Shares))}
	for i, share := range run.Shares {
		if share.Record == nil {
			continue
		}
		var invalid error
		if o.Records[i], invalid = unpack(share.Record); invalid != nil {
			o.Faults = append(o.Faults, fmt.Sprintf("%s sent an invalid record: %v.", share.Name, invalid))
		}
	}
	if dropped := s.Dropped(); dropped > 0 {
		o.Notes = append(o.Notes, fmt.Sprintf("Messages that a full queue dropped, and that were requested again: %d.", dropped))
	}
	return o, err
}
