package contest_test

import (
	"strings"
	"testing"
	"time"

	"loadgen/report/compare/contest"
	"loadgen/results"
	"loadgen/results/figure"
)

func TestReasons(t *testing.T) {
	first := contest.Arm{Design: "a", Trials: trialsOf(200, 201, 202), Record: logRecord(0, 30, nil)}
	behind := trialsOf(100, 101, 102)
	costly := func(change func(t *contest.Trial)) []contest.Trial {
		return with(trialsOf(200, 201, 202), func(_ int, t *contest.Trial) { change(t) })
	}
	edited := func(r *results.Record, change func(r *results.Record)) *results.Record {
		change(r)
		return r
	}
	for _, row := range []struct {
		name  string
		arm   contest.Arm
		kinds string
		says  string
	}{
		{"the hottest partition of the heat map", contest.Arm{Trials: behind, Record: logRecord(840, 30, hourly())}, "hot-partition",
			`The partition "2026-05-01T12" sank it from second 2 on: it was asked for up to 2,550 entities/s and bears 2,000, 95.2 % of all demand meanwhile.`},
		{"of partitions throttled alike, the first", contest.Arm{Trials: behind, Record: edited(logRecord(840, 30, hourly()), func(r *results.Record) {
			r.Heat.Rows = append(r.Heat.Rows, r.Heat.Rows[1])
			r.Heat.Rows[2].Key = "2026-05-01T13"
		})}, "hot-partition", `The partition "2026-05-01T12" sank it`},
		{"what is throttled before and after the measured load is no reason", contest.Arm{Trials: behind, Record: edited(logRecord(840, 30, hourly()), func(r *results.Record) {
			r.Heat.Rows[0].Throttled, r.Heat.Rows[0].Demanded = []int64{9000, 0, 0, 0, 0, 0, 9000}, []int64{90_000, 0, 0, 0, 0, 0, 90_000}
			r.Heat.Rows[1].Throttled[0], r.Heat.Rows[1].Demanded[0] = 50, 70_000
		})}, "hot-partition", `The partition "2026-05-01T12" sank it from second 2 on: it was asked for up to 2,550 entities/s and bears 2,000, 95.2 % of all`},
		{"where the column in which it began is the only one", contest.Arm{Trials: behind, Record: edited(logRecord(840, 30, hourly()), func(r *results.Record) {
			r.Heat.SecondsPerColumn, r.Heat.Rows = 16, r.Heat.Rows[1:]
			r.Heat.Rows[0].Throttled, r.Heat.Rows[0].Demanded = []int64{9000}, []int64{64_000}
		})}, "hot-partition", `sank it from second 0 on: it was asked for up to 4,000 entities/s`},
		{"a broken record, whose load began before the run", contest.Arm{Trials: behind, Record: edited(logRecord(840, 30, hourly()), func(r *results.Record) {
			r.Phases[0].Begin = -time.Hour
		})}, "hot-partition", `The partition "2026-05-01T12" sank it from second 2 on`},
		{"an order of keys that no partition helps", contest.Arm{Trials: behind, Order: "prepend-only", Record: logRecord(840, 30, hourly())},
			"hot-partition one-end", "; it is prepend-only: every insert goes to the first partition"},
		{"one moving point", contest.Arm{Trials: behind, Order: "one moving point", Record: logRecord(840, 30, hourly())},
			"hot-partition one-end", "at any moment all inserts go to one partition, so that more"},
		{"a tail of buckets", contest.Arm{Trials: behind, Order: "one hot tail of several buckets", Record: logRecord(840, 30, hourly())},
			"hot-partition one-end", "only more buckets help"},
		{"a few tails", contest.Arm{Trials: behind, Order: results.Tails(2), Record: logRecord(840, 30, hourly())},
			"hot-partition one-end", "at any moment all inserts go to 2 places, each of which bears one partition's target"},
		{"a few tails of many partitions", contest.Arm{Trials: behind, Order: results.Tails(2), Record: edited(logRecord(840, 30, hourly()), func(r *results.Record) {
			r.Manifest.Targets.Partition, r.Manifest.Start, r.Heat.Rest.Demanded = 9000, "cold", []int64{0, 900_000}
		})}, "one-end", "41.8 % of its requests were throttled; its keys move on: at any moment all inserts go to 2 places"},
		{"one partition", contest.Arm{Trials: behind, Order: "one partition", Record: logRecord(840, 30, hourly())}, "hot-partition one-end", "all inserts go to one partition"},
		{"a spread is no reason", contest.Arm{Trials: behind, Order: "spread", Record: logRecord(840, 30, hourly())}, "hot-partition", ""},
		{"nor is an order where nothing was throttled", contest.Arm{Trials: behind, Order: "append-only", Record: logRecord(19, 30, hourly())}, "slow", "The p99 of save is 20.0 ms"},
		{"without a heat map, what was offered most in a second", contest.Arm{Trials: behind, Record: edited(logRecord(840, 30, nil), func(r *results.Record) {
			r.Phases[0].Offered = []results.PartitionStats{{Key: "x\n", Entities: 46_000, Busiest: 9200}, {Key: "y", Entities: 60_000, Busiest: 6001}}
			r.Intervals = []results.Interval{{Second: 0, Throttled: 9}, {Second: 3}, {Second: 4, Throttled: 1}, {Second: 5, Throttled: 9}}
		})}, "hot-partition", `The partition "x\n" sank it from second 4 on: it was asked for up to 9,200 entities in its busiest second and bears 2,000, 100 % of all demand in that phase.`},
		{"a partition below its own limit", contest.Arm{Trials: behind, Record: edited(logRecord(840, 30, hourly()), func(r *results.Record) { r.Manifest.Targets.Partition = 9000 })},
			"hot-partition", "was throttled most from second 2 on, though it was asked for no more than 2,550 entities/s of the 9,000 that one bears: for an instant it was more, as in a burst, or with queries that count much, 95"},
		{"many partitions, none of them hot", contest.Arm{Trials: behind, Record: edited(logRecord(840, 30, hourly()), func(r *results.Record) {
			r.Manifest.Targets.Partition, r.Manifest.Start, r.Heat.Rest.Demanded = 9000, "cold", []int64{0, 900_000}
		})}, "unserved", "41.8 % of its requests were throttled, over many partitions, none of which was asked for more than it bears: its range shared a server"},
		{"a little more is counted, by chance", contest.Arm{Trials: behind, Record: logRecord(0, 35, nil)}, "slow", ""},
		{"a little more is counted, by which it is behind", contest.Arm{Trials: costly(func(t *contest.Trial) { t.Counted = 2 }), Record: logRecord(0, 35, nil)}, "counts-more",
			"The operation list counts 35 entities each time (a: 30)."},
		{"a read has no copies", contest.Arm{Trials: costly(func(t *contest.Trial) { t.Counted = 2 }), Copies: 1, Record: logRecord(0, 35, nil)}, "counts-more",
			"The operation list counts 35 entities each time (a: 30)."},
		{"below its own limit where ranges move", contest.Arm{Trials: behind, Record: edited(logRecord(840, 30, hourly()), func(r *results.Record) {
			r.Manifest.Targets.Partition, r.Manifest.Start = 9000, "cold"
		})}, "hot-partition", "of the 9,000 that one bears: its range shared a server or was being moved, or for an instant"},
		{"no known target", contest.Arm{Trials: behind, Record: edited(logRecord(840, 30, hourly()), func(r *results.Record) { r.Manifest.Targets = results.Targets{} })},
			"hot-partition", "was throttled most from second 2 on: it was asked for up to 2,550 entities/s, 95.2 %"},
		{"a table beside the test table", contest.Arm{Trials: behind, Record: edited(logRecord(840, 30, hourly()), func(r *results.Record) { r.Heat.Rows[1].Table = "ByName" })},
			"hot-partition", `The partition "2026-05-01T12" of the table …"ByName" sank it`},
		{"the account", contest.Arm{Trials: behind, Record: edited(logRecord(840, 30, nil), func(r *results.Record) { r.Phases[0].Kinds[0].Offered = 196_000 })},
			"account-limit", "The account limits it, not a partition: all of them together were asked for 19,630 entities/s, and it bears 20,000."},
		{"a partition beyond its own limit goes before the account", contest.Arm{Trials: behind, Record: edited(logRecord(840, 30, hourly()), func(r *results.Record) {
			r.Phases[0].Kinds[0].Offered = 196_000
		})}, "hot-partition", ""},
		{"throttled, but nobody knows where", contest.Arm{Trials: behind, Record: logRecord(840, 30, nil)}, "unserved", "41.8 % of its requests were throttled; by which partition is not recorded"},
		{"a scan", contest.Arm{Trials: behind, Record: logRecord(0, 400, nil)}, "scans", "The operation list scans 400 entities for 20 that it returns (a: 30)."},
		{"a scan that the first has as well", contest.Arm{Trials: costly(func(t *contest.Trial) { t.Counted = 2 }), Record: logRecord(0, 400, nil)}, "scans", ""},
		{"more is counted, copies among it", contest.Arm{Trials: behind, Copies: 2, Record: edited(logRecord(0, 30, nil), func(r *results.Record) { r.Phases[0].Kinds[0].Counted *= 3 })},
			"counts-more", "The operation write counts 3 entities each time, its 2 copies included (a: 1)."},
		{"more is billed", contest.Arm{Trials: costly(func(t *contest.Trial) { t.Billed = 3 })}, "bills-more", "An event takes 3 billed transactions (a: 1)."},
		{"it is slow", contest.Arm{Trials: costly(func(t *contest.Trial) { v := int64(150_000); t.Operations[0].P99 = &v })}, "slow", "The p99 of save is 150.0 ms (a: 20.0 ms)."},
		{"nothing is known but the figures", contest.Arm{Trials: behind}, "slow", ""},
		{"as good as the first", contest.Arm{Trials: trialsOf(200, 201, 202), Record: logRecord(0, 400, nil)}, "", ""},
		{"as good, but it failed in something", contest.Arm{Trials: costly(func(t *contest.Trial) {
			t.Expected = []results.Check{{Expr: "throttled < 1%", Ok: new(false)}}
		}), Record: logRecord(840, 30, hourly())}, "hot-partition", ""},
	} {
		row.arm.Design = "b"
		c := contest.Rank([]contest.Arm{first, row.arm}, contest.Options{})
		for i := range c.Ranking {
			one := &c.Ranking[i]
			var kinds []string
			for _, reason := range one.Reasons {
				kinds = append(kinds, reason.Kind)
			}
			got := strings.Join(kinds, " ")
			if one.Design == "a" && got != "" {
				t.Errorf("%s: the first has reasons: %s", row.name, one.Reason)
			}
			if one.Design == "b" && (got != row.kinds || !strings.Contains(one.Reason, row.says)) {
				t.Errorf("%s: %s: %s; want %s: %s", row.name, got, one.Reason, row.kinds, row.says)
			}
		}
	}
}

// The partition that a real run sinks is the one named.
func TestTheReasonOfARealRun(t *testing.T) {
	var arms []contest.Arm
	for _, target := range []string{"22", "2000"} {
		one := contest.Arm{Design: target}
		for seed := range uint64(3) {
			trial, record := measured(t, parsed(t, "partly", seed+1, "model.partition_target="+target), figure.Needs{})
			if one.Trials = append(one.Trials, trial); one.Record == nil {
				one.Record = record
			}
		}
		arms = append(arms, one)
	}
	c := contest.Rank(arms, contest.Options{})
	if c.Winner == nil || *c.Winner != "2000" || !strings.HasPrefix(c.Ranking[1].Reason, `The partition "0" sank it`) {
		t.Errorf("%s %s; want the most frequent device, which is 0, to sink it", c.Verdict, c.Ranking[1].Reason)
	}
}
