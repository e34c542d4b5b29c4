package run

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// mostOnPage is how many entities come on one page of a query at most.
const mostOnPage = 1000

// driverFault returns what keeps the client of the plan, or its driver, from sending its load.
func (p *Plan) driverFault() error {
	switch {
	case p.Client == "":
	case p.Client != Native && p.Client != NetHTTP:
		expected := "expected native or net/http"
		if near, found := nearest.Name(p.Client, []string{Native, NetHTTP}); found {
			expected = "the nearest is " + near
		}
		return wrong("client", "%s", expected)
	case !p.live() || p.On == InProcess:
		return wrong("client", "nothing is sent over a network; expected --target embedded, or a service")
	case p.Driver == Vegeta && p.Client == Native:
		return wrong("client", "vegeta's driver sends by net/http; expected --driver native, or no --client")
	}
	if p.Driver == "" || p.Driver == Native {
		return nil
	}
	if p.Driver != Vegeta {
		expected := "expected native or vegeta"
		if near, found := nearest.Name(p.Driver, []string{Native, Vegeta}); found {
			expected = "the nearest is " + near
		}
		return wrong("driver", "%s", expected)
	}
	if err := p.beyondVegeta(); err != nil {
		return wrong("driver", "%v", err)
	}
	return nil
}

// beyondVegeta returns what the plan and the scenario ask for that vegeta cannot
// do: it sends one request over HTTP for each hit, and hits come at a rate.
func (p *Plan) beyondVegeta() error {
	s := p.Scenario
	switch {
	case !p.live() || p.On == InProcess:
		return errors.New("it sends over HTTP, and --target in-process has none; expected embedded, or a service")
	case lineOf(s) != nil:
		return errors.New("it sends past the client's line, and the model bounds that; expected --set model.client_bandwidth=0 and model.packet_loss=0")
	case p.Find != nil:
		return errors.New("--find-limit needs the native driver; expected one of them")
	case severalOf(s) > 0:
		return fmt.Errorf("it sends to one account, and the scenario is sharded over %d; expected --set accounts.number=1", severalOf(s))
	case s.Verify && !p.Verify:
		return errors.New("the scenario verifies its writes, which needs the native driver; expected --set verify=false")
	case p.Verify:
		return errors.New("--verify-writes needs the native driver; expected one of them")
	case len(s.Faults) > 0:
		return errors.New("the faults of the scenario are injected by the native driver; expected that, or a scenario without faults")
	case s.Retry != "none" && p.RetryChosen:
		return fmt.Errorf("it tries nothing again, and the policy %s does; expected --retry none", s.Retry)
	}
	for i := range s.Phases {
		phase := &s.Phases[i]
		if clients := phase.Offered().Clients; clients > 0 {
			return fmt.Errorf("the phase %s is a closed loop of %d clients; expected arrivals", phase.Name, clients)
		}
		for j := range phase.Operations() {
			op := &phase.Operations()[j]
			if op.Limit.PerSecond > 0 {
				return fmt.Errorf("operation %s has a rate limit, which the native driver keeps; expected that, or no limit", op.Name)
			}
			err := severalRequests(op)
			if len(s.Design.Copies) > 0 && op.Writes().IsChange() {
				err = errors.New("writes copies, each by a request of its own; expected a design without copies")
			}
			if err != nil {
				return fmt.Errorf("the operation %s of the phase %s %w", op.Name, phase.Name, err)
			}
		}
	}
	return nil
}

// severalRequests says why an operation may take more than one request, nil where it
// does not.
func severalRequests(op *scenarios.OperationSpec) error {
	page := mostOnPage
	if op.Top > 0 {
		page = op.Top
	}
	switch {
	case op.Workflow != "":
		return fmt.Errorf("is the workflow %s, of several requests; expected a verb", op.Workflow)
	case op.ReadFirst:
		return errors.New("reads before it writes, in a request of its own; expected one without read_first")
	case op.Verb != entity.Query && len(op.By) > 0:
		return errors.New("looks for what it writes, in a request of its own; expected one without by")
	case op.Verb != entity.Query, op.Class == scenarios.ClassPoint, op.Pages == 1:
		return nil
	case op.Class == scenarios.ClassRows && op.Rows <= page:
		// Of rows that a filter picks fewer can be on a page.
		return nil
	default:
		return errors.New("may read several pages, each by a request of its own; expected pages: 1")
	}
}

// runner returns what carries the stages of a run out over a destination, and what
// lets go of it.
func (p *Plan) runner(live *drive.Live, clk clock.Real, d *destination) (drive.Runner, func()) {
	if p.Driver != Vegeta {
		return live, func() {}
	}
	client := d.wires[0].NetHTTP()
	v := &drive.Vegeta{Live: live, Wire: client, Epoch: clk.Started()}
	if b, bounded := live.Target.(*budgeted); bounded {
		v.Wire = budgetedWire{client, b}
	}
	return v, client.Close
}

// budgetedWire spends the budget of a target on what does not pass through it.
type budgetedWire struct {
	drive.Wire
	budget *budgeted
}

// RoundTrip implements [drive.Wire].
func (w budgetedWire) RoundTrip(ctx context.Context, op *target.Operation) (*http.Response, error) {
	w.budget.spend()
	return w.Wire.RoundTrip(ctx, op)
}
