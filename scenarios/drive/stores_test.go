package drive_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/inprocess"
	"loadgen/target/standin"
)

// furnished returns the scenarios of the library that use queues or blobs beside their
// tables.
func furnished(t *testing.T) []*scenarios.Scenario {
	t.Helper()
	var list []*scenarios.Scenario
	for _, name := range scenarios.Library() {
		s, err := scenarios.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		if queues, blobs := drive.Stores(s); queues || blobs {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		t.Fatal("no scenario of the library uses a queue or blobs")
	}
	return list
}

// noting is a target that takes down what is asked for beside the tables. It is safe for
// concurrent use.
type noting struct {
	target.Target
	mu      sync.Mutex
	stores  map[string]bool
	counted int64
}

func (n *noting) Do(ctx context.Context, op *target.Operation) target.Outcome {
	n.mu.Lock()
	n.counted++
	if op.Beside != nil {
		n.stores[op.Beside.Store] = true
	}
	n.mu.Unlock()
	return n.Target.Do(ctx, op)
}

// Whenever a run ends, nothing is left of what it made: no queue, no container, no
// table. Its books are those of the engine and the stand-ins together.
func TestWhatIsMadeBesideTablesIsDropped(t *testing.T) {
	for _, s := range furnished(t) {
		for _, after := range []time.Duration{2 * time.Second, 7 * time.Second, time.Hour} {
			if after == time.Hour && testing.Short() {
				continue
			}
			synctest.Test(t, func(t *testing.T) {
				clk := clock.NewReal()
				e, beside := engineOf(t, s, false), standin.NewWaiting(clk)
				to := &noting{Target: standin.New(inprocess.New(e, "one", clk), beside), stores: map[string]bool{}}
				w := &world{e, nil, new(results.Memory)}
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				time.AfterFunc(after, cancel)
				record, err := w.run(t, ctx, &drive.Live{Clock: clk, Target: to, Workers: s.Workers}, drive.Options{Scenario: s, Table: "races"})
				if whole := clk.Now().Offset() < after; whole && err != nil || !whole && !errors.Is(err, context.Canceled) {
					t.Errorf("%s, stopped after %v, ended at %v with %v", s.Name, after, clk.Now().Offset(), err)
				}
				all := record.Total(results.Everything)
				if requests := e.Counts().Requests + beside.Counts().Requests; requests != all.Attempts || requests != to.counted {
					t.Errorf("%s, stopped after %v: the engine and the stand-ins counted %d requests, the record %d, the target %d", s.Name, after, requests, all.Attempts, to.counted)
				}
				if after > 2*time.Second && len(to.stores) == 0 {
					t.Errorf("%s, stopped after %v, asked for nothing beside its tables", s.Name, after)
				}
				for name := range to.stores {
					if !strings.HasPrefix(name, "races-") {
						t.Errorf("%s asked for %s; want names that begin with its table's", s.Name, name)
					}
					for _, verb := range []target.BesideVerb{target.DropQueue, target.DropContainer} {
						if o := beside.Do(t.Context(), &target.Operation{Beside: &target.Beside{Verb: verb, Store: name}}); o.Status != 404 {
							t.Errorf("%s, stopped after %v: %v of %s is answered %d; want nothing left", s.Name, after, verb, name, o.Status)
						}
					}
				}
				for _, table := range e.TableNames("one") {
					t.Errorf("%s, stopped after %v, left the table %s", s.Name, after, table)
				}
			})
		}
	}
}

// Both runners come to the same with stand-ins beside the tables: to no faults, where
// none are expected.
func TestStandInsLiveAsVirtual(t *testing.T) {
	leftOutWhenShort(t)
	for _, s := range furnished(t) {
		if !slices.Contains(s.Expect, "faults == 0") {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			clk := clock.NewReal()
			for name, runner := range map[string]drive.Runner{
				"virtual": &drive.Virtual{Target: standin.NewVirtual(inprocess.New(engineOf(t, s, false), "one", nil), standin.NewMemory())},
				"live":    &drive.Live{Clock: clk, Target: standin.New(inprocess.New(engineOf(t, s, false), "one", clk), standin.NewWaiting(clk)), Workers: s.Workers},
			} {
				w := &world{nil, nil, new(results.Memory)}
				record, err := w.run(t, context.Background(), runner, drive.Options{Scenario: s, Table: "races"})
				if err != nil {
					t.Errorf("%s, %s: %v", s.Name, name, err)
				}
				looked := int64(0)
				for _, one := range record.Invariants {
					looked += one.Looked
					if one.Faults > 0 {
						t.Errorf("%s, %s: not so in %d of %d cases: %s", s.Name, name, one.Faults, one.Looked, one.Name)
					}
				}
				if looked == 0 {
					t.Errorf("%s, %s: nobody looked at what was left", s.Name, name)
				}
			}
		})
	}
}
