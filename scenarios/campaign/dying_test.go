package campaign_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// doing is a target by a function.
type doing func(ctx context.Context, op *target.Operation) target.Outcome

// Do implements [target.Target].
func (d doing) Do(ctx context.Context, op *target.Operation) target.Outcome { return d(ctx, op) }

// A table service that dies while the peak is offered leaves a partial record, and
// the run ends soon although the table cannot be dropped.
func TestRunWhoseTargetDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := small(t, "phases.peak.each=20s")
		clk := clock.NewReal()
		w := newWorld(t, s, clk)
		dying := doing(func(ctx context.Context, op *target.Operation) target.Outcome {
			if op.Verb == entity.Get && clk.Now().Offset() > 5*time.Second || op.Verb == entity.DeleteTable {
				<-ctx.Done()
				return target.Outcome{Detail: "no reply"}
			}
			return w.target.Do(ctx, op)
		})
		record, err := w.run(t, context.Background(), &drive.Live{Clock: clk, Target: dying, Workers: 16}, campaign.Options{Scenario: s, Table: "stress"})
		if !errors.Is(err, drive.ErrSilent) {
			t.Errorf("Run = %v; want that the target has not answered", err)
		}
		if record.Duration > 5*time.Minute {
			t.Errorf("the run ended after %v; want soon after its end", record.Duration)
		}
	})
}
