package campaign_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/scenarios"
)

// hot is the partition of the stress test's peak.
const hot = "2011 New York City Marathon__Full"

// loadedInto returns what a scenario's load puts into its table, partition by
// partition in the order of the index, without the driving loop's own sums.
func loadedInto(t testing.TB, s *scenarios.Scenario) (keys []string, members map[string]int64, ages map[string]int64) {
	t.Helper()
	g, err := s.Generator()
	require.NoError(t, err)
	members, ages = map[string]int64{}, map[string]int64{}
	for n := range s.Loaded(len(s.Phases)) {
		key := g.PartitionKey(n)
		if members[key] == 0 {
			keys = append(keys, key)
		}
		members[key]++
		if age, _ := g.Value("age", n); age >= "60" {
			ages[key]++
		}
	}
	slices.Sort(keys) // of plain ASCII, so that the order is the index's
	return keys, members, ages
}

// sums adds up what each of some partitions has.
func sums(of map[string]int64, keys []string) (sum int64) {
	for _, key := range keys {
		sum += of[key]
	}
	return sum
}

// situation is one kind of operation of a peak, and what each is due to do.
type situation struct {
	name, operation string
	// due is how many entities an operation is due to count and returned how many it
	// returns, -1 for what differs from one to the next.
	due, returned int64
	// attempts are the requests of an operation where nothing is throttled.
	attempts int64
}

func situations(t testing.TB, s *scenarios.Scenario) []situation {
	keys, members, ages := loadedInto(t, s)
	at := slices.Index(keys, hot)
	table := s.Loaded(len(s.Phases))
	if at < 0 || at+2 != len(keys) || members[hot] < 100 || ages[hot] < 10 {
		t.Fatalf("partition %d of %d is the hot one and holds %d, %d of them aged; the table shows too little", at, len(keys), members[hot], ages[hot])
	}
	query := func(rest string) string { return "{name: page, verb: query, " + rest + "}" }
	batch := func(rest string) string { return "{name: team, verb: batch, entities: 10, " + rest + "}" }
	desk := `properties: [{name: Desk, value: "{sex}{day}"}]`
	return []situation{
		{"a point query", query("class: point"), 1, 1, 1},
		{"rows", query("rows: 25, top: 10"), 25, 25, 3},
		{"rows, at most two pages of them", query("rows: 25, top: 10, pages: 2"), 20, 20, 2},
		{"a partition scan", query("class: partition-scan"), members[hot], members[hot], 1},
		{"a partition scan in pages", query("class: partition-scan, top: 50"), members[hot], members[hot], (members[hot] + 49) / 50},
		{"a partition scan up to its second page", query("class: partition-scan, top: 30, pages: 2"), 60, 60, 2},
		{"a partition scan with a filter", query("class: partition-scan, where: Age ge 60"), members[hot], ages[hot], 1},
		{"a partition scan for an entity's own age", query("class: partition-scan, where: 'Age eq {age}'"), members[hot], -1, 1},
		{"alternatives of RowKeys", query(`class: partition-scan, where: "RowKey eq '{bib}__{name}__{sex}__{age}' or RowKey eq 'x'"`), members[hot], 1, 1},
		{"a projection", query("class: partition-scan, select: [Age, Name]"), members[hot], members[hot], 1},
		{"a partition range of two", query("class: partition-range"), sums(members, keys[at:at+2]), sums(members, keys[at:at+2]), -1},
		{"a partition range of three, of which one comes before, filtered", query("class: partition-range, partitions: 3, where: Age ge 60"),
			sums(members, keys[at-1:]), sums(ages, keys[at-1:]), -1},
		{"a partition range of more than there are", query("class: partition-range, partitions: 100"), int64(table), int64(table), -1},
		{"a table scan", query("class: table-scan, where: Age ge 60"), int64(table) + 1, sums(ages, keys), -1},
		{"a table scan for an exact RowKey", query(`class: table-scan, where: "RowKey eq '{bib}__{name}__{sex}__{age}'"`), int64(table) + 1, 1, -1},
		{"a transaction of inserts", batch("change: insert"), 10, 0, 1},
		{"a transaction of insert-or-replaces", batch("change: insert-or-replace"), 10, 0, 1},
		{"a transaction of insert-or-merges", batch("change: insert-or-merge, " + desk), 10, 0, 1},
		{"a transaction of replaces", batch("change: replace"), 10, 0, 1},
		{"a transaction of merges", batch("change: merge, " + desk), 10, 0, 1},
		{"a transaction of deletes", batch("change: delete"), 10, 0, 1},
	}
}

