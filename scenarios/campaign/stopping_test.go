package campaign_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/targettest"
)

// deletes reports whether an operation drops a table.
func deletes(op *target.Operation) bool { return op.Verb == entity.DeleteTable }

// holding notes in the options what a run tells of what it holds.
func holding(o campaign.Options, clk clock.Clock) (campaign.Options, map[campaign.Resource]bool) {
	held := make(map[campaign.Resource]bool)
	o.NewName, o.Clock = true, clk
	o.OnResource = func(made campaign.Resource, there bool) { held[made] = there }
	return o, held
}

// A run that is stopped, or was about to end, gives a target that does not drop its table
// [campaign.EndingLimit] from the signal on, and tells what is still there.
func TestStoppedRunWithSilentTarget(t *testing.T) {
	of := func(verbs ...entity.Verb) func(*target.Operation) bool {
		return func(op *target.Operation) bool { return slices.Contains(verbs, op.Verb) }
	}
	for _, row := range []struct {
		sentence string
		// silent are the requests that are not answered, after is when the run is stopped.
		silent       func(*target.Operation) bool
		after, limit time.Duration
		left         bool
	}{
		{"nothing is answered", of(entity.Get, entity.DeleteTable), 5 * time.Second, campaign.EndingLimit, true},
		{"the drop alone is not answered", deletes, 5 * time.Second, campaign.EndingStep, true},
		{"it is stopped while it drops", deletes, 25 * time.Second, campaign.EndingStep, true},
		{"the load alone is not answered", of(entity.Get), 5 * time.Second, 2 * time.Second, false},
		{"all is answered", of(), 5 * time.Second, 100 * time.Millisecond, false},
		{"the first request is not answered", of(entity.CreateTable, entity.DeleteTable), time.Second, campaign.EndingLimit, true},
	} {
		inBubble(t, func(t *testing.T, clk clock.Real) {
			s := small(t, "phases.peak.rates=[100]", "phases.peak.each=20s", "workers=16")
			w := newWorld(t, s, clk)
			o, held := holding(stress(s), clk)
			r := carry(t, stopAfter(t, row.after), w.through(w.unanswered(row.silent)), o, nil)
			assert.Truef(t, r.ended == nil || errors.Is(r.ended, context.Canceled), "%s: %v", row.sentence, r.ended)
			ended := r.record.Duration
			assert.Truef(t, ended >= row.after && ended <= row.after+row.limit+200*time.Millisecond, "%s: it ended at %v", row.sentence, ended)
			there, known := held[campaign.Resource{What: campaign.ResourceTable, Name: "stress"}]
			assert.Truef(t, known && len(held) == 1 && there == row.left, "%s: it told of %v", row.sentence, held)
		})
	}
}

// Of several accounts one that does not answer keeps the table of no other; all take as long
// as is said beforehand.
func TestStoppedRunWithSilentAccount(t *testing.T) {
	inBubble(t, func(t *testing.T, clk clock.Real) {
		const after = 5 * time.Second
		s := parsed(t, ceiling)
		w := newWorld(t, s, clk)
		silent := w.unanswered(func(op *target.Operation) bool { return op.Account == 0 && clk.Now().Offset() > after-time.Second })
		o, held := holding(campaign.Options{Scenario: s, Table: "races"}, clk)
		r := carry(t, stopAfter(t, after), w.through(silent), o, nil)
		assert.ErrorIs(t, r.ended, context.Canceled, "Run")
		assert.LessOrEqual(t, r.record.Duration, after+campaign.EndingLimit+campaign.EndingStep)
		for account, left := range []bool{true, false} {
			made := campaign.Resource{What: campaign.ResourceTable, Name: "races", Account: account}
			there, known := held[made]
			assert.Truef(t, known && there == left, "account %d: it told of %v", account, held)
			assert.Equal(t, left, len(w.engine.TableNames(w.accounts[account])) > 0, "account %d has a table", account)
		}
	})
}

