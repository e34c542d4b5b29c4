package series

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/compare"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// committed is the folder of the baselines that are checked in.
var committed = filepath.Join("..", "..", "results", "baselines")

// A regression is a program that has changed without anybody meaning it to: what it
// leaves of a scenario, which it takes for the same as ever.
type regression func(t *testing.T, s *scenarios.Scenario) *results.Record

// withValue is a program that has another value for what stands at a path.
func withValue(path, value string) regression {
	return func(t *testing.T, s *scenarios.Scenario) *results.Record {
		altered := *s
		require.NoError(t, altered.Set(path, value))
		record := simulated(t, &altered)
		record.Manifest.Scenario.Text = simulated(t, s).Manifest.Scenario.Text
		return record
	}
}

// withoutASecond is a program that loses the third second of its record.
func withoutASecond(t *testing.T, s *scenarios.Scenario) *results.Record {
	folder := new(results.Memory)
	if _, err := run.Run(t.Context(), run.Plan{Scenario: s, Memory: folder}); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(folder.Bytes(results.IntervalsFile)), "\n")
	require.NoError(t, folder.Replace(results.IntervalsFile, []byte(strings.Join(append(lines[:3:3], lines[4:]...), ""))))
	record, err := results.Read(folder)
	require.NoError(t, err)
	record.Summary = verdict.Judge(record)
	return record
}

// Each deliberate regression is caught by the baselines that are checked in, and named
// by what the gate says.
func TestCommittedBaselinesCatchRegressions(t *testing.T) {
	if testing.Short() {
		t.Skip("a long run")
	}
	rows := []struct {
		name, scenario string
		regression     regression
		// says is what the result has to name.
		says    []string
		outcome compare.Outcome
	}{
		{"half the partition target", "stress-one-partition", withValue("model.partition_target", "1000"),
			[]string{`model[partition_target].value: was "2000", is "1000"`, "phases[load].operations[load].throttled"}, compare.Regression},
		{"one more scan for each lookup", "row-range-scan",
			withValue("phases.read.operations", `[{name: month, verb: query, by: [customer, month], top: 4}]`),
			[]string{"phases[read].operations[month].attempts"}, compare.Regression},
		{"a lookup that scans its partition", "row-range-scan",
			withValue("phases.read.operations", `[{name: month, verb: query, class: partition-scan}]`),
			[]string{"phases[read].operations[month].counted_entities"}, compare.Regression},
		{"another back-off", "projection-and-filter", withValue("retry", "documented"), []string{"retry_waits.us."}, compare.Regression},
		{"a lost second", "row-range-scan", withoutASecond, []string{"seconds.count", "second"}, compare.Invalid},
		{"nothing", "stress-one-partition", withValue("retry", "none"), []string{"it repeats to the last count"}, compare.Same},
	}
	for _, row := range spread(rows, tier(2, len(rows), len(rows))) {
		t.Run(row.name, func(t *testing.T) {
			one, err := (&Gate{Baselines: committed}).Rule(row.regression(t, builtin(t, row.scenario)), "")
			require.NoError(t, err)
			text := shown(t, one)
			assert.Equalf(t, row.outcome, one.Outcome, "the ruling is %s; want %s:\n%s", one.Outcome, row.outcome, text)
			for _, says := range row.says {
				assert.Containsf(t, text, says, "the ruling does not name %q", says)
			}
		})
	}
}
