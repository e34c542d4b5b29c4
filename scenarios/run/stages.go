package run

import (
	"context"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// Trial is load that belongs to no scenario: it is recorded in memory, and judged by
// whoever tries.
type Trial struct {
	// Runner carries the stages out, a [drive.Live] or a [drive.Virtual].
	Runner drive.Runner
	// Kinds are the kinds of operation of the stages.
	Kinds     []results.Kind
	Observers []drive.Observer
	// Counter are the target's own books, nil where it keeps none.
	Counter target.Counter
}

// Run carries stages out, one after another, and returns their record. Its error is the
// runner's.
func (t *Trial) Run(ctx context.Context, stages ...*drive.Stage) (*results.Record, error) {
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, results.Manifest{Operations: t.Kinds})
	if err != nil {
		return nil, err
	}
	ledger := &drive.Ledger{Recorder: recorder, Observers: t.Observers}
	for _, stage := range stages {
		if err := t.Runner.Run(ctx, stage, ledger); err != nil {
			return nil, err
		}
	}
	if err := recorder.Finish(t.Runner.Now().Offset(), results.Valid, nil, countsOf(t.Counter)); err != nil {
		return nil, err
	}
	return results.Read(folder)
}

// Engine returns an embedded engine of one account as a target that is called directly,
// with its books: one that waits on a clock, or on a nil one an immediate one.
func Engine(m *model.Model, seed uint64, clk clock.Clock) *target.InProcess {
	return target.NewInProcess(engine.New(engine.Options{Model: m, Accounts: []string{account}, Seed: seed}), account, clk)
}
