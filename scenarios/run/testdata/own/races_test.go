// Package races is a table of one's own, whose keys are held to its peak in every
// `go test`.
package races

import (
	_ "embed"
	"testing"

	"loadgen/report/verdict"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

//go:embed races.yaml
var text []byte

// Four partitions bear race day, one does not.
func TestKeysHoldRaceDay(t *testing.T) {
	for design, holds := range map[string]bool{"by-event": true, "one-partition": false} {
		s, err := scenarios.Parse("races.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		s.Choose(design)
		record, err := run.Run(t.Context(), run.Plan{Scenario: s})
		if err != nil {
			t.Fatal(err)
		}
		if got := verdict.Holds(record.Summary); got != holds {
			t.Errorf("%s holds: %t; want %t: %s", design, got, holds, record.Summary.Verdict)
		}
	}
}
