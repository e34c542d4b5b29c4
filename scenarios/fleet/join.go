package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/fleet/protocol"
)

// Carry does a member's share of the work that it is charged with. It prepares, calls
// Ready once with the number of operations that its share of the plan comes to (0 where
// that is not known beforehand), sends from the instant that this returns on, tells each
// whole second of its record as soon as nothing more can come to it, and returns the record.
// Where the work comes in turns, it asks for each, and says what came of it.
// The context ends where the run has to, for the cause that it has: what there is by then is
// sealed, as a partial record.
type Carry func(ctx context.Context, c protocol.Charge, l Leading) (*results.Record, error)

// Leading is who leads a run, as whoever carries a share of it out has that. Its methods may be
// called by any goroutine until Carry returns.
type Leading interface {
	// Ready blocks until all are ready; its error is why the run does not begin.
	Ready(ctx context.Context, planned uint64) (time.Time, error)
	// Tell keeps nothing of what it is told.
	Tell(protocol.Second)
	// Next blocks until the next turn is known, of which What is nil after the last, and returns
	// when it begins.
	Next(context.Context) (t protocol.Turn, begins time.Time, err error)
	// Came says what came of a turn.
	Came(turn int, what json.RawMessage)
}

// JoinOptions are how a process becomes a member.
type JoinOptions struct {
	Bus BusOptions
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

// Join takes part in a run, or a series of them, until it is over: nil where the leader has the
// records. Errors
// are those of [dialBus] and of the protocol, of Carry, or the context's cause.
func Join(ctx context.Context, o JoinOptions) error {
	id, err := newID()
	if err != nil {
		return err
	}
	end, err := dialBus(ctx, o.Bus, id, o.Clock)
	if err != nil {
		return err
	}
	defer end.Close()
	return playMember(ctx, &o, id, end)
}

// playMember plays a member of one run after another until no more follows.
func playMember(ctx context.Context, o *JoinOptions, id string, l line) error {
	for number := uint64(0); ; number++ {
		w := &membership{o: o, line: l, over: make(chan struct{}), begin: make(chan time.Time, 1), turns: make(chan protocol.Turn, 1),
			m: protocol.NewMember(protocol.MemberPlan{Name: o.Name, Epoch: id, Run: number, Version: o.Version, Labels: o.Labels, Deadline: o.Deadline})}
		w.ctx, w.stop = context.WithCancelCause(ctx)
		interrupted := ctx.Done()
		for over := false; !over; {
			w.step(func(now clock.Instant) protocol.Step { return w.m.Tick(now) })
			w.mu.Lock()
			alarm := o.Clock.Alarm(w.m.Next(o.Clock.Now()))
			w.mu.Unlock()
			select {
			case text := <-l.Messages():
				w.step(func(now clock.Instant) protocol.Step { return w.m.On(now, text) })
			case <-alarm.C:
			case <-interrupted:
				interrupted = nil
				w.step(func(now clock.Instant) protocol.Step { return w.m.Interrupt(now, context.Cause(ctx).Error()) })
			case <-w.over:
				over = true
			}
			alarm.Stop()
		}
		w.stop(w.err)
		w.working.Wait()
		switch {
		case w.err != nil:
			return w.err
		case w.failed != nil:
			return w.failed
		case !w.follows:
			return context.Cause(ctx)
		}
	}
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
	// follows says that another run does.
	follows bool
	err     error

	// over is closed once the member is done; begin has the instant of the start, turns those
	// that are ordered; working ends with Carry.
	over    chan struct{}
	begin   chan time.Time
	turns   chan protocol.Turn
	working sync.WaitGroup
	ctx     context.Context
	stop    context.CancelCauseFunc
	// failed is why Carry has no record.
	failed error
}

// errStopped is wrapped where the leader ends the run before its time.
var errStopped = errors.New("the run was stopped")

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
	if s.Turn != nil {
		w.turns <- *s.Turn
	}
	if s.Stop != "" {
		w.stop(fmt.Errorf("%w: %s", errStopped, s.Stop))
	}
	if s.Over && !w.closed {
		w.closed, w.follows, w.err = true, s.Follows, s.Err
		close(w.over)
	}
}

// work carries the share out, and hands its record in.
func (w *membership) work(charge protocol.Charge) {
	record, err := w.o.Carry(w.ctx, charge, w)
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

// Ready implements [Leading].
func (w *membership) Ready(ctx context.Context, planned uint64) (time.Time, error) {
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

// Next implements [Leading].
func (w *membership) Next(ctx context.Context) (protocol.Turn, time.Time, error) {
	select {
	case t := <-w.turns:
		return t, w.o.Clock.Started().Add(t.Start.Offset()), nil
	case <-ctx.Done():
		return protocol.Turn{}, time.Time{}, context.Cause(ctx)
	}
}

// Came implements [Leading].
func (w *membership) Came(turn int, what json.RawMessage) {
	w.step(func(now clock.Instant) protocol.Step { return w.m.Came(now, turn, what) })
}

// Tell implements [Leading].
func (w *membership) Tell(s protocol.Second) {
	w.step(func(now clock.Instant) protocol.Step { return w.m.Second(now, &s) })
}
