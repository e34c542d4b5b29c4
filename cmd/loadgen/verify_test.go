package main

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
	"loadgen/results"
)

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
	require.Equalf(t, codeOk, code, "exit code %d: %s\n%s", code, stderr, stdout)
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
	assert.True(t, len(s.inserts)+len(s.merges) != 0, "no reply to a write that was carried out was lost; want some")
}
