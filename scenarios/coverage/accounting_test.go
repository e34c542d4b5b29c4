package coverage_test

import (
	"fmt"
	"testing"
)

func accounting() []row {
	const group = "What counts, and what is billed"
	return []row{
		{31, group, checklist, "Each entity inserted, updated or deleted counts; a transaction of 100 counts 100.", "`loadgen simulate granularity`",
			"entities of a transaction", "entities counted for each transaction", false,
			vary(exactly[int], playing[int]("counted(change) each", "granularity", "phases.few.arrivals.constant=2",
				"phases.many.arrivals.constant=2", "model.partition_target=2000",
				"phases.few.operations=[{name: change, verb: batch, entities: %v, together: [region, channel]}]"), 10, 100)},
		{32, group, checklist, "Scanned entities count, not returned ones; a filter saves bytes but no entities.", "`loadgen simulate density`",
			"entities in a partition; the query asks for 1 in 100", "entities counted for each query: all of the partition", false,
			vary(exactly[int], func(t testing.TB, n int) float64 {
				return play(t, "density", set("attributes.shop", fmt.Sprintf("{partitions: 10, rows: %d}", n)), set("phases.load.load.entities", 10*n),
					"phases.by-key.for=1s", "phases.by-property.for=10s").each(t, "counted", "filtered")
			}, 100, 500)},
		{33, group, guide, "A transaction is billed as one, and so is each page of a query.", "`loadgen simulate page-size`",
			"entities in a page, of 1,000", "transactions billed for each query: its pages", false,
			vary(func(top int) band { return exactly((1000 + top - 1) / top) }, playing[int]("billed_per_success(export)", "page-size",
				"phases.read.operations.1.top=%v", "phases.read.for=10s"), 50, 400)},
	}
}
