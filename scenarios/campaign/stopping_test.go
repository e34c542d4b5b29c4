package campaign_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// mute carries everything out, and never answers a get.
type mute struct{ *target.InProcess }

func (m mute) Do(ctx context.Context, op *target.Operation) target.Outcome {
	outcome := m.InProcess.Do(ctx, op)
	if op.Verb != entity.Get {
		return outcome
	}
	<-ctx.Done()
	return target.Outcome{Detail: "no reply"}
}

// A run that is stopped does not wait for replies that never come.
func TestStoppedRunCutsShortWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const after, grace = 5 * time.Second, 2 * time.Second
		s := small(t, "phases.peak.each=1h")
		clk := clock.NewReal()
		w := newWorld(t, s, clk)
		ctx, cancel := context.WithCancel(context.Background())
		defer time.AfterFunc(after, cancel).Stop()
		record, err := w.run(t, ctx, &drive.Live{Clock: clk, Target: mute{w.target}, Workers: 16}, campaign.Options{Scenario: s, Table: "stress"})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Run = %v; want the context's error", err)
		}
		if ended := record.Duration; ended < after+grace || ended > after+grace+100*time.Millisecond {
			t.Errorf("the run that was stopped after %v ended at %v; want it %v later", after, ended, grace)
		}
		if w.engine.Submit(clk.Now(), &engine.Request{Account: "a", Table: "stress", Verb: entity.DeleteTable}).Code != entity.ResourceNotFound {
			t.Error("the run left its table behind")
		}
	})
}

// A run that is stopped, or was about to end, gives a target that does not drop its table
// [campaign.EndingLimit] from the signal on, and tells what is still there.
func TestStoppedRunWhoseTargetDropsNothing(t *testing.T) {
	for _, row := range []struct {
		sentence string
		// silent are the requests that are not answered, after is when the run is stopped.
		silent func(entity.Verb) bool
		after  time.Duration
		limit  time.Duration
		left   bool
	}{
		{"nothing is answered", func(v entity.Verb) bool { return v == entity.Get || v == entity.DeleteTable }, 5 * time.Second,
			campaign.EndingLimit, true},
		{"the drop alone is not answered", func(v entity.Verb) bool { return v == entity.DeleteTable }, 5 * time.Second, campaign.EndingStep, true},
		{"it is stopped while it drops", func(v entity.Verb) bool { return v == entity.DeleteTable }, 25 * time.Second, campaign.EndingStep, true},
		{"all is answered", func(entity.Verb) bool { return false }, 5 * time.Second, 100 * time.Millisecond, false},
		{"the first request is not answered", func(v entity.Verb) bool { return v == entity.CreateTable || v == entity.DeleteTable }, time.Second,
			campaign.EndingLimit, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := small(t, "phases.peak.each=20s")
			clk := clock.NewReal()
			w := newWorld(t, s, clk)
			ctx, cancel := context.WithCancel(context.Background())
			defer time.AfterFunc(row.after, cancel).Stop()
			silent := doing(func(ctx context.Context, op *target.Operation) target.Outcome {
				if row.silent(op.Verb) {
					<-ctx.Done()
					return target.Outcome{Detail: "no reply"}
				}
				return w.target.Do(ctx, op)
			})
			held := make(map[campaign.Made]bool)
			record, err := w.run(t, ctx, &drive.Live{Clock: clk, Target: silent, Workers: 16}, campaign.Options{Scenario: s, Table: "stress", NewName: true, Clock: clk,
				Holding: func(made campaign.Made, there bool) { held[made] = there }})
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("%s: Run = %v; want the context's error", row.sentence, err)
			}
			if ended := record.Duration; ended < row.after || ended > row.after+row.limit+200*time.Millisecond {
				t.Errorf("%s: the run that was stopped after %v ended at %v; want it %v later at most", row.sentence, row.after, ended, row.limit)
			}
			there, known := held[campaign.Made{What: campaign.MadeTable, Name: "stress"}]
			if !known || len(held) != 1 || there != row.left {
				t.Errorf("%s: it told of %v; want the table left: %t", row.sentence, held, row.left)
			}
		})
	}
}

