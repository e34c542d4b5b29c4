package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/standin"
)

// simulation is one run on the virtual clock: an engine of its own, driven by one
// goroutine.
type simulation struct {
	scenario *scenarios.Scenario
	campaign *drive.Campaign
	manifest results.Manifest
	engine   *engine.Engine
	// beside are the stand-ins for what the scenario uses beside its tables.
	beside *standin.Memory
}

// newSimulation returns the run of a scenario by options that name no table. It
// stores entities only with data.
func newSimulation(s *scenarios.Scenario, data bool, started time.Time, command []string,
	o drive.Options) (*simulation, error) {
	m, err := modelOf(s)
	if err != nil {
		return nil, err
	}
	o.Scenario, o.Table, o.NewName, o.Blank = s, tablePrefix+s.Table, true, true
	campaign, err := drive.NewCampaign(o)
	if err != nil {
		return nil, usageError{err}
	}
	manifest, err := manifestOf(s, campaign, 0, command)
	if err != nil {
		return nil, err
	}
	manifest.Time, manifest.Started, manifest.Dataless = "virtual", started.UTC().Round(0), !data
	return &simulation{s, campaign, manifest, engine.New(engine.Options{Model: m, Accounts: accountsOf(s),
		Epoch: entity.TicksOf(started), Seed: s.Seed, Cold: s.Start == scenarios.StartCold, Dataless: !data}), standin.NewMemory()}, nil
}

// tailStretch is what the last part of a run is measured by.
const tailStretch = 30 * time.Second

// run carries the simulation out and closes its books. Of two errors the first is
// why the run ended early, the second that its record could not be written.
func (s *simulation) run(ctx context.Context, recorder *results.Recorder, observers ...drive.Observer) (time.Duration, error) {
	tail := drive.NewTail(tailStretch)
	runner := &drive.Virtual{Target: standin.NewVirtual(virtualAccounts(s.engine, accountsOf(s.scenario)), s.beside)}
	ended := s.campaign.Run(ctx, runner, &drive.Ledger{Recorder: recorder, Observers: append(observers, tail),
		Happenings: func(now clock.Instant) []results.Event { return happenings(s.engine, now) }})
	if s.manifest.Spread != nil || s.scenario.Start == scenarios.StartCold {
		recorder.Tail(tail.Keys())
	}
	return runner.Now().Offset(), ended
}

// finish closes the books at an instant.
func (s *simulation) finish(recorder *results.Recorder, end time.Duration, ended error) error {
	counts := results.TargetCounts(added(target.Counts(s.engine.Counts()), s.beside.Counts()))
	validity, reasons := endOf(ended)
	return recorder.Finish(end, validity, reasons, &counts)
}

// remember carries the simulation out, keeps its record in memory and has it judged.
// What a budget of the scenario ended is partial and told of beside the error that says
// so; of a run that ended early otherwise there is nothing.
func (s *simulation) remember(ctx context.Context, observers ...drive.Observer) (*finished, error) {
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, s.manifest)
	if err != nil {
		return nil, err
	}
	end, ended := s.run(ctx, recorder, observers...)
	if ended != nil && !errors.Is(ended, drive.ErrStopped) {
		return nil, ended
	}
	if err := s.finish(recorder, end, ended); err != nil {
		return nil, err
	}
	kept, err := conclude(folder, recorder)
	return kept, errors.Join(ended, err)
}

// happenings returns what load balancing has done up to an instant since the last
// call.
func happenings(e *engine.Engine, now clock.Instant) []results.Event {
	e.Advance(now)
	var events []results.Event
	for _, d := range e.DrainEvents() {
		events = append(events, results.Event{At: int64(d.At), What: string(d.Kind), Decision: &results.Decision{
			Table: d.TableName, Range: d.Range, Other: d.Other, Key: d.Key, From: d.From, To: d.To,
			Until: d.Until.Offset(), Reason: d.Reason, Overloaded: d.Overloaded, Offered: d.Offered, Served: d.Served,
			Share: d.Share, FromLoad: d.FromLoad, ToLoad: d.ToLoad, Ranges: d.Ranges}})
	}
	return events
}

// simulate carries a scenario out on the virtual clock and prints its report.
func (f *simulateFlags) simulate(ctx context.Context, s *scenarios.Scenario, command []string, stdout, stderr io.Writer) error {
	if f.format != "text" && f.format != "json" {
		return usageError{fmt.Errorf("--format %s: expected text or json", f.format)}
	}
	result, ended := f.carryOut(ctx, s, command, stderr)
	return f.tell(stdout, result, ended)
}

// carryOut simulates a scenario, and beside it the same under the other profile
// that a verdict is held against. What was done until an early end is told.
func (f *simulateFlags) carryOut(ctx context.Context, s *scenarios.Scenario, command []string, stderr io.Writer) (*finished, error) {
	clk := clock.NewReal()
	progress := newProgress(stderr, clk, f.shown())
	data := f.data || f.verify || s.Verify || s.Reads()
	sim, err := newSimulation(s, data, clk.Started(), command, drive.Options{Entering: progress.enter, Verify: f.verify || s.Verify})
	if err != nil {
		return nil, err
	}
	sim.manifest.Opposite = f.contrary
	if err := f.enlist(sim.campaign, &sim.manifest); err != nil {
		return nil, err
	}
	other := f.rivalOf(s)
	if err := f.fits(sim.campaign, data, other != nil); err != nil {
		return nil, err
	}
	folder, recorder, err := f.recorder(sim.manifest)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoFolder, err)
	}
	var rival *results.Rival
	var beside sync.WaitGroup
	if other != nil {
		beside.Go(func() { rival = rivalRun(ctx, other, data) })
	}
	progress.start(start{scenario: s.Name, time: sim.manifest.Time}, progress.Latest)
	end, ended := sim.run(ctx, recorder, progress)
	progress.stop(ended)
	beside.Wait()
	if rival != nil && ended == nil {
		recorder.Rival(rival)
	}
	if err := sim.finish(recorder, end, ended); err != nil {
		return nil, fmt.Errorf("%w; what was written until then is in %s", err, folder)
	}
	return f.present(folder, recorder, ended, stderr)
}

// rivalOf returns the scenario under the profile that a verdict is held against,
// nil where there is none: documented and headroom are each other's. A search is
// not simulated twice.
func (f *simulateFlags) rivalOf(s *scenarios.Scenario) *scenarios.Scenario {
	if f.oneProfile || f.searchAsked != nil {
		return nil
	}
	other := *s
	// What the scenario expects, it expects of its own profile.
	other.Expect = nil
	other.Model.Profile = otherProfile(s.Model.Profile)
	if other.Model.Profile == "" {
		return nil
	}
	return &other
}

// otherProfile returns the one of documented and headroom that a profile is held
// against, empty for any other.
func otherProfile(profile string) string {
	switch profile {
	case model.Documented:
		return model.Headroom
	case model.Headroom:
		return model.Documented
	default:
		return ""
	}
}

// rivalRun simulates a scenario without keeping its record and returns what it
// came to, nil where it did not come to its end.
func rivalRun(ctx context.Context, s *scenarios.Scenario, data bool) *results.Rival {
	sim, err := newSimulation(s, data, time.Unix(0, 0), nil, drive.Options{})
	if err != nil {
		return nil
	}
	kept, err := sim.remember(ctx)
	if err != nil {
		return nil
	}
	return verdict.RivalOf(kept.record)
}
