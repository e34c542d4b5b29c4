package coverage_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// copiesOf are as many further keys of an employee, in table or partition of their own where
// apart says so.
func copiesOf(n int, apart bool) string {
	partition := "{department}"
	if apart {
		partition = "email_{department}"
	}
	list := []string{fmt.Sprintf(`{name: by-email, partition_key: "%s", row_key: "email_{email}"}`, partition),
		fmt.Sprintf(`{name: by-name, partition_key: "%s", row_key: "name_{name}_{employee}"}`, strings.Replace(partition, "email_", "name_", 1))}
	return "[" + strings.Join(list[:n], ", ") + "]"
}

func designPatterns() []row {
	const group = "Design patterns"
	return []row{
		{52, group, patterns, "One transaction keeps a secondary index in the same partition, and counts an entity for each key.",
			"`loadgen simulate index-in-partition`", "additional keys of an entity", "entities counted for each insert, which is one request", false,
			vary(func(copies int) band { return exactly(1 + copies) }, func(t testing.TB, copies int) float64 {
				p := play(t, "index-in-partition", set("designs.indexed.copies", copiesOf(copies, false)), "phases.day.for=4s")
				assert.EqualValues(t, 1, p.each(t, "requests", "hire"), "each insert is requests")
				return p.each(t, "counted", "hire")
			}, 1, 2)},
		{53, group, patterns, "An index in another partition has a target of its own, and needs a request of its own.",
			"`loadgen simulate index-across-partitions`", "additional keys of an entity", "requests for each insert", false,
			vary(func(copies int) band { return exactly(1 + copies) }, func(t testing.TB, copies int) float64 {
				return play(t, "index-across-partitions", "phases.day.operations=[{name: hire, verb: insert}]", set("designs.apart.copies", copiesOf(copies, true)), "phases.day.arrivals.constant=60",
					"phases.day.for=4s").each(t, "requests", "hire")
			}, 1, 2)},
		{54, group, patterns, "Across tables a queue completes what a worker started: the message comes back after a crash, and steps are idempotent.",
			"`loadgen simulate eventual-transaction`",
			"share of messages whose worker crashes", "crashes for each of about 800 messages, none lost: p / (1 - p)", false,
			vary(func(killed string) band {
				p := shareOf(killed)
				return band{p / (1 - p), deviations * math.Sqrt(p/800) / (1 - p)}
			}, deathsToAMessage, "10%", "30%")},
		{55, group, patterns, "With a list of ids for each name, a lookup reads the list and its entities.",
			"`loadgen simulate index-entity-same-partition`, `loadgen simulate index-entity-own-partition`, `loadgen simulate index-blob`",
			"employees, of 4 departments and 40 names", "entities counted by a lookup: the list and the employees with the name", false,
			vary(func(n int) band { return about(1+float64(n)/160, .2) }, func(t testing.TB, n int) float64 {
				return play(t, "index-entity-same-partition", set("phases.load.load.entities", n), set("phases.build.arrivals.constant", n/4), "phases.day.for=20s",
					"phases.day.operations=[{name: lookup, workflow: index-lookup, with: {place: lists, attribute: last, property: LastName}}]").each(t, "counted", "lookup")
			}, 1000, 2400)},
		{56, group, patterns, "Data stored once for each query is read directly: an order by customer, and again by date.",
			"`loadgen simulate orders-twice`, `loadgen simulate denormalization`",
			"copies of an order; a day has one in sixty", "entities counted for each returned: 1, or 60", false,
			vary(either("twice", exactly(1), about(60, .15)), func(t testing.TB, design string) float64 {
				p := play(t, "orders-twice", "use="+design, "phases.day.operations=[{name: of-day, verb: query, by: [day]}]", "phases.day.for=3s", "model.partition_target=0", "model.account_target=0")
				return p.of(t, "counted(of-day)") / p.of(t, "returned(of-day)")
			}, "twice", "once")},
		{57, group, patterns, "A total in a summary entity is one read; without it each query reads the partition.",
			"`loadgen simulate summary-entity --anti-pattern`", "entities of ten departments", "entities counted for each query without a summary: a tenth", false,
			vary(func(n int) band { return about(float64(n)/10, .05) }, countedByTotal, 1000, 2000)},
		{58, group, patterns, "Reviews are stored beside their employee, 000123_2012 by 000123: one row range has both.", "`loadgen simulate compound-key`",
			"reviews of an employee, in a department of twenty", "entities counted: the employee and the reviews", quick,
			vary(func(n int) band { return exactly(1 + n) }, countedWithReviews, 5, 30)},
		{59, group, patterns, "With inverted ticks the latest entities are the first page.", "`loadgen simulate log-tail`",
			"claims asked for, of 300", "entities counted: those claims", false,
			vary(exactly[int], func(t testing.TB, top int) float64 {
				return play(t, "log-tail", "phases.day.for=5s", set("phases.day.operations",
					fmt.Sprintf("[{name: submit, verb: insert}, {name: last, verb: query, by: [employee], top: %d, pages: 1}]", top))).each(t, "counted", "last")
			}, 10, 25)},
		{60, group, patterns, "A table for each day is deleted by one request; in one table the entities are scanned for and deleted.",
			"`loadgen simulate high-volume-delete`",
			"logins of the deleted day", "entities counted by scan and transactions: each twice; none if the table is deleted", quick,
			vary(func(n int) band { return exactly(2 * n) }, countedByDelete, 120, 350)},
		{61, group, patterns, "24 hourly counts in one entity are one read; in an entity each they are 24.", "`loadgen simulate data-series`",
			"counts in an entity", "entities counted for a day: 24 by that, rounded up", false,
			vary(func(each int) band { return exactly((24 + each - 1) / each) }, countedForSeries("data-series", 24), 24, 5)},
		{62, group, patterns, "365 daily counts exceed the 252 properties of an entity: they need two entities.", "`loadgen simulate wide-entity`",
			"counts in an entity, of 365", "entities counted for a year: 365 by that, rounded up", false,
			vary(func(each int) band { return exactly((365 + each - 1) / each) }, countedForSeries("wide-entity", 365), 183, 100)},
		{63, group, patterns, "A value over 1 MiB is a blob, and a property points to it: its reader sends two requests.", "`loadgen simulate large-entity`",
			"share of readers who want the photo", "requests for each read: one and that share", false,
			vary(func(wanted string) band {
				p := shareOf(wanted)
				return band{1 + p, deviations * math.Sqrt(p*(1-p)/200)}
			}, func(t testing.TB, wanted string) float64 {
				with := fmt.Sprintf("{size: 1100000, wanted: %s}", wanted)
				return play(t, "large-entity", "phases.hiring.for=2s", "phases.leaving.for=1s", "phases.hiring.operations.0.with={size: 1100000}",
					set("phases.looking.operations.0.with", with)).each(t, "requests", "look")
			}, "10%", "60%")},
		{64, group, patterns, "Two dominant queries have a row each, BIB: and AGE:, written in one transaction.", "`loadgen simulate two-dominant-queries`",
			"ages of 200 runners", "entities counted by a query for an age: its runners", quick,
			vary(func(ages int) band { return exactly(200 / ages) }, countedByAge, 4, 20)},
	}
}

