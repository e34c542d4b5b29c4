package main

import (
	"strings"
	"sync"
	"testing"
	"time"

	"loadgen/engine/rest/resttest"

	"loadgen/engine"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/results"
)

// counters is a load of increments that get in each other's way, and of inserts.
const counters = `phases.peak.operations=[{name: lap, verb: merge, counter: Laps, weight: 3}, {name: register, verb: insert},
	{name: pay, verb: merge, properties: [{name: Paid, type: Boolean, value: "true"}]}]`

func TestVerifyWritesIsReported(t *testing.T) {
	code, stdout, stderr, folder := bubble(t, 0, "stress", "--verbose", "--verify-writes", "--rate", "300", "--duration", "2s",
		"--set", "phases.load.entities=400", "--set", "phases.peak.hold=false", "--set", counters)
	if code != codeOk {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	audit := read(t, folder).Audit
	if audit == nil || audit.Writes != 600 || audit.Acknowledged != 600 || audit.ReadBack != audit.Keys || audit.Keys == 0 || !audit.Sound() {
		t.Fatalf("the audit is %+v; want 600 acknowledged writes, all found again", audit)
	}
	stdout = strings.Join(strings.Fields(stdout), " ")
	for _, want := range []string{"Every acknowledged write was found again", "Writes, read back after the run",
		"600 writes = 600 acknowledged + 0 unknown + 0 absent", "own 409 own 412 own 404 foreign lost doubled read back of entities unwatched overwritten 0 0 0 7 0 0 164 164 0 0"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the report does not say %q:\n%s", want, stdout)
		}
	}
	if !strings.Contains(stderr, "audit: ") {
		t.Errorf("the progress does not tell of the audit: %q", stderr)
	}
}

// The same seed gives the same audit in virtual time, and --verify-writes has
// entities stored.
func TestSimulationVerifiesWrites(t *testing.T) {
	leftOutWhenShort(t)
	args := []string{"stress", "--verify-writes", "--one-profile", "--set", "phases.peak.rates=[300]", "--set", "phases.peak.each=2s",
		"--set", "phases.load.entities=400", "--set", "phases.peak.hold=false", "--set", counters}
	first := recordOf(t, args...)
	again := recordOf(t, args...)
	if first.Manifest.Dataless || first.Audit == nil || first.Audit.Acknowledged != 600 || !first.Audit.Sound() {
		t.Errorf("without data %v, audit %+v; want data, and 600 writes found again", first.Manifest.Dataless, first.Audit)
	}
	if a, b := *first.Audit, *again.Audit; a.Keys != b.Keys || a.ForeignConflicts != b.ForeignConflicts {
		t.Errorf("audits %+v and %+v of one seed; want the same", a, b)
	}
}

// lossyService is a table service that loses replies after the fact, and what it
// knows of them.
type lossyService struct {
	*service
	mu sync.Mutex
	// inserts and merges are the rows of writes whose replies were lost though they
	// were carried out; merges may come several times.
	inserts, merges []string
}

func newLossyService(t *testing.T, share int) *lossyService {
	t.Helper()
	s := new(lossyService)
	rule := engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultAfter, To: time.Hour, KeyPrefix: "2011 New York", Share: share}
	s.service = newServiceOf(t, resttest.Options{Profile: model.Documented,
		Rest: rest.Options{Faults: &engine.FaultPlan{Rules: []engine.FaultRule{rule}}, Seed: 5, Observe: s.saw}})
	return s
}

func (s *lossyService) saw(r *rest.Seen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.Status != 0 || r.Code != entity.OK:
	case r.Verb == entity.Insert:
		s.inserts = append(s.inserts, r.RowKey)
	case r.Verb == entity.Merge:
		s.merges = append(s.merges, r.RowKey)
	}
}

// Over HTTP, too, the audit counts what the service lost.
func TestVerifyWritesEqualsTheServicesLog(t *testing.T) {
	s := newLossyService(t, 50_000)
	t.Chdir(t.TempDir())
	code, stdout, stderr := say(t, "stress", "--target", s.url, "--key-file", s.keyFile, "--yes", "--quiet", "--no-probe", "--verify-writes",
		"--out", "run", "--rate", "300", "--duration", "1s", "--workers", "32", "--set", "phases.peak.hold=false",
		"--set", "phases.load.entities=100", "--set", "phases.load.transaction=1",
		"--set", `phases.peak.operations=[{name: lap, verb: merge, counter: Laps, weight: 3}, {name: register, verb: insert}]`)
	if code != codeOk {
		t.Fatalf("exit code %d: %s\n%s", code, stderr, stdout)
	}
	record := read(t, "run")
	audit := record.Audit
	sent := record.Total(results.Reported).Sent
	// A write whose reply was lost may be cut by the end of the run where the machine is slow:
	// nobody heard of that one.
	inserts, merges := int64(len(s.inserts))-audit.Own409, int64(len(s.merges))-audit.Own412
	if audit.Writes != sent || audit.Acknowledged+audit.Unknown+audit.Absent != sent || inserts < 0 || merges < 0 || inserts+merges > audit.Unknown ||
		!audit.Sound() || audit.ReadBack != audit.Keys {
		t.Errorf("the audit comes to %+v; want %d writes, %d own-409 and %d own-412 by the service's log but for those unknown, and nothing lost or doubled",
			*audit, sent, len(s.inserts), len(s.merges))
	}
	if len(s.inserts)+len(s.merges) == 0 {
		t.Error("no reply to a write that was carried out was lost; want some")
	}
}
