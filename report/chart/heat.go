package chart

import (
	"cmp"
	"image"
	"math"
	"slices"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"loadgen/report/document"
	"loadgen/results"
	figures "loadgen/results/figure"
)

// headRoom is the room of title, subtitle and margins of a figure, in points.
const headRoom vg.Length = 66

// heatFigure draws what each partition served over time. The throttled share fills each cell from below.
func heatFigure(record *results.Record, axis Axis) *Figure {
	g, _ := reportedGrid(record)
	if !g.hasSeveral() || weight(g.Totals()) == 0 {
		return nil
	}
	_, lanes := turnMarks(record, g.line, 1)
	if slices.ContainsFunc(record.Phases, func(p results.Phase) bool { return p.Reported }) {
		lanes++
	}
	key := servedScale(record, &g)
	key.log = axis == Logarithmic
	p := panel{heading: "Entities served per second", share: headingRow + 8 + saysRow, says: joinPhrases("grid", "; ", &g)}
	p.drawGrid(&g, g.line.axis(0), key, 300, lanes)
	words := key.words()
	if len(g.Rows) == 0 && g.Others < 0 {
		// The sum of an unknown number of partitions has a scale of its own.
		key = asideShades.upTo(g.maxServed(g.Rest))
		words = key.words() + ", all together"
	}
	p.legend = []entry{{words, key}, {"nothing was throttled", nil}}
	if g.Totals().Throttled > 0 {
		p.legend[1] = throttledEntry
	}
	p.addTime(record, g.line)
	f := newFigure(p)
	f.Rows = len(g.Rows)
	f.labelLast(sinceStart, belowRow*2)
	f.stack(headRoom - panelGap)
	f.height = max(f.height, defaultHeight*2/3)
	return f
}

// throttledEntry explains the part of a cell that was throttled.
var throttledEntry = entry{"throttled share; paler: few", throttledInk}

// words explains the scale of rates in a legend.
func (s shades) words() string {
	words := "0 to " + document.Figures(s.anchor) + "/s"
	if s.open {
		words += ": partition target; right of the line: above it"
	}
	return words
}

// servedScale returns the scale of what partitions served. Its anchor is the partition target, so that a colour means
// the same in every picture, or the maximum that one served if there is no target or none comes near it.
func servedScale(record *results.Record, grids ...*grid) shades {
	highest := 0.
	for _, g := range grids {
		highest = max(highest, g.maxServed(g.Rows...))
		if len(g.Rows) == 0 && g.Others > 0 {
			highest = max(highest, g.maxServed(g.Rest)/float64(g.Others))
		}
	}
	const near = 4
	scale, target := servedShades.upTo(highest), float64(record.Manifest.Targets.Partition)
	if target > 0 && near*highest >= target {
		scale.anchor, scale.open = target, true
	}
	return scale
}

// band is a picture of rows of a height in points, which are each some partitions.
type band struct {
	rows           []results.HeatRow
	names          []string
	bottom, height float64
	partitions     float64
	scale          shades
}

func (b *band) top() float64 { return b.bottom + b.height*float64(len(b.rows)) }

// The measures of bands, in points.
const (
	maxBand   = 30.
	minBand   = 2.
	asideBand = 11.
	asideGap  = 4.
	// laneRow is a line of words above the rows.
	laneRow = 12.
	laneGap = 3.
	// labelHeight is the distance of two lines of labels.
	labelHeight = 10.5
)

// bands returns the layout of the rows of a grid, in about so many points: a band of all rows, and below it, if they have
// load, a band each of the partitions without rows and of what belongs to no single partition.
func (g *grid) bands(scale shades, room float64) []band {
	var list []band
	bottom := 0.
	add := func(row *results.HeatRow, partitions int64, name string) {
		if all := row.Sum(); all.Served+all.Throttled <= 0 {
			return
		}
		b := band{[]results.HeatRow{*row}, []string{name}, bottom, asideBand, float64(partitions), scale}
		if partitions <= 0 {
			// A row of an unknown number of partitions has a scale of its own.
			b.partitions, b.scale = 1, asideShades.upTo(g.maxServed(*row))
		}
		list = append(list, b)
		bottom += asideBand + asideGap
	}
	add(&g.Nowhere, 0, "no single partition")
	add(&g.Rest, g.Others, joinPhrases("rest", "", g))
	height := min(maxBand, max(minBand, room/float64(max(len(g.Rows), 1))))
	return slices.Insert(list, 0, band{g.Rows, rowNames(g.Rows), bottom, height, 1, scale})
}

