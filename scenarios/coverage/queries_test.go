package coverage_test

import (
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/filter"
	"loadgen/scenarios/advise/suggest"
)

func queries() []row {
	const group = "Queries, from the best to the worst"
	return []row{
		{34, group, guide, "The index answers a point query, by address or by both keys in a filter.", "`loadgen simulate point-query`",
			"entities of the table", "entities counted by the two queries: one each", quick,
			vary(func(int) band { return exactly(2) }, countedByPoints, 40, 300)},
		{35, group, guide, "A row range scan reads its range, not the rest of the partition.", "`loadgen simulate row-range-scan`",
			"rows in the range, of a partition of 300", "entities counted: those rows", quick,
			vary(exactly[int], func(t testing.TB, n int) float64 {
				w := newWire(t)
				w.fill("one", 300)
				_, _, counted := w.pages(filtered("PartitionKey eq 'one' and RowKey ge '%06d' and RowKey lt '%06d'", 100, 100+n))
				return float64(counted)
			}, 5, 120)},
		{36, group, guide, "A filter on another property reads the whole partition.", "`loadgen simulate partition-scan --anti-pattern`",
			"entities of the partition; the query asks for one", "entities counted: all of the partition", quick,
			vary(exactly[int], func(t testing.TB, n int) float64 {
				w := newWire(t)
				w.fill("one", n)
				w.fill("two", 50)
				return w.returns(1, filtered("PartitionKey eq 'one' and Number eq 7"))
			}, 100, 250)},
		{37, group, guide, "A partition range scan gets worse with each server that it reaches.", "`loadgen simulate partition-range-scan --anti-pattern`",
			"servers in the range, of twelve partitions on six servers", "requests: one for each server", quick,
			vary(exactly[int], func(t testing.TB, servers int) float64 {
				e := newTable(t)
				for n := range 12 {
					e.load(fmt.Sprintf("%02d", n), "run")
				}
				e.Prewarm(0, account, "Races", "02", "04", "06", "08", "10")
				_, requests := e.read(0, filter.PartitionRange("00", fmt.Sprintf("%02d", 2*servers)))
				return float64(requests)
			}, 2, 5)},
		{38, group, guide, "A query without PartitionKey reads the whole table, even with one exact RowKey.",
			"`loadgen simulate table-scan --anti-pattern --set \"phases.find.operations=[{name: call, verb: query, class: table-scan, where: RowKey eq 'profile'}]\"`",
			"partitions of 20 entities each", "entities counted: the whole table", quick,
			vary(func(n int) band { return exactly(20 * n) }, func(t testing.TB, n int) float64 {
				w := newWire(t)
				for i := range n {
					w.fill(fmt.Sprint("customer", i), 20)
				}
				return w.returns(n, filtered("RowKey eq '000007'"))
			}, 5, 12)},
		{39, group, guide, "Ratings are relative: a range over two large partitions can read more than a scan of eight small ones.",
			"`loadgen simulate range-against-scan --anti-pattern`",
			"entities of a large partition, with 20 in a small one", "entities counted by the range for each counted by the scan: 2n/160", quick,
			vary(func(n int) band { return exactly(2 * float64(n) / 160) }, rangeAgainstScan, 40, 400)},
		{40, group, guide, "or between two RowKeys is a partition scan, not two point queries.", "`loadgen simulate or-is-a-partition-scan --anti-pattern`",
			"entities of the partition; the query asks for two", "entities counted: all of the partition", quick,
			vary(exactly[int], func(t testing.TB, n int) float64 {
				w := newWire(t)
				w.fill("one", n)
				return w.returns(2, filtered("PartitionKey eq 'one' and (RowKey eq '000003' or RowKey eq '000009')"))
			}, 60, 300)},
		{41, group, guide, "Six operators compare, a prefix is a range of two of them, and $top returns the first n.", "`loadgen simulate compound-key`",
			"entities, numbered from 0, compared with one of them", "entities returned by all six: three times as many", quick,
			vary(func(n int) band { return exactly(3 * n) }, returnedBySix, 12, 70)},
		{42, group, guide, "A client can stop early, store the token, and continue after a crash.", "`loadgen simulate saved-token`",
			"pages of 100, of 350 entities, before the client crashes", "entities left to read", quick,
			vary(func(pages int) band { return exactly(350 - 100*pages) }, leftAfterToken, 1, 3)},
		{43, group, guide, "Choose keys for the dominant queries, by frequency and latency need.", "`loadgen contest index-in-partition --suggest`",
			"queries by email in 100; the others are by number", "1 if the email is the PartitionKey proposed without a copy", false,
			vary(either(90, exactly(1), exactly(0)), addressIsProposed, 90, 10)},
	}
}

