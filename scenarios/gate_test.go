package scenarios_test

import (
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
		assert.Equalf(t, scenarios.Gate{Metrics: row.metrics, Threshold: row.threshold}, got, "%s: Gated()", row.name)
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
	require.NoError(t, s.Set("gate", "{metrics: [served]}"))
	require.Equal(t, []string{"served"}, s.Gated().Metrics)
	require.NoError(t, s.Set("gate.metrics.0", "p99(gte)"))
	faults := s.Validate()
	require.Len(t, faults, 1)
	assert.ErrorContains(t, faults[0], "--set gate.metrics.0: byte 4: ", "the unknown name where it was set")
}