// An account that does not answer is asked to drop one of its tables, and not each of them.
func TestStoppedRunWithSeveralTables(t *testing.T) {
	inBubble(t, func(t *testing.T, clk clock.Real) {
		const after = 3 * time.Second
		s := unlimited(t, ordered(t, "copied", "arrivals: {constant: 60}, for: 20s, operations: [{name: it, verb: insert}]"))
		w, asked := newWorld(t, s, clk), 0
		silent := w.unanswered(func(op *target.Operation) bool {
			if deletes(op) {
				asked++
			}
			return deletes(op)
		})
		o, held := holding(campaign.Options{Scenario: s, Table: "orders"}, clk)
		r := carry(t, stopAfter(t, after), w.through(silent), o, nil)
		assert.Truef(t, errors.Is(r.ended, context.Canceled) && len(held) >= 2 && asked == 1 && r.record.Duration <= after+campaign.EndingLimit,
			"Run = %v after %v: of %v it asked to drop %d; want one asked for, and all named", r.ended, r.record.Duration, held, asked)
		for made, there := range held {
			assert.Truef(t, there, "of %v it is said that it is gone", made)
		}
	})
}

// The reply to the first attempt at creating a table is lost, which is carried out.
func TestUnconfirmedTableIsReported(t *testing.T) {
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
		s := small(t, "phases.peak.rates=[50]")
		w := newWorld(t, s, nil)
		forgetful := targettest.Immediate(func(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
			outcome, done := w.Submit(now, op)
			if op.Verb == entity.CreateTable && op.Attempt == 0 {
				return row.silence, done
			}
			return outcome, done
		})
		o := stress(s)
		o.NewName = row.newName
		assert.ErrorIsf(t, carry(t, t.Context(), &drive.Virtual{Target: forgetful}, o, nil).ended, row.want,
			"%s: Run", row.sentence)
		assert.Equalf(t, row.left, len(w.tables()) > 0, "%s: the table is left behind", row.sentence)
	}
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
	assert.Emptyf(t, w.tables(), "%s: tables that are left", name)
}

// Whenever a run ends, nothing is left of what it made: no queue, no container, no
// table. Its books are those of the engine and the stand-ins together.
func TestWorkflowStoresAreDropped(t *testing.T) {
	list := builtins(func(s *scenarios.Scenario) bool {
		queues, blobs, _ := campaign.Stores(s)
		return queues || blobs
	})
	require.Truef(t, len(list) >= resultstest.Cases(1, 3), "%d scenarios of the library use a queue or blobs; want some", len(list))
	for _, s := range spread(list, resultstest.Cases(2, len(list))) {
		for _, after := range []time.Duration{2 * time.Second, 7 * time.Second, time.Hour}[:resultstest.Cases(2, 3)] {
			inBubble(t, func(t *testing.T, clk clock.Real) {
				w, stores := newWorld(t, s, clk), sync.Map{}
				noting := targettest.Func(func(ctx context.Context, op *target.Operation) target.Outcome {
					if op.Beside != nil {
						stores.Store(op.Beside.Store, true)
					}
					return w.Do(ctx, op)
				})
				r := carry(t, stopAfter(t, after), w.through(noting), campaign.Options{Scenario: s, Table: "races"}, nil)
				if whole := clk.Now().Offset() < after; whole && r.ended != nil || !whole && !errors.Is(r.ended, context.Canceled) {
					t.Errorf("%s, stopped after %v, ended at %v with %v", s.Name, after, clk.Now().Offset(), r.ended)
				}
				assert.Equalf(t, r.record.Total(results.Everything).Attempts, w.Counts().Requests, "%s, stopped after %v: requests", s.Name, after)
				made := 0
				for name := range stores.Range {
					made++
					assert.True(t, strings.HasPrefix(name.(string), "races-"), name)
					w.checkNothingLeft(t, s.Name, name.(string))
				}
				assert.Falsef(t, after > 2*time.Second && made == 0, "%s, stopped after %v, asked for nothing beside its tables", s.Name, after)
				w.checkNothingLeft(t, s.Name)
			})
		}
	}
}

// A run that is throttled because its table is somebody else's leaves alone what is called
// as it would call its queues and tables: they are that somebody's, who may be at work.
func TestForeignStoresAreKept(t *testing.T) {
	message := &target.Beside{Verb: target.PutMessage, Store: "races-moves", Body: []byte("theirs")}
	for _, row := range []struct {
		scenario   string
		made, gone target.Operation
	}{
		{"eventual-transaction", target.Operation{Beside: message}, target.Operation{Beside: &target.Beside{Verb: target.DropQueue, Store: message.Store}}},
		{"high-volume-delete", target.Operation{Verb: entity.CreateTable, Table: "racesDay0012"}, target.Operation{Verb: entity.DeleteTable, Table: "racesDay0012"}},
	} {
		s := builtin(t, row.scenario)
		w := newWorld(t, s, nil)
		w.Submit(0, &target.Operation{Verb: entity.CreateTable, Table: "races"})
		w.Submit(0, &row.made)
		runner := w.runner()
		r := carry(t, t.Context(), runner, campaign.Options{Scenario: s, Table: "races"}, nil)
		require.ErrorIs(t, r.ended, campaign.ErrTableExists, row.scenario)
		o, _ := w.Submit(runner.Now(), &row.gone)
		assert.Equalf(t, 204, o.Status, "%s: what somebody else has is still there to be dropped", row.scenario)
	}
}

