package chart

import (
	"cmp"
	"slices"

	"loadgen/results"
	figures "loadgen/results/figure"
)

// Grid is what a heat map is drawn from: cells by partition and by time, which sum to
// what the record's heat sums to, and so to its books, exactly.
type Grid struct {
	// From is the second of the run at which the first column begins, SecondsPerColumn how
	// much time a column spans, Columns how many there are.
	From             int64
	SecondsPerColumn int64
	Columns          int
	// Rows are partitions in the order of table and key, [mostRows] at most.
	Rows []GridRow
	// Rest is of all other partitions together, and of those of Rows before they were
	// told apart; Nowhere is of what named no single partition.
	Rest, Nowhere GridRow
	// Others is how many partitions Rest is of, −1 where nobody counted them all, and 0
	// where all have rows of their own.
	Others int64
	// MostMissed bounds what a row may lack because it is in Rest; 0 says that rows are
	// exact.
	MostMissed int64
}

// GridRow is one row of a heat map, with a number for each column of its grid: entities
// that were counted for successes, attempts that were throttled and that failed, and the
// entities that attempts meant to touch, served or throttled.
type GridRow results.HeatRow

// How many rows and columns are drawn at most. A record has fewer of both, unless
// somebody else wrote it.
const (
	mostRows    = 120
	mostColumns = 480
)

// HeatGrid returns the cells of a record's heat. Columns beyond 480 are merged, and rows
// beyond 120, those with the least first, added to Rest: sums stay exact. So are rows with
// no more than any may lack: that they are told apart, and no others, is chance, and what
// they show is when they were, not when there was load. A record without heat gives a grid
// without columns.
func HeatGrid(record *results.Record) Grid {
	heat := record.Heat
	if heat == nil {
		return Grid{}
	}
	// What a record says of its columns counts only as far as it has cells or there is room:
	// nothing is allocated on its word.
	needed := min(heat.Columns, mostColumns)
	each := func(cells *results.HeatCells) {
		needed = max(needed, len(cells.Served), len(cells.Throttled), len(cells.Failed), len(cells.Demanded))
	}
	each(&heat.Rest)
	each(&heat.Nowhere)
	for i := range heat.Rows {
		each(&heat.Rows[i].HeatCells)
	}
	merged := max(1, (needed+mostColumns-1)/mostColumns)
	g := Grid{SecondsPerColumn: max(heat.SecondsPerColumn, 1) * int64(merged), Columns: (needed + merged - 1) / merged,
		MostMissed: heat.MostMissed}
	g.Rest, g.Nowhere = g.empty("", ""), g.empty("", "")
	g.Rest.fold(&heat.Rest, merged)
	g.Nowhere.fold(&heat.Nowhere, merged)
	rows := heat.Rows
	places, weights := make([]int, len(rows)), make([]int64, len(rows))
	for i := range rows {
		places[i], weights[i] = i, sum(rows[i].Served, rows[i].Throttled, rows[i].Failed)
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	for at, i := range places {
		// What a record tells no demand of is held to its attempts.
		if demand := max(sum(rows[i].Demanded), weights[i]); at < mostRows && demand > heat.MostMissed {
			g.Rows = append(g.Rows, g.empty(rows[i].Table, rows[i].Key))
			g.Rows[len(g.Rows)-1].fold(&rows[i].HeatCells, merged)
		} else {
			g.Rest.fold(&rows[i].HeatCells, merged)
		}
	}
	g.Others = -1
	if heat.Partitions != nil {
		g.Others = max(0, *heat.Partitions-int64(len(g.Rows)))
	}
	g.inOrder()
	return g
}

// reportedGrid returns the cells of the reported phases, without the rows of partitions
// that had next to nothing in them, and how many rows those were.
func reportedGrid(record *results.Record) (g Grid, idle int) {
	g = HeatGrid(record)
	begin, end, some := figures.Of(record).Span()
	if !some || g.Columns == 0 {
		return g, g.dropIdle()
	}
	each := max(g.SecondsPerColumn, 1)
	from := int(min(max(begin/each, 0), int64(g.Columns)-1))
	to := int(min(max((end+each-1)/each, int64(from)+1), int64(g.Columns)))
	g.From, g.Columns = int64(from)*each, to-from
	crop := func(cells *results.HeatCells) {
		for _, layer := range []*[]int64{&cells.Served, &cells.Throttled, &cells.Failed, &cells.Demanded} {
			*layer = (*layer)[from:to]
		}
	}
	crop(&g.Rest.HeatCells)
	crop(&g.Nowhere.HeatCells)
	for i := range g.Rows {
		crop(&g.Rows[i].HeatCells)
	}
	return g, g.dropIdle()
}

// dropIdle takes those rows out that throttled nothing and served less than a
// thousandth of the hottest, such as the one of the mark that a run leaves in its table.
// It returns how many they were that served something at all.
func (g *Grid) dropIdle() (idle int) {
	const little = 1000
	hottest := g.hottest()
	if hottest < 0 {
		return 0
	}
	most := g.Rows[hottest].weight()
	g.Rows = slices.DeleteFunc(g.Rows, func(r GridRow) bool {
		_, throttled, _ := r.Totals()
		drop := throttled == 0 && (r.weight() == 0 || r.weight() < most/little)
		if drop && r.weight() > 0 {
			idle++
		}
		return drop
	})
	return idle
}

func sum(lists ...[]int64) int64 {
	var all int64
	for _, list := range lists {
		for _, n := range list {
			all += n
		}
	}
	return all
}

// empty returns a row of nothing.
func (g *Grid) empty(table, key string) GridRow {
	cells := func() []int64 { return make([]int64, g.Columns) }
	return GridRow{table, key, results.HeatCells{Served: cells(), Throttled: cells(), Failed: cells(), Demanded: cells()}}
}

// fold adds cells to those of the row, of which each is so many merged.
func (r *GridRow) fold(cells *results.HeatCells, merged int) {
	for _, layer := range []struct{ sums, cells []int64 }{{r.Served, cells.Served}, {r.Throttled, cells.Throttled},
		{r.Failed, cells.Failed}, {r.Demanded, cells.Demanded}} {
		for i, n := range layer.cells {
			layer.sums[i/merged] += n
		}
	}
}

// inOrder puts the rows into the order of table and key.
func (g *Grid) inOrder() {
	slices.SortStableFunc(g.Rows, func(a, b GridRow) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Key, b.Key))
	})
}

