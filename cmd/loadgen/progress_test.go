package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// eventsOf reads the lines of --ui json.
func eventsOf(t *testing.T, text string) []map[string]any {
	t.Helper()
	var list []map[string]any
	for line := range strings.Lines(text) {
		var one map[string]any
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		list = append(list, one)
	}
	return list
}

// A live run streams its events: each is a line of JSON with the keys that the help
// documents, statuses come each second, and the totals are those of the summary.
func TestEventsOfARun(t *testing.T) {
	_, stdout, stderr, folder := bubble(t, 0, append([]string{"stress", "--format", "json", "--ui", "json", "--rate", "1000"}, small...)...)
	list := eventsOf(t, stderr)
	counts := map[string]int{}
	var names []string
	for _, one := range list {
		name := one["event"].(string)
		counts[name]++
		if names = append(names, name); one["at_s"] == nil {
			t.Errorf("%v has no at_s", one)
		}
		for key := range one {
			assert.Containsf(t, progressEventsHelp, key, "%s has the key %s, of which the help says nothing", name, key)
		}
	}
	assert.Truef(t, names[0] == "run_begins" && names[len(names)-2] == "run_ends" && names[len(names)-1] == "run_written",
		"the events are %v; want run_begins, …, run_ends, run_written", names)
	// Create, mark, load, count, peak and drop; two steps of a second.
	if counts["stage_begins"] != 6 || counts["stage_ends"] != 6 || counts["phase_begins"] != 2 || counts["phase_ends"] != 2 || counts["status"] < 8 {
		t.Errorf("of each event there were %v; want 6 stages, 2 phases, a status as each stage ends and each second", counts)
	}
	summary := decode(t, []byte(stdout))
	end := list[len(list)-2]
	totals := end["totals"].(map[string]any)
	for key, want := range map[string]int64{"attempts": summary.Attempts, "scheduled": summary.Scheduled, "ok": summary.OkAttempts, "throttled": summary.Throttled,
		"operations": summary.Operations, "in_flight": 0, "sent": summary.Attempts, "late": summary.Late, "dropped": summary.Dropped} {
		if got := totals[key]; got != float64(want) {
			t.Errorf("in the end %s are %v; want %d", key, got, want)
		}
	}
	if end["ended"] != "complete" || list[len(list)-1]["folder"] != folder {
		t.Errorf("the run ended %v in %v; want complete in %s", end["ended"], list[len(list)-1], folder)
	}
}