// A record that can no longer be written when the stores are to go keeps none of them from
// going.
func TestStoresAreDroppedIfRecordFails(t *testing.T) {
	for _, name := range []string{"eventual-transaction-poison", "high-volume-delete"} {
		inBubble(t, func(t *testing.T, clk clock.Real) {
			s, folder := builtin(t, name), new(brokenFolder)
			w := newWorld(t, s, clk)
			o := campaign.Options{Scenario: s, Table: "races",
				OnStage: func(p campaign.Progress) { folder.broken = folder.broken || p.Stage == "drop" }}
			assert.ErrorIsf(t, folder.into(t, w.runner(), o), results.ErrWrite, "%s: Run", name)
			w.checkNothingLeft(t, name, "races-moves", "races-poison")
		})
	}
}

// A table service that dies while the peak is offered ends the run soon, though nobody stops it
// and the table cannot be dropped.
func TestRunWhoseTargetDies(t *testing.T) {
	inBubble(t, func(t *testing.T, clk clock.Real) {
		s := small(t, "phases.peak.rates=[100]", "phases.peak.each=20s", "workers=16")
		w := newWorld(t, s, clk)
		dying := w.unanswered(func(op *target.Operation) bool {
			return op.Verb == entity.Get && clk.Now().Offset() > 5*time.Second || deletes(op)
		})
		r := carry(t, t.Context(), w.through(dying), stress(s), nil)
		assert.ErrorIs(t, r.ended, drive.ErrSilent)
		assert.LessOrEqual(t, r.record.Duration, 5*time.Minute)
	})
}

// ofPattern returns the options of the campaign of a pattern.
func ofPattern(s *scenarios.Scenario) campaign.Options {
	return campaign.Options{Scenario: s, Table: "pattern", NewName: true, Verify: s.Verify}
}

