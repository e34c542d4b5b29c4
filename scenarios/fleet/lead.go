package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/fleet/protocol"
)

// LeadOptions are how a run of a fleet is led. But for the first of a series only Charge, Search
// and Seen count.
type LeadOptions struct {
	// Members is how many have to join, within Deadline.
	Members  int
	Deadline time.Duration
	Version  string
	// Charge is what each is charged with, but for SHA256, Index and Of; Search chooses its
	// turns, nil where it has none.
	Charge protocol.Charge
	Search protocol.Search
	// FinishOnLoss has the others go on where a member is lost during the run; otherwise the
	// run ends.
	FinishOnLoss bool
	// StartAfter is how long after the last is ready the run starts, 2 s where it
	// is 0.
	StartAfter time.Duration
	// Seen is told of everything that happens, by one goroutine; it may be nil.
	Seen func(protocol.Event)
}

// Outcome is the outcome of a run of a fleet.
type Outcome struct {
	protocol.Outcome
	// Members are in the order of their places.
	Members []Share
}

// Share is a member, and what became of its share.
type Share struct {
	protocol.Share
	// Record is its own, nil where it did not arrive.
	Record *results.Record
}

// hub is a leader's way to its members.
type hub interface {
	Messages() <-chan busMessage
	Answer(to string, text []byte) error
	Dropped() int
}

// leadership is a leader and the process around it. It leads one run after another: between two
// of them a goroutine of its own answers the members.
type leadership struct {
	hub   hub
	clock clock.Real
	l     *protocol.Leader
	// seen is told of everything that happens, by one goroutine; it may be nil.
	seen func(protocol.Event)
	// rested ends what goes on between two runs, nil during one.
	rested func()
}

// lead leads the next run until it is over: until everybody knows where it is the last of the
// series, or no other can follow. An error is one of the protocol: that the run did not begin.
// That a member was lost is part of the outcome, which is returned in any case. A context that
// ends stops the run, and the records are waited for.
func (s *leadership) lead(ctx context.Context, o *LeadOptions) (Outcome, error) {
	sum := sha256.Sum256(o.Charge.Scenario)
	o.Charge.SHA256 = hex.EncodeToString(sum[:])
	var err error
	if s.rested != nil { // who they are is known
		s.rested()
		err = s.l.Charge(o.Charge, o.Search)
	} else {
		s.l, err = protocol.NewLeader(protocol.Plan{Members: o.Members, Deadline: o.Deadline, Version: o.Version, Charge: o.Charge,
			Search: o.Search, FinishOnLoss: o.FinishOnLoss, StartAfter: o.StartAfter})
	}
	if err != nil {
		return Outcome{}, err
	}
	s.seen = o.Seen
	stop := func() { s.l.Stop(s.clock.Now(), context.Cause(ctx).Error()) }
	gone := func() bool { return s.l.Gone(s.clock.Now()) }
	if !o.Charge.Follows {
		s.loop(ctx, stop, gone)
		return s.outcome()
	}
	s.loop(ctx, stop, s.l.Over)
	came, err := s.outcome()
	var next *protocol.Leader
	if ctx.Err() == nil {
		next = s.l.Next()
	}
	if next != nil {
		s.l = next
		// The members are answered until the next run begins, or none does.
		resting, wake := context.WithCancel(context.Background())
		var answering sync.WaitGroup
		s.seen = nil
		answering.Go(func() { s.loop(resting, func() {}, func() bool { return resting.Err() != nil }) })
		s.rested = func() {
			wake()
			answering.Wait()
			s.rested = nil
		}
		return came, err
	}
	s.l.End(s.clock.Now())
	s.loop(ctx, stop, gone)
	return came, err
}

// end says that no run follows to whoever waits for one.
func (s *leadership) end() {
	if s.rested == nil {
		return
	}
	s.rested()
	s.l.End(s.clock.Now())
	s.loop(context.Background(), func() {}, func() bool { return s.l.Gone(s.clock.Now()) })
}

// tickEvery is how often a leader looks who is missing.
const tickEvery = 100 * time.Millisecond

// loop answers the members, and lets time pass, until something is so. Stop is called once the
// context is done.
func (s *leadership) loop(ctx context.Context, stop func(), until func() bool) {
	interrupted := ctx.Done()
	for !until() {
		alarm := s.clock.Alarm(s.clock.Now().Add(tickEvery))
		select {
		case m := <-s.hub.Messages():
			s.answer(m)
		case <-alarm.C:
			// Nobody is missing whose words only wait to be heard.
			s.answerWaiting()
			s.l.Tick(s.clock.Now())
		case <-interrupted:
			interrupted = nil
			stop()
		}
		alarm.Stop()
		for _, e := range s.l.Events() {
			if s.seen != nil {
				s.seen(e)
			}
		}
	}
}

// hear answers what waits.
func (s *leadership) answerWaiting() {
	const most = 1024
	for range most {
		select {
		case m := <-s.hub.Messages():
			s.answer(m)
		default:
			return
		}
	}
}

func (s *leadership) answer(m busMessage) {
	if text := s.l.On(s.clock.Now(), m.From, m.Text); text != nil {
		// What is not sent is asked for again.
		_ = s.hub.Answer(m.From, text)
	}
}

// outcome reads the records.
func (s *leadership) outcome() (Outcome, error) {
	came, err := s.l.Outcome()
	o := Outcome{Outcome: came}
	for _, share := range came.Shares {
		one := Share{Share: share}
		if one.Share.Record = nil; share.Record != nil {
			record, err := unpack(share.Record)
			if err != nil {
				o.Faults = append(o.Faults, fmt.Sprintf("%s sent what cannot be read: %v.", share.Name, err))
			}
			one.Record = record
		}
		o.Members = append(o.Members, one)
	}
	if dropped := s.hub.Dropped(); dropped > 0 {
		o.Notes = append(o.Notes, fmt.Sprintf("Messages requested again after a full queue: %d.", dropped))
	}
	return o, err
}
