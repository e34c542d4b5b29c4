package campaign_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/target"
)

// noting is a target that takes down what is asked for beside the tables. It is safe for
// concurrent use.
type noting struct {
	*world
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
	return n.world.Do(ctx, op)
}

// checkNothingLeft checks that there is no table, and of some stores neither a queue nor a
// container.
func (w *world) checkNothingLeft(t *testing.T, name string, stores ...string) {
	t.Helper()
	for _, store := range stores {
		for _, verb := range []target.BesideVerb{target.DropQueue, target.DropContainer} {
			assert.Equalf(t, 404, w.Do(t.Context(), &target.Operation{Beside: &target.Beside{Verb: verb, Store: store}}).Status,
				"%s: %v of %s is answered", name, verb, store)
		}
	}
	if left := w.tables(); len(left) > 0 {
		t.Errorf("%s: the tables %v are left", name, left)
	}
}

// Whenever a run ends, nothing is left of what it made: no queue, no container, no
// table. Its books are those of the engine and the stand-ins together.
func TestWhatIsMadeBesideTablesIsDropped(t *testing.T) {
	list := builtins(func(s *scenarios.Scenario) bool {
		queues, blobs, _ := campaign.Stores(s)
		return queues || blobs
	})
	require.Truef(t, len(list) >= tier(1, 3), "%d scenarios of the library use a queue or blobs; want some", len(list))
	for _, s := range spread(list, tier(2, len(list))) {
		for _, after := range []time.Duration{2 * time.Second, 7 * time.Second, time.Hour}[:tier(2, 3)] {
			inBubble(t, func(t *testing.T, clk clock.Real) {
				to := &noting{world: newWorld(t, s, clk), stores: map[string]bool{}}
				r := carry(t, stopAfter(t, after), to.through(to), campaign.Options{Scenario: s, Table: "races"}, nil)
				if whole := clk.Now().Offset() < after; whole && r.ended != nil || !whole && !errors.Is(r.ended, context.Canceled) {
					t.Errorf("%s, stopped after %v, ended at %v with %v", s.Name, after, clk.Now().Offset(), r.ended)
				}
				all := r.record.Total(results.Everything)
				if requests := to.Counts().Requests; requests != all.Attempts || requests != to.counted {
					t.Errorf("%s, stopped after %v: the engine and the stand-ins counted %d requests, the record %d, the target %d", s.Name, after, requests, all.Attempts, to.counted)
				}
				assert.Falsef(t, after > 2*time.Second && len(to.stores) == 0,
					"%s, stopped after %v, asked for nothing beside its tables", s.Name, after)
				for name := range to.stores {
					assert.Truef(t, strings.HasPrefix(name, "races-"),
						"%s asked for %s; want names that begin with its table's", s.Name, name)
					to.checkNothingLeft(t, s.Name, name)
				}
				to.checkNothingLeft(t, s.Name)
			})
		}
	}
}

// A run that is throttled because its table is somebody else's leaves alone what is called
// as it would call its queues and tables: they are that somebody's, who may be at work.
func TestWhatIsBesideTheTableOfSomebodyElseIsLeftAlone(t *testing.T) {
	queue := func(verb target.BesideVerb) target.Operation {
		return target.Operation{Beside: &target.Beside{Verb: verb, Store: "races-moves", Body: []byte("theirs")}}
	}
	table := func(verb entity.Verb) target.Operation {
		return target.Operation{Verb: verb, Table: "racesDay0012"}
	}
	for _, row := range []struct {
		scenario   string
		made, gone target.Operation
	}{
		{"eventual-transaction", queue(target.PutMessage), queue(target.DropQueue)},
		{"high-volume-delete", table(entity.CreateTable), table(entity.DeleteTable)},
	} {
		s := builtin(t, row.scenario)
		w := newWorld(t, s, nil)
		w.Submit(0, &target.Operation{Verb: entity.CreateTable, Table: "races"})
		w.Submit(0, &row.made)
		runner := w.runner()
		if r := carry(t, t.Context(), runner, campaign.Options{Scenario: s, Table: "races"}, nil); !errors.Is(r.ended, campaign.ErrTableExists) {
			t.Fatalf("%s: Run = %v; want ErrTableExists", row.scenario, r.ended)
		}
		if o, _ := w.Submit(runner.Now(), &row.gone); o.Status != 204 {
			t.Errorf("%s: what somebody else has is answered %d when it is dropped afterwards; want 204, for it is still there", row.scenario, o.Status)
		}
	}
}

// A record that can no longer be written when the stores are to go keeps none of them from
// going.
func TestStoresGoThoughTheRecordFails(t *testing.T) {
	for _, name := range []string{"eventual-transaction-poison", "high-volume-delete"} {
		inBubble(t, func(t *testing.T, clk clock.Real) {
			s, folder := builtin(t, name), new(brokenFolder)
			w := newWorld(t, s, clk)
			o := campaign.Options{Scenario: s, Table: "races",
				Entering: func(p campaign.Progress) { folder.broken = folder.broken || p.Stage == "drop" }}
			assert.ErrorIsf(t, folder.into(t, w.runner(), o), results.ErrWrite, "%s: Run", name)
			w.checkNothingLeft(t, name, "races-moves", "races-poison")
		})
	}
}
