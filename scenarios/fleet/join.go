package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/fleet/protocol"
	"loadgen/scenarios/run"
)

// Carry runs a member's share of the load. It prepares, calls Ready of m once with the number of operations of the share (0 if
// that depends on the run), sends from the instant that Ready returns, reports each second of its record once it is complete,
// and returns the record. In a search it requests each step from the leader and reports the result. If the context is
// cancelled, Carry stops and returns a partial record; the cause of the context says why.
type Carry func(ctx context.Context, a protocol.Assignment, m *run.Member) (*results.Record, error)

// JoinOptions configure a member. Join sets the Epoch and Run of the plan.
type JoinOptions struct {
	protocol.MemberPlan
	Bus   BusOptions
	Carry Carry
	Clock clock.Real
}

// Join takes part in a run, or a series of them, until it is over. It returns nil if the leader has the records. Errors are
// those of [dialBus], of the protocol, of Carry, or the context's cause.
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
	o.Epoch = id
	return joinRuns(ctx, o, end)
}

// joinRuns takes part in one run after another until no more follows.
func joinRuns(ctx context.Context, o JoinOptions, t transport) error {
	for ; ; o.Run++ {
		m := &membership{transport: t, carry: o.Carry, clock: o.Clock, member: protocol.NewMember(o.MemberPlan),
			begin: make(chan time.Time, 1), steps: make(chan protocol.SearchStep, 1)}
		m.ctx, m.stop = context.WithCancelCause(ctx)
		m.loop(ctx)
		m.stop(m.err)
		m.working.Wait()
		switch {
		case m.err != nil:
			return m.err
		case m.failed != nil:
			return m.failed
		case !m.follows:
			return context.Cause(ctx)
		}
	}
}

// membership is a member of one run and the process around it.
type membership struct {
	transport
	carry Carry
	clock clock.Real

	// mu guards the following fields.
	mu     sync.Mutex
	member *protocol.Member
	// over says that the member is done, follows that another run follows.
	over, follows bool
	err           error
	// failed is why Carry has no record.
	failed error

	// begin has the instant of the start, steps the ordered steps of a search.
	begin chan time.Time
	steps chan protocol.SearchStep
	// late is the delay of the start, which the first second that is reported has.
	late atomic.Pointer[time.Duration]
	// working ends with Carry, which runs in ctx.
	working sync.WaitGroup
	ctx     context.Context
	stop    context.CancelCauseFunc
}

// errStopped is wrapped if the leader ends the run early.
var errStopped = errors.New("the run was stopped")

// loop passes messages and the time to the member until it is done.
func (m *membership) loop(ctx context.Context) {
	tick := func() (next clock.Instant) {
		m.do(func(now clock.Instant) protocol.Actions {
			actions := m.member.Tick(now)
			next = m.member.Next(now)
			return actions
		})
		return next
	}
	receive := func(received message) {
		m.do(func(now clock.Instant) protocol.Actions { return m.member.Receive(now, received.Text) })
	}
	interrupt := func() {
		m.do(func(now clock.Instant) protocol.Actions { return m.member.Interrupt(now, context.Cause(ctx).Error()) })
	}
	pump(ctx, m.Messages(), m.clock, tick, receive, interrupt, m.isOver)
}

// isOver reports whether the member is done.
func (m *membership) isOver() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.over
}

// do lets the member do something, and carries out its actions.
func (m *membership) do(something func(now clock.Instant) protocol.Actions) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := something(m.clock.Now())
	for _, text := range a.Send {
		_ = m.Send("", text) // a request that gets lost is sent again
	}
	if a.Prepare != nil {
		assignment := *a.Prepare
		m.working.Go(func() { m.work(assignment) })
	}
	if a.Begin != nil {
		m.begin <- m.clock.Started().Add(a.Begin.Offset())
	}
	if a.Step != nil {
		m.steps <- *a.Step
	}
	if a.Stop != "" {
		m.stop(fmt.Errorf("%w: %s", errStopped, a.Stop))
	}
	if a.Over && !m.over {
		m.over, m.follows, m.err = true, a.Follows, a.Err
	}
}

// work carries out the share and submits its record.
func (m *membership) work(a protocol.Assignment) {
	record, err := m.carry(m.ctx, a, &run.Member{Ready: m.Ready, Search: m, Began: m.began, Second: m.reportSecond})
	cause := context.Cause(m.ctx)
	var text []byte
	partial := ""
	if record != nil {
		if record.Validity == results.Partial {
			partial = "its record is partial"
			if reason := cmp.Or(cause, err); reason != nil {
				partial = reason.Error()
			}
		}
		text, err = pack(record)
	} else if err == nil {
		err = errors.New("there is no record")
	}
	if err != nil {
		if cause != nil && errors.Is(err, context.Canceled) {
			err = cause
		}
		m.do(func(now clock.Instant) protocol.Actions { m.failed = err; return m.member.Fail(now, err.Error()) })
		return
	}
	counts := countsOf(record)
	m.do(func(now clock.Instant) protocol.Actions { return m.member.Submit(now, text, counts, partial) })
}

