package run

import (
	"context"
	"errors"
	"runtime"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
)

// inRealTime runs a valid plan against its target.
func (p *Plan) inRealTime(ctx context.Context) (*results.Record, error) {
	campaign, err := p.campaign(clock.NewReal().Started())
	if err != nil {
		return nil, err
	}
	if err := p.consent(ctx, campaign); err != nil {
		return nil, err
	}
	ceiling, err := p.probe(ctx, campaign.Sample())
	if err != nil {
		return nil, err
	}
	clk := clock.NewReal() // the run begins after the probe
	d, err := p.open(ctx, clk, campaign.Table)
	if err != nil {
		if ctx.Err() != nil {
			// The context ended the wait, so the error is not the target's.
			return nil, ctx.Err()
		}
		return nil, err
	}
	defer d.close()
	if p.Member != nil {
		if clk, err = p.awaitOthers(ctx, campaign, clk, d); err != nil {
			return nil, err
		}
	}
	manifest, err := p.manifest(campaign, clk.Started(), d)
	if err != nil {
		return nil, err
	}
	k, err := p.record(manifest)
	if err != nil {
		return nil, err
	}
	if p.handed != nil {
		p.handed.destination, p.handed.appendSecond = d, k.recorder.AppendSecond
	}
	ended := p.send(ctx, campaign, clk, d, k, ceiling)
	connections, said := connectionsOf(d.wires), d.replies()
	k.recorder.UpdateRecord(func(of *results.Record) { of.Connections, of.Said = connections, said })
	d.close() // only then has the target counted what was cut off
	record, ended := k.seal(clk.Now().Offset(), d.counter, ended)
	if ended == nil {
		// Cancelling a run after its end prevents what follows.
		ended = ctx.Err()
	}
	return record, ended
}

// send runs a campaign against an open target, and returns its error.
func (p *Plan) send(ctx context.Context, campaign *campaign.Campaign, clk clock.Real, d *destination, k *recording,
	ceiling *results.Ceiling) error {
	now := func() time.Duration { return clk.Now().Offset() }
	if p.Member != nil && p.Member.Second != nil {
		k.recorder.Listen(p.Member.Second)
	}
	observers := p.Progress.Begins(Begun{Scenario: p.Scenario.Name, Time: k.manifest.Time, Operations: k.manifest.Operations, Recorder: k.recorder, Now: now,
		Started: k.manifest.Started, Tool: k.manifest.Tool})
	for _, one := range k.outputs {
		if one.attempts != nil {
			observers = append(observers, one.attempts)
		}
	}
	ledger := &drive.Ledger{Recorder: k.recorder, Observers: observers}
	welcome, release := d.whileWelcome(ctx)
	defer release()
	bounded, t, unbind := p.bound(welcome, d.target)
	defer unbind()
	// An injected fault is not sent and costs nothing.
	if p.injector != nil {
		t = p.injector.Inject(t, clk)
		if d.counter != nil {
			d.counter = p.injector.Corrected(d.counter)
		}
	}
	live := &drive.Live{Clock: clk, Target: t, Workers: p.workers(), Fine: true}
	tell := func(h results.Health) {
		k.recorder.Health(h)
		for _, o := range observers {
			if wants, is := o.(HealthObserver); is {
				wants.Health(h)
			}
		}
	}
	look := StartHealthSampler(HealthOptions{Clock: live.Clock, Source: NewHealthProcess(),
		Load: func() GeneratorLoad { return GeneratorLoad(live.Load()) }, Tell: tell, Cores: runtime.GOMAXPROCS(0), Workers: live.Workers})
	defer p.easeCollector(campaign)()
	ended := campaign.Run(bounded, p.runner(live, clk), ledger)
	spent := errors.Is(context.Cause(bounded), ErrBudget)
	if spent {
		p.Progress.Ends(ErrBudget)
	} else {
		p.Progress.Ends(ended)
	}
	seen := look.Stop()
	seen.Ceiling = ceiling
	k.recorder.UpdateRecord(func(of *results.Record) { of.Generator = seen })
	if spent {
		if rest := withoutKind(ended, context.Canceled); rest != nil {
			return errors.Join(ErrBudget, rest)
		}
		return ErrBudget
	}
	cause := context.Cause(welcome)
	if cause == nil && ended != nil {
		cause = d.rejection(ctx)
	}
	if errors.Is(cause, ErrTarget) {
		return errors.Join(cause, withoutKind(ended, context.Canceled))
	}
	return ended
}