func deathsToAMessage(t testing.TB, killed string) float64 {
	p := play(t, "eventual-transaction", set("phases.leave.operations", fmt.Sprintf(
		"[{name: request, workflow: archive-request, weight: 15, with: {place: archive}}, {name: work, workflow: archive-work, weight: 45, with: {place: archive, hidden: 1s, killed: %s, after: received}}]", killed)))
	assert.Zero(t, p.of(t, "violations"), "employees that are left half moved")
	return p.of(t, "counter(work, killed)") / p.of(t, "operations(request)")
}

func countedByTotal(t testing.TB, n int) float64 {
	load := []string{set("phases.load.load.entities", n), "phases.begin.for=1s", "phases.day.for=5s", "model.partition_target=0"}
	const kept, summed = "phases.day.operations=[{name: total, workflow: read-linked, with: {from: summary}}]",
		"phases.day.operations=[{name: total, verb: query, class: partition-scan}]"
	assert.EqualValues(t, 1, play(t, "summary-entity", append(load, "phases.begin.for=5s", kept)...).each(t, "counted", "total"),
		"the summary counts")
	return play(t, "summary-entity", append(load, "phases.begin.operations=[{name: hire, verb: get}]", summed)...).each(t, "counted", "total")
}

func countedWithReviews(t testing.TB, reviews int) float64 {
	w := newWire(t)
	for employee := 110; employee < 130; employee++ {
		w.insert("Sales", fmt.Sprintf("%06d", employee), "")
		for i := range reviews {
			w.insert("Sales", fmt.Sprintf("%06d_%d", employee, 2020-i), "")
		}
	}
	return w.returns(1+reviews, filtered("PartitionKey eq 'Sales' and RowKey ge '000123' and RowKey lt '000124'"))
}

