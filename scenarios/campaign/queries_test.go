package campaign_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/keys"
	"loadgen/target"
)

// hot is the partition of the stress test's peak.
const hot = "2011 New York City Marathon__Full"

// loadedInto returns what a scenario's load puts into its table, partition by
// partition in the order of the index, without the driving loop's own sums.
func loadedInto(t testing.TB, s *scenarios.Scenario) (partitions []string, members map[string]int64, ages map[string]int64) {
	t.Helper()
	g, err := s.Generator()
	require.NoError(t, err)
	members, ages = map[string]int64{}, map[string]int64{}
	for n := range s.Loaded(len(s.Phases)) {
		key := g.PartitionKey(n)
		if members[key] == 0 {
			partitions = append(partitions, key)
		}
		members[key]++
		if age, _ := g.ValueOf("age", keys.Event{Number: n}); age >= "60" {
			ages[key]++
		}
	}
	slices.Sort(partitions) // of plain ASCII, so that the order is the index's
	return partitions, members, ages
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
	require.Truef(t, at >= 0 && at+2 == len(keys) && members[hot] >= 100 && ages[hot] >= 10, "partition %d of %d is the hot one", at, len(keys))
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
func TestQueriesAndTransactionsDueEqualsCounted(t *testing.T) {
	const operations = 31
	scenario := func(one string) *scenarios.Scenario {
		return small(t, "phases.load.entities=1200", "phases.peak.rates=[31]", "phases.peak.each=1s", "phases.peak.hold=false",
			"model.profile=off", "phases.peak.operations=["+one+"]")
	}
	rows := situations(t, scenario("{verb: get}"))
	for _, row := range spread(rows, resultstest.Cases(4, len(rows))) {
		t.Run(row.name, func(t *testing.T) {
			s := scenario(row.operation)
			w := newWorld(t, s, nil)
			record := recorded(t, w.run(t, stress(s)))
			closed(t, record, w.engine)
			sum := record.Total(results.Reported)
			assert.Equal(t, [2]int64{operations, operations * row.due}, [2]int64{sum.Scheduled, sum.Offered})
			checkDone(t, sum, row)
			if row.attempts < 0 {
				// How many pages a query of several partitions takes, and whether some are
				// empty, lies with the service.
				return
			}
			forecast, all := planned(t, stress(s)).Forecast(), record.Total(results.Everything)
			assert.Equal(t, [2]int64{all.Attempts, all.Counted}, [2]int64{forecast.Requests, forecast.Entities}, "the forecast")
		})
	}
}

// checkDone compares what was done where nothing is throttled with what was due.
func checkDone(t *testing.T, sum results.KindStats, row situation) {
	t.Helper()
	assert.Equal(t, [2]int64{sum.Scheduled, 0}, [2]int64{sum.Succeeded, sum.Failed + sum.Throttled}, row.name)
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

// A query that begins at a token is due to count what is left, and counts it; one whose
// token only its service can read is taken for one of the whole.
func TestOffersOfAResumedQuery(t *testing.T) {
	for _, row := range []struct {
		name string
		at   target.Token
		want int64
	}{
		{"from the beginning", target.Token{}, 300},
		{"from the middle", target.Token{Present: true, NextPartitionKey: "journal", NextRowKey: "1000150"}, 150},
		{"from the last entity", target.Token{Present: true, NextPartitionKey: "journal", NextRowKey: "1000299"}, 1},
		{"from a token that no key follows", target.Token{Present: true, NextPartitionKey: "~"}, 300},
	} {
		text, err := row.at.MarshalText()
		require.NoError(t, err)
		r := readingOn{entities: 300, class: scenarios.ClassPartitionScan, top: 1000, pages: []int{0}}
		if row.at.Present {
			r.from = ", from: " + string(text)
		}
		k := kindOf(t, simulated(t, r.scenario(t)), "read0")
		assert.Equal(t, row.want*k.Operations, k.Offered, row.name)
		assert.Truef(t, row.at.NextPartitionKey == "~" || k.Counted == k.Offered && k.Counted > 0, "%s: %d were counted", row.name, k.Counted)
	}
}

// readingOn is a job that reads so many of the pages of a partition, or of the table, in
// each of its parts, and begins each at the token of the one before.
type readingOn struct {
	sentence string
	entities int
	class    string
	top      int
	// pages are those of each part, 0 for all that are left.
	pages []int
	// from is where the first part begins, if it is not the beginning.
	from string
}

func (r *readingOn) scenario(t *testing.T) *scenarios.Scenario {
	t.Helper()
	text := fmt.Sprintf(`name: reading
seed: 9
workers: 20
retry: none
model: {profile: "off"}
attributes: {id: {sequence: 1000000}}
design: {partition_key: journal, row_key: "{id}"}
phases:
  - {name: load, load: {entities: %d}}
`, r.entities)
	for i, pages := range r.pages {
		from, save := r.from, ""
		if i > 0 {
			from = fmt.Sprintf(", from: {saved: part%d}", i-1)
		}
		if pages > 0 {
			save = fmt.Sprintf(", pages: %d, save: part%d", pages, i)
		}
		text += fmt.Sprintf("  - {name: p%d, traffic: {partitions: [journal], arrivals: {constant: 2}, for: 2s, operations: [{name: read%d, verb: query, class: %s, top: %d%s%s}]}}\n",
			i, i, r.class, r.top, save, from)
	}
	return parsed(t, text)
}

// part is what one of them comes to, and the token that it saves.
type part struct {
	name, saved     string
	entities, pages int64
}

// parts returns what each part comes to. The rule: a page ends after its top, a token is
// where the page after it begins, and who has none, since all was read, begins at the beginning.
func (r *readingOn) parts() (parts []part) {
	all := int64(r.entities)
	if r.class == scenarios.ClassTableScan {
		all++ // the mark of a table that is this tool's own
	}
	at := int64(0)
	for i, most := range r.pages {
		p := part{name: fmt.Sprintf("read%d", i)}
		for at+p.entities < all && (most == 0 || p.pages < int64(most)) {
			p.entities, p.pages = min(p.entities+int64(r.top), all-at), p.pages+1
		}
		next := target.Token{}
		if at = (at + p.entities) % all; at > 0 {
			next = target.Token{Present: true, NextPartitionKey: "journal", NextRowKey: strconv.Itoa(1000000 + int(at))}
		}
		text, _ := next.MarshalText()
		p.saved = string(text)
		parts = append(parts, p)
	}
	return parts
}

// Who goes on at a token that was saved reads what those before have left, and is due to,
// alike in virtual and in real time; the record has the token of the last page of each
// part, which is that of the entity after it.
func TestQueriesContinueFromSavedTokens(t *testing.T) {
	for _, row := range []readingOn{
		{"one page, and the rest", 2500, scenarios.ClassPartitionScan, 1000, []int{1, 0}, ""},
		{"three parts, of which the last has a page that is not full", 137, scenarios.ClassPartitionScan, 10, []int{3, 5, 0}, ""},
		{"a part that reads all, and the next begins anew", 45, scenarios.ClassPartitionScan, 10, []int{3, 3, 0}, ""},
		{"the table", 88, scenarios.ClassTableScan, 20, []int{2, 1, 0}, ""},
	} {
		eachWay(t, row.sentence, func(t *testing.T, clk clock.Clock) {
			s := row.scenario(t)
			record := recorded(t, newWorld(t, s, clk).run(t, campaign.Options{Scenario: s, Table: "run"}))
			for i, want := range row.parts() {
				got := record.Total(func(_ *results.Phase, k results.Kind) bool { return k.Name == want.name })
				assert.Equal(t, [4]int64{4, 4 * want.entities, 4 * want.entities, 4 * want.pages}, [4]int64{got.Sent, got.Counted, got.Offered, got.Ok}, want.name)
				if row.pages[i] > 0 && row.class != scenarios.ClassTableScan {
					assert.Contains(t, record.Saved(), results.SavedToken{Name: fmt.Sprintf("part%d", i), Operation: want.name, Token: want.saved})
				}
			}
		})
	}
}
