package advise

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
	"loadgen/scenarios/run/runtest"
)

// judged returns a scenario with such operations, which a row below makes its own.
func judged(t *testing.T, operations string, set ...string) *scenarios.Scenario {
	t.Helper()
	return runtest.Parse(t, file(t, "judged"), append([]string{"phases.day.operations=[" + operations + "]"}, set...)...)
}

const (
	saves   = "{name: save, verb: insert}"
	gets    = "{name: get, verb: get}"
	byHour  = "design.partition_key={at:hour}"
	byCity  = "design.partition_key={city}"
	oneOf   = "{name: one, verb: query, by: [id], pages: 1}"
	inCity  = "{name: city, verb: query, by: [city], pages: 1}"
	ofUser  = "{name: mine, verb: query, by: [user]}"
	faster  = "phases.day.arrivals.constant=3000"
	slowly  = "phases.day.arrivals.constant=20"
	briefly = "phases.day.for=1s"
	bigRows = "entity.size=70000"
)

// clients replaces the arrivals by so many clients, 40 ms away.
func clients(n int) []string {
	return []string{"model.round_trip=40ms", fmt.Sprintf("phases.day.traffic={clients: %d, think: 1ms, for: 2s, operations: [%s]}", n, gets)}
}

// findingsOf returns the findings of a scenario, errors that the model sustains among them.
func findingsOf(t *testing.T, s *scenarios.Scenario) []Finding {
	t.Helper()
	targets, err := TargetsOf(s)
	require.NoError(t, err)
	list, err := findings(s, &Explanation{Targets: *targets, Designs: []Design{*rehearsed(t, s)}})
	require.NoError(t, err)
	return list
}

