package campaign_test

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/queueblob"
)

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
	list := builtins(t, func(s *scenarios.Scenario) bool {
		queues, blobs, _ := campaign.Stores(s)
		return queues || blobs
	})
	if len(list) < 3 {
		t.Fatalf("%d scenarios of the library use a queue or blobs; want some", len(list))
	}
	for _, s := range spread(list, tier(3, len(list))) {
		for _, after := range []time.Duration{2 * time.Second, 7 * time.Second, time.Hour} {
			if after == time.Hour && testing.Short() {
				continue
			}
			synctest.Test(t, func(t *testing.T) {
				clk := clock.NewReal()
				e, beside := engineOf(t, s, false), queueblob.NewWaiting(clk)
				to := &noting{Target: queueblob.New(target.NewInProcess(e, "one", clk), beside), stores: map[string]bool{}}
				w := &world{e, nil, new(results.Memory)}
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				time.AfterFunc(after, cancel)
				record, err := w.run(t, ctx, &drive.Live{Clock: clk, Target: to, Workers: cmp.Or(s.Workers, scenarios.FewestWorkers)}, campaign.Options{Scenario: s, Table: "races"})
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
