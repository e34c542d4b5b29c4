package run_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/run/runtest"
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
	// slots are the instants since the begin at which each slot of a queue is free again: a
	// request waits for the first of them, and is served for a time with a mean and a
	// coefficient of variation. No slots means no queue.
	slots       []time.Duration
	service     time.Duration
	cv          float64
	exponential bool
	// varies is by which part the limit differs from second to second, drifts by which
	// part it grows each second, other the share of it that somebody else takes.
	varies, drifts, other float64
	// insertsOnly has the limit hold for inserts alone, sized counts requests of 0.5 to 1.5.
	insertsOnly, sized bool

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
	if inside(w.frozen, at) {
		reply = w.begin.Add(w.frozen[1] + 4*time.Millisecond)
	}
	busy := target.Outcome{Status: 503, Code: entity.ServerBusy, Detail: "busy"}
	switch {
	case inside(w.offline, at):
		return busy, now.Add(2 * time.Millisecond)
	case w.share > 0 && w.drawn(op, "share") < w.share:
		if w.status == 0 {
			return busy, now.Add(2 * time.Millisecond)
		}
		return target.Outcome{Status: w.status, Code: w.code, Detail: "no"}, reply
	case !w.admits(now, at, op):
		return busy, now.Add(2 * time.Millisecond)
	}
	if len(w.slots) > 0 {
		reply = w.begin.Add(w.queued(at, op))
	}
	return target.Outcome{Status: 204, Counted: max(1, w.scanned)}, reply
}

func inside(span [2]time.Duration, at time.Duration) bool { return span[0] <= at && at < span[1] }

// queued returns when a request that arrives at an instant has been served.
func (w *world) queued(at time.Duration, op *target.Operation) time.Duration {
	first := 0
	for i := range w.slots {
		if w.slots[i] < w.slots[first] {
			first = i
		}
	}
	length, u := float64(w.service), w.drawn(op, "service")
	switch {
	case w.exponential:
		length *= -math.Log(1 - u)
	case w.cv > 0:
		sigma := math.Sqrt(math.Log(1 + w.cv*w.cv))
		length *= math.Exp(sigma*math.Sqrt2*math.Erfinv(2*u-1) - sigma*sigma/2)
	}
	w.slots[first] = max(w.slots[first], at) + time.Duration(length)
	return w.slots[first]
}

// drawn is by chance, and the same for the same attempt.
func (w *world) drawn(op *target.Operation, of string) float64 {
	h := fnv.New64a()
	fmt.Fprint(h, op.Number, op.Attempt, w.share, of)
	x := h.Sum64()
	x ^= x >> 31
	x *= 0x9e3779b97f4a7c15
	return float64((x^x>>29)>>11) / (1 << 53)
}

// admits is a bucket of tokens.
func (w *world) admits(now clock.Instant, at time.Duration, op *target.Operation) bool {
	limit := w.limit
	if w.moves > 0 && at >= w.moves {
		limit = w.then
	}
	if limit <= 0 || w.insertsOnly && op.Verb != entity.Insert {
		return true
	}
	cost := float64(max(1, w.scanned))
	if w.sized {
		cost *= 0.5 + w.drawn(op, "size")
	}
	rate := limit * (1 + w.drifts*at.Seconds()) * (1 - w.other)
	if w.varies > 0 {
		second := target.Operation{Number: uint64(at / time.Second)}
		rate *= 1 + w.varies*(2*w.drawn(&second, "limit")-1)
	}
	w.tokens = min(limit*w.burst, w.tokens+rate*time.Duration(now-w.last).Seconds())
	w.last = now
	if w.tokens < 1 {
		return false
	}
	w.tokens -= cost
	return true
}

// loaded runs the load of a scenario against a world and returns the judged record.
func loaded(t testing.TB, w *world, text string, peak float64) *results.Record {
	t.Helper()
	return searched(t, w, text, peak, nil)
}

// searched is loaded with a search for the highest rate in place of the scenario's own rates,
// where there is one.
func searched(t testing.TB, w *world, text string, peak float64, find *campaign.Find) *results.Record {
	t.Helper()
	c := runtest.Campaign{Target: w, Manifest: results.Manifest{Target: "https://table.example", PartitionKey: worldKey, PeakAsked: peak}}
	c.Options = campaign.Options{Scenario: runtest.Parse(t, text), Table: worldTable, NewName: true, Blank: true, Find: find}
	return c.MustRun(t).Record
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
