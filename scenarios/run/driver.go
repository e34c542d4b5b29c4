package run

import (
	"errors"
	"fmt"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
)

// maxOnPage is the maximum number of entities of a page.
const maxOnPage = 1000

// driverFault returns the fault of the client or the driver, nil if they can send the load.
func (p *Plan) driverFault() error {
	switch {
	case p.Client == "":
	case p.Client != Native && p.Client != NetHTTP:
		expected := "expected native, net/http or vegeta"
		if near, found := nearest.Name(p.Client, []string{Native, NetHTTP, Vegeta}); found {
			expected = "the nearest is " + near
		}
		return wrong("client", "%s", expected)
	case !p.live() || p.On == InProcess:
		return wrong("client", "in-process has no network; expected --target embedded or a service")
	case p.Driver == Vegeta && p.Client == Native:
		return wrong("client", "the vegeta driver uses net/http; expected native or vegeta")
	}
	if p.Driver == "" || p.Driver == Native {
		return nil
	}
	if p.Driver != Vegeta {
		return wrong("client", "expected %s or %s as driver", Native, Vegeta)
	}
	if err := p.beyondVegeta(); err != nil {
		return wrong("client", "%v", err)
	}
	return nil
}

// beyondVegeta returns what the plan requires that vegeta cannot do: vegeta sends one HTTP request for each hit, at a
// rate.
func (p *Plan) beyondVegeta() error {
	s := p.Scenario
	switch {
	case !p.live() || p.On == InProcess:
		return errors.New("it requires HTTP; expected --target embedded or a service")
	case p.line() != nil:
		return errors.New("it bypasses the modelled network; expected --set model.client_bandwidth=0 and model.packet_loss=0")
	case p.Find != nil:
		return errors.New("--find-limit requires the native client")
	case severalOf(s) > 0:
		return fmt.Errorf("it supports one account, not %d; expected --set accounts.number=1", severalOf(s))
	case s.Verify && !p.Verify:
		return errors.New("verifying writes requires the native client; expected --set verify=false")
	case p.Verify:
		return errors.New("--verify-writes requires the native client")
	case len(s.Faults) > 0:
		return errors.New("injected faults require the native client")
	case s.Retry != "none" && p.RetryChosen:
		return fmt.Errorf("it does not retry as the policy %s does; expected --retry none", s.Retry)
	}
	for i := range s.Phases {
		phase := &s.Phases[i]
		if clients := phase.Offered().Clients; clients > 0 {
			return fmt.Errorf("the phase %s is a closed loop of %d clients; expected arrivals", phase.Name, clients)
		}
		for j := range phase.Operations() {
			op := &phase.Operations()[j]
			if op.Limit.PerSecond > 0 {
				return fmt.Errorf("the rate limit of operation %s requires the native driver", op.Name)
			}
			err := severalRequests(op)
			if len(s.Design.Copies) > 0 && op.Writes().IsChange() {
				err = errors.New("writes copies in separate requests; expected a design without copies")
			}
			if err != nil {
				return fmt.Errorf("the operation %s of the phase %s %w", op.Name, phase.Name, err)
			}
		}
	}
	return nil
}

// severalRequests returns why an operation can take more than one request, nil if it cannot.
func severalRequests(op *scenarios.OperationSpec) error {
	page := maxOnPage
	if op.Top > 0 {
		page = op.Top
	}
	switch {
	case op.Workflow != "":
		return fmt.Errorf("is the workflow %s, of several requests; expected a verb", op.Workflow)
	case op.ReadFirst:
		return errors.New("reads first in a separate request; expected no read_first")
	case op.Verb != entity.Query && len(op.By) > 0:
		return errors.New("finds its entity in a separate request; expected no by")
	case op.Verb != entity.Query, op.Class == scenarios.ClassPoint, op.Pages == 1:
		return nil
	case op.Class == scenarios.ClassRows && op.Rows <= page:
		// A page can have fewer rows of a filter.
		return nil
	default:
		return errors.New("may request several pages; expected pages: 1")
	}
}

// runner returns the runner of the stages.
func (p *Plan) runner(live *drive.Live, clk clock.Real) drive.Runner {
	if p.Driver != Vegeta {
		return live
	}
	return &drive.Vegeta{Live: live, Epoch: clk.Started()}
}
