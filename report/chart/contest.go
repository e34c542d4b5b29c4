package chart

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"loadgen/report/document"
	"loadgen/results"
)

// HeatArm is one design of a contest, with the record of a run.
type HeatArm struct {
	// Name is the design's, Keys what its keys are made of, and Says what it came to, in
	// one line each.
	Name, Keys, Says string
	Record           *results.Record
}

// MostArms is how many designs are drawn below one another.
const MostArms = 8

// mostContestRows is how many partitions of a design are drawn: where there are more, none
// of them is what the picture is about.
const mostContestRows = 48

// DrawContest writes heat.png and heat.svg, the heat maps of all designs below one another
// with one scale of colours and one axis of time, and for each design one of its own,
// heat-NAME.png and heat-NAME.svg. What was throttled is seen in the rows themselves: it
// fills each cell from below by its share. It returns the names of the files; its error
// wraps results.ErrWrite.
//
// Designs beyond the eighth have only files of their own.
func DrawContest(folder results.Folder, arms []HeatArm) ([]string, error) {
	list := []drawing{{"heat", contestFigure(arms)}}
	taken := make(map[string]bool)
	for i := range arms {
		name := "heat-" + fileName(arms[i].Name)
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("heat-%s-%d", fileName(arms[i].Name), n)
		}
		taken[name] = true
		list = append(list, drawing{name, contestFigure(arms[i : i+1])})
	}
	return save(folder, list, "")
}

// InlineContest returns the heat maps of all designs as [Inline] does a chart of a run,
// for the room beside an answer. Its title is [ContestTitle]. Its error is that of drawing.
func InlineContest(arms []HeatArm) (template.HTML, error) {
	const besideNames vg.Length = 520
	f := contestFigure(arms)
	f.width = besideNames
	return encodeInline(f)
}

// fileName makes a design's name fit to be that of a file anywhere.
func fileName(name string) string {
	const longest = 40
	kept := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		default:
			return '-'
		}
	}, clean(name, longest-1))
	if kept == "" {
		return "design"
	}
	return kept
}

// contestFigure draws designs below one another.
func contestFigure(arms []HeatArm) *figure {
	f := &figure{title: ContestTitle(arms),
		panels: []panel{{heading: "Designs", share: 1, sentence: "no data: no design was run"}}}
	if len(arms) == 0 {
		return f
	}
	f.subtitle = "one row a partition, in the order of keys"
	if scenario := clean(arms[0].Record.Manifest.Scenario.Name, longestName); scenario != "" {
		f.subtitle = "scenario " + scenario + "  ·  " + f.subtitle
	}
	if len(arms) > MostArms {
		f.subtitle += fmt.Sprintf("  ·  the first %d of %d designs", MostArms, len(arms))
		arms = arms[:MostArms]
	}
	grids := make([]Grid, len(arms))
	var all []*Grid
	longest, idle := 0., 0
	for i := range arms {
		g, next := reportedGrid(arms[i].Record)
		idle += next
		// The rows with the least are added to Rest.
		slices.SortStableFunc(g.Rows, func(a, b GridRow) int { return cmp.Compare(b.weight(), a.weight()) })
		for len(g.Rows) > mostContestRows {
			last := len(g.Rows) - 1
			g.Rest.fold(&g.Rows[last].HeatCells, 1)
			g.Rows = g.Rows[:last]
			if g.Others >= 0 {
				g.Others++
			}
		}
		g.inOrder()
		grids[i] = g
		all = append(all, &grids[i])
		longest = max(longest, g.end()-g.begin())
	}
	if idle > 0 {
		f.subtitle += "  ·  without " + document.Counted(idle, "partition that was", "partitions that were") + " next to idle"
	}
	scale, bar := servedScale(arms[0].Record, all...)
	bar.scale, bar.from = scale, "entities served per second: 0"
	f.key = &panel{bar: bar, legend: []entry{{"throttled, by its share; fainter: few", swatch(throttledInk)}}}
	f.panels = nil
	f.height = headRoom + headingRow
	for i := range arms {
		p := contestPanel(&arms[i], &grids[i], scale, longest, len(arms))
		if i == len(arms)-1 {
			p.below, p.share = "time since the measured load began", p.share+30
			if p.plot != nil {
				begin := grids[i].begin()
				p.plot.X.Tick.Marker = clockAxis(begin, begin+longest, begin).Tick.Marker
			}
		}
		f.panels = append(f.panels, p)
		f.height += p.share + panelGap
	}
	return f
}

func contestPanel(arm *HeatArm, g *Grid, scale shades, longest float64, arms int) panel {
	p := panel{
		heading: clean(arm.Name, longestName), aside: clean(arm.Keys, 2*longestKey), says: clean(arm.Says, 3*longestKey),
		share: 80, sentence: "no data: the record does not tell partitions apart over time",
	}
	if p.says == "" {
		p.says = "–"
	}
	served, throttled, failed := g.Totals()
	if g.Columns == 0 || served+throttled+failed == 0 {
		return p
	}
	room := 300 / float64(max(arms, 2))
	begin, end := g.begin(), g.begin()+longest
	asked := func(r *GridRow) []int64 {
		sums := slices.Clone(r.Served)
		for i := range sums {
			sums[i] += r.Throttled[i]
		}
		return sums
	}
	b := newBands(g, room, laneOf(arm.Record, begin, end, false), asked)
	p.share = b.panelHeight(headingRow + saysRow + 10)
	p.plot = newPlot(unlabelled(clockAxis(begin, end, begin)), b.axis())
	// The ground lies below all rows, to the end of the axis.
	p.plot.Add(raster{begin, b.bottom, end, max(b.rows, asideBand), newRaster(1, 1)})
	// What was served are pictures in which what was throttled fills each cell from below, by its
	// share of what was asked for, the paler the less it was.
	const finest, coarsest, lines = 24, 4, 400
	fine := min(finest, max(coarsest, lines/max(len(g.Rows), 1)))
	refusals := shades{least: 0xFFE6D6, full: throttledInk, beyond: throttledInk, anchor: scale.anchor / 4}
	if len(g.Rows) > 0 && g.Columns > 0 {
		cells := newRaster(g.Columns, len(g.Rows)*fine, scale, refusals)
		for i := range g.Rows {
			b.stack(cells, i*fine, fine, &g.Rows[i], 1, scale, refusals)
		}
		p.plot.Add(raster{begin, b.bottom, g.end(), b.rows, cells}, b.rules())
	}
	for i := range b.asides {
		a := &b.asides[i]
		own := a.scale(g, layerServed, scale)
		cells := newRaster(g.Columns, finest, own, refusals)
		b.stack(cells, 0, finest, a.row, float64(max(a.share, 1)), own, refusals)
		p.plot.Add(raster{begin, a.bottom, g.end(), a.bottom + asideBand, cells})
	}
	p.addTurnsFrom(arm.Record, begin, end, 0, 3)
	return p
}