// Of several accounts one that does not answer keeps the table of no other; all take as long
// as is said beforehand.
func TestStoppedRunOfWhichOneAccountIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const after = 5 * time.Second
		s := scenarioOf(t, ceiling)
		clk := clock.NewReal()
		at := newEstate(t, s, clk)
		ctx, cancel := context.WithCancel(t.Context())
		defer time.AfterFunc(after, cancel).Stop()
		silent := doing(func(ctx context.Context, op *target.Operation) target.Outcome {
			if op.Account == 0 && clk.Now().Offset() > after-time.Second {
				<-ctx.Done()
				return target.Outcome{Detail: "no reply"}
			}
			return at.live.Do(ctx, op)
		})
		held := make(map[campaign.Made]bool)
		w := &world{at.engine, nil, new(results.Memory)}
		record, err := w.run(t, ctx, &drive.Live{Clock: clk, Target: silent, Workers: 256}, campaign.Options{Scenario: s, Table: "races", NewName: true, Clock: clk,
			Holding: func(made campaign.Made, there bool) { held[made] = there }})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Run = %v; want the context's error", err)
		}
		if most := after + campaign.EndingLimit + campaign.EndingStep; record.Duration > most {
			t.Errorf("the run ended after %v; want %v at most", record.Duration, most)
		}
		for account, left := range []bool{true, false} {
			made := campaign.Made{What: campaign.MadeTable, Name: "races", Account: account}
			tables := at.engine.TableNames([]string{"account0", "account1"}[account])
			if there, known := held[made]; !known || there != left || (len(tables) > 0) != left {
				t.Errorf("account %d has %v, and it told of %v; want a table left: %t", account, tables, held, left)
			}
		}
	})
}

// An account that does not answer is asked to drop one of its tables, and not each of them.
func TestStoppedRunWithSeveralTables(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const after = 3 * time.Second
		s := unlimited(t, ordered(t, "copied", "arrivals: {constant: 60}, for: 20s, operations: [{name: it, verb: insert}]"))
		clk := clock.NewReal()
		w := newWorld(t, s, clk)
		ctx, cancel := context.WithCancel(t.Context())
		defer time.AfterFunc(after, cancel).Stop()
		held, asked := make(map[campaign.Made]bool), 0
		silent := doing(func(ctx context.Context, op *target.Operation) target.Outcome {
			if op.Verb == entity.DeleteTable {
				asked++
				<-ctx.Done()
				return target.Outcome{Detail: "no reply"}
			}
			return w.target.Do(ctx, op)
		})
		record, err := w.run(t, ctx, &drive.Live{Clock: clk, Target: silent, Workers: 16}, campaign.Options{Scenario: s, Table: "orders", NewName: true, Clock: clk,
			Holding: func(made campaign.Made, there bool) { held[made] = there }})
		if !errors.Is(err, context.Canceled) || len(held) < 2 || asked != 1 || record.Duration > after+campaign.EndingLimit {
			t.Errorf("Run = %v after %v: of %v it asked to drop %d; want one asked for, and all named", err, record.Duration, held, asked)
		}
		for made, there := range held {
			if !there {
				t.Errorf("of %v it is said that it is gone", made)
			}
		}
	})
}

// forgetful loses the reply of the first attempt at creating a table, which it
// has carried out.
type forgetful struct {
	*target.InProcess
	silence target.Outcome
}

func (f *forgetful) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	outcome, done := f.InProcess.Submit(now, op)
	if op.Verb == entity.CreateTable && op.Attempt == 0 {
		return f.silence, done
	}
	return outcome, done
}

func TestTableWhoseCreationIsInDoubt(t *testing.T) {
	timedOut := target.Outcome{Status: 500, Code: entity.OperationTimedOut, Detail: "too long"}
	busy := target.Outcome{Status: 503, Code: entity.ServerBusy}
	rows := []struct {
		sentence string
		silence  target.Outcome
		newName  bool
		want     error
		left     bool
	}{
		{"a table of a new name is ours though the reply was lost", target.Outcome{Detail: "reset"}, true, nil, false},
		{"or the service took too long", timedOut, true, nil, false},
		{"a table of a given name may be somebody else's", timedOut, false, campaign.ErrTableExists, true},
		{"a busy service has created nothing, so that what exists is not ours", busy, true, campaign.ErrTableExists, true},
	}
	for _, row := range rows {
		s := small(t)
		w := newWorld(t, s, nil)
		runner := &drive.Virtual{Target: &forgetful{w.target, row.silence}}
		_, err := w.run(t, context.Background(), runner, campaign.Options{Scenario: s, Table: "stress", NewName: row.newName})
		if !errors.Is(err, row.want) {
			t.Errorf("%s: Run = %v; want %v", row.sentence, err, row.want)
		}
		reply := w.engine.Submit(runner.Now(), &engine.Request{Account: "a", Table: "stress", Verb: entity.DeleteTable})
		if left := reply.Code == entity.OK; left != row.left {
			t.Errorf("%s: the table is left behind: %v; want %v", row.sentence, left, row.left)
		}
	}
}