// Totals returns the sums of a row: entities served, attempts throttled, attempts failed.
func (r *GridRow) Totals() (served, throttled, failed int64) {
	return sum(r.Served), sum(r.Throttled), sum(r.Failed)
}

// weight is what rows are compared by where not all can be shown or named.
func (r *GridRow) weight() int64 {
	return sum(r.Served, r.Throttled, r.Failed)
}

// Totals returns the sums of all cells: entities served, attempts throttled, attempts
// failed.
func (g *Grid) Totals() (served, throttled, failed int64) {
	for _, row := range append(slices.Clone(g.Rows), g.Rest, g.Nowhere) {
		s, r, f := row.Totals()
		served, throttled, failed = served+s, throttled+r, failed+f
	}
	return served, throttled, failed
}

// perSecond returns a cell as a rate, at least 0 whatever the record says.
func (g *Grid) perSecond(cell int64) float64 {
	return max(0, float64(cell)/float64(max(g.SecondsPerColumn, 1)))
}

// begin and end return where the first column begins and the last ends, in seconds since
// the start of the run.
func (g *Grid) begin() float64 { return float64(g.From) }
func (g *Grid) end() float64 {
	return g.begin() + float64(g.Columns)*float64(max(g.SecondsPerColumn, 1))
}

// hottest returns the row with the most, −1 where there is none.
func (g *Grid) hottest() int {
	hottest := -1
	for i := range g.Rows {
		if hottest < 0 || g.Rows[i].weight() > g.Rows[hottest].weight() {
			hottest = i
		}
	}
	return hottest
}

// greatest returns the greatest rate of a layer in the cells of partitions.
func (g *Grid) greatest(layer func(*GridRow) []int64) float64 {
	most := 0.0
	for i := range g.Rows {
		for _, cell := range layer(&g.Rows[i]) {
			most = max(most, g.perSecond(cell))
		}
	}
	return most
}

func layerServed(r *GridRow) []int64    { return r.Served }
func layerThrottled(r *GridRow) []int64 { return r.Throttled }
