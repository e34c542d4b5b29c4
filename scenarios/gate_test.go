package scenarios_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
)

// What is left out of a gate is the default, which a scenario without one has, too.
func TestGateOfAScenario(t *testing.T) {
	byDefault := []string{"p99", "served", "share_lost"}
	for _, row := range []struct {
		name, gate string
		metrics    []string
		threshold  float64
		text       string
	}{
		{"none", "", byDefault, .05, ""},
		{"a threshold alone", "gate: {threshold: 10%}", byDefault, .1, "gate:\n  metrics: [p99, served, share_lost]\n  threshold: 10%\n"},
		{"metrics alone", "gate: {metrics: [\"p50(get, peak)\"]}", []string{"p50(get, peak)"}, .05, "gate:\n  metrics: [\"p50(get, peak)\"]\n  threshold: 5%\n"},
	} {
		s := reread(t, expecting("  - throttled < 1%")+"\n"+row.gate+"\n")
		got := s.Gated()
		assert.Truef(t, slices.Equal(got.Metrics, row.metrics) && got.Threshold == row.threshold,
			"%s: Gated() = %+v; want %v and %v", row.name, got, row.metrics, row.threshold)
		if text := string(s.Text()); !strings.Contains(text, row.text) || strings.Contains(text, "gate:") != (row.gate != "") {
			t.Errorf("%s: Text() =\n%s\nwant %q in it", row.name, text, row.text)
		}
		if got.Metrics[0] = "max"; s.Gated().Metrics[0] == "max" {
			t.Errorf("%s: Gated() returns the scenario's own slice", row.name)
		}
	}
}

// A gate is changed by its path like any other value, and checked likewise.
func TestSetGate(t *testing.T) {
	s := parsed(t, expecting("  - throttled < 1%"))
	if err := s.Set("gate", "{metrics: [served]}"); err != nil || !slices.Equal(s.Gated().Metrics, []string{"served"}) {
		t.Fatalf("Set(gate) = %v, %+v; want one metric", err, s.Gated())
	}
	require.NoError(t, s.Set("gate.metrics.0", "p99(gte)"))
	if faults := s.Validate(); len(faults) != 1 || !strings.HasPrefix(faults[0].Error(), "--set gate.metrics.0: byte 4: ") {
		t.Errorf("Validate() = %v; want the unknown name where it was set", faults)
	}
	var _ *scenarios.Gate = s.Gate
}