func TestFindings(t *testing.T) {
	// Each has settings that do not concern each other, so that one scenario serves several rows.
	unretried := []string{"retry=none", "workers=2", "model.account_capacity=6220800900000"}
	fixed := []string{"retry=fixed-1s", "model.account_capacity=311040900000", "model.region=same-region"}
	of2011 := []string{"retry=was-1.x", "model.account_capacity=800000", "model.region=other-continent"}
	today := []string{"retry=azure-core-net", "model.account_capacity=0", "model.packet_loss=100", "start=cold"}
	inDays := []string{`design.places=[{name: days, table: Days, partition_key: "{user}", row_key: "20140731"}]`}
	afar := []string{"model.round_trip=47ms", "model.account_egress=0", "model.account_ingress=0"}
	known := make(map[string][]Finding)
	reached := make(map[Verdict]bool)
	said := make(map[string]map[string]bool)
	for _, row := range []struct {
		sentence, id, operations string
		set                      []string
		want                     Verdict
		says                     string
	}{
		{"a line that carries the load", "bandwidth", saves, []string{"model.client_bandwidth=1000000", "model.account_ingress=280000"}, Good, ""},
		{"one that hardly does", "bandwidth", saves, []string{"model.client_bandwidth=300000"}, Warning, "of 293 KiB/s"},
		{"one that does not", "bandwidth", saves, []string{"model.client_bandwidth=100000"}, Error, "260.0% of 98 KiB/s of 1 machine"},
		{"ten of these do", "bandwidth", saves, []string{"model.client_bandwidth=100000", "model.client_machines=10"}, Good, "of 10 machines"},
		{"one in the account's region", "location", saves, fixed, Good, "1 ms (same-region)"},
		{"one on another continent", "location", saves, of2011, Warning, "150 ms (other-continent), write 8 ms"},
		{"a bad link", "location", saves, today, Warning, "10.0% of the attempts lose a packet, at least 200 ms"},
		{"a load that is spread", "partition-target", saves, nil, Good, "of its target of 2,000"},
		{"most of the target", "partition-target", saves, []string{byHour, "phases.day.arrivals.constant=1700"}, Warning, "85.0% of its target"},
		{"more than the target", "partition-target", saves, []string{byHour, faster}, Error, "3,00"},
		{"a scan beside it that could be too much", "partition-target", saves + ", " + inCity, []string{slowly}, Note, ""},
		{"nothing but scans", "partition-target", inCity, []string{slowly}, NotApplicable, "scans"},
		{"little", "account-target", saves, nil, Good, "1.5% of its target"},
		{"scans for all", "account-target", inCity, []string{slowly}, Error, "of its target of 20,000"},
		{"inserts that are spread", "insert-order", saves, nil, Good, ""},
		{"an hour key under little load", "insert-order", saves, []string{byHour}, Warning, "partition"},
		{"an hour key under much", "insert-order", saves, []string{byHour, faster}, Error, ""},
		{"numbers that only grow", "insert-order", saves, []string{"design.partition_key={id:012d}", faster}, Error, "append-only"},
		{"no inserts", "insert-order", gets, nil, NotApplicable, ""},
		{"too few inserts to tell", "insert-order", saves, []string{"phases.day.arrivals.constant=2", "phases.day.for=1s"}, CannotTell, "unknown"},
		{"no skew", "skew", saves, nil, Good, ""},
		{"three cities", "skew", saves, []string{byCity}, Warning, ""},
		{"one partition", "skew", saves, []string{byHour}, Warning, ""},
		{"a fifth on one", "skew", saves, []string{"design.partition_key={city}-{user:03d}", "attributes.user.uniform=[1, 4]"}, Note, ""},
		// 1,500 are loaded and 600 inserted; gets insert nothing.
		{"numbers without padding, in no order that is asked for", "padding", saves, nil, Note, "puts \"10\" before \"9\"; no query reads in that order.Pad it: \"{id:04d}\", which has room for 2,100"},
		{"the first of them", "padding", "{name: top, verb: query, by: [user], top: 5, pages: 1}", nil, Warning, "top of phase day reads in that order.Pad it: \"{id:04d}\", which has room for 1,500"},
		{"from one of them on", "padding", "{name: rows, verb: query, by: [user], rows: 5}", []string{"design.row_key={city}_{id:03d}"}, Warning, "puts \"1000\" before \"999\""},
		{"a range of them", "padding", "{name: lows, verb: query, class: table-scan, where: \"RowKey lt '5'\"}", []string{slowly}, Warning, ""},
		{"room enough", "padding", "{name: top, verb: query, by: [user], top: 5, pages: 1}", []string{"design.row_key={id:04d}"}, Good, ""},
		{"one account is enough", "sharding", saves, nil, NotApplicable, ""},
		{"one account is too few", "sharding", inCity, []string{slowly}, Note, ""},
		{"two accounts", "sharding", saves, []string{"accounts={number: 2}"}, Good, "2 accounts"},
		{"a warm start", "cold-start", saves, nil, NotApplicable, ""},
		{"a cold start of little", "cold-start", saves, today, Note, "one range"},
		{"a cold start of much", "cold-start", saves, []string{"start=cold", faster}, Warning, ""},
		{"no burst", "burst", saves, nil, Good, ""},
		{"a burst", "burst", saves, []string{"phases.day.arrivals={burst: {base: 10, peak: 90, every: 2s, length: 1s}}"}, Note, "from 10/s to 90/s"},
		{"points", "point-queries", gets, nil, Good, "100%"},
		{"no reads", "point-queries", saves, nil, NotApplicable, ""},
		{"rows only", "point-queries", "{name: rows, verb: query, class: rows, rows: 5}", nil, Note, "0%"},
		{"scans only", "point-queries", oneOf, []string{slowly}, Warning, "0%"},
		{"nothing that scans", "scans", gets, nil, Good, ""},
		{"nothing that reads", "scans", saves, nil, NotApplicable, ""},
		{"small partitions", "scans", ofUser, nil, Good, "partition scan"},
		{"a large partition", "scans", "{name: city, verb: query, by: [city]}", []string{byCity, slowly, "phases.load.entities=4000"}, Note, "in 3 requests"},
		{"a table scan now and again", "scans", inCity, []string{slowly, "phases.day.arrivals.constant=2"}, Warning, "table scan"},
		{"all that is read", "density", ofUser, nil, Good, "want all"},
		{"one in ten", "density", "{name: bern, verb: query, class: table-scan, where: \"City eq 'Bern'\", pages: 1}", []string{slowly}, Good, ""},
		{"a user of 400", "density", "{name: mine, verb: query, by: [user], pages: 1}", []string{byCity, slowly}, Error, ""},
		{"points", "density", gets, nil, NotApplicable, ""},
		{"small answers", "projection", ofUser, nil, Good, ""},
		{"large answers", "projection", inCity, []string{byCity}, Note, "whole entities"},
		{"no answers", "projection", gets, nil, NotApplicable, ""},
		{"no copies, and none needed", "denormalization", gets, nil, NotApplicable, ""},
		{"a copy that would help", "denormalization", inCity, []string{slowly}, Note, "{city}"},
		{"a copy", "denormalization", saves, []string{"design.copies=[{name: c, partition_key: \"c{city}\", row_key: \"{id}\"}]"}, Note, "1 copy:"},
		{"writes by key", "scan-to-write", "{name: m, verb: replace}", nil, Good, ""},
		{"a write that asks for what it knows", "scan-to-write", "{name: m, verb: replace, by: [user, id]}", nil, Note, ""},
		{"a partition scan for a write", "scan-to-write", "{name: m, verb: replace, by: [user]}", nil, Warning, "partition scan"},
		{"a table scan for a write", "scan-to-write", "{name: m, verb: delete, by: [city]}", []string{slowly}, Error, "table scan"},
		{"single inserts all over", "batches", saves, nil, Good, "single inserts"},
		{"many single inserts of one partition", "batches", saves, []string{byCity}, Note, "up to 100"},
		{"small transactions", "batches", "{name: b, verb: batch, entities: 3, together: [user]}", nil, Note, "3 entities"},
		{"no inserts", "batches", gets, nil, NotApplicable, ""},
		{"a guarded upsert", "upserts", "{name: u, verb: insert-or-replace, read_first: true}", nil, Warning, "two requests"},
		{"an upsert", "upserts", "{name: u, verb: insert-or-replace}", nil, Good, ""},
		{"no update", "upserts", saves, nil, NotApplicable, ""},
		{"small entities", "entity-size", saves, nil, Good, "600 B"},
		{"more than 1 KiB", "entity-size", saves, []string{"entity.size=3000"}, Note, "3 KiB"},
		{"large entities", "entity-size", saves, []string{bigRows, slowly, "phases.load.entities=100", "phases.load.transaction=1"}, Warning, "69 KiB"},
		{"no time in the RowKey", "series", saves, nil, NotApplicable, ""},
		{"time in the RowKey", "series", saves, []string{"design.row_key={at:ticks}-{id}"}, CannotTell, "{at}"},
		{"small values by time", "series", saves, []string{"design.row_key={at:ticks}-{id}", "entity.size=200"}, Note, "{at}"},
		{"small values read together", "series", saves + ", " + ofUser, []string{"design.row_key={at:ticks}-{id}", "entity.size=200", "phases.load.entities=8000"}, Warning, "mine reads"},
		{"large values read together", "series", ofUser, []string{"design.row_key={at:ticks}-{id}"}, Good, "mine reads"},
		{"24 values in an entity", "series", "{name: put, workflow: series-put, with: {slots: 24, per-entity: 24, at: days}}", inDays, Good, "24 values"},
		{"an entity for each value", "series", "{name: put, workflow: series-put, with: {slots: 24, per-entity: 1, at: days}}", inDays, Warning, "per-entity"},
		{"users", "logs", saves, nil, NotApplicable, ""},
		{"a log", "logs", saves, []string{byHour}, Note, ""},
		{"a log near the target", "logs", saves, []string{byHour, "phases.day.arrivals.constant=1700"}, Warning, "cheaper in blobs"},
		{"a log beyond the target", "logs", saves, []string{byHour, faster}, Error, "cheaper in blobs"},
		{"events beyond the target that are read by user", "logs", saves + ", " + ofUser, []string{byHour, "phases.day.arrivals.constant=9000"}, Note, ""},
		{"entities that nobody reads by key", "logs", saves, []string{"design.row_key={at:ticks}-{id}"}, CannotTell, "{at}"},
		{"a log in blobs", "logs", "{name: append, workflow: log-append, with: {time: At}}", []string{`entity.properties=[{name: At, type: DateTime, value: "{at}"}]`}, Good, "blobs"},
		{"exponential", "retries", saves, nil, Good, "3 times"},
		{"none", "retries", saves, unretried, Warning, ""},
		{"fixed", "retries", saves, fixed, Note, "1 s to 1 s"},
		{"what the documents retry", "not-retryable", saves, nil, Good, ""},
		{"nothing", "not-retryable", saves, unretried, NotApplicable, ""},
		{"the client of today", "client-library", saves, today, Good, ""},
		{"the one of 2011", "client-library", saves, of2011, Warning, "retry: azure-core-net"},
		{"a rule and no client", "client-library", saves, nil, CannotTell, ""},
		{"enough workers", "parallelism", saves, []string{"workers=500"}, Good, "1.7 s"},
		{"too few", "parallelism", saves, unretried, Warning, "6.7 ms"},
		{"arrivals without a bound", "parallelism", saves, nil, CannotTell, "workers"},
		// 2,000 entities/s of 9 ms each are 18 under way, more than that are counted as a whole one.
		{"arrivals with a bound inside a partition", "parallelism", saves, []string{"client.parallel.partition=19"}, Good, "19 reach its target"},
		{"and one that is too high", "parallelism", saves, []string{"client.parallel.partition=20"}, Error, "Lower client.parallel.partition"},
		{"a bound of the account alone", "parallelism", saves, []string{"client.parallel.account=50"}, Good, "50 requests"},
		{"clients within what a partition serves", "parallelism", gets, append(clients(40), byHour), Good, "40 clients"},
		{"more clients than a partition serves", "parallelism", gets, append(clients(400), byHour), Error, "reach its target"},
		// 300 inserts a second of 600 bytes are 180,000 (sizes are drawn; 600.2 on average); 1,500 loaded ones 900,000.
		{"room for 88 years", "capacity", saves, nil, Good, "in 32,150 days"},
		{"room for 400 days", "capacity", saves, unretried, Note, "in 400 days"},
		{"room for 20 days", "capacity", saves, fixed, Warning, "in 20 days"},
		{"room for less than is loaded", "capacity", saves, of2011, Error, "more than"},
		{"no inserts", "capacity", gets, nil, Good, ""},
		{"an account without bounds", "capacity", saves, today, NotApplicable, ""},
		// Each second 300 requests of about 870 bytes go in: 600 bytes as billed are half as much JSON
		// for text, with a head of some 500 bytes.
		{"nearly what an account takes in", "account-bytes", saves, []string{"model.client_bandwidth=1000000", "model.account_ingress=280000"}, Warning, "of 274 KiB/s"},
		{"more than it takes in", "account-bytes", saves, []string{"model.account_ingress=200000"}, Error, "of 196 KiB/s"},
		{"more than it gives out", "account-bytes", gets, []string{"model.account_egress=100000", "phases.day.for=20s"}, Error, "of 98 KiB/s"},
		{"nothing answered", "account-bytes", gets, []string{"model.account_egress=10000"}, CannotTell, ""},
		{"bytes without limits", "account-bytes", gets, afar, Good, ""},
		// 300 inserts a second of 1 + 8 ms are 2.7 under way: two connections would carry 222, ten 1,111.
		{"connections", "wire", saves, nil, Good, "about 3 connections for requests of 9 ms: 2 carry 222/s, 10 carry 1,111/s."},
		{"reads from afar", "wire", gets, afar, Good, "requests of 50 ms: 2 carry 40/s"},
		{"too few connections", "wire", saves, []string{"workers=2"}, Warning, "to at least 3"},
		{"elsewhere", "location", saves, nil, CannotTell, "doctor"},
		{"no proxy", "direct-access", saves, nil, NotApplicable, ""},
		{"signatures", "direct-access", `{name: read, workflow: direct-read}`, nil, Good, ""},
		{"a proxy", "direct-access", `{name: read, workflow: proxied-read}`, nil, Warning, ""},
	} {
		scene := fmt.Sprint(row.operations, row.set)
		if known[scene] == nil {
			known[scene] = findingsOf(t, judged(t, row.operations, row.set...))
		}
		got := findingOf(known[scene], row.id)
		assert.Truef(t, got.Verdict == row.want && strings.Contains(got.Evidence+got.Change, row.says),
			"%s: %s = %s: %s Change: %s; want %s with %q", row.sentence, row.id, got.Verdict, got.Evidence, got.Change, row.want, row.says)
		asks := slices.Contains([]Verdict{Error, Warning}, got.Verdict)
		assert.Truef(t, (!asks || got.Change != "") && got.Evidence != "" && strings.HasSuffix(got.Evidence, "."),
			"%s: %s = %+v; want evidence in sentences, and what to change where something is wrong", row.sentence, row.id, got)
		reached[got.Verdict] = true
		if said[row.id] == nil {
			said[row.id] = make(map[string]bool)
		}
		said[row.id][got.Evidence] = true
	}
	for _, r := range checklist() {
		// What says the same of each scenario is not judged from any.
		assert.GreaterOrEqualf(t, len(said[r.point]), 2, "what %s says of the rows above", r.point)
	}
	for _, v := range []Verdict{Good, Note, Warning, Error, NotApplicable, CannotTell} {
		assert.Truef(t, reached[v], "no row comes to %q", v)
	}
}