// Every class of queries and every change of a transaction asks for what it is due
// to, and the books close. It is what was forecast.
func TestQueriesAndTransactionsDoWhatIsDue(t *testing.T) {
	leftOutWhenShort(t)
	const operations = 31
	scenario := func(one string) *scenarios.Scenario {
		return small(t, "phases.load.entities=1200", "phases.peak.rates=[31]", "phases.peak.each=1s", "phases.peak.hold=false",
			"model.profile=off", "phases.peak.operations=["+one+"]")
	}
	rows := situations(t, scenario("{verb: get}"))
	for _, row := range spread(rows, tier(3, len(rows))) {
		t.Run(row.name, func(t *testing.T) {
			s := scenario(row.operation)
			w := newWorld(t, s, nil)
			record := recorded(t, w.run(t, stress(s)))
			closed(t, record, w.engine)
			sum := record.Total(results.Reported)
			assert.Truef(t, sum.Scheduled == operations && sum.Offered == operations*row.due,
				"%d operations offered %d entities; want %d of %d each", sum.Scheduled, sum.Offered, operations, row.due)
			checkDone(t, sum, row)
			if row.attempts < 0 {
				// How many pages a query of several partitions takes, and whether some are
				// empty, lies with the service.
				return
			}
			forecast, all := planned(t, stress(s)).Forecast(), record.Total(results.Everything)
			if forecast.Requests != all.Attempts || forecast.Entities != all.Counted {
				t.Errorf("Forecast = %d requests, %d entities; the run made %d and counted %d",
					forecast.Requests, forecast.Entities, all.Attempts, all.Counted)
			}
		})
	}
}

// checkDone compares what was done where nothing is throttled with what was due.
func checkDone(t *testing.T, sum results.KindStats, row situation) {
	t.Helper()
	if sum.Succeeded != sum.Scheduled || sum.Failed+sum.Throttled > 0 {
		t.Errorf("%d of %d operations succeeded, %d attempts failed and %d were throttled; want all and none",
			sum.Succeeded, sum.Scheduled, sum.Failed, sum.Throttled)
	}
	// A page that finds no entity counts one.
	if empty := sum.Counted - sum.Offered; empty < 0 || empty > sum.Attempts {
		t.Errorf("%d entities were counted in %d attempts; want the %d that were due, and one for each empty page", sum.Counted, sum.Attempts, sum.Offered)
	}
	assert.Falsef(t, row.returned >= 0 && sum.Returned != row.returned*sum.Scheduled,
		"%d operations returned %d entities; want %d each", sum.Scheduled, sum.Returned, row.returned)
	assert.Falsef(t, row.returned < 0 && (sum.Returned < sum.Scheduled || sum.Returned >= sum.Offered),
		"%d operations returned %d of %d entities; want some", sum.Scheduled, sum.Returned, sum.Offered)
	assert.Falsef(t, row.attempts >= 0 && sum.Attempts != row.attempts*sum.Scheduled,
		"%d operations made %d attempts; want %d each", sum.Scheduled, sum.Attempts, row.attempts)
}

// A partition that holds fewer entities than a transaction is to change has all of
// them changed, each once.
func TestATransactionOfMoreThanAPartitionHolds(t *testing.T) {
	s := small(t, "phases.load.entities=300", "phases.peak.rates=[50]", "phases.peak.hold=false", "model.profile=off",
		"phases.peak.operations=[{name: team, verb: batch, change: replace}]")
	_, members, _ := loadedInto(t, s)
	require.Truef(t, members[hot] < 100 && members[hot] >= 2, "the partition holds %d entities; want a few", members[hot])
	w := newWorld(t, s, nil)
	record := recorded(t, w.run(t, stress(s)))
	closed(t, record, w.engine)
	sum := record.Total(results.Reported)
	if want := members[hot] * sum.Scheduled; sum.Failed > 0 || sum.Offered != want || sum.Counted != want {
		t.Errorf("%d transactions offered %d and counted %d, %d failed; want %d each", sum.Scheduled, sum.Offered, sum.Counted, sum.Failed, members[hot])
	}
}

// All classes and changes together, where most is throttled: live equals virtual, and
// the books close all the same.
func TestBooksOfQueriesAndTransactionsUnderRefusals(t *testing.T) {
	operations := ""
	for i, row := range situations(t, small(t)) {
		if i > 0 {
			operations += ", "
		}
		operations += fmt.Sprintf("{name: one%d, %s", i, row.operation[len("{name: page, "):])
	}
	s := small(t, "phases.load.entities=1200", "phases.peak.rates=[211]", "phases.peak.each=1s", "workers=512", "phases.peak.operations=["+operations+"]")
	live, virtual := bothWays(t, stress(s))
	sameFiles(t, live, virtual)
	sum := virtual.record.Total(results.Everything)
	assert.Truef(t, sum.Throttled != 0 && sum.Failed <= 0, "throttled %d, failed %d; want some and none", sum.Throttled, sum.Failed)
}
