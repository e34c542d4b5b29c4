package replay_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/accesslog"
	"loadgen/results"
	"loadgen/scenarios/logs"
	"loadgen/scenarios/logs/replay"
)

// query is a request for what a filter says, which returned so many entities of 100 bytes.
func query(millis int, filter string, returned int64) accesslog.Entry {
	e := line(millis, "QueryEntities", "", "", 200, fmt.Sprint("q", millis))
	e.URL, e.ObjectKey = "https://races.table.core.windows.net/Results()?$filter="+url.QueryEscape(filter), "/races/Results"
	e.RequestBytes, e.ResponseBytes = 0, 100*returned
	return e
}

// A query becomes what its filter knows of the keys: under keys that part what it asks for it
// reads less or as much, and where it does not know how a PartitionKey begins, the table.
func TestQueriesUnderOtherKeys(t *testing.T) {
	entries := []accesslog.Entry{}
	for i := range 40 {
		entries = append(entries, line(i, "InsertEntity", "2026", fmt.Sprintf("d%d_%05d", i%4, i), 201, fmt.Sprint(i)))
	}
	// What one entity takes in a reply is told by a read of one.
	entries = append(entries, line(45, "QueryEntity", "2026", "d0_00000", 200, "g"))
	pattern := replay.Pattern{PartitionKey: "{year}", RowKey: "{division}_{bib:05d}"}
	for _, row := range []struct {
		sentence, filter string
		returned         int64
		partition, row   string
		was, is          string
		queries          int
		wider            bool
		scanned          int64
	}{
		{"a point stays one", "PartitionKey eq '2026' and RowKey eq 'd1_00001'", 1, "{year}_{division}", "{bib:05d}", "point", "point", 1, false, 1},
		{"rows that share an attribute become a partition", "PartitionKey eq '2026' and RowKey ge 'd1_' and RowKey lt 'd1`'", 10, "{year}_{division}", "{bib:05d}", "row range scan", "partition scan", 1, false, 10},
		{"a partition becomes several that follow one another", "PartitionKey eq '2026'", 40, "{year}_{division}", "{bib:05d}", "partition scan", "partition range scan", 1, false, 40},
		{"what does not begin the key reads the table", "PartitionKey eq '2026'", 40, "{division}_{year}", "{bib:05d}", "partition scan", "table scan", 1, true, 40},
		{"each bucket is asked", "PartitionKey eq '2026' and RowKey ge 'd1_' and RowKey lt 'd1`'", 10, "{hash(bib,4)}_{year}", "{division}_{bib:05d}", "row range scan", "row range scan", 4, false, 10},
		{"bounds stay where the RowKey does", "PartitionKey eq '2026' and RowKey ge 'd1_00009'", 28, "y{year}", "{division}_{bib:05d}", "row range scan", "row range scan", 1, false, 28},
		{"bounds within an attribute are lost with it", "PartitionKey eq '2026' and RowKey ge 'd1_00001' and RowKey lt 'd1_00011'", 3, "{year}_{division}", "{bib:05d}", "row range scan", "partition scan", 1, true, 10},
		{"the table is the table", "", 40, "{year}_{division}", "{bib:05d}", "table scan", "table scan", 1, false, 40},
		{"what was there before is made up for", "PartitionKey eq '2026'", 60, "{year}_{division}", "{bib:05d}", "partition scan", "partition range scan", 1, false, 60},
	} {
		found := gather(t, append(entries, query(50, row.filter, row.returned))...)
		told := replayed(t, replay.Plan{Operations: found, Pattern: pattern, Profile: "documented", Designs: []replay.Design{{Name: "other", PartitionKey: row.partition, RowKey: row.row}}})
		want := replay.Change{Was: row.was, Is: row.is, Queries: row.queries, Wider: row.wider, Operations: 1}
		arm := &told.Arms[1]
		assert.Truef(t, len(arm.Queries) == 1 && arm.Queries[0] == want && arm.Unasked == "",
			"%s: %+v %s; want %+v", row.sentence, arm.Queries, arm.Unasked, want)
		if row.is == "table scan" {
			row.scanned++ // with what marks the table as this tool's
		}
		// Beside the 40 inserts and the read of one entity, and of buckets that hold nothing one each.
		got := arm.Under[0].Counted - 41
		assert.Truef(t, got >= row.scanned && got < row.scanned+int64(row.queries),
			"%s: %d entities are counted; want %d", row.sentence, got, row.scanned)
		assert.Truef(t, told.State == results.Holds && strings.Contains(fmt.Sprint(told.Document().Sections), row.is),
			"%s: %s; want it to hold, and to say what became of queries", row.sentence, told.State)
	}
}

// transaction is one of so many entities, which say their partition or not.
func transaction(millis int, partition string, entities int) accesslog.Entry {
	e := line(millis, "EntityGroupTransaction", partition, "", 202, fmt.Sprint("t", millis))
	e.URL, e.RequestBytes = "https://races.table.core.windows.net/$batch", int64(200+900*entities)
	if partition == "" {
		e.ObjectKey = "/races/$batch"
	}
	return e
}