// drawGrid makes the panel a heat map on a scale of what is served, and as much taller as its rows, with lines for words
// above them. Its vertical axis counts points of a page.
func (p *panel) drawGrid(g *grid, x plot.Axis, scale shades, room float64, lanes int) {
	bands := g.bands(scale, room)
	rows := &bands[0]
	ground := max(rows.top(), asideBand)
	top := ground
	if lanes > 0 {
		top += laneRow*float64(lanes) + laneGap
	}
	p.share += vg.Length(top)
	var ticks []plot.Tick
	for i := range bands {
		ticks = append(ticks, bands[i].ticks()...)
	}
	p.plot = newPlot(x, newAxis(0, top, linear{}, plot.ConstantTicks(ticks).Ticks), "")
	if x.Max > g.line.end() {
		p.plot.Add(raster{x.Min, rows.bottom, x.Max, ground, newRaster(1, 1)})
	}
	for i := range bands {
		b := &bands[i]
		g.addCells(p.plot, b.bottom, b.top(), g.paint(b, throttledShades.upTo(scale.anchor/4)))
		const minHeight = 7 // of rows that are separated
		for row := 1; row < len(b.rows) && b.height >= minHeight; row++ {
			edge := b.bottom + b.height*float64(row)
			p.plot.Add(series{LineStyle: stroke(grain, paperInk), points: []point{{g.line.begin(), edge}, {g.line.end(), edge}}})
		}
	}
}

// ticks returns the names of as many rows as there is room for, the hottest one included.
func (b *band) ticks() []plot.Tick {
	// The distance of two names is at least a line.
	step := max(1, int(math.Ceil(labelHeight/b.height)))
	named := hottest(b.rows) % step
	var ticks []plot.Tick
	for i, name := range b.names {
		if i%step == named {
			ticks = append(ticks, plot.Tick{Value: b.top() - b.height*(float64(i)+.5), Label: name})
		}
	}
	return ticks
}

// paint returns the picture of a band. The throttled share fills each cell from below, in a colour that is paler for
// fewer throttled entities; a single throttled attempt is visible. The rest has the colour of what was served.
func (g *grid) paint(b *band, refusals shades) *image.Paletted {
	const minLines, maxLines, allLines = 4, 24, 400
	lines := min(maxLines, max(minLines, allLines/max(len(b.rows), 1)))
	cells := newRaster(g.count, len(b.rows)*lines, b.scale, refusals)
	for y := range cells.Rect.Dy() {
		row := &b.rows[y/lines]
		// The lowest line is at 0: it shows even the smallest share.
		height := 0.
		if line := lines - 1 - y%lines; line > 0 {
			height = (float64(line) + .5) / float64(lines)
		}
		for column := range g.count {
			step := b.scale.step(g.perSecond(row.Served[column]) / b.partitions)
			if share, missed := throttledShare(row, column); share > 0 && height <= share {
				step = steps + refusals.step(g.perSecond(missed)/b.partitions)
			}
			cells.SetColorIndex(column, y, uint8(step))
		}
	}
	return cells
}

// maxRowName is the maximum number of characters in the name of a row.
const maxRowName = 36

