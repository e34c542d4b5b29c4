package run

import (
	"context"
	"errors"
	"slices"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/wire"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// Rehearsal is a simulation of a plan before its run. It predicts the effect of the model's limits, with retries and the
// waits of a closed loop.
type Rehearsal struct {
	// Record is in memory, and sealed.
	Record *results.Record
	// Whole is false if the rehearsal ended at its maximum of attempts. A run that the scenario ends early (stop_on) is
	// whole.
	Whole bool
	// Sent and Received are the predicted bytes on the wire.
	Sent, Received int64
	// ThrottledBy counts the throttled requests by the name of the limit.
	ThrottledBy map[string]int64

	seconds []traffic
}

// errRehearsed ends a rehearsal at its maximum of attempts.
var errRehearsed = errors.New("maximum attempts of a rehearsal")

// Rehearse simulates the plan's scenario for a maximum of attempts. Of a search it rehearses the load of its phase. Its error
// is that of [Run].
func (p *Plan) Rehearse(ctx context.Context, maxAttempts int64) (*Rehearsal, error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	weight := &weighing{level: p.Scenario.Wire().Level}
	left := maxAttempts
	alone := Plan{Scenario: p.carried(), Peak: p.Peak, RetryChosen: true, Verify: p.Verify, weighing: weight,
		Progress: Observers{drive.AttemptFunc(func(*results.Attempt) {
			if left--; left == 0 {
				end(errRehearsed)
			}
		})}}
	record, err := Run(ctx, alone)
	r := &Rehearsal{Record: record, Whole: err == nil || record != nil && errors.Is(err, drive.ErrStopped), Sent: weight.sent,
		Received: weight.received, ThrottledBy: weight.throttledBy, seconds: weight.seconds}
	if r.Whole || record != nil && errors.Is(context.Cause(ctx), errRehearsed) {
		return r, nil
	}
	return nil, err
}

// maxForecast is the maximum number of attempts of a rehearsal for a forecast: about a second, for which the user waits.
const maxForecast = 200_000

// Forecast predicts the load of a run of the plan by a rehearsal, with retries; for a search without throttling. Its error is
// that of an invalid scenario.
func (p *Plan) Forecast(ctx context.Context) (campaign.Forecast, error) {
	made, err := campaignOf(p.options(TablePrefix + p.Scenario.Table))
	if err != nil {
		return campaign.Forecast{}, err
	}
	return p.forecast(ctx, made)
}

func (p *Plan) forecast(ctx context.Context, made *campaign.Campaign) (campaign.Forecast, error) {
	if p.Find != nil {
		return made.Forecast(), nil
	}
	r, err := p.Rehearse(ctx, maxForecast)
	if err != nil {
		return campaign.Forecast{}, err
	}
	return r.Forecast(made), nil
}

// Reckoned predicts the load of a plan without throttling by arithmetic, with bytes within about a quarter.
func (p *Plan) Reckoned() (campaign.Forecast, error) {
	made, err := campaignOf(p.options(TablePrefix + p.Scenario.Table))
	if err != nil {
		return campaign.Forecast{}, err
	}
	return made.Forecast(), nil
}

// Forecast predicts the load of the rehearsed campaign. After a partial rehearsal, it extrapolates the phase that was under
// way, and predicts later ones without throttling.
func (r *Rehearsal) Forecast(c *campaign.Campaign) campaign.Forecast {
	all, f := r.Record.Counts(results.Everything), c.Forecast()
	requests, entities := float64(all.Attempts), float64(all.Counted)
	if !r.Whole {
		at, reckoned := -1, c.Forecasts()
		for i := range r.Record.Phases {
			at = max(at, slices.IndexFunc(c.Scenario.Phases, func(p scenarios.Phase) bool { return p.Name == r.Record.Phases[i].Stage }))
		}
		if at >= 0 {
			stage, begin := c.Scenario.Phases[at].Name, r.Record.Duration
			did := r.Record.Counts(func(p *results.Phase, _ results.Kind) bool {
				if p.Stage == stage {
					begin = min(begin, p.Begin)
				}
				return p.Stage == stage
			})
			rest := 0.0
			if t := c.Scenario.Phases[at].Traffic; t != nil && t.Clients == 0 {
				// The number of due operations does not depend on their rates.
				rest = figure.ShareOf(reckoned[at].Operations, did.Scheduled) - 1
			} else if t != nil && t.Count > 0 {
				rest = figure.ShareOf(int64(t.Count), did.Operations) - 1
			} else if lasted := (r.Record.Duration - begin).Seconds(); lasted > 0 {
				rest = reckoned[at].Lasts.Seconds()/lasted - 1
			}
			requests += float64(did.Attempts) * max(0, rest)
			entities += float64(did.Counted) * max(0, rest)
		}
		for _, later := range reckoned[at+1:] {
			requests, entities = requests+float64(later.Requests), entities+float64(later.Entities)
		}
	}
	more := figure.ShareOf(int64(requests), all.Attempts)
	f.Requests, f.AtMost, f.Entities = int64(requests), max(int64(requests), f.AtMost), int64(entities)
	f.Sent, f.Received = int64(float64(r.Sent)*more), int64(float64(r.Received)*more)
	return f
}

// weighing is a target on the virtual clock that sums the sizes of its requests and replies. It belongs to one
// goroutine.
type weighing struct {
	target.Immediate
	// sent and received are in bytes.
	sent, received int64
	// seconds are the same by the second in which each request was sent.
	seconds []traffic
	// throttledBy is that of the engine at the end.
	throttledBy map[string]int64
	level       wire.Level
}

// Submit implements [target.Immediate].
func (w *weighing) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	outcome, done := w.Immediate.Submit(now, op)
	sent, received := op.RequestBytes(), op.ReplyBytes(&outcome, w.level)
	w.sent += sent
	w.received += received
	second := int(time.Duration(now) / time.Second)
	for len(w.seconds) <= second {
		w.seconds = append(w.seconds, traffic{})
	}
	w.seconds[second].add(traffic{requests: 1, sent: sent})
	if outcome.Status != 0 && outcome.Status < 500 {
		w.seconds[second].add(traffic{answered: 1, received: received})
	}
	return outcome, done
}