// countedByDelete finds a day's logins in one table and deletes them by transactions.
func countedByDelete(t testing.TB, n int) float64 {
	w := newWire(t)
	w.fill("20140731", n)
	w.want(201, "POST", "/Tables", `{"TableName":"Day"}`)
	before := w.Engine.Counts().Entities
	w.want(204, "DELETE", "/Tables('Day')", "")
	assert.Zero(t, w.Engine.Counts().Entities-before, "dropping a table counts")
	found, _, _ := w.pages(filtered("PartitionKey eq '20140731'"))
	for begin := 0; begin < len(found); begin += 100 {
		var list []write
		for _, one := range found[begin:min(len(found), begin+100)] {
			list = append(list, write{verb: "DELETE", partition: "20140731", row: one["RowKey"].(string), match: "*"})
		}
		w.transact(list...)
	}
	counted := w.Engine.Counts().Entities - before
	w.returns(0, filtered("PartitionKey eq '20140731'"))
	return float64(counted)
}

// countedForSeries plays an example whose counts lie in entities of so many each, and returns
// how many entities a reader of all of them counts.
func countedForSeries(example string, slots int) func(testing.TB, int) float64 {
	return func(t testing.TB, each int) float64 {
		with := func(place string) string {
			return fmt.Sprintf("{slots: %d, per-entity: %d, at: %s}", slots, each, place)
		}
		if example == "data-series" {
			return play(t, example, "phases.load.load.entities=20", "phases.counted.for=2s", "phases.under-etag.for=1s", "phases.read.for=4s",
				set("phases.counted.operations.0.with", with("days")), set("phases.under-etag.operations.0.with", with("guarded")),
				set("phases.read.operations.0.with", with("days"))).each(t, "counted", "day")
		}
		return play(t, example, "phases.years.for=1s", set("phases.days.operations.0.with", with("by-day")), set("phases.years.operations.0.with", with("whole")),
			set("phases.read.operations.0.with", with("by-day")), "phases.read.for=4s").each(t, "counted", "look")
	}
}

func countedByAge(t testing.TB, ages int) float64 {
	w := newWire(t)
	const race = "2011 New York City Marathon__Full"
	for bib := range 200 {
		age := 20 + bib%ages
		before := w.Engine.Counts().Entities
		w.transact(write{partition: race, row: fmt.Sprintf("BIB:%05d__John__M__%d", bib, age)},
			write{partition: race, row: fmt.Sprintf("AGE:%03d__%05d__John__M", age, bib)})
		require.EqualValues(t, 2, w.Engine.Counts().Entities-before, "entities that a registration counts")
	}
	return w.returns(200/ages, filtered("PartitionKey eq '%s' and RowKey ge 'AGE:021' and RowKey lt 'AGE:022'", race))
}