// The first transaction comes before any single write whose size would tell how many entities
// it has room for: six by the usual size, where the others have ten by that of the writes.
//
// What no line places is left out, and then no design is said to hold; placed by the single
// writes it counts, and by its object's key it does anyway.
func TestTransactions(t *testing.T) {
	entries := func(partition string) []accesslog.Entry {
		list := []accesslog.Entry{transaction(0, partition, 10)}
		for i := range 30 {
			list = append(list, line(10+i, "InsertEntity", fmt.Sprint("p", i%3), fmt.Sprint(i), 201, fmt.Sprint(i)))
		}
		return append(list, transaction(50, partition, 10), transaction(60, partition, 10))
	}
	for _, row := range []struct {
		sentence, partition string
		estimate            logs.Estimate
		keyless             string
		state               string
		left, guessed       int64
		counted             int64
	}{
		{"nothing says where", "", logs.Estimate{}, "", results.CannotTell, 3, 0, 30},
		{"where single writes fell", "", logs.Estimate{}, replay.AsWrites, results.Holds, 0, 3, 56},
		{"the key of the object", "p1", logs.Estimate{}, "", results.Holds, 0, 0, 56},
		{"as many as somebody says", "p1", logs.Estimate{Transaction: 4}, "", results.Holds, 0, 0, 42},
	} {
		found := gatherBy(t, row.estimate, row.keyless, entries(row.partition)...)
		told := replayed(t, replay.Plan{Operations: found})
		left := int64(0)
		for _, n := range told.Left {
			left += n
		}
		assert.Truef(t, told.State == row.state && left == row.left && told.Guessed == row.guessed && told.Arms[0].Under[0].Counted == row.counted,
			"%s: %s, %d left out, %d guessed, %d entities; want %s, %d, %d, %d", row.sentence, told.State, left, told.Guessed, told.Arms[0].Under[0].Counted, row.state, row.left, row.guessed, row.counted)
	}
	_, err := replay.Gather(sources(t, transaction(0, "", 3)), logs.Options{}, replay.AsWrites)
	assert.Truef(t, err != nil && strings.Contains(err.Error(), "no single write"), "nothing to go by: %v", err)
}

// A page after the first is no query of its own, nor is a query that is tried again.
func TestPagesAndRetriesOfQueries(t *testing.T) {
	further, busy, again := query(30, "PartitionKey eq 'p'", 20), query(40, "PartitionKey eq 'q'", 0), query(60, "PartitionKey eq 'q'", 7)
	further.URL += "&NextPartitionKey=1!4!cA--&NextRowKey=1!4!cg--"
	busy.Status, busy.StatusText, again.ClientRequestID = 503, "ThrottlingError", busy.ClientRequestID
	found := gather(t, line(0, "QueryEntity", "p", "1", 200, "a"), query(10, "PartitionKey eq 'p'", 1000), further, busy, again)
	require.Len(t, found.List, 3, "a read, and queries of 1,020 entities in two pages and of 7")
	assert.Truef(t, found.List[1].Query.Pages == 2 && found.List[1].Entities == 1020 && found.List[2].Entities == 7,
		"%+v", found.List)
	assert.Truef(t, found.Further == 1 && found.Retries == 1 && found.Lost == 0, "%+v", found)
	told := replayed(t, replay.Plan{Operations: found})
	own := told.Arms[0].Under[0]
	assert.Truef(t, own.Counted == 1020+7+1 && own.Billed == 4,
		"%d entities in %d requests; want 1,028 in 4", own.Counted, own.Billed)
}

// The designs that are proposed for a log take part: the column that its queries ask for first, and never one that is unique.
func TestSuggested(t *testing.T) {
	plan := replay.Plan{Operations: hot(t, 300), Pattern: replay.Pattern{PartitionKey: "{year}", RowKey: "{division}_{bib:05d}"}, Retry: "none", Suggest: true, Profile: "documented",
		Set: []string{"model.partition_target=100", "model.partition_burst=10ms"}}
	told := replayed(t, plan)
	assert.Truef(t, told.Suggested != 0 || told.Unsuggested != "", "%+v; want proposals, or why there are none", told)
	var entries []accesslog.Entry
	for i, entry := range hotEntries(300) {
		if entries = append(entries, entry); i%100 == 0 {
			entries = append(entries, query(i*1000/300, fmt.Sprintf("PartitionKey eq '2026' and RowKey ge 'd%d_' and RowKey lt 'd%d`'", i%8, i%8), 30))
		}
	}
	queried := gather(t, entries...)
	plan.Operations, plan.Set = queried, nil
	told = replayed(t, plan)
	require.GreaterOrEqual(t, len(told.Arms), 2, told.Unsuggested)
	assert.Equal(t, "{division}", told.Arms[1].PartitionKey, "queries ask for the division: it comes first")
	for _, arm := range told.Arms[1:] {
		assert.NotContains(t, arm.PartitionKey, "{bib}", "no query asks for a number that is unique")
	}
	_, err := replay.Replay(context.Background(), replay.Plan{Operations: queried, Suggest: true, Pattern: replay.Pattern{PartitionKey: "{year}_{month}", RowKey: "{bib}"}})
	assert.Error(t, err, "a pattern that fits nothing is no error")
}