// fill adds entities 000000, 000001, … with their Number to a partition.
func (w *tableWire) fill(partition string, n int) {
	w.Helper()
	for begin := 0; begin < n; begin += 100 {
		var list []write
		for i := begin; i < min(n, begin+100); i++ {
			list = append(list, write{partition: partition, row: fmt.Sprintf("%06d", i), properties: fmt.Sprintf(`"Number":%d`, i)})
		}
		w.transact(list...)
	}
}

// returns is what a query counts, which has to return so many entities.
func (w *tableWire) returns(want int, options url.Values) float64 {
	w.Helper()
	entities, _, counted := w.pages(options)
	assert.Truef(w, len(entities) == want, "%v returns %d entities; want %d", options, len(entities), want)
	return float64(counted)
}

func countedByPoints(t testing.TB, n int) float64 {
	w := newWire(t)
	w.fill("one", n)
	before := w.Engine.Counts().Entities
	w.entity(at("one", "000003"))
	w.returns(1, filtered("PartitionKey eq 'one' and RowKey eq '000003'"))
	return float64(w.Engine.Counts().Entities - before)
}

func rangeAgainstScan(t testing.TB, n int) float64 {
	counted := func(size int, options url.Values) float64 {
		w := newWire(t)
		for i := range 8 {
			w.fill(fmt.Sprint("part", i), size)
		}
		_, _, counted := w.pages(options)
		return float64(counted)
	}
	return counted(n, filtered("PartitionKey ge 'part2' and PartitionKey lt 'part4'")) / counted(20, url.Values{})
}

func returnedBySix(t testing.TB, n int) float64 {
	w := newWire(t)
	w.fill("one", n)
	w.insert("one", "email_a1", "")
	w.insert("one", "email_b1", "")
	w.returns(1, filtered("PartitionKey eq 'one' and RowKey ge 'email_a' and RowKey lt 'email_b'"))
	first, _, _ := w.query(url.Values{"$top": {"5"}})
	assert.Truef(t, len(first) == 5 && first[4]["RowKey"] == "000004", "$top=5 returns %v; want the first five", first)
	sum := 0
	for _, operator := range []string{"eq", "ne", "gt", "ge", "lt", "le"} {
		entities, _, _ := w.pages(filtered("Number %s %d", operator, n/3))
		sum += len(entities)
	}
	return float64(sum)
}

// leftAfterToken reads some pages, keeps the token in a file, and returns how many entities
// somebody reads who has nothing but the file.
func leftAfterToken(t testing.TB, pages int) float64 {
	w := newWire(t)
	w.fill("one", 350)
	file := filepath.Join(t.TempDir(), "token")
	next := url.Values{"$top": {"100"}}
	for range pages {
		_, next, _ = w.query(next)
	}
	require.NoError(t, os.WriteFile(file, []byte(next.Encode()), 0o600))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	kept, err := url.ParseQuery(string(text))
	require.NoError(t, err)
	entities, _, _ := w.pages(kept)
	return float64(len(entities))
}

func addressIsProposed(t testing.TB, weight int) float64 {
	s := fromFile(t, "members.yaml", set("phases.day.operations.by-email.weight", weight),
		set("phases.day.operations.by-number.weight", 100-weight))
	proposal, err := suggest.Designs(s, nil)
	require.Truef(t, err == nil && len(proposal.Candidates) != 0, "%v: no candidates", err)
	for _, one := range proposal.Candidates {
		if len(one.Design.Copies) > 0 {
			continue
		}
		if one.Design.PartitionKey == "{email}" {
			return 1
		}
		return 0
	}
	return math.NaN()
}
