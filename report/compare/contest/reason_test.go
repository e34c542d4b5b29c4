package contest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/report/compare/contest"
	"loadgen/results"
)

func TestReasons(t *testing.T) {
	first := contest.Arm{Design: "a", Trials: trialsOf(200, 201, 202), Record: logRecord(0, 30, nil)}
	behind := trialsOf(100, 101, 102)
	costly := func(change func(t *contest.Trial)) []contest.Trial {
		return with(trialsOf(200, 201, 202), func(_ int, t *contest.Trial) { change(t) })
	}
	edited := func(r *results.Record, changes []func(*results.Record)) contest.Arm {
		for _, change := range changes {
			change(r)
		}
		return contest.Arm{Trials: behind, Record: r}
	}
	// An hour that is throttled, and a log of which nobody knows where.
	hour := func(changes ...func(*results.Record)) contest.Arm {
		return edited(logRecord(840, 30, hourly()), changes)
	}
	log := func(changes ...func(*results.Record)) contest.Arm { return edited(logRecord(840, 30, nil), changes) }
	in := func(order string, of contest.Arm) contest.Arm {
		of.Order = order
		return of
	}
	target := func(n int64) func(*results.Record) {
		return func(r *results.Record) { r.Manifest.Targets.Partition = n }
	}
	cold := func(r *results.Record) { r.Manifest.Start = "cold" }
	others := func(r *results.Record) { r.Heat.Rest.Demanded = []int64{0, 900_000} }
	copied := contest.Arm{Trials: behind, Copies: 2, Record: logRecord(0, 30, nil)}
	copied.Record.Phases[0].Kinds[0].Counted *= 3
	account := func(r *results.Record) { r.Phases[0].Kinds[0].Offered = 196_000 }
	for _, row := range []struct {
		name        string
		arm         contest.Arm
		kinds, says string
	}{
		{"the hottest partition of the heat map", hour(), "hot-partition",
			`"2026-05-01T12" received up to 2,550 entities/s from second 2, limit 2,000, 95.2%`},
		{"of partitions throttled alike, the first", hour(func(r *results.Record) {
			r.Heat.Rows = append(r.Heat.Rows, r.Heat.Rows[1])
			r.Heat.Rows[2].Key = "2026-05-01T13"
		}), "hot-partition", `The partition "2026-05-01T12" received`},
		{"what is throttled before and after the measured load is no reason", hour(func(r *results.Record) {
			r.Heat.Rows[0].Throttled, r.Heat.Rows[0].Demanded = []int64{9000, 0, 0, 0, 0, 0, 9000}, []int64{90_000, 0, 0, 0, 0, 0, 90_000}
			r.Heat.Rows[1].Throttled[0], r.Heat.Rows[1].Demanded[0] = 50, 70_000
		}), "hot-partition", `up to 2,550 entities/s from second 2, limit 2,000, 95.2%`},
		{"where the column in which it began is the only one", hour(func(r *results.Record) {
			r.Heat.SecondsPerColumn, r.Heat.Rows = 16, r.Heat.Rows[1:]
			r.Heat.Rows[0].Throttled, r.Heat.Rows[0].Demanded = []int64{9000}, []int64{64_000}
		}), "hot-partition", `up to 4,000 entities/s from second 0`},
		{"a broken record, whose load began before the run", hour(func(r *results.Record) {
			r.Phases[0].Begin = -time.Hour
		}), "hot-partition", `"2026-05-01T12" received up to 2,550 entities/s from second 2`},
		{"an order of keys that no partition helps", in("prepend-only", hour()), "hot-partition one-end", "prepend-only"},
		{"one moving point", in("one moving point", hour()), "hot-partition one-end", "one partition"},
		{"a tail of buckets", in("one hot tail of several buckets", hour()), "hot-partition one-end", "only more buckets help"},
		{"a few tails", in(results.Tails(2), hour()), "hot-partition one-end", "2 places"},
		{"a few tails of many partitions", in(results.Tails(2), hour(target(9000), cold, others)), "one-end", "41.8%"},
		{"one partition", in("one partition", hour()), "hot-partition one-end", "one partition"},
		{"a spread is no reason", in("spread", hour()), "hot-partition", ""},
		{"nor is an order where nothing was throttled", contest.Arm{Trials: behind, Order: "append-only", Record: logRecord(19, 30, hourly())}, "slow", "The p99 of save is 20.0 ms"},
		{"throttled where the heat map has no row: what was offered most in a second", log(func(r *results.Record) {
			r.Phases[0].Offered = []results.PartitionStats{{Key: "x\n", Entities: 46_000, Busiest: 9200}, {Key: "y", Entities: 60_000, Busiest: 6001}}
		}), "hot-partition", `"x\n" received up to 9,200 entities/s, limit 2,000, 100%`},
		{"throttled where the heat map has no row, and no partition is known", hour(func(r *results.Record) { r.Heat.Rows[1].Throttled = nil }), "unserved", "41.8%"},
		{"a partition below its own limit", hour(target(9000)),
			"hot-partition", "up to 2,550 entities/s from second 2, limit 9,000, 95.2% of all demand; a burst"},
		{"many partitions, none of them hot", hour(target(9000), cold, others), "unserved", "41.8%"},
		{"a little more is counted, by chance", contest.Arm{Trials: behind, Record: logRecord(0, 35, nil)}, "slow", ""},
		{"a little more is counted, by which it is behind", contest.Arm{Trials: costly(func(t *contest.Trial) { t.Counted = 2 }), Record: logRecord(0, 35, nil)}, "counts-more",
			"The operation list counts 35 entities (a: 30)."},
		{"a read has no copies", contest.Arm{Trials: costly(func(t *contest.Trial) { t.Counted = 2 }), Copies: 1, Record: logRecord(0, 35, nil)}, "counts-more",
			"The operation list counts 35 entities (a: 30)."},
		{"below its own limit where ranges move", hour(target(9000), cold), "hot-partition", "limit 9,000, 95.2% of all demand; its range"},
		{"no known target", hour(func(r *results.Record) { r.Manifest.Targets = results.Targets{} }), "hot-partition", "up to 2,550 entities/s from second 2, 95.2%"},
		{"a table beside the test table", hour(func(r *results.Record) { r.Heat.Rows[1].Table = "ByName" }),
			"hot-partition", `The partition "2026-05-01T12" of table …"ByName"`},
		{"the account", log(account), "account-limit", "19,630 entities/s, limit 20,000"},
		{"a partition beyond its own limit goes before the account", hour(account), "hot-partition", ""},
		{"throttled, but nobody knows where", log(), "unserved", "41.8%"},
		{"a scan", contest.Arm{Trials: behind, Record: logRecord(0, 400, nil)}, "scans", "list scans 400 entities to return 20 (a: 30)"},
		{"a scan that the first has as well", contest.Arm{Trials: costly(func(t *contest.Trial) { t.Counted = 2 }), Record: logRecord(0, 400, nil)}, "scans", ""},
		{"more is counted, copies among it", copied,
			"counts-more", "write counts 3 entities, 2 copies included (a: 1)"},
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
			assert.Truef(t, one.Design != "a" || got == "", "%s: the first has reasons: %s", row.name, one.Reason)
			assert.Truef(t, one.Design != "b" || got == row.kinds && strings.Contains(one.Reason, row.says),
				"%s: %s: %s; want %s: %s", row.name, got, one.Reason, row.kinds, row.says)
		}
	}
}
