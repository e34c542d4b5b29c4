package coverage_test

import (
	"fmt"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

// burst is how much of a second's allowance the model's idle partition has saved up.
const burst = .1

// beyond is the documents' rule for a load of one rate on what bears less of it: what is over
// is throttled, but for what was saved up before.
func beyond(rate, target, seconds float64) band {
	return band{max(0, 1-target*(seconds+burst)/(rate*seconds)), .01}
}

func partitions() []row {
	const group = "Partitions and their targets"
	return []row{
		{14, group, strategy, "A partition is what shares account, table and PartitionKey: in another table the same key is another partition.",
			"`loadgen simulate orders-twice`", "tables that share 400/s on the same key", "share throttled at 100/s for each partition", quick,
			vary(func(tables int) band { return beyond(400, 100*float64(tables), 10) }, throttledInTables, 2, 3)},
		{15, group, checklist, "A partition has a target of 2,000 entities/s.", "`loadgen simulate stress`",
			"operations/s on one key", "share throttled: all above 2,000/s", false,
			vary(func(rate int) band { return beyond(float64(rate), 2000, 2) }, func(t testing.TB, rate int) float64 {
				return onePartition(t, rate).of(t, "throttled(peak) %")
			}, 2_500, 4_000)},
		{16, group, checklist, "An account has a target of 20,000 entities/s: ten hot partitions reach it.", "`loadgen simulate account-ceiling --anti-pattern`",
			"partitions with 250/s each and a limit of 200/s, in an account of 2,000/s", "entities served/s: 200 for each partition, at most 2,000", false,
			vary(func(n int) band { return about(min(200*float64(n), 2000), .02) }, servedByAccount, 7, 14)},
		{17, group, strategy, "On a quiet server a partition can exceed its target; on a busy one it is throttled.",
			"`loadgen simulate quiet-and-busy-server --anti-pattern`",
			"server use by others, in thousandths", "entities served/s of 500: the target of 100, twice that below 300 ‰, linear in between", false,
			vary(func(load int) band {
				idle := min(1, max(0, (800-float64(load))/(800-300)))
				return about(100*(1+idle), .05)
			}, servedBeside, 0, 700)},
		{18, group, checklist, "Over a target the reply is 503 Server Busy, or 500 Operation Timeout after a wait.", "`loadgen simulate retries-bridge-a-move`",
			"thousandths of the requests that are rejected at once", "share answered 503; the others wait until 500", quick,
			vary(func(mille int) band { return share(writesWhileMoved, float64(mille)/1000) }, shareOf503, 1000, 700)},
		{19, group, strategy, "One PartitionKey value is limited to one server; several or unique values are balanced over many.", "`loadgen simulate granularity`",
			"partitions that share 600/s, at most 200/s each", "share throttled", false,
			vary(func(n int) band { return beyond(600, min(600, 200*float64(n)), 5) }, playing[int]("throttled(save) %", "granularity", "phases.many.for=7s",
				"attributes.region={uniform: [1, %v]}", "phases.many.operations=[{name: save, verb: insert}]"), 1, 12)},
		{20, group, strategy, "A partition with far more traffic than others is hot, and cannot be split, because it supports transactions.",
			"`loadgen simulate granularity --set use=uneven-values` (exit code 10)",
			"weight of one of ten regions, 10 for each other, at 1,200/s in all", "share of all throttled: the region's load above 200/s", false,
			vary(func(weight int) band {
				rate := 1200 * float64(weight) / float64(weight+90)
				return band{max(0, rate-200) / 1200, .02}
			}, playing[int]("throttled(save) %", "granularity", "model.account_target=0",
				"phases.many.arrivals.constant=1200", "phases.many.for=5s", "phases.many.operations=[{name: save, verb: insert}]",
				"attributes.region.weights=[%v, 10, 10, 10, 10, 10, 10, 10, 10, 10]"), 30, 270)},
	}
}

// throttledInTables spreads 400 inserts a second under one PartitionKey over tables, and
// returns which share is throttled.
func throttledInTables(t testing.TB, tables int) float64 {
	e := newTables(t, tables, false, []string{"partition_target=100"})
	const sent = 4000
	throttled := 0
	for i := range sent {
		r := insert("one", fmt.Sprint(i))
		r.Table = nameOf(i % tables)
		if reply := e.ask(clock.Instant(0).Add(time.Duration(i)*time.Second/400), r); reply.Code == entity.ServerBusy {
			throttled++
		}
	}
	return float64(throttled) / sent
}

// onePartition sends a load of reads to one partition of the stress table.
func onePartition(t testing.TB, rate int, settings ...string) *played {
	return play(t, "stress-one-partition", append(settings, "phases.load.load.entities=500", set("phases.peak.traffic", fmt.Sprintf(
		"{partitions: [2011 New York City Marathon__Full], arrivals: {constant: %d}, for: 2s, operations: [{name: get, verb: get}]}", rate)))...)
}

func servedByAccount(t testing.TB, n int) float64 {
	return sent(t, fromFile(t, "account.yaml"), []string{set("phases.go.partitions", n)}).of(t, "served(go)")
}

func servedBeside(t testing.TB, load int) float64 {
	return play(t, "quiet-and-busy-server", "phases.report.arrivals.constant=500", "phases.report.for=10s", "phases.report.warm_up=5s",
		set("model.background_load", load)).of(t, "served(report)")
}

// shareOf503 sends writes to a range while it is handed over, for longer than any of them may
// wait, and returns which share of them is answered 503 rather than 500 Operation Timeout.
func shareOf503(t testing.TB, mille int) float64 {
	e := newTable(t, "offline_least=5s", "offline_most=5s", "timeout=1s", set("offline_throttled", mille))
	e.Move(0, account, "Races", "one", 3)
	busy, late := 0, 0
	for i := range writesWhileMoved {
		switch reply := e.ask(clock.Instant(0).Add(time.Duration(i)*10*time.Millisecond), insert("one", fmt.Sprint(i))); reply.Code {
		case entity.ServerBusy:
			busy++
		case entity.OperationTimedOut:
			late++
		default:
			t.Fatalf("write %d: %d %s; want 503 or 500", i, reply.Status, reply.Code)
		}
	}
	return float64(busy) / float64(busy+late)
}

// writesWhileMoved come within four seconds.
const writesWhileMoved = 400
