package campaign_test

import (
	"slices"
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
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/targettest"
)

// ofPattern returns the options of the campaign of a pattern.
func ofPattern(s *scenarios.Scenario) campaign.Options {
	return campaign.Options{Scenario: s, Table: "pattern", NewName: true, Verify: s.Verify}
}

// Workflows keep their books, and do the same in real time as in virtual time: in
// the scenarios of the library that have some. They come to no faults, where none are
// expected.
func TestWorkflowsLiveEqualVirtual(t *testing.T) {
	list := builtins(proceeds)
	for _, s := range spread(list, tier(1, len(list))) {
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
	for _, name := range spread(scenarios.Library(), tier(12, 1000)) {
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
func TestChecksAreOfPlaces(t *testing.T) {
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
