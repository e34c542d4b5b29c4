// Package races is a table of one's own, whose keys are held to its peak in every
// `go test`.
package races

import (
	_ "embed"
	"testing"
	"time"

	"loadgen/backoff"
	"loadgen/report/verdict"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

//go:embed races.yaml
var text []byte

// Four partitions sustain race day, one does not.
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
		if got := verdict.AllChecksHold(record.Summary); got != holds {
			t.Errorf("%s holds: %t; want %t: %s", design, got, holds, record.Summary.Verdict)
		}
	}
}

// The waits of the table's own client, before anything runs: what it gives up after.
func TestTheClientGivesUpWithinAMinute(t *testing.T) {
	policy, err := backoff.ByName("short")
	if err != nil {
		t.Fatal(err)
	}
	longest := time.Duration(0)
	for retry := 1; ; retry++ {
		wait, again := policy.Wait(retry, .999)
		if !again {
			break
		}
		longest += wait
	}
	if longest == 0 || longest > time.Minute {
		t.Errorf("it waits for %v in all; want a minute at most", longest)
	}
}
