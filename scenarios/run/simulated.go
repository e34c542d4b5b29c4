package run

import (
	"cmp"
	"context"
	"sync"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/engine/store"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/queueblob"
)

// tailStretch is the length of the last part of a run, which is measured alone.
const tailStretch = 30 * time.Second

// simulated runs a valid plan on the virtual clock with an engine of its own in one goroutine, and at the same time its rival,
// if there is one.
func (p *Plan) simulated(ctx context.Context) (*results.Record, error) {
	campaign, err := p.campaign(time.Time{})
	if err != nil {
		return nil, err
	}
	epoch := p.Epoch
	if epoch.IsZero() {
		epoch = time.Unix(0, 0)
	}
	manifest, err := p.manifest(campaign, cmp.Or(p.Started, epoch), new(destination))
	if err != nil {
		return nil, err
	}
	manifest.Time, manifest.Dataless = "virtual", !p.data()
	k, err := p.record(manifest)
	if err != nil {
		return nil, err
	}
	var rival *results.Rival // nil if it does not complete
	var under sync.WaitGroup
	if other, some := p.rival(); some {
		under.Go(func() {
			if record, err := Run(ctx, other); err == nil {
				rival = verdict.RivalOf(record)
			}
		})
	}
	observers := p.Progress.Begins(Begun{Scenario: p.Scenario.Name, Time: manifest.Time, Operations: manifest.Operations, Recorder: k.recorder,
		Started: manifest.Started, Tool: manifest.Tool})
	end, counter, ended := p.simulate(ctx, campaign, epoch, k, observers)
	p.Progress.Ends(ended)
	under.Wait()
	if rival != nil && ended == nil {
		k.recorder.UpdateRecord(func(of *results.Record) { of.Rival = rival })
	}
	return k.seal(end, counter, ended)
}

// simulate runs the campaign with an engine of its own and returns its end, the engine's counts and the error.
func (p *Plan) simulate(ctx context.Context, campaign *campaign.Campaign, epoch time.Time, k *recording,
	observers []drive.Observer) (time.Duration, target.Counter, error) {
	s := p.Scenario
	m, err := p.model()
	if err != nil {
		return 0, nil, err
	}
	// Entities from before the begin of a log take no time.
	var held map[string]engine.Store
	if len(p.Held) > 0 {
		held = map[string]engine.Store{account: &heldStore{store.New(), p.Held}}
	}
	e := engine.New(engine.Options{Model: m, Accounts: accountsOf(s), Calendar: clock.Epoch(epoch), Seed: s.Seed,
		Cold: s.Start == scenarios.StartCold, Dataless: !p.data(), Alone: true, Stores: held})
	var each []target.Immediate
	for _, name := range accountsOf(s) {
		each = append(each, target.NewInProcess(e, name, nil).WithLevel(s.Wire().Level))
	}
	at := each[0]
	if len(each) > 1 {
		at = target.NewImmediateShards(each)
	}
	var books target.Counter = engineBooks{e}
	if len(storesOf(s)) > 0 {
		stores := queueblob.NewMemory()
		at, books = queueblob.NewVirtual(at, stores), booksOfBoth{books, stores}
	}
	if p.weighing != nil {
		p.weighing.Immediate, at = at, p.weighing
	}
	if p.injector != nil {
		at, books = p.injector.BeforeImmediate(at), p.injector.Corrected(books)
	}
	runner := &drive.Virtual{Target: at, Line: target.NewLine(m, s.Seed, s.Wire()), Gate: target.NewGate(s.Parallel())}
	if k.manifest.Spread != nil || s.Start == scenarios.StartCold {
		tail := results.NewTail(tailStretch)
		observers = append(observers, tail)
		defer k.recorder.UpdateRecord(func(of *results.Record) { of.Tail = tail.Keys() })
	}
	ended := campaign.Run(ctx, runner, &drive.Ledger{Recorder: k.recorder, Observers: observers,
		Happenings: func(now clock.Instant) []results.Event {
			e.Advance(now)
			return Decisions(e.DrainEvents())
		}})
	if p.weighing != nil {
		p.weighing.throttledBy = e.ThrottledBy()
	}
	return runner.Now().Offset(), books, ended
}

// engineBooks are the counts of an engine.
type engineBooks struct{ *engine.Engine }

// Counts implements [target.Counter].
func (b engineBooks) Counts() target.Counts { return target.Counts(b.Engine.Counts()) }

// Decisions returns the events of load balancing for a record.
func Decisions(list []engine.Event) []results.Event {
	var events []results.Event
	for _, d := range list {
		events = append(events, results.Event{At: int64(d.At), What: string(d.Kind), Decision: &results.Decision{
			Table: d.TableName, Range: d.Range, Other: d.Other, Key: d.Key, From: d.From, To: d.To,
			Until: d.Until.Offset(), Reason: d.Reason, Overloaded: d.Overloaded, Offered: d.Offered, Served: d.Served,
			Share: d.Share, FromLoad: d.FromLoad, ToLoad: d.ToLoad, Ranges: d.Ranges}})
	}
	return events
}

// rival returns the plan with the profile for comparison, false for none. A search has none.
func (p *Plan) rival() (Plan, bool) {
	profile := OtherProfile(p.Scenario.Model.Name())
	if !p.Rival || p.Find != nil || profile == "" {
		return Plan{}, false
	}
	s := *p.Scenario
	// The checks are for the scenario's own profile.
	s.Expect, s.Verify, s.Model.Profile = nil, false, profile
	return Plan{Scenario: &s, Data: p.data()}, true
}

// OtherProfile returns headroom for the profile documented and documented for headroom, empty for any other.
func OtherProfile(profile string) string {
	return map[string]string{model.Documented: model.Headroom, model.Headroom: model.Documented}[profile]
}

// heldStore creates tables with entities.
type heldStore struct {
	*store.Store
	keys []entity.Key
}

// CreateTable implements [engine.Store].
func (s *heldStore) CreateTable(name string) entity.Code {
	code := s.Store.CreateTable(name)
	if code != entity.OK {
		return code
	}
	content := []entity.Property{{Name: "V", Value: entity.Int32(1)}}
	for _, key := range s.keys {
		s.Apply(name, &entity.Change{Verb: entity.InsertOrReplace, Key: key, Properties: content}, entity.EarliestDateTime)
	}
	return code
}
