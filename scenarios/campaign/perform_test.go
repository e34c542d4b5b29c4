package campaign_test

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"

	"loadgen/engine/clock"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/queueblob"
)

// performed runs a scenario with stand-ins beside its tables, in virtual time or,
// within a synctest bubble, in real time.
func performed(t testing.TB, s *scenarios.Scenario, inReal bool) ran {
	t.Helper()
	e := engineOf(t, s, false)
	memory := queueblob.NewMemory()
	var beside target.Counter = memory
	var runner drive.Runner = &drive.Virtual{Target: queueblob.NewVirtual(target.NewInProcess(e, "one", nil), memory)}
	if inReal {
		clk := clock.NewReal()
		waiting := queueblob.NewWaiting(clk)
		beside = waiting
		runner = &drive.Live{Clock: clk, Target: queueblob.New(target.NewInProcess(e, "one", clk), waiting), Workers: cmp.Or(s.Workers, scenarios.FewestWorkers)}
	}
	c, err := campaign.NewCampaign(campaign.Options{Scenario: s, Table: "pattern", NewName: true, Verify: s.Verify})
	if err != nil {
		t.Fatal(err)
	}
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, results.Manifest{Operations: c.Kinds()})
	if err != nil {
		t.Fatal(err)
	}
	ended := c.Run(context.Background(), runner, &drive.Ledger{Recorder: recorder})
	tables, others := e.Counts(), beside.Counts()
	counts := results.TargetCounts{Requests: tables.Requests + others.Requests, Ok: tables.Ok + others.Ok,
		Throttled: tables.Throttled + others.Throttled, Failed: tables.Failed + others.Failed, Entities: tables.Entities + others.Entities}
	if err := recorder.Finish(runner.Now().Offset(), results.Valid, nil, &counts); err != nil {
		t.Fatal(err)
	}
	record, err := results.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return ran{record, folder, ended}
}

// Workflows keep their books, and do the same in real time as in virtual time: in
// the scenarios of the library that have some. They come to no faults, where none are
// expected.
func TestWorkflowsLiveEqualVirtual(t *testing.T) {
	list := builtins(t, proceeds)
	for _, s := range spread(list, tier(10, len(list))) {
		if testing.Short() && s.Name != "bank-transfer" {
			continue
		}
		inStep := serial(t, s)
		t.Run(s.Name, func(t *testing.T) {
			virtual := performed(t, s, false)
			if open := verdict.Books(virtual.record); virtual.ended != nil || len(open) > 0 {
				t.Fatalf("the virtual run ended with %v, its books open: %v", virtual.ended, open)
			}
			synctest.Test(t, func(t *testing.T) {
				live := performed(t, s, true)
				if open := verdict.Books(live.record); live.ended != nil || len(open) > 0 {
					t.Errorf("the live run ended with %v, its books open: %v", live.ended, open)
				}
				sound(t, s, "live", live.record)
				sound(t, s, "virtual", virtual.record)
				if inStep {
					sameCounts(t, live, virtual)
					return
				}
				if differs := unlike(live, virtual); differs != "" {
					t.Error(differs)
				}
				if !reflect.DeepEqual(live.record.Counters, virtual.record.Counters) {
					t.Errorf("live counted %v, virtual %v; want the same", live.record.Counters, virtual.record.Counters)
				}
				if !reflect.DeepEqual(live.record.Invariants, virtual.record.Invariants) {
					t.Errorf("live found %+v, virtual %+v; want the same", live.record.Invariants, virtual.record.Invariants)
				}
			})
		})
	}
}

// sound checks that there are no faults, where a scenario expects none, and that somebody
// has looked.
func sound(t *testing.T, s *scenarios.Scenario, name string, record *results.Record) {
	t.Helper()
	if !slices.Contains(s.Expect, "violations == 0") {
		return
	}
	looked := int64(0)
	for _, one := range record.Invariants {
		looked += one.Looked
		if one.Faults > 0 {
			t.Errorf("%s: not so in %d of %d cases: %s", name, one.Faults, one.Looked, one.Name)
		}
	}
	if looked == 0 {
		t.Errorf("%s: nobody looked at what was left", name)
	}
}

// builtins returns the scenarios of the library that something holds of.
func builtins(t *testing.T, holds func(*scenarios.Scenario) bool) (list []*scenarios.Scenario) {
	t.Helper()
	for _, name := range scenarios.Library() {
		s, err := scenarios.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		if holds(s) {
			list = append(list, s)
		}
	}
	return list
}

// spread returns so many of a list, from all over it.
func spread[T any](list []T, n int) []T {
	some := make([]T, min(n, len(list)))
	for i := range some {
		some[i] = list[i*len(list)/len(some)]
	}
	return some
}

// serial has loads send one transaction after another, and reports whether operations
// are due at one instant all the same: clients of a closed loop begin together. In
// which order such arrive is chance in real time, and may decide which of them waits.
func serial(t *testing.T, s *scenarios.Scenario) (inStep bool) {
	t.Helper()
	for i := range s.Phases {
		phase := &s.Phases[i]
		if phase.Load != nil {
			if err := s.Set("phases."+phase.Name+".lanes", "1"); err != nil {
				t.Fatal(err)
			}
		}
		inStep = inStep || phase.Offered().Clients > 0
	}
	return inStep
}

// sameCounts checks that two runs scheduled as many operations of each kind in each
// phase, and that all ended.
func sameCounts(t *testing.T, live, virtual ran) {
	t.Helper()
	if len(live.record.Phases) != len(virtual.record.Phases) {
		t.Fatalf("live has the phases %v, virtual %v; want the same", names(live.record), names(virtual.record))
	}
	for i := range virtual.record.Phases {
		for j := range virtual.record.Phases[i].Kinds {
			got, want := &live.record.Phases[i].Kinds[j], &virtual.record.Phases[i].Kinds[j]
			if got.Scheduled != want.Scheduled || got.Operations != want.Operations {
				t.Errorf("%s of %s: live %d scheduled and %d ended, virtual %d and %d; want the same", live.record.Manifest.Operations[j].Name,
					live.record.Phases[i].Name, got.Scheduled, got.Operations, want.Scheduled, want.Operations)
			}
		}
	}
}

// names returns what the phases of a record are called.
func names(record *results.Record) (list []string) {
	for i := range record.Phases {
		list = append(list, record.Phases[i].Name)
	}
	return list
}

// proceeds reports whether an operation of a pattern's scenario is a workflow.
func proceeds(s *scenarios.Scenario) bool {
	if s.Pattern == nil {
		return false
	}
	for i := range s.Phases {
		for _, o := range s.Phases[i].Operations() {
			if o.Workflow != "" {
				return true
			}
		}
	}
	return false
}
