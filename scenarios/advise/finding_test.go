package advise

import (
	"slices"
	"strings"
	"testing"
)

// judged is a scenario that is one of the rows below when its operations are put in.
const judged = `name: judged
about: A scenario to be held to the checklist.
seed: 5
retry: documented
workers: 500
attributes:
  at: {time: 2026-11-01T00:00:00Z, every: 1s, speed: 60}
  user: {uniform: [1, 400]}
  city: {list: [Rome, Oslo, Bern], weights: [8, 1, 1]}
  id: {sequence: 1}
entity:
  size: 600
  filler: Notes
  properties: [{name: City, value: "{city}"}, {name: User, type: Int64, value: "{user}"}]
design: {partition_key: "{user:03d}", row_key: "{id}"}
phases:
  - name: load
    load: {entities: 1500}
  - name: day
    traffic:
      arrivals: {constant: 300}
      for: 2s
      operations: [OPERATIONS]
`

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
	bigRows = "entity.size=70000"
)

func TestFindings(t *testing.T) {
	reached := make(map[Verdict]bool)
	covered := make(map[string]bool)
	for _, row := range []struct {
		sentence, id, operations string
		set                      []string
		want                     Verdict
		says                     string
	}{
		{"a load that is spread", "partition-target", saves, nil, Good, "of its target of 2,000"},
		{"most of the target", "partition-target", saves, []string{byHour, "phases.day.arrivals.constant=1700"}, Warning, "85.0 % of its target"},
		{"more than the target", "partition-target", saves, []string{byHour, faster}, Error, "3,00"},
		{"a scan beside it that could be too much", "partition-target", saves + ", " + inCity, nil, Note, "Queries of several partitions"},
		{"nothing but scans", "partition-target", inCity, nil, NotApplicable, "see scans"},
		{"little", "account-target", saves, nil, Good, "1.5 % of its target"},
		{"scans for all", "account-target", inCity, nil, Error, "of its target of 20,000"},
		{"inserts that are spread", "insert-order", saves, nil, Good, "Inserts are spread"},
		{"an hour key under little load", "insert-order", saves, []string{byHour}, Warning, "one partition"},
		{"an hour key under much", "insert-order", saves, []string{byHour, faster}, Error, "entities/s are inserted"},
		{"numbers that only grow", "insert-order", saves, []string{"design.partition_key={id:012d}", faster}, Error, "append-only"},
		{"no inserts", "insert-order", gets, nil, NotApplicable, ""},
		{"too few inserts to tell", "insert-order", saves, []string{"phases.day.arrivals.constant=2", "phases.day.for=1s"}, CannotTell, "unknown"},
		{"no skew", "skew", saves, nil, Good, "as uneven as"},
		{"three cities", "skew", saves, []string{byCity}, Warning, "before the account does"},
		{"one partition", "skew", saves, []string{byHour}, Warning, "on one partition."},
		{"a fifth on one", "skew", saves, []string{"design.partition_key={city}-{user:03d}", "attributes.user.uniform=[1, 4]"}, Note, "It reaches its target"},
		{"one account is enough", "sharding", saves, nil, NotApplicable, "enough"},
		{"one account is too few", "sharding", inCity, nil, Note, "accounts would have room"},
		{"two accounts", "sharding", saves, []string{"accounts={number: 2}"}, Good, "over 2 accounts"},
		{"a warm start", "cold-start", saves, nil, NotApplicable, "starts warm"},
		{"a cold start of little", "cold-start", saves, []string{"start=cold"}, Note, "one range"},
		{"a cold start of much", "cold-start", saves, []string{"start=cold", faster}, Warning, "more than one range bears"},
		{"no burst", "burst", saves, nil, Good, ""},
		{"a burst", "burst", saves, []string{"phases.day.arrivals={burst: {base: 10, peak: 90, every: 2s, length: 1s}}"}, Note, "from 10/s to 90/s"},
		{"points", "point-queries", gets, nil, Good, "100 %"},
		{"no reads", "point-queries", saves, nil, NotApplicable, ""},
		{"rows only", "point-queries", "{name: rows, verb: query, class: rows, rows: 5}", nil, Note, "0 %"},
		{"scans only", "point-queries", oneOf, nil, Warning, "0 %"},
		{"nothing that scans", "scans", gets, nil, Good, ""},
		{"nothing that reads", "scans", saves, nil, NotApplicable, ""},
		{"small partitions", "scans", ofUser, nil, Good, "partition scan"},
		{"a large partition", "scans", "{name: city, verb: query, by: [city]}", []string{byCity, slowly, "phases.load.entities=4000"}, Note, "takes 3 requests"},
		{"a table scan now and again", "scans", inCity, []string{slowly, "phases.day.arrivals.constant=2"}, Warning, "table scan"},
		{"a table scan all the time", "scans", inCity, nil, Error, "table scan"},
		{"all that is read", "density", ofUser, nil, Good, "want all"},
		{"one in ten", "density", "{name: bern, verb: query, class: table-scan, where: \"City eq 'Bern'\", pages: 1}", nil, Good, "each entity that it returns counts about"},
		{"a user of 400", "density", "{name: mine, verb: query, by: [user], pages: 1}", []string{byCity}, Error, "each entity that it returns counts"},
		{"a user of 400 now and then", "density", "{name: mine, verb: query, by: [user], pages: 1}", []string{byCity, "phases.day.arrivals.constant=1"}, Warning, "each entity"},
		{"a user of 40", "density", "{name: mine, verb: query, by: [user], pages: 1}", []string{byCity, "attributes.user.uniform=[1, 40]"}, Warning, "2."},
		{"points", "density", gets, nil, NotApplicable, ""},
		{"small answers", "projection", ofUser, nil, Good, "without a projection"},
		{"large answers", "projection", inCity, []string{byCity}, Note, "whole entities"},
		{"no answers", "projection", gets, nil, NotApplicable, ""},
		{"no copies, and none needed", "denormalization", gets, nil, NotApplicable, ""},
		{"a copy that would help", "denormalization", inCity, nil, Note, "{city}"},
		{"a copy", "denormalization", saves, []string{"design.copies=[{name: c, partition_key: \"c{city}\", row_key: \"{id}\"}]"}, Note, "1 copy beside"},
		{"writes by key", "scan-to-write", "{name: m, verb: replace}", nil, Good, ""},
		{"a write that asks for what it knows", "scan-to-write", "{name: m, verb: replace, by: [user, id]}", nil, Note, "formed from what it knows"},
		{"a partition scan for a write", "scan-to-write", "{name: m, verb: replace, by: [user]}", nil, Warning, "partition scan"},
		{"a table scan for a write", "scan-to-write", "{name: m, verb: delete, by: [city]}", nil, Error, "table scan"},
		{"single inserts all over", "batches", saves, nil, Good, "single inserts"},
		{"many single inserts of one partition", "batches", saves, []string{byCity}, Note, "up to 100 is one request"},
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
		{"users", "logs", saves, nil, NotApplicable, ""},
		{"a log", "logs", saves, []string{byHour}, Note, "lines of a log"},
		{"exponential", "retries", saves, nil, Good, "3 times"},
		{"none", "retries", saves, []string{"retry=none"}, Warning, "not be saved"},
		{"fixed", "retries", saves, []string{"retry=fixed-1s"}, Note, "1 s to 1 s"},
		{"a ladder without chance", "retries", saves, []string{"retry=ladder"}, Note, "2 s to 2 s"},
		{"what the documents retry", "not-retryable", saves, nil, Good, ""},
		{"nothing", "not-retryable", saves, []string{"retry=none"}, NotApplicable, ""},
		{"enough workers", "parallelism", saves, nil, Good, "1.7 s"},
		{"too few", "parallelism", saves, []string{"workers=2"}, Warning, "6.7 ms"},
		{"a thin line", "bandwidth", saves, nil, Good, "1 Gbit/s"},
		{"too much for it", "bandwidth", saves, []string{bigRows, faster, "phases.day.for=1s", "phases.load.entities=100", "phases.load.transaction=1"}, Warning, "MiB/s"},
		{"JSON", "wire", saves, nil, Good, "JSON"},
		{"elsewhere", "location", saves, nil, CannotTell, "doctor"},
		{"no proxy", "direct-access", saves, nil, NotApplicable, ""},
	} {
		e := explained(t, parsed(t, strings.Replace(judged, "OPERATIONS", row.operations, 1), row.set...))
		i := slices.IndexFunc(e.Findings, func(f Finding) bool { return f.ID == row.id })
		if i < 0 {
			t.Fatalf("%s: there is no finding %s", row.sentence, row.id)
		}
		got := e.Findings[i]
		if got.Verdict != row.want || !strings.Contains(got.Evidence+got.Change, row.says) {
			t.Errorf("%s: %s = %s: %s Change: %s; want %s with %q", row.sentence, row.id, got.Verdict, got.Evidence, got.Change, row.want, row.says)
		}
		asks := slices.Contains([]Verdict{Error, Warning}, got.Verdict)
		if asks && got.Change == "" || got.Evidence == "" || !strings.HasSuffix(got.Evidence, ".") {
			t.Errorf("%s: %s = %+v; want evidence in sentences, and what to change where something is wrong", row.sentence, row.id, got)
		}
		reached[got.Verdict], covered[row.id] = true, true
	}
	for _, p := range checklist() {
		if !covered[p.id] {
			t.Errorf("no row is of %s", p.id)
		}
	}
	for _, v := range []Verdict{Good, Note, Warning, Error, NotApplicable, CannotTell} {
		if !reached[v] {
			t.Errorf("no row comes to %q", v)
		}
	}
}

func TestChecklistNamesArePlain(t *testing.T) {
	seen := make(map[string]bool)
	for _, p := range checklist() {
		if seen[p.id] || p.id != strings.ToLower(p.id) || strings.ContainsAny(p.id, " _") {
			t.Errorf("%q is not a name of its own, of words joined by hyphens", p.id)
		}
		seen[p.id] = true
	}
}