// Ready implements Ready of [run.Member].
func (m *membership) Ready(ctx context.Context, planned uint64) (time.Time, error) {
	m.do(func(now clock.Instant) protocol.Actions { return m.member.SetReady(now, planned) })
	select {
	case at := <-m.begin:
		return at, nil
	case <-ctx.Done():
		return time.Time{}, context.Cause(ctx)
	case <-m.ctx.Done():
		return time.Time{}, context.Cause(m.ctx)
	}
}

// Next implements [run.Searching].
func (m *membership) Next(ctx context.Context) (step campaign.SearchStep, start time.Time, more bool, err error) {
	select {
	case ordered := <-m.steps:
		if more = ordered.What != nil; more {
			err = json.Unmarshal(ordered.What, &step)
		}
		return step, m.clock.Started().Add(ordered.Start.Offset()), more && err == nil, err
	case <-ctx.Done():
		return step, start, false, context.Cause(ctx)
	}
}

// Report implements [run.Searching].
func (m *membership) Report(step campaign.SearchStep, measured *campaign.Measured) {
	text, _ := json.Marshal(measured) // numbers and a histogram, which cannot fail
	m.do(func(now clock.Instant) protocol.Actions { return m.member.ReportResult(now, step.Number, text) })
}

// began implements Began of [run.Member].
func (m *membership) began(late time.Duration) { m.late.Store(new(max(0, late))) }

// reportSecond implements Second of [run.Member].
func (m *membership) reportSecond(i *results.Interval, response []*results.Histogram) {
	second := protocol.Second{Interval: *i, Response: response, BeganLate: m.late.Swap(nil)}
	if i.Generator != nil {
		second.Stall = i.Generator.StoodStill
	}
	m.do(func(now clock.Instant) protocol.Actions { return m.member.ReportSecond(now, &second) })
}

// planOptions are the options of a run's plan that are not fields of an assignment.
type planOptions struct {
	campaign.From
	// Mark marks written entities; Client is the sending client, Budget the maximum number of billed transactions of the
	// member's own run, 0 for any.
	Mark   string `json:"mark"`
	Client string `json:"client,omitempty"`
	Budget int64  `json:"budget,omitempty"`
	// NoProbe skips the probe before the run.
	NoProbe bool `json:"no_probe,omitempty"`
	// Find is the search of the run, nil for any other; RetryChosen says that the user chose the retry policy.
	Find        *campaign.Find `json:"find,omitempty"`
	RetryChosen bool           `json:"retry_chosen,omitempty"`
	// Folder is the base of relative paths in the scenario. Accounts are the addresses of the services that all members
	// send to, none if the target is the leader's engine.
	Folder   string   `json:"folder,omitempty"`
	Accounts []string `json:"accounts,omitempty"`
}

// SendTo returns a [Carry] that sends to accounts with their credentials, or to the leader's engine without any.
func SendTo(accounts []run.Endpoint) Carry {
	return func(ctx context.Context, a protocol.Assignment, m *run.Member) (*results.Record, error) {
		p, err := memberPlan(a, m, accounts)
		if err != nil {
			return nil, err
		}
		return run.Run(ctx, p)
	}
}

// memberPlan returns the plan of a member's run.
func memberPlan(a protocol.Assignment, m *run.Member, accounts []run.Endpoint) (p run.Plan, err error) {
	var o planOptions
	if err := json.Unmarshal(a.Options, &o); err != nil {
		return p, fmt.Errorf("invalid message of the leader: %w", err)
	}
	s, err := scenarios.Parse("the leader's scenario", a.Scenario)
	if err == nil {
		err = s.ReadFrom(o.Folder)
	}
	if err != nil {
		return p, err
	}
	m.Share, m.From, m.Mark, m.Engine = drive.Share{Index: a.Index, Of: a.Of}, o.From, o.Mark, a.Target
	p = run.Plan{Scenario: s, On: run.Embedded, Table: a.Table, Client: o.Client, Budget: o.Budget, NoProbe: o.NoProbe, Find: o.Find, RetryChosen: o.Find == nil || o.RetryChosen, Member: m}
	if a.Target != "" && len(accounts) > 0 {
		return p, fmt.Errorf("%w: the target is the leader's engine; remove --target", errTarget)
	}
	if a.Target == "" {
		p.On, p.Accounts = run.Remote, accounts
		if own := addresses(accounts); !slices.Equal(own, o.Accounts) {
			return p, fmt.Errorf("%w: %q, and the leader's is %q; expected the same", errTarget, own, o.Accounts)
		}
	}
	return p, nil
}

// addresses returns the addresses of accounts.
func addresses(accounts []run.Endpoint) (list []string) {
	for _, account := range accounts {
		list = append(list, account.String())
	}
	return list
}
