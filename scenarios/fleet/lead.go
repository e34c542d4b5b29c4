package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/fleet/bus"
	"loadgen/scenarios/fleet/protocol"
)

// LeadOptions are how a fleet is led.
type LeadOptions struct {
	// Members is how many have to join, within Deadline.
	Members  int
	Deadline time.Duration
	Bus      *bus.Leader
	Version  string
	// Charge is what each is charged with, but for SHA256, Index and Of.
	Charge protocol.Charge
	// FinishOnLoss has the others go on where a member is lost during the run; otherwise the
	// run ends.
	FinishOnLoss bool
	// StartAfter is how long after the last is ready the run starts, [protocol.StartAfter]
	// where it is 0.
	StartAfter time.Duration
	// Seen is told of everything that happens, by one goroutine; it may be nil.
	Seen  func(protocol.Event)
	Clock clock.Real
}

// Outcome is what a run of a fleet came to.
type Outcome struct {
	// Members are in the order of their places.
	Members []Share
	// Began is the agreed instant, by the leader's clock; zero where it did not come to one.
	Began time.Time
	// Skew is the greatest difference of the instants at which two of them began.
	Skew time.Duration
	// Faults are what keeps the run from being whole, none where it is; Notes are what else
	// there is to say. Each is a sentence.
	Faults []string
	Notes  []string
}

// Share is a member, and what became of its share.
type Share struct {
	protocol.Share
	// Record is its own, nil where it did not arrive.
	Record *results.Record
}

// Lead leads a run until it is over, and closes the bus. An error is one of the protocol:
// that the run did not begin. That a member was lost is part of the outcome, which is
// returned in any case. A context that ends stops the run, and the records are waited for.
func Lead(ctx context.Context, o LeadOptions) (Outcome, error) {
	defer o.Bus.Close()
	return lead(ctx, &o, o.Bus)
}

// hub is a leader's way to its members.
type hub interface {
	Messages() <-chan bus.Message
	Answer(to string, text []byte) error
	Dropped() int
}

func lead(ctx context.Context, o *LeadOptions, h hub) (Outcome, error) {
	sum := sha256.Sum256(o.Charge.Scenario)
	o.Charge.SHA256 = hex.EncodeToString(sum[:])
	l, err := protocol.NewLeader(protocol.Plan{Members: o.Members, Deadline: o.Deadline, Version: o.Version, Charge: o.Charge,
		FinishOnLoss: o.FinishOnLoss, StartAfter: o.StartAfter})
	if err != nil {
		return Outcome{}, err
	}
	s := &leadership{o: o, hub: h, l: l}
	s.loop(ctx)
	return s.outcome()
}

// leadership is a leader and the process around it.
type leadership struct {
	o   *LeadOptions
	hub hub
	l   *protocol.Leader
}

// tickEvery is how often a leader looks who is missing.
const tickEvery = 100 * time.Millisecond

// loop answers the members, and lets time pass, until nobody is left.
func (s *leadership) loop(ctx context.Context) {
	interrupted := ctx.Done()
	for !s.l.Gone(s.o.Clock.Now()) {
		alarm := s.o.Clock.Alarm(s.o.Clock.Now().Add(tickEvery))
		select {
		case m, open := <-s.hub.Messages():
			if !open {
				alarm.Stop()
				return
			}
			s.answer(m)
		case <-alarm.C:
			// Nobody is missing whose words only wait to be heard.
			s.hear()
			s.l.Tick(s.o.Clock.Now())
		case <-interrupted:
			interrupted = nil
			s.l.Stop(s.o.Clock.Now(), context.Cause(ctx).Error())
		}
		alarm.Stop()
		s.show()
	}
}

// hear answers what waits.
func (s *leadership) hear() {
	const most = 1024
	for range most {
		select {
		case m, open := <-s.hub.Messages():
			if !open {
				return
			}
			s.answer(m)
		default:
			return
		}
	}
}

func (s *leadership) answer(m bus.Message) {
	if text := s.l.On(s.o.Clock.Now(), m.From, m.Text); text != nil {
		// What is not sent is asked for again.
		_ = s.hub.Answer(m.From, text)
	}
}

func (s *leadership) show() {
	for _, e := range s.l.Events() {
		if s.o.Seen != nil {
			s.o.Seen(e)
		}
	}
}

// outcome reads the records.
func (s *leadership) outcome() (Outcome, error) {
	came, err := s.l.Outcome()
	o := Outcome{Skew: came.Skew, Faults: came.Faults, Notes: came.Notes}
	if came.Start > 0 {
		o.Began = s.o.Clock.Started().Add(came.Start.Offset())
	}
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
		o.Notes = append(o.Notes, fmt.Sprintf("Messages that there was no room for, and that were asked again: %d.", dropped))
	}
	return o, err
}
