package run_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// world is a target whose truth is known: what it does to each attempt of the load is
// written here, and no engine is asked.
type world struct {
	// limit is in entities per second, 0 for none, and from moves on it is another one;
	// burst is how much of a second's allowance is saved up.
	limit, then, burst float64
	moves              time.Duration
	// offline answers 503 between two instants, frozen nothing until the second one.
	offline, frozen [2]time.Duration
	// share of the attempts are answered so by chance, others by the limit.
	share  float64
	status int
	code   entity.Code
	// scanned is how many entities an attempt counts, 1 where it is 0.
	scanned int64

	begin  clock.Instant
	begun  bool
	tokens float64
	last   clock.Instant
}

const (
	worldTable = "loadgenworld"
	worldKey   = "2011 Full"
)

func (w *world) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	reply := now.Add(4 * time.Millisecond)
	if key, _ := op.PartitionKey(); key != worldKey || op.Verb == entity.CreateTable || op.Verb == entity.DeleteTable {
		return target.Outcome{Status: 204}, reply
	}
	if !w.begun {
		w.begun, w.begin, w.last, w.tokens = true, now, now, w.limit*w.burst
	}
	at := time.Duration(now - w.begin)
	if within(w.frozen, at) {
		reply = w.begin.Add(w.frozen[1] + 4*time.Millisecond)
	}
	busy := target.Outcome{Status: 503, Code: entity.ServerBusy, Detail: "busy"}
	switch {
	case within(w.offline, at):
		return busy, now.Add(2 * time.Millisecond)
	case w.share > 0 && w.drawn(op) < w.share:
		if w.status == 0 {
			return busy, now.Add(2 * time.Millisecond)
		}
		return target.Outcome{Status: w.status, Code: w.code, Detail: "no"}, reply
	case !w.admits(now, at):
		return busy, now.Add(2 * time.Millisecond)
	}
	return target.Outcome{Status: 204, Counted: max(1, w.scanned)}, reply
}

func within(span [2]time.Duration, at time.Duration) bool { return span[0] <= at && at < span[1] }

// drawn is by chance, and the same for the same attempt.
func (w *world) drawn(op *target.Operation) float64 {
	h := fnv.New64a()
	fmt.Fprint(h, op.Number, op.Attempt, w.share)
	return float64(h.Sum64()>>11) / (1 << 53)
}

// admits is a bucket of tokens.
func (w *world) admits(now clock.Instant, at time.Duration) bool {
	limit := w.limit
	if w.moves > 0 && at >= w.moves {
		limit = w.then
	}
	if limit <= 0 {
		return true
	}
	w.tokens = min(limit*w.burst, w.tokens+limit*time.Duration(now-w.last).Seconds())
	w.last = now
	if w.tokens < 1 {
		return false
	}
	w.tokens -= float64(max(1, w.scanned))
	return true
}

// loaded runs the load of a scenario against a world and returns the judged record.
func loaded(t testing.TB, w *world, text string, peak float64) *results.Record {
	t.Helper()
	s, err := scenarios.Parse("world.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c, err := campaign.NewCampaign(campaign.Options{Scenario: s, Table: worldTable, NewName: true, Blank: true})
	if err != nil {
		t.Fatal(err)
	}
	manifest := results.Manifest{Scenario: results.Scenario{Name: s.Name}, Target: "https://table.example", Time: "virtual", Retry: s.Retry,
		Operations: c.Kinds(), PartitionKey: "2011 Full", PeakAsked: peak, Checks: s.Expect}
	memory := new(results.Memory)
	recorder, err := results.NewRecorder(memory, manifest)
	if err != nil {
		t.Fatal(err)
	}
	runner := &drive.Virtual{Target: w}
	if err := c.Run(context.Background(), runner, &drive.Ledger{Recorder: recorder}); err != nil {
		t.Fatal(err)
	}
	if err := recorder.Finish(runner.Now().Offset(), results.Valid, nil, nil); err != nil {
		t.Fatal(err)
	}
	record, err := results.Read(memory)
	if err != nil {
		t.Fatal(err)
	}
	record.Summary = verdict.Judge(record)
	return record
}

// inserts is a scenario of inserts into one partition, phase after phase: each its name,
// its arrivals and its length.
func inserts(retry string, phases ...[3]string) string {
	text := "name: world\nseed: 7\ntable: world\nretry: " + retry + "\ndesign: {partition_key: \"2011 Full\", row_key: \"{number}\"}\n" +
		"attributes:\n  number: {sequence: 1}\nphases:\n"
	for _, p := range phases {
		length := "for: " + p[2]
		if strings.Contains(p[1], "steps") {
			length = ""
		}
		text += fmt.Sprintf("  - name: %s\n    traffic:\n      arrivals: %s\n      %s\n      operations: [{name: put%s, verb: insert}]\n", p[0], p[1], length, p[0])
	}
	return text
}
