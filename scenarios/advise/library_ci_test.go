//go:build ci

package advise

import (
	"testing"

	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// unsustained reports whether any reported phase of a run lost an operation, or had more than
// 0.5% of its first attempts throttled.
func unsustained(record *results.Record) bool {
	for _, step := range figure.Reported(record) {
		sum := step.Sum(nil)
		if sum.Succeeded < sum.Scheduled || 200*sum.FirstThrottled > sum.Sent {
			return true
		}
	}
	return false
}

// Of each built-in scenario and each anti-pattern the prediction is never the opposite of
// what its run comes to, and nearly always one of the two.
func TestPredictionsOfLibraryAreNeverOpposite(t *testing.T) {
	all, unknown := 0, 0
	for _, name := range scenarios.Library() {
		example := builtin(t, name)
		for title, s := range map[string]*scenarios.Scenario{name: example, name + " --anti-pattern": opposed(t, example)} {
			if s == nil {
				continue
			}
			targets, times, err := TargetsOf(s)
			if err != nil {
				t.Fatalf("%s: %v", title, err)
			}
			e, err := Explain(t.Context(), Options{Scenario: s, Targets: targets, Times: times})
			if err != nil {
				t.Fatalf("%s: %v", title, err)
			}
			if all++; e.State == results.CannotTell {
				unknown++
				t.Logf("%s: cannot tell: %s", title, e.Why)
				continue
			}
			record, err := run.Run(t.Context(), run.Plan{Scenario: s})
			if err != nil && record == nil {
				t.Fatalf("%s: %v", title, err)
			}
			if len(e.Used().Loads) > 0 && (e.State == results.DoesNotHold) != unsustained(record) {
				t.Errorf("%s: predicted %s, and the load of its run is unsustained: %t", title, e.State, unsustained(record))
			}
		}
	}
	if unknown*10 > all {
		t.Errorf("of %d scenarios %d cannot be told; want at most a tenth", all, unknown)
	}
}

// opposed returns the anti-pattern of a scenario, nil where it has none.
func opposed(t *testing.T, s *scenarios.Scenario) *scenarios.Scenario {
	t.Helper()
	other, err := s.Opposed()
	if err != nil {
		t.Fatal(err)
	}
	return other
}
