package campaign_test

import (
	"cmp"
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/queueblob"
)

// besideTables returns a runner on an engine with stand-ins, and what carries out one
// request more there and returns its status.
func besideTables(t *testing.T, s *scenarios.Scenario) (*world, drive.Runner, func(op target.Operation) int) {
	t.Helper()
	e := engineOf(t, s, false)
	all := queueblob.NewVirtual(target.NewInProcess(e, "one", nil), queueblob.NewMemory())
	runner := &drive.Virtual{Target: all}
	return &world{e, nil, new(results.Memory)}, runner, func(op target.Operation) int {
		o, _ := all.Submit(runner.Now(), &op)
		return o.Status
	}
}

// A run that is throttled because its table is somebody else's leaves alone what is called
// as it would call its queues and tables: they are that somebody's, who may be at work.
func TestWhatIsBesideTheTableOfSomebodyElseIsLeftAlone(t *testing.T) {
	for name, beside := range map[string]target.Operation{
		"eventual-transaction": {Beside: &target.Beside{Verb: target.DropQueue, Store: "races-moves"}},
		"high-volume-delete":   {Verb: entity.DeleteTable, Table: "racesDay0012"},
	} {
		s, err := scenarios.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		w, runner, do := besideTables(t, s)
		do(target.Operation{Verb: entity.CreateTable, Table: "races"})
		if beside.Beside != nil {
			do(target.Operation{Beside: &target.Beside{Verb: target.PutMessage, Store: beside.Beside.Store, Body: []byte("theirs")}})
		} else {
			do(target.Operation{Verb: entity.CreateTable, Table: beside.Table})
		}
		if _, err := w.run(t, context.Background(), runner, campaign.Options{Scenario: s, Table: "races"}); !errors.Is(err, campaign.ErrTableExists) {
			t.Fatalf("%s: Run = %v; want ErrTableExists", name, err)
		}
		if status := do(beside); status != 204 {
			t.Errorf("%s: what somebody else has is answered %d when it is dropped afterwards; want 204, for it is still there", name, status)
		}
	}
}

// A record that can no longer be written when the stores are to go keeps none of them from
// going.
func TestStoresGoThoughTheRecordFails(t *testing.T) {
	for _, name := range []string{"eventual-transaction-poison", "high-volume-delete"} {
		s, err := scenarios.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			clk, folder := clock.NewReal(), new(failing)
			e, beside := engineOf(t, s, false), queueblob.NewWaiting(clk)
			runner := &drive.Live{Clock: clk, Target: queueblob.New(target.NewInProcess(e, "one", clk), beside), Workers: cmp.Or(s.Workers, scenarios.FewestWorkers)}
			c, err := campaign.NewCampaign(campaign.Options{Scenario: s, Table: "races",
				Entering: func(p campaign.Progress) { folder.broken = folder.broken || p.Stage == "drop" }})
			if err != nil {
				t.Fatal(err)
			}
			recorder, err := results.NewRecorder(folder, results.Manifest{Operations: c.Kinds()})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Run(t.Context(), runner, &drive.Ledger{Recorder: recorder}); !errors.Is(err, results.ErrWrite) {
				t.Errorf("%s: Run = %v; want ErrWrite", name, err)
			}
			for _, queue := range []string{"races-moves", "races-poison"} {
				if o := beside.Do(t.Context(), &target.Operation{Beside: &target.Beside{Verb: target.DropQueue, Store: queue}}); o.Status != 404 {
					t.Errorf("%s: %s is answered %d; want nothing left", name, queue, o.Status)
				}
			}
			for _, table := range e.TableNames("one") {
				t.Errorf("%s: the table %s is left", name, table)
			}
		})
	}
}
