package chart

import (
	"cmp"
	"slices"

	"loadgen/results"
	figures "loadgen/results/figure"
)

// Grid is the data of a heat map of partitions: cells by partition and by time, which sum to the heat of the record,
// and so to its counts.
type Grid struct {
	// SecondsPerColumn is the time that each of the Columns spans.
	SecondsPerColumn int64
	Columns          int
	// Rows are at most [maxRows] partitions in the order of table and key.
	Rows []GridRow
	// Rest is all other partitions together, and those of Rows before they had rows. Nowhere is the load that names no
	// single partition.
	Rest, Nowhere GridRow
	// Others is the number of partitions in Rest, −1 if it is unknown, and 0 if all have rows.
	Others int64
	// MaxMissed limits the entities that a row lacks because they are in Rest; 0 means that rows are exact.
	MaxMissed int64
	time      columns
}

// GridRow is a row of a heat map, with a number for each column of its grid: entities that were counted for successes,
// attempts that were throttled and that failed, and the entities that attempts requested.
type GridRow results.HeatRow

// maxRows is the maximum number of rows that are drawn.
const maxRows = 120

// HeatGrid returns the cells of the heat of a record. It adds rows beyond 120, those with the lowest sums first, to
// Rest, so that sums stay exact. It also adds the rows with at most MaxMissed entities: others that have as many may
// lack a row by chance. A record without heat has a grid without columns.
func HeatGrid(record *results.Record) Grid {
	heat := drawableHeat(record)
	if heat == nil {
		return Grid{Others: -1}
	}
	return newGrid(heat, timeline{{0, float64(heat.Columns) * float64(heat.SecondsPerColumn)}})
}

// reportedGrid returns the cells of the reported phases without long idle stretches and without the rows of idle
// partitions, and the number of those rows.
func reportedGrid(record *results.Record) (g Grid, idle int) {
	heat := drawableHeat(record)
	begin, end, some := figures.Of(record).Span()
	if heat == nil || !some {
		g = HeatGrid(record)
		return g, g.dropIdle()
	}
	length := heat.SecondsPerColumn
	from := min(max(begin/length, 0), int64(heat.Columns)-1)
	to := min(max((end+length-1)/length, from+1), int64(heat.Columns))
	whole := newTimeline(record, float64(from*length), float64(to*length)).widen(float64(length))
	g = newGrid(heat, whole)
	return g, g.dropIdle()
}

// drawableHeat returns the heat of a record, nil if it has none, or one without columns, as a damaged record may have.
func drawableHeat(record *results.Record) *results.Heat {
	if heat := record.Heat; heat != nil && heat.SecondsPerColumn > 0 && heat.Columns > 0 && heat.Columns <= results.MostColumns {
		return heat
	}
	return nil
}

// newGrid returns the columns of a heat on a timeline of whole columns.
func newGrid(heat *results.Heat, t timeline) Grid {
	g := Grid{SecondsPerColumn: heat.SecondsPerColumn, MaxMissed: heat.MostMissed, Others: -1, time: newColumns(t, heat.SecondsPerColumn)}
	g.Columns = g.time.count()
	g.Rest, g.Nowhere = g.newRow("", "", &heat.Rest), g.newRow("", "", &heat.Nowhere)
	for i := range heat.Rows {
		of := &heat.Rows[i]
		row := g.newRow(of.Table, of.Key, &of.HeatCells)
		// Some records have no demand, but attempts.
		if max(sum(of.Demanded), (*GridRow)(of).weight()) > heat.MostMissed {
			g.Rows = append(g.Rows, row)
		} else {
			g.Rest.add(&row)
		}
	}
	g.limitRows(maxRows)
	if heat.Partitions != nil {
		g.Others = max(0, *heat.Partitions-int64(len(g.Rows)))
	}
	return g
}

// layers returns the numbers of a row by column.
func (r *GridRow) layers() []*[]int64 {
	return []*[]int64{&r.Served, &r.Throttled, &r.Failed, &r.Demanded}
}

// newRow returns a row of its own with the cells of the columns of the grid, zeros if there are none.
func (g *Grid) newRow(table, key string, cells *results.HeatCells) GridRow {
	row := GridRow{table, key, *cells}
	for _, layer := range row.layers() {
		own := make([]int64, g.Columns)
		for i, s := range g.time.line {
			if first := int(s.from) / int(g.SecondsPerColumn); first < len(*layer) {
				copy(own[g.time.first[i]:g.time.first[i+1]], (*layer)[first:])
			}
		}
		*layer = own
	}
	return row
}

