package main

import (
	"strings"
	"testing"

	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/scenarios/run"
)

// A run by vegeta against an engine that it meets as a stranger closes its books
// with that, and says who sent it.
func TestVegetaDrivesARun(t *testing.T) {
	s := newService(t, model.Off, 0)
	t.Chdir(t.TempDir())
	code, stdout, stderr := say(t, s.args("--yes", "--verbose", "--driver", "vegeta")...)
	if code != codeOk {
		t.Fatalf("--driver vegeta = %d: %s", code, stderr)
	}
	for _, want := range []string{"real time · driver vegeta · client net/http · seed", "retries, policy none: none", "--driver=vegeta"} {
		if !strings.Contains(strings.Join(strings.Fields(stdout), " "), want) {
			t.Errorf("the report does not say %q:\n%s", want, stdout)
		}
	}
	record := read(t, "run")
	if m := record.Manifest; m.Driver != run.Vegeta || m.Retry != "none" || !strings.Contains(m.Scenario.Text, "retry: none") {
		t.Errorf("the record is of driver %q and policy %q; want vegeta, and none, in the scenario too", m.Driver, m.Retry)
	}
	sum, seen := record.Total(results.Everything), s.handler.Counts()
	if sum.Attempts != seen.Requests-1 || sum.Counted != seen.Entities || sum.Failed != 0 || sum.Scheduled != sum.Sent+sum.Dropped {
		t.Errorf("%+v; the service saw %+v, one of them the question before", sum, seen)
	}
	if c := record.Connections; c.Opened+c.Reused < sum.Attempts || c.FirstByte.Count < sum.Attempts {
		t.Errorf("connections %+v; want those of all %d attempts", c, sum.Attempts)
	}
	if steps := record.Total(results.Reported); steps.Sent != 60 || steps.Succeeded != 60 {
		t.Errorf("%+v; want 60 operations sent, all with success", steps)
	}
}
