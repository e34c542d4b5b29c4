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
)

// bands are where the rows of a grid lie, from the top: room for words on the axis of
// time, a band for each partition, and apart from them what is not of one partition.
// The vertical axis counts points of a page.
type bands struct {
	grid *Grid
	// height is that of a row.
	height float64
	asides []aside
	// bottom and rows bound the partitions, top is that of all.
	bottom, rows, top float64
}

// aside is a row that is not of one partition.
type aside struct {
	row    *GridRow
	bottom float64
	// share is how many partitions the row is of, so that it can be shown as the mean of
	// each; 0 where it is only shown that, and when, there was something.
	share int64
	label string
}

// The measures of bands, in points.
const (
	tallestBand = 30.
	lowestBand  = 2.
	asideBand   = 11.
	asideGap    = 4.
	// laneRow is a line of words above the rows.
	laneRow = 12.
	laneGap = 3.
)

// newBands lays out a grid so that its partitions take about so much room, below a lane
// of so many lines of words. What is not of one partition has a row only where that layer
// has something there.
func newBands(g *Grid, room float64, lane int, layer func(*GridRow) []int64) *bands {
	b := &bands{grid: g, height: min(tallestBand, max(lowestBand, room/float64(max(len(g.Rows), 1))))}
	some := func(row *GridRow) bool { return slices.ContainsFunc(layer(row), func(n int64) bool { return n > 0 }) }
	at := 0.
	if some(&g.Nowhere) {
		b.asides = append(b.asides, aside{&g.Nowhere, at, 0, "no single partition"})
		at += asideBand + asideGap
	}
	if some(&g.Rest) {
		rest := aside{row: &g.Rest, bottom: at, share: max(g.Others, 0)}
		others := document.Figures(float64(g.Others))
		switch {
		case g.Others > 0 && len(g.Rows) == 0:
			rest.label = others + " partitions, mean of each"
		case len(g.Rows) == 0:
			rest.label = "all partitions together"
		case g.Others > 0:
			rest.label = others + " others, mean of each"
		case g.Others == 0:
			rest.label = "before told apart"
		default:
			rest.label = "all others, not counted"
		}
		b.asides = append(b.asides, rest)
		at += asideBand + asideGap
	}
	b.bottom = at
	b.rows = at + b.height*float64(len(g.Rows))
	b.top = max(b.rows, asideBand)
	if lane > 0 {
		b.top += laneRow*float64(lane) + laneGap
	}
	return b
}

// axis returns the vertical axis: the names of as many rows as there is room for, the
// hottest among them.
func (b *bands) axis() plot.Axis {
	axis := plot.Axis{Min: 0, Max: b.top, Scale: linear{}}
	axis.Tick.Marker = plot.TickerFunc(func(float64, float64) []plot.Tick {
		var ticks []plot.Tick
		for i := range b.asides {
			ticks = append(ticks, plot.Tick{Value: b.asides[i].bottom + asideBand/2, Label: b.asides[i].label})
		}
		hottest := b.grid.hottest()
		if hottest < 0 {
			return ticks
		}
		names := rowNames(b.grid.Rows)
		// Others are named as far from the hottest as a name is high.
		step := max(1, int(math.Ceil(labelHeight/b.height)))
		for i := hottest % step; i < len(names); i += step {
			ticks = append(ticks, plot.Tick{Value: b.rows - b.height*(float64(i)+.5), Label: names[i]})
		}
		return ticks
	})
	return axis
}

// labelHeight is the room of a label, from its line to that of the next, in points.
const labelHeight = 10.5

// longestRow is how many characters the name of a row has.
const longestRow = 36

// rowNames are the keys and, where it is not the test table, the tables of rows. Where one
// is too long, what all begin with and all end with is left out: names are there to differ.
func rowNames(rows []GridRow) []string {
	var names []string
	long := false
	for i := range rows {
		name := cmp.Or(rows[i].Key, "(empty)")
		if rows[i].Table != "" {
			name += " (table " + rows[i].Table + ")"
		}
		long = long || utf8.RuneCountInString(name) > longestRow
		names = append(names, name)
	}
	if long && len(names) > 1 {
		names = differing(names)
	}
	for i, name := range names {
		// A name is shortened in its middle, since keys often differ at their ends.
		if runes := []rune(name); len(runes) > longestRow {
			const head = longestRow / 2
			name = string(runes[:head]) + "…" + string(runes[len(runes)-(longestRow-head-1):])
		}
		names[i] = clean(name, longestRow)
	}
	return names
}

