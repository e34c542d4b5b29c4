package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/fleet/bus"
	"loadgen/scenarios/fleet/protocol"
)

// Carry does a member's share of the work that it is charged with. It prepares, calls
// ready once with the number of operations that its share of the plan comes to (0 where
// that is not known beforehand), sends from the instant that this returns on, tells each
// whole second of its record as soon as nothing more can come to it, and returns the record.
//
// Ready blocks until all are ready; its error is why the run does not begin. Tell keeps
// nothing of what it is told. Both may be called by any goroutine until Carry returns. The
// context ends where the run has to, for the cause that it has: what there is by then is
// sealed, as a partial record.
type Carry func(ctx context.Context, c protocol.Charge, ready func(ctx context.Context, planned uint64) (time.Time, error), tell func(protocol.Second)) (*results.Record, error)

// JoinOptions are how a process becomes a member.
type JoinOptions struct {
	Bus bus.Options
	// Name is what the member is called, unlike all others of the fleet.
	Name string
	// Labels say where it is, such as region.
	Labels map[string]string
	// Version is the build's; the leader takes members of its own alone.
	Version string
	// Deadline is how long it looks for a leader.
	Deadline time.Duration
	Carry    Carry
	Clock    clock.Real
}

// Join takes part in a run until it is over: nil where the leader has the record. Errors
// are those of [bus.Dial] and of the protocol, of Carry, or the context's cause.
func Join(ctx context.Context, o JoinOptions) error {
	id, err := bus.NewID()
	if err != nil {
		return err
	}
	end, err := bus.Dial(ctx, o.Bus, id, o.Clock)
	if err != nil {
		return err
	}
	defer end.Close()
	return take(ctx, &o, id, end)
}

// line is a member's way to its leader.
type line interface {
	Send(text []byte) error
	Messages() <-chan []byte
}

// membership is a member and the process around it.
type membership struct {
	o    *JoinOptions
	line line

	// mu is held by whoever has the machine do a step.
	mu     sync.Mutex
	m      *protocol.Member
	closed bool
	err    error

	// over is closed once the member is done; begin has the instant of the start; working ends
	// with Carry.
	over    chan struct{}
	begin   chan time.Time
	working sync.WaitGroup
	ctx     context.Context
	stop    context.CancelCauseFunc
	// failed is why Carry has no record.
	failed error
}

// errStopped is wrapped where the leader ends the run before its time.
var errStopped = errors.New("the run was stopped")

// take plays a member until it is done.
func take(ctx context.Context, o *JoinOptions, id string, l line) error {
	w := &membership{o: o, line: l, over: make(chan struct{}), begin: make(chan time.Time, 1),
		m: protocol.NewMember(protocol.MemberPlan{Name: o.Name, Epoch: id, Version: o.Version, Labels: o.Labels, Deadline: o.Deadline})}
	w.ctx, w.stop = context.WithCancelCause(ctx)
	w.loop(ctx)
	w.stop(w.err)
	w.working.Wait()
	switch {
	case w.err != nil:
		return w.err
	case w.failed != nil:
		return w.failed
	}
	return context.Cause(ctx)
}

// loop hears the leader, and lets time pass, until the member is done.
func (w *membership) loop(ctx context.Context) {
	interrupted, messages := ctx.Done(), w.line.Messages()
	for {
		w.step(func(now clock.Instant) protocol.Step { return w.m.Tick(now) })
		w.mu.Lock()
		alarm := w.o.Clock.Alarm(w.m.Next(w.o.Clock.Now()))
		w.mu.Unlock()
		select {
		case text, open := <-messages:
			if !open {
				// Nobody is heard any more, and the leader is lost soon.
				messages = nil
				break
			}
			w.step(func(now clock.Instant) protocol.Step { return w.m.On(now, text) })
		case <-alarm.C:
		case <-interrupted:
			interrupted = nil
			w.step(func(now clock.Instant) protocol.Step { return w.m.Interrupt(now, context.Cause(ctx).Error()) })
		case <-w.over:
			alarm.Stop()
			return
		}
		alarm.Stop()
	}
}

// step has the machine do something, and does what it says.
func (w *membership) step(do func(now clock.Instant) protocol.Step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := do(w.o.Clock.Now())
	for _, text := range s.Send {
		// What is not sent is not answered, and asked again.
		_ = w.line.Send(text)
	}
	if s.Prepare != nil {
		charge := *s.Prepare
		w.working.Go(func() { w.work(charge) })
	}
	if s.Begin != nil {
		w.begin <- w.o.Clock.Started().Add(s.Begin.Offset())
	}
	if s.Stop != "" {
		w.stop(fmt.Errorf("%w: %s", errStopped, s.Stop))
	}
	if s.Over && !w.closed {
		w.closed, w.err = true, s.Err
		close(w.over)
	}
}

// work carries the share out, and hands its record in.
func (w *membership) work(charge protocol.Charge) {
	record, err := w.o.Carry(w.ctx, charge, w.ready, w.tell)
	partial := ""
	if record != nil && record.Validity == results.Partial {
		partial = "its record is partial"
		if cause := context.Cause(w.ctx); cause != nil {
			partial = cause.Error()
		} else if err != nil {
			partial = err.Error()
		}
	}
	var text []byte
	if record != nil {
		text, err = pack(record)
	} else if err == nil {
		err = errors.New("there is no record")
	}
	if err != nil {
		if cause := context.Cause(w.ctx); cause != nil && errors.Is(err, context.Canceled) {
			err = cause
		}
		w.step(func(now clock.Instant) protocol.Step { w.failed = err; return w.m.Fail(now, err.Error()) })
		return
	}
	counts := countsOf(record)
	w.step(func(now clock.Instant) protocol.Step { return w.m.HandIn(now, text, counts, partial) })
}

// ready says that the share is prepared, and returns when to begin.
func (w *membership) ready(ctx context.Context, planned uint64) (time.Time, error) {
	w.step(func(now clock.Instant) protocol.Step { return w.m.Ready(now, planned) })
	select {
	case at := <-w.begin:
		return at, nil
	case <-ctx.Done():
		return time.Time{}, context.Cause(ctx)
	case <-w.ctx.Done():
		return time.Time{}, context.Cause(w.ctx)
	}
}

func (w *membership) tell(s protocol.Second) {
	w.step(func(now clock.Instant) protocol.Step { return w.m.Second(now, &s) })
}
