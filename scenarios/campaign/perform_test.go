package campaign_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
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
	for _, s := range spread(list, tier(2, len(list))) {
		if testing.Short() && s.Name != "bank-transfer" {
			continue
		}
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
			if got.Scheduled != want.Scheduled || got.Operations != want.Operations {
				t.Errorf("%s of %s: live %d scheduled and %d ended, virtual %d and %d; want the same", live.record.Manifest.Operations[j].Name,
					live.record.Phases[i].Name, got.Scheduled, got.Operations, want.Scheduled, want.Operations)
			}
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
