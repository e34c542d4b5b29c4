package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/fleet/protocol"
	"loadgen/scenarios/run"
)

// Offering is how a fleet offers what a run does, or each of several runs, one after another. It
// has to be closed.
type Offering struct {
	// Members is how many processes there are. They have to join within Deadline.
	Members  int
	Deadline time.Duration
	// Bus is where they join.
	Bus BusOptions
	// Local, where set, is the command that begins a member on this machine: its words are the
	// program and what it is told. Nil waits for others to join.
	Local []string
	// FinishOnLoss has the others go on where one is lost.
	FinishOnLoss bool
	// Folder is what the paths in the scenario count from.
	Folder string
	// Say is told in a line of what whoever waits wants to know. Said is where is written what a
	// member on this machine says that fails.
	Say  func(line string)
	Said io.Writer

	// company is nil before the first run and after the last.
	company *company
}

// soonAfter is how long after the last is ready members on this machine begin, where no word
// takes long.
const soonAfter = time.Second

// errTarget is wrapped where a member's target is not the leader's.
var errTarget = errors.New("the member's --target")

// Fill has a sound plan's load be offered by a fleet. Errors are [fields.Fault] of its flags.
func (o *Offering) Fill(p *run.Plan) error {
	if o.Members < 1 || o.Members > protocol.MaxMembers {
		return fields.Fault{Path: "processes", What: fmt.Sprintf("expected 1 to %d of them", protocol.MaxMembers)}
	}
	if o.Local == nil && p.On != run.Remote {
		return fields.Fault{Path: "lead", What: "other machines cannot reach this process's engine; expected the same --target URL for each member"}
	}
	p.Elsewhere = &run.Elsewhere{Processes: o.Members, Offer: o.offer}
	return nil
}

// charge is what the members of a run are charged with.
func (o *Offering) charge(p *run.Plan, h run.Handed) (protocol.Charge, error) {
	more := told{From: h.From, Mark: h.Mark, Client: p.Client, NoProbe: p.NoProbe, Find: p.Find, RetryChosen: p.RetryChosen}
	if o.Local != nil {
		more.Folder = o.Folder
	}
	if p.Budget > 0 {
		more.Budget = max(1, p.Budget/int64(o.Members))
	}
	for _, one := range p.Accounts {
		more.Where = append(more.Where, one.String())
	}
	options, err := json.Marshal(&more)
	return protocol.Charge{Scenario: p.Scenario.Text(), Target: h.Engine, Table: h.Table, Seed: p.Scenario.Seed, Options: options, Follows: p.Elsewhere.Follows}, err
}

// ErrBroken is wrapped where a member was lost, and so the remaining runs are skipped.
var ErrBroken = errors.New("the remaining runs are skipped")

// offer has the members offer a plan's load, and returns their record.
func (o *Offering) offer(ctx context.Context, p *run.Plan, h run.Handed) (record *results.Record, err error) {
	lead := LeadOptions{Members: o.Members, Deadline: o.Deadline, Version: Version(), FinishOnLoss: o.FinishOnLoss}
	if lead.Charge, err = o.charge(p, h); err != nil {
		return nil, err
	}
	var searched *search // nil where the plan has no search
	var plan []campaign.Offered
	if p.Find != nil {
		begun, err := p.Searched()
		if err != nil {
			return nil, err
		}
		searched = &search{Search: begun, plan: p, members: o.Members}
		lead.Search = searched
	} else if plan, err = p.Offered(nil, o.Members); err != nil {
		return nil, err
	}
	c, err := o.gathered()
	defer func() {
		if o.company != nil && o.company.rested == nil {
			err = errors.Join(err, o.Close())
		}
	}()
	if err != nil {
		return nil, err
	}
	if o.Local != nil {
		lead.StartAfter = soonAfter
	}
	seconds := newJournal(o.Members, h.AppendSecond)
	w := &watch{plan: plan, search: searched, members: o.Members, say: o.Say}
	w.shown, _ = p.Progress.(shown)
	lead.Seen = func(e protocol.Event) {
		seconds.handle(&e)
		w.see(e)
	}
	came, err := c.lead(ctx, &lead)
	if err != nil {
		return nil, err
	}
	if searched != nil {
		plan = searched.offered
	}
	record, err = gather(came, plan, o.Local != nil)
	switch {
	case err != nil && ctx.Err() != nil:
		// Who stopped it before anybody had begun knows why there is nothing.
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	case searched != nil:
		record.Limit = results.Clone(searched.Limit())
	}
	switch {
	case ctx.Err() != nil && record.Validity == results.Invalid:
		// Who stopped it knows that it is not whole.
		record.Validity, record.Reasons = results.Partial, []string{}
	case ctx.Err() == nil && lead.Charge.Follows && c.rested == nil:
		return record, fmt.Errorf("%w: %s", ErrBroken, strings.Join(came.Faults, " "))
	}
	return record, ctx.Err()
}

// Version names the build, whose members alone a leader takes.
func Version() string { return strings.TrimSpace(run.Version() + " " + run.Commit()) }

// Mistyped are the errors of what somebody typed: a token that will not do, an address that
// cannot be listened at, a target that is not the leader's.
var Mistyped = [...]error{errToken, errListen, errTarget}

// Away are the errors that others are not there, or do not agree.
var Away = [...]error{protocol.ErrFewer, protocol.ErrUnready, protocol.ErrRefused, protocol.ErrNoLeader, protocol.ErrLeaderLost, protocol.ErrStopped,
	errRefused, errUnreachable, errLed, errStopped, errNothing}

// search leads the search of a plan: its steps are turns, of which each follows from what all
// members measured of the last. It belongs to one goroutine.
type search struct {
	*campaign.Search
	plan    *run.Plan
	members int
	// offered is what its steps have offered so far, as records have it.
	offered []campaign.Offered
}

var _ protocol.Search = (*search)(nil)

// Next implements [protocol.Search].
func (s *search) Next(came []json.RawMessage) (json.RawMessage, error) {
	if len(came) > 0 {
		all := new(campaign.Measured)
		for i, text := range came {
			var one campaign.Measured
			if err := json.Unmarshal(text, &one); err != nil {
				return nil, fmt.Errorf("what member %d measured cannot be read: %w", i, err)
			}
			if err := one.Validate(); err != nil {
				return nil, fmt.Errorf("what member %d measured: %w", i, err)
			}
			all.Add(&one)
		}
		s.AddEntities(all)
		s.AddStep(all)
	}
	t, more := s.Search.Next()
	if !more {
		return nil, nil
	}
	offered, err := s.plan.Offered(&t, s.members)
	if err != nil {
		return nil, err
	}
	s.offered = append(s.offered, offered...)
	return json.Marshal(t)
}
