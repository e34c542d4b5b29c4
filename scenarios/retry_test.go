package scenarios_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/backoff"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
)

// readRetry reads a policy as the value of a field.
func readRetry(text string) (policy string, faults fields.Faults) {
	faults = readField(text, scenarios.RetryBinding(&policy))
	return policy, faults
}

// A map and a text of the same formula are the same policy, and a name is itself.
func TestRetry(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"documented", "documented"},
		{"linear", "linear"},
		{"{exponential: {z: 30s, min: 3s, max: 90s, tries: 4}}", "exponential z=30s min=3s max=1m30s tries=4"},
		{"exponential tries=4 z=30s max=90s min=3s", "exponential z=30s min=3s max=1m30s tries=4"},
		{"{exponential: {z: 30s, min: 3s, max: 90s, first: 0}}", "exponential z=30s min=3s max=1m30s tries=4 first=0"},
		{"{linear: {step: 1s, max: 5s}}", "linear step=1s max=5s tries=4"},
		{"{fixed: {every: 0s}}", "fixed every=0s tries=4"},
	} {
		got, faults := readRetry(row.text)
		require.Emptyf(t, faults, "retry: %s", row.text)
		assert.Equalf(t, row.want, got, "retry: %s", row.text)
		again, _ := readRetry(writtenField(scenarios.RetryBinding(&got)))
		assert.Equalf(t, got, again, "retry: %s, written and read", row.text)
	}
}

// What is wrong with a formula in a line is told without the package that judges it.
func TestRetryFormulaFaults(t *testing.T) {
	for _, text := range []string{"exponential z=30s min=90s max=3s", "fixed every=3s tries=0", "linear step=9s max=3s", "fixed each=3s"} {
		if _, faults := readRetry(text); len(faults) != 1 || strings.Contains(faults[0].What, "backoff:") {
			t.Errorf("retry: %s: %v; want one fault that names no package", text, faults)
		}
	}
}

// FuzzRetry: what is read is a sound policy, and anything else a fault of a line.
func FuzzRetry(f *testing.F) {
	for _, text := range []string{"short", "{fixed: {every: 1s}}", "{exponential: {z: 30s, min: 3s, max: 90s, tries: 4, first: 0}}", "{linear: {step: 9s, max: 1s}}", "full_jitter base=1s cap=2s", "{}", "[fixed]", "{fixed: }"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, faults := readRetry(text)
		if len(faults) > 0 {
			if strings.Contains(faults[0].What, "\n") || got != "" {
				t.Errorf("retry: %q is %q with %q; want a line and no policy", text, got, faults[0].What)
			}
			return
		}
		if p, err := backoff.ByName(got); err != nil || len(p.Validate()) > 0 {
			t.Errorf("retry: %q is %q: %+v, %v; want a sound policy", text, got, p, err)
		}
	})
}
