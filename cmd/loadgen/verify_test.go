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

// Over HTTP, too, the audit counts what the service lost.
func TestVerifyWritesEqualsTheServicesLog(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	// These are the writes whose replies were lost though they were carried out.
	inserts, merges := int64(0), int64(0)
	rule := engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultAfter, To: time.Hour, KeyPrefix: "2011 New York", Share: 50_000}
	s := newServiceOf(t, resttest.Options{Profile: model.Documented, Rest: rest.Options{Faults: &engine.FaultPlan{Rules: []engine.FaultRule{rule}}, Seed: 5,
		Observe: func(r *rest.Seen) {
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