// Workflows keep their books, and do the same in real time as in virtual time: in
// the scenarios of the library that have some. They come to no faults, where none are
// expected.
func TestWorkflowsLiveEqualVirtual(t *testing.T) {
	list := builtins(proceeds)
	for _, s := range spread(list, resultstest.Cases(1, len(list))) {
		inStep := serial(t, s)
		t.Run(s.Name, func(t *testing.T) {
			live, virtual := bothWays(t, ofPattern(s))
			sound(t, s, "live", live.record)
			sound(t, s, "virtual", virtual.record)
			if inStep {
				sameCounts(t, live, virtual)
			} else {
				sameFiles(t, live, virtual)
			}
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
		assert.Truef(t, one.Faults <= 0, "%s: not so in %d of %d cases: %s", name, one.Faults, one.Looked, one.Name)
	}
	assert.Truef(t, looked != 0, "%s: nobody looked at what was left", name)
}

// library returns some scenarios of the library, with the tag ci all, which are not to be altered.
var library = sync.OnceValue(func() (list []scenarios.Scenario) {
	for _, name := range spread(scenarios.Library(), resultstest.Cases(12, 1000)) {
		s, err := scenarios.Builtin(name)
		if err != nil {
			panic(err)
		}
		list = append(list, *s)
	}
	return list
})

// builtins returns the scenarios of the library that something holds of.
func builtins(holds func(*scenarios.Scenario) bool) (list []*scenarios.Scenario) {
	for _, s := range library() {
		if holds(&s) {
			list = append(list, &s)
		}
	}
	return list
}

// serial has loads send one transaction after another, and reports whether operations
// are due at one instant all the same: clients of a closed loop begin together. In
// which order such arrive is chance in real time, and may decide which of them waits.
func serial(t *testing.T, s *scenarios.Scenario) (inStep bool) {
	t.Helper()
	for i := range s.Phases {
		phase := &s.Phases[i]
		if phase.Load != nil {
			set(t, s, "phases."+phase.Name+".lanes=1")
		}
		inStep = inStep || phase.Offered().Clients > 0
	}
	return inStep
}

// sameCounts checks that two runs scheduled as many operations of each kind in each
// phase, and that all ended.
func sameCounts(t *testing.T, live, virtual ran) {
	t.Helper()
	require.Len(t, live.record.Phases, len(virtual.record.Phases), "live has phases, virtual")
	for i := range virtual.record.Phases {
		for j := range virtual.record.Phases[i].Kinds {
			got, want := &live.record.Phases[i].Kinds[j], &virtual.record.Phases[i].Kinds[j]
			assert.Equalf(t, [2]int64{want.Scheduled, want.Operations}, [2]int64{got.Scheduled, got.Operations},
				"%s of %s", live.record.Manifest.Operations[j].Name, live.record.Phases[i].Name)
		}
	}
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

// Each request of an operation, of a workflow's and of retries too, lets the service take as
// long as the scenario says, and those of others as long as the service does.
func TestTimeoutsOfOperations(t *testing.T) {
	s := parsed(t, `name: hasty
seed: 4
table: staff
retry: documented
model: {partition_target: 500}
attributes: {employee: {sequence: 1}, office: {list: [Rome]}}
entity: {properties: [{name: Employee, value: "{employee}"}, {name: Total, type: Int64, value: "{employee}"}]}
design: {partition_key: "{office}", row_key: "{employee:06d}", places: [{name: sum, partition_key: "{office}", row_key: sum}]}
phases:
  - {name: load, load: {entities: 50}}
  - name: day
    traffic: {arrivals: {constant: 200}, for: 3s, operations: [{name: look, verb: get, timeout: 2s}, {name: leave, verb: delete},
      {name: hire, workflow: summed-insert, with: {summary: sum, adds: Total}, timeout: 30s}]}
`)
	w, table := newWorld(t, s, nil), make(map[entity.Verb]map[time.Duration]int)
	counting := targettest.Immediate(func(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
		if table[op.Verb] == nil {
			table[op.Verb] = make(map[time.Duration]int)
		}
		table[op.Verb][op.Timeout]++
		return w.Submit(now, op)
	})
	recorded(t, carry(t, t.Context(), &drive.Virtual{Target: counting}, campaign.Options{Scenario: s, Table: "run", NewName: true}, nil))
	look, hire := table[entity.Get][2*time.Second], table[entity.Get][30*time.Second]
	assert.Truef(t, look >= 150 && hire >= 150 && (len(table[entity.Get]) == 2 || table[entity.Get][0] <= 50),
		"gets by what the service may take: %v; want those of look 2 s, and those of hire 30 s", table[entity.Get])
	batches, deletes := table[entity.Batch], table[entity.Delete]
	assert.Truef(t, batches[30*time.Second] >= 20 && batches[2*time.Second] == 0, "transactions by what the service may take: %v", batches)
	assert.Truef(t, len(deletes) == 1 && deletes[0] >= 150, "deletes by what the service may take: %v; want none told", deletes)
}

// What must hold is looked at once for each queue that things go by, and not for each
// operation that goes by it.
func TestOneCheckPerPlace(t *testing.T) {
	s := builtin(t, "eventual-transaction", "expect=[violations == 0, requests(request) == operations(request)]", "phases.load.entities=200", "phases.leave.arrivals={constant: 60}", "phases.leave.for=3s",
		`phases.leave.operations=[{name: alone, workflow: archive-naive, with: {place: archive}, weight: 0},
			{name: request, workflow: archive-request, with: {place: archive, queue: first}}, {name: b, workflow: archive-request, with: {place: archive, queue: second}},
			{name: work, workflow: archive-work, with: {place: archive, queue: first}}, {name: also, workflow: archive-work, with: {place: archive, queue: second}, weight: 0}]`)
	record := recorded(t, newWorld(t, s, nil).run(t, ofPattern(s)))
	var names []string
	for _, one := range record.Invariants {
		names = append(names, one.Name)
		assert.NotZero(t, one.Looked, one.Name)
		assert.Zerof(t, one.Faults, "%s: faults in %d, %q", one.Name, one.Looked, one.Examples)
	}
	messages, entities := "each message was carried out, or put aside", "each loaded entity is in one table, whole"
	assert.Equal(t, []string{messages, messages, entities, entities}, names)
}
