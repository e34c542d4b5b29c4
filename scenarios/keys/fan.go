package keys

import (
	"fmt"
	"slices"
	"time"

	"loadgen/engine/filter"
)

// maxFanned bounds over how many partitions a reader fans one question out.
const maxFanned = 100

// FannedPlan returns the plan of a reader as [Generator.Plan] does, but with a query for
// each bucket if that reads less: if only hashes of at most [maxFanned] values in all are
// unknown in the PartitionKey, and a single query would
// read the whole table, or could not use the known part of the RowKey. A single query
// over neighbouring buckets that reads no more remains.
func (g *Generator) FannedPlan(know []string, span time.Duration) Plan {
	single := g.Plan(know, span)
	if single.partition.ways == 0 {
		return single
	}
	r := single.reader(know, span)
	r.fans = maxFanned
	fanned := single
	fanned.partition, fanned.single = r.follow(g.partition), &single.partition
	whole := single.Class == filter.ClassTableScan
	if fanned.partition.stop != "" || !whole && len(single.row.steps) == 0 {
		return single
	}
	fanned.Class, fanned.Why = fanned.judge()
	if fanned.Class == filter.ClassPoint {
		// Of several points all but one have nothing: no rating of one fits.
		fanned.Class, fanned.Why = filter.ClassRowRange, "known attributes form RowKey"
	}
	fanned.Why += fmt.Sprintf("; asks each of %d buckets", fanned.Queries())
	return fanned
}

func (p *Plan) reader(know []string, span time.Duration) reader {
	r := reader{generator: p.generator, known: map[int]bool{}, spanned: span > 0}
	for _, name := range know {
		if at := p.generator.options.slotOf(name).attribute; at >= 0 {
			r.known[at] = true
		}
	}
	return r
}

// Queries returns how many queries the plan takes for an event at most: 1, or one for
// each bucket.
func (p *Plan) Queries() int {
	queries := 1
	for _, s := range p.partition.steps {
		if s.how == bucket {
			queries *= s.ways()
		}
	}
	return queries
}

// Ranges returns the stretches that the plan's queries read for an event, one for each,
// in the order in which they are sent: together they hold what [Plan.Range] promises.
// The slice is the caller's.
func (p *Plan) Ranges(e Event) []filter.Range {
	queries := p.Queries()
	if queries == 1 {
		return []filter.Range{p.Range(e)}
	}
	ranges := make([]filter.Range, 0, queries)
	for i := range queries {
		one := p.rangeOf(e, i)
		// Where the span reaches over a boundary before the bucket, all read the same.
		if !slices.Contains(ranges, one) {
			ranges = append(ranges, one)
		}
	}
	return ranges
}