// add adds the cells of another row.
func (r *GridRow) add(other *GridRow) {
	sums, layers := r.layers(), other.layers()
	for i := range layers {
		for column, n := range *layers[i] {
			(*sums[i])[column] += n
		}
	}
}

// limitRows adds the rows with the lowest sums to Rest, if there are more than a limit.
func (g *Grid) limitRows(limit int) {
	slices.SortStableFunc(g.Rows, func(a, b GridRow) int { return cmp.Compare(b.weight(), a.weight()) })
	for len(g.Rows) > limit {
		last := len(g.Rows) - 1
		g.Rest.add(&g.Rows[last])
		g.Rows = g.Rows[:last]
		if g.Others >= 0 {
			g.Others++
		}
	}
	slices.SortStableFunc(g.Rows, func(a, b GridRow) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Key, b.Key))
	})
}

// dropIdle removes the rows without throttling that served less than a thousandth of the hottest, such as that of the
// entity with which a run marks its table. It returns the number of those that served anything.
func (g *Grid) dropIdle() (idle int) {
	const fraction = 1000
	hottest := g.hottest()
	g.Rows = slices.DeleteFunc(slices.Clone(g.Rows), func(r GridRow) bool {
		drop := sum(r.Throttled) == 0 && (r.weight() == 0 || r.weight() < hottest.weight()/fraction)
		if drop && r.weight() > 0 {
			idle++
		}
		return drop
	})
	return idle
}

// hasSeveral reports whether the load went to several partitions: more than a thousandth of it to others than the
// hottest, or to none that has a row.
func (g *Grid) hasSeveral() bool {
	const fraction = 1000
	if len(g.Rows) == 0 {
		return g.Columns > 0 && g.MaxMissed > 0
	}
	others := g.Nowhere.weight()
	if g.Others != 0 {
		others += g.Rest.weight()
	}
	return len(g.Rows) > 1 || others > g.Rows[0].weight()/fraction
}

func sum(lists ...[]int64) (total int64) {
	for _, list := range lists {
		for _, n := range list {
			total += n
		}
	}
	return total
}

// weight is the sum by which rows are compared if not all can be shown or named.
func (r *GridRow) weight() int64 { return sum(r.Served, r.Throttled, r.Failed) }

// Totals returns the sums of all cells: entities served, attempts throttled, attempts failed.
func (g *Grid) Totals() (served, throttled, failed int64) {
	for _, row := range append(slices.Clone(g.Rows), g.Rest, g.Nowhere) {
		served, throttled, failed = served+sum(row.Served), throttled+sum(row.Throttled), failed+sum(row.Failed)
	}
	return served, throttled, failed
}

// span returns the seconds from the first column to the end of the last one.
func (g *Grid) span() float64 {
	if g.Columns == 0 {
		return 0
	}
	return g.time.line.to() - g.time.line.from()
}

// isEmpty reports whether the grid has no load.
func (g *Grid) isEmpty() bool {
	served, throttled, failed := g.Totals()
	return g.Columns == 0 || served+throttled+failed == 0
}

// perSecond returns a cell as a rate.
func (g *Grid) perSecond(cell int64) float64 {
	return max(0, float64(cell)/float64(max(g.SecondsPerColumn, 1)))
}

// hottest returns the row with the highest sum, the first of equals, nil if there is none.
func (g *Grid) hottest() *GridRow {
	var hottest *GridRow
	for i := range g.Rows {
		if hottest == nil || g.Rows[i].weight() > hottest.weight() {
			hottest = &g.Rows[i]
		}
	}
	return hottest
}

// maxRate returns the highest rate of a layer in some rows.
func (g *Grid) maxRate(layer func(*GridRow) []int64, rows ...GridRow) (highest float64) {
	for i := range rows {
		for _, cell := range layer(&rows[i]) {
			highest = max(highest, g.perSecond(cell))
		}
	}
	return highest
}

func layerServed(r *GridRow) []int64    { return r.Served }
func layerThrottled(r *GridRow) []int64 { return r.Throttled }