// traffic is the number and the bytes of requests and replies, without the replies of an overloaded service, whose sizes
// are not typical.
type traffic struct {
	requests, answered int64
	sent, received     int64
}

func (t *traffic) add(more traffic) {
	t.requests += more.requests
	t.answered += more.answered
	t.sent += more.sent
	t.received += more.received
}

// Weight returns the mean bytes of a request of a stage, and of a reply other than those of an overloaded service; 0 for
// none.
func (r *Rehearsal) Weight(stage string) (request, reply float64) {
	var sum traffic
	for i := range r.Record.Phases {
		step, some := figure.StepOf(r.Record, &r.Record.Phases[i])
		if !some || step.Phase.Stage != stage {
			continue
		}
		from, to := int(step.Phase.Begin/time.Second), int((step.End()+time.Second-1)/time.Second)
		for _, second := range r.seconds[min(from, len(r.seconds)):min(to, len(r.seconds))] {
			sum.add(second)
		}
	}
	return float64(sum.sent) / float64(max(1, sum.requests)), float64(sum.received) / float64(max(1, sum.answered))
}

// Busiest returns the maximum bytes per second to the target and from it over the reported phases. Throttled attempts count
// as served.
func (r *Rehearsal) Busiest() (sent, received float64) {
	for i := range r.Record.Phases {
		p := &r.Record.Phases[i]
		lasts := min(p.End, r.Record.Duration) - p.Begin
		if !p.Reported || lasts < time.Second {
			continue
		}
		all := r.Record.Counts(func(one *results.Phase, _ results.Kind) bool { return one == p })
		rate := float64(all.Attempts) / lasts.Seconds()
		request, reply := r.Weight(p.Stage)
		sent, received = max(sent, rate*request), max(received, rate*reply)
	}
	return sent, received
}
