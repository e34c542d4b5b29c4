package run

import (
	"context"
	"errors"

	"loadgen/results"
)

// Rehearsal is a run of a plan on the virtual clock, before it is carried out anywhere: what
// the model's limits make of all that it offers, retries and the waits of a closed loop
// included.
type Rehearsal struct {
	// Record is kept in memory, and sealed.
	Record *results.Record
	// Whole is false where the rehearsal was ended after the attempts that it may take:
	// Record then has what came before. A run that the scenario itself ends early (stop_on)
	// is whole.
	Whole bool
	// Sent and Received are the bytes that it would have had on the wire.
	Sent, Received int64
	// ThrottledBy is how many requests each limit of the model throttled, by its name.
	ThrottledBy map[string]int64
}

// errRehearsed ends a rehearsal that has taken all of its attempts.
var errRehearsed = errors.New("as many attempts as a rehearsal may take")

// Rehearse carries the plan's scenario out on the virtual clock, for so many attempts at
// most, and leaves nothing behind. A search is none that could be rehearsed: what its phase
// offers is. Its error is that of [Run].
func (p *Plan) Rehearse(ctx context.Context, most int64) (*Rehearsal, error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	weight := new(weighing)
	alone := Plan{Scenario: p.carried(), Peak: p.Peak, RetryChosen: true, Verify: p.Verify,
		Progress: &rehearsing{left: most, end: func() { end(errRehearsed) }},
		weighing: weight}
	record, err := Run(ctx, alone)
	r := &Rehearsal{Record: record, Whole: err == nil || record != nil && errors.Is(err, ErrStopped), Sent: weight.sent,
		Received: weight.received, ThrottledBy: weight.throttledBy}
	if r.Whole || record != nil && errors.Is(context.Cause(ctx), errRehearsed) {
		return r, nil
	}
	return nil, err
}

// rehearsing ends a rehearsal after so many attempts.
type rehearsing struct {
	unseen
	left int64
	end  func()
}

// Begins implements [Progress].
func (r *rehearsing) Begins(Begun) []Observer { return []Observer{r} }

// Attempt implements [Observer].
func (r *rehearsing) Attempt(*results.Attempt) {
	if r.left--; r.left == 0 {
		r.end()
	}
}

// Completed implements [Observer].
func (r *rehearsing) Completed(*results.Completed) {}

// mostForeseen is how many requests a plan is rehearsed for, to say what it will ask: some
// seconds on two processors. Of more, each operation of a sample stands for many.
const mostForeseen = 1_000_000

// Forecast returns what a run of the plan will ask of its target, retries included, as a
// rehearsal has it; of a search, and of more than a rehearsal takes, what the operations ask
// for where nothing is throttled. Its error is that of a scenario which cannot be run.
func (p *Plan) Forecast(ctx context.Context) (Forecast, error) {
	made, err := campaignOf(p.options(TablePrefix + p.Scenario.Table))
	if err != nil {
		return Forecast{}, err
	}
	f := made.Forecast()
	if p.Find != nil || f.Requests > mostForeseen {
		return f, nil
	}
	r, err := p.Rehearse(ctx, mostForeseen)
	if err != nil {
		return f, err
	}
	return r.Forecast(f), nil
}

// Forecast returns what the rehearsal asked of its target, where it is whole: what was
// reckoned, that is, with the requests and the entities that came of it.
func (r *Rehearsal) Forecast(reckoned Forecast) Forecast {
	if !r.Whole {
		return reckoned
	}
	all, f := r.Record.Total(results.Everything), reckoned
	f.Requests, f.AtMost, f.Entities = all.Attempts, max(all.Attempts, reckoned.AtMost), all.Counted
	f.Sent, f.Received = r.Sent, r.Received
	return f
}