// rowNames returns the keys of rows, with their tables if those are not the test table. If a name is too long, it
// leaves out what all names begin with.
func rowNames(rows []results.HeatRow) []string {
	var names []string
	for i := range rows {
		name := cmp.Or(rows[i].Key, "(empty)")
		if rows[i].Table != "" {
			name += " (table " + rows[i].Table + ")"
		}
		names = append(names, clean(name, len(name)))
	}
	omitted := 0
	isLong := func(name string) bool { return utf8.RuneCountInString(name) > maxRowName }
	if slices.ContainsFunc(names, isLong) && len(names) > 1 {
		first, last := []rune(slices.Min(names)), []rune(slices.Max(names))
		for omitted < min(len(first), len(last)) && first[omitted] == last[omitted] {
			omitted++
		}
		omitted -= 3
	}
	for i, name := range names {
		runes := []rune(name)
		if omitted >= 3 {
			runes = append([]rune{'…'}, runes[omitted:]...)
		}
		// A name is shortened in its middle, because keys often differ at their ends.
		if len(runes) > maxRowName {
			const head = maxRowName / 2
			runes = slices.Concat(runes[:head], []rune{'…'}, runes[len(runes)-(maxRowName-head-1):])
		}
		names[i] = string(runes)
	}
	return names
}

// grid is the data of a heat map of partitions: cells by partition and by time, which sum to the heat of the record,
// and so to its counts.
type grid struct {
	columns
	// Rows are at most [maxRows] partitions in the order of table and key, with a number for each column.
	Rows []results.HeatRow
	// Rest is all other partitions together, and those of Rows before they had rows. Nowhere is the load that names no
	// single partition.
	Rest, Nowhere results.HeatRow
	// Others is the number of partitions in Rest, −1 if it is unknown, and 0 if all have rows.
	Others int64
	// MaxMissed limits the entities that a row lacks because they are in Rest; 0 means that rows are exact.
	MaxMissed int64
}

// maxRows is the maximum number of rows that are drawn.
const maxRows = 120

// reportedGrid returns the cells of the reported phases without the rows of idle partitions, and the number of those
// rows.
func reportedGrid(record *results.Record) (g grid, idle int) {
	begin, end := 0., math.Inf(1)
	if from, to, found := figures.NewFigures(record).Span(); found {
		begin, end = float64(from), float64(to)
	}
	g = newGrid(record, begin, end)
	return g, g.dropIdle()
}

// newGrid returns the cells between two seconds of the run without long idle stretches. Of more than maxRows rows, it
// adds those with the lowest sums to Rest, so that sums stay exact. It also adds the rows with at most MaxMissed
// entities: others that have as many may lack a row by chance. A record without heat has a grid without columns.
func newGrid(record *results.Record, begin, end float64) grid {
	heat := record.Heat
	// A damaged record may have any number of columns.
	if heat == nil || heat.SecondsPerColumn < 1 || heat.Columns < 1 || heat.Columns > results.MaxColumns {
		return grid{Others: -1}
	}
	length := heat.SecondsPerColumn
	unit, columns := float64(length), float64(heat.Columns)
	from := min(max(math.Floor(begin/unit), 0), columns-1)
	to := min(max(math.Ceil(end/unit), from+1), columns)
	line := newTimeline(record, from*unit, to*unit, unit)
	g := grid{columns: newColumns(line, length), MaxMissed: heat.MostMissed, Others: -1}
	g.Rest, g.Nowhere = g.newRow("", "", &heat.Rest), g.newRow("", "", &heat.Nowhere)
	for i := range heat.Rows {
		of := &heat.Rows[i]
		row := g.newRow(of.Table, of.Key, &of.HeatCells)
		// Some records have no demand, but attempts.
		if max(of.Sum().Demanded, weight(of.Sum())) > heat.MostMissed {
			g.Rows = append(g.Rows, row)
		} else {
			g.Rest.Add(&row.HeatCells, 1, g.count)
		}
	}
	g.limitRows(maxRows)
	if heat.Partitions != nil {
		g.Others = max(0, *heat.Partitions-int64(len(g.Rows)))
	}
	return g
}

