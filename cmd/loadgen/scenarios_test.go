package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/accesslog"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
	"loadgen/results"
)

//go:embed testdata/choice.yaml
var choice string

// choiceIn writes a scenario with two designs, choice.yaml, into an empty folder, which becomes the working directory.
func choiceIn(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	put(t, map[string]string{"choice.yaml": choice})
}

// Over HTTP, too, the audit counts what the service lost.
func TestVerifyWritesEqualsTheServicesLog(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	// These are the writes whose replies were lost though they were carried out.
	inserts, merges := int64(0), int64(0)
	rule := engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultAfter, To: time.Hour, KeyPrefix: "2011 New York", Share: 50_000}
	s := newServiceOf(t, resttest.Options{Profile: model.Documented, Rest: rest.Options{Faults: &engine.FaultPlan{Rules: []engine.FaultRule{rule}}, Seed: 5,
		Observe: func(r *accesslog.Observed) {
			mu.Lock()
			defer mu.Unlock()
			switch {
			case r.Status != 0 || r.Code != entity.OK:
			case r.Verb == entity.Insert:
				inserts++
			case r.Verb == entity.Merge:
				merges++
			}
		}}})
	code, stdout, stderr := say(t, "stress", "--target", s.url, "--key-file", s.keyFile, "--yes", "--quiet", "--no-probe", "--verify-writes",
		"--out", s.out, "--rate", "300", "--duration", "1s", "--workers", "32", "--set", "phases.peak.hold=false",
		"--set", "phases.load.entities=100", "--set", "phases.load.transaction=1",
		"--set", `phases.peak.operations=[{name: lap, verb: merge, counter: Laps, weight: 3}, {name: register, verb: insert}]`)
	require.Equalf(t, codeOk, code, "exit code %d: %s\n%s", code, stderr, stdout)
	record := read(t, s.out)
	audit := record.Audit
	sent := record.Total(results.Reported).Sent
	// A write whose reply was lost may be cut by the end of the run where the machine is slow:
	// nobody heard of that one.
	cutInserts, cutMerges := inserts-audit.Own409, merges-audit.Own412
	if audit.Writes != sent || audit.Acknowledged+audit.Unknown+audit.Absent != sent || cutInserts < 0 || cutMerges < 0 || cutInserts+cutMerges > audit.Unknown ||
		!audit.Sound() || audit.ReadBack != audit.Keys {
		t.Errorf("the audit comes to %+v; want %d writes, %d own-409 and %d own-412 by the service's log but for those unknown, and nothing lost or doubled",
			*audit, sent, inserts, merges)
	}
	assert.Positive(t, inserts+merges, "replies to writes that were carried out and lost")
}

// A port that is taken ends the run before it begins, in one line, and nothing is left behind.
func TestAddressesThatAreTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	t.Chdir(t.TempDir())
	for _, typed := range []string{"stress --target in-process --metrics-listen=", "stress --target in-process --live-page=", "simulate --live-page="} {
		code, _, stderr := say(t, strings.Fields(typed+taken.Addr().String())...)
		assert.Truef(t, code == codeUsage && strings.Contains(stderr, "in use") && strings.Count(stderr, "\n") == 1,
			"%s of a port that is taken = %d %q; want %d and one line", typed, code, stderr, codeUsage)
	}
	if left := leftIn(t, "."); len(left) > 0 {
		t.Errorf("it left %v behind", left)
	}
}

// shardedTable is a scenario whose load is half as much again as one account bears,
// and less than two do.
//
//go:embed testdata/sharded.yaml
var shardedTable string

func TestShardedOverServices(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var each [2]*service
	out := filepath.Join(folder, "run")
	scenario := filepath.Join(folder, "sharded.yaml")
	require.NoError(t, os.WriteFile(scenario, []byte(shardedTable), 0o600))
	args := []string{"run", scenario, "--no-probe", "--out", out, "--set", "phases.measure.for=1s"}
	for i := range each {
		each[i] = newService(t, model.Off, 0)
		file := filepath.Join(folder, fmt.Sprint("connection", i))
		text := fmt.Sprintf("DefaultEndpointsProtocol=http;AccountName=races;AccountKey=%s;TableEndpoint=%s;", planted, each[i].url)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		args = append(args, "--target", "file:"+file)
	}
	code, _, stderr := say(t, args...)
	if code != codeUsage || !strings.Contains(stderr, "forecast for "+each[0].url+" and "+each[1].url) || !strings.Contains(stderr, "--yes") {
		t.Errorf("run without --yes = %d, %q; want %d and a forecast for both accounts", code, stderr, codeUsage)
	}
	if one, two := each[0].handler.Counts(), each[1].handler.Counts(); one.Requests+two.Requests != 0 {
		t.Errorf("%d and %d requests were sent without consent", one.Requests, two.Requests)
	}
	code, stdout, stderr := say(t, append(args, "--yes")...)
	require.Equalf(t, codeOk, code, "run = %d: %s", code, stderr)
	record := read(t, out)
	one, two := each[0].handler.Counts(), each[1].handler.Counts()
	// Each also answered whether it was there.
	if all := record.Total(results.Everything); all.Attempts != one.Requests+two.Requests-2 || all.Counted != one.Entities+two.Entities || all.Failed != 0 {
		t.Errorf("attempts %d, failed %d, entities %d; the accounts saw %+v and %+v, one of each the question before", all.Attempts, all.Failed, all.Counted, one, two)
	}
	assert.Truef(t, one.Requests >= 75 && two.Requests >= 75,
		"the accounts saw %d and %d requests; want half of 150 inserts each", one.Requests, two.Requests)
	assert.Equal(t, 2, record.Manifest.Accounts, "accounts of the manifest")
	assert.Equal(t, one.Requests+two.Requests, record.Connections.Opened+record.Connections.Reused, "attempts over the connections to both accounts")
	for _, phase := range record.Phases {
		assert.Truef(t, !phase.Reported || len(phase.Accounts) == 2 && phase.Accounts[0].Offered == 75 && phase.Accounts[1].Offered == 75,
			"phase %s: accounts %+v; want 75 entities offered to each", phase.Name, phase.Accounts)
	}
	for i, s := range each {
		if !strings.Contains(stdout, s.url) {
			t.Errorf("the report does not name account %d, %s:\n%s", i+1, s.url, stdout)
		}
		if left := s.engine.TableNames("races"); len(left) > 0 {
			t.Errorf("the run left the tables %v in account %d", left, i+1)
		}
	}
	said := map[string]string{"stdout": stdout, "stderr": stderr}
	addFiles(t, said, out)
	withoutKey(t, said)
}

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
	_, eventsHelp := helpSection("events")
	counts := map[string]int{}
	var names []string
	for _, one := range list {
		name := one["event"].(string)
		counts[name]++
		if names = append(names, name); one["at_s"] == nil {
			t.Errorf("%v has no at_s", one)
		}
		for key := range one {
			assert.Containsf(t, eventsHelp, key, "%s has the key %s, of which the help says nothing", name, key)
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