// differing returns names with three characters at most of what they have in common at
// either end.
func differing(names []string) []string {
	const kept = 3
	first := []rune(names[0])
	head, tail := len(first), len(first)
	for _, name := range names[1:] {
		runes := []rune(name)
		head, tail = min(head, len(runes)), min(tail, len(runes))
		for i := range head {
			if runes[i] != first[i] {
				head = i
				break
			}
		}
		for i := range tail {
			if runes[len(runes)-1-i] != first[len(first)-1-i] {
				tail = i
				break
			}
		}
	}
	short := make([]string, len(names))
	for i, name := range names {
		runes := []rune(name)
		from, to := max(0, head-kept), min(len(runes), len(runes)-tail+kept)
		if from < kept {
			from = 0
		}
		if len(runes)-to < kept {
			to = len(runes)
		}
		short[i] = string(runes[from:max(from, to)])
		if from > 0 {
			short[i] = "…" + short[i]
		}
		if to < len(runes) {
			short[i] += "…"
		}
	}
	return short
}

// stack paints a row of so many partitions into lines of a picture: what was throttled from
// below, and above it what was served.
func (b *bands) stack(cells *image.Paletted, top, lines int, row *GridRow, partitions float64, scale, refusals shades) {
	for column := range row.Served {
		served := uint8(scale.step(b.grid.perSecond(row.Served[column]) / partitions))
		filled, throttled := 0, uint8(0)
		// The share of the demand that was throttled is one of entities where the record has
		// them, else of attempts.
		lost := 0.
		switch demanded, got, refused := float64(row.Demanded[column]), float64(row.Served[column]), float64(row.Throttled[column]); {
		case !(refused > 0):
		case demanded > got:
			lost = clampToUnit((demanded - got) / demanded)
		default:
			lost = clampToUnit(refused / (refused + max(got, 0)))
		}
		if lost > 0 {
			// What was throttled at all is seen.
			filled = max(1, int(lost*float64(lines)+.5))
			missed := row.Demanded[column] - row.Served[column]
			if missed <= 0 {
				// Without the entities there are the attempts.
				missed = max(row.Throttled[column], 0)
			}
			throttled = uint8(steps + refusals.step(b.grid.perSecond(missed)/partitions))
		}
		for line := range lines {
			at := (top+line)*cells.Stride + column
			cells.Pix[at] = served
			if line >= lines-filled {
				cells.Pix[at] = throttled
			}
		}
	}
}

// scale returns the scale of a row that stands apart: that of the partitions, or one of
// its own where it cannot be held against them.
func (a *aside) scale(g *Grid, of func(*GridRow) []int64, partitions shades) shades {
	if a.share > 0 {
		return partitions
	}
	most := 0.
	for _, n := range of(a.row) {
		most = max(most, g.perSecond(n))
	}
	return asideShades.upTo(most)
}

// rules part the rows that are tall enough to be parted.
func (b *bands) rules() ruled {
	lines := ruled{left: b.grid.begin(), right: b.grid.end()}
	const tall = 7
	if b.height >= tall {
		for i := 1; i < len(b.grid.Rows); i++ {
			lines.at = append(lines.at, b.rows-b.height*float64(i))
		}
	}
	return lines
}

// laneOf returns how many lines of words a record has for an axis of time: one for the
// steps of the load where they are named, and up to three for what load balancing did.
func laneOf(record *results.Record, begin, end float64, named bool) int {
	lines := 0
	if named && slices.ContainsFunc(record.Phases, func(p results.Phase) bool { return p.Reported }) {
		lines = 1
	}
	turns := turnsOn(record, begin, end)
	if len(turns) == 0 {
		return lines
	}
	return lines + 1 + slices.Max(turnRows(turns, end-begin, 3))
}

func (b *bands) panelHeight(words vg.Length) vg.Length { return vg.Length(b.top) + words }