// newRow returns a row of its own with the cells of the columns of the grid, zeros if there are none.
func (g *grid) newRow(table, key string, cells *results.HeatCells) results.HeatRow {
	row := results.HeatRow{Table: table, Key: key, HeatCells: *cells}
	for _, layer := range row.Series() {
		own := make([]int64, g.count)
		for _, s := range g.line {
			if first := int(s.from) / int(g.Length); first < len(*layer) {
				copy(own[g.index(s.from):g.index(s.to)], (*layer)[first:])
			}
		}
		*layer = own
	}
	return row
}

// limitRows adds the rows with the lowest sums to Rest, if there are more than a limit.
func (g *grid) limitRows(limit int) {
	slices.SortStableFunc(g.Rows, func(a, b results.HeatRow) int { return cmp.Compare(weight(b.Sum()), weight(a.Sum())) })
	for len(g.Rows) > limit {
		last := len(g.Rows) - 1
		g.Rest.Add(&g.Rows[last].HeatCells, 1, g.count)
		g.Rows = g.Rows[:last]
		if g.Others >= 0 {
			g.Others++
		}
	}
	slices.SortStableFunc(g.Rows, func(a, b results.HeatRow) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Key, b.Key))
	})
}

// dropIdle removes the rows without throttling that served less than a thousandth of the hottest, such as that of the
// entity with which a run marks its table. It returns the number of those that served anything.
func (g *grid) dropIdle() (idle int) {
	const fraction = 1000
	least := int64(0)
	for i := range g.Rows {
		least = max(least, weight(g.Rows[i].Sum())/fraction)
	}
	g.Rows = slices.DeleteFunc(slices.Clone(g.Rows), func(r results.HeatRow) bool {
		sum := r.Sum()
		drop := sum.Throttled == 0 && (weight(sum) == 0 || weight(sum) < least)
		if drop && weight(sum) > 0 {
			idle++
		}
		return drop
	})
	return idle
}

// hasSeveral reports whether the load went to several partitions: more than a thousandth of it to others than the
// hottest, or to none that has a row.
func (g *grid) hasSeveral() bool {
	const fraction = 1000
	if len(g.Rows) == 0 {
		return g.count > 0 && g.MaxMissed > 0
	}
	others := weight(g.Nowhere.Sum())
	if g.Others != 0 {
		others += weight(g.Rest.Sum())
	}
	return len(g.Rows) > 1 || others > weight(g.Rows[0].Sum())/fraction
}

// weight is the load by which rows are compared if not all can be shown or named.
func weight(sum results.HeatSum) int64 { return sum.Served + sum.Throttled + sum.Failed }

// Totals returns the sums of all cells.
func (g *grid) Totals() results.HeatSum {
	var all results.HeatRow
	for _, row := range append(slices.Clone(g.Rows), g.Rest, g.Nowhere) {
		all.Add(&row.HeatCells, 1, g.count)
	}
	return all.Sum()
}

// perSecond returns a cell as a rate.
func (g *grid) perSecond(cell int64) float64 { return max(0, float64(cell)/float64(g.Length)) }

// hottest returns the index of the row with the highest sum, the first of equals, −1 if there is none.
func hottest(rows []results.HeatRow) int {
	at := -1
	for i := range rows {
		if at < 0 || weight(rows[i].Sum()) > weight(rows[at].Sum()) {
			at = i
		}
	}
	return at
}

// maxServed returns the highest rate that a row served.
func (g *grid) maxServed(rows ...results.HeatRow) (highest float64) {
	for i := range rows {
		for _, cell := range rows[i].Served {
			highest = max(highest, g.perSecond(cell))
		}
	}
	return highest
}

// throttledShare returns the share of the demand in a cell that was throttled, and how much: of entities if the record
// has them, otherwise of attempts.
func throttledShare(r *results.HeatRow, column int) (share float64, missed int64) {
	demanded, served, throttled := r.Demanded[column], max(r.Served[column], 0), max(r.Throttled[column], 0)
	switch {
	case throttled == 0:
		return 0, 0
	case demanded > served:
		return float64(demanded-served) / float64(demanded), demanded - served
	default:
		return float64(throttled) / float64(throttled+served), throttled
	}
}
