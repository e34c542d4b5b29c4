package chart

import (
	"math"

	"gonum.org/v1/plot/vg"

	"loadgen/report/document"
	"loadgen/results"
)

// heatFigure draws what each partition served above what it throttled, over time.
func heatFigure(record *results.Record, o *Options) *figure {
	g, _ := reportedGrid(record)
	f := onePanel(record, "Where the load went", "no data: the record does not tell partitions apart over time")
	successes, refusals, failed := g.Totals()
	if g.Columns == 0 || successes+refusals+failed == 0 {
		return f
	}
	const room, words, bottom = 165, 28, 30
	b := newBands(&g, room, laneOf(record, g.begin(), g.end(), true), layerServed)
	scale, bar := servedScale(record, &g)
	served := &f.panels[0]
	served.heading = "Served, entities per second"
	served.drawLayer(b, layerServed, scale, bar, o)
	served.addSteps(record, g.begin(), g.end())
	served.addTurns(record, g.begin(), g.end())
	// What the picture leaves open.
	served.says = "each row is a partition, in the order of keys, each cell " + document.Counted(int(g.SecondsPerColumn), "second")
	if len(g.Rows) == 0 {
		served.says = "no partition stands out of so many, each cell " + document.Counted(int(g.SecondsPerColumn), "second")
	} else if g.MostMissed > 0 {
		served.says += "; a row may lack up to " + document.Figures(float64(g.MostMissed)) + " entities, which are among the others"
	}
	if failed > 0 {
		served.says += "; " + document.Counted(int(failed), "attempt") + " that failed not drawn"
	}
	served.share = b.panelHeight(words + saysRow)
	f.height = headRoom + served.share
	if refusals > 0 {
		below := newBands(&g, room, 0, layerThrottled)
		most := roundUp(g.greatest(layerThrottled))
		p := panel{heading: "Throttled, attempts per second", share: below.panelHeight(words)}
		p.drawLayer(below, layerThrottled, throttledShades.upTo(most), &colourBar{from: "0", to: document.Figures(most) + "/s"}, o)
		p.addTurnLines(record, g.begin(), g.end())
		f.panels = append(f.panels, p)
		f.height += p.share + panelGap
	} else {
		served.legend = append([]entry{{"nothing was throttled", nothing{}}}, served.legend...)
	}
	last := &f.panels[len(f.panels)-1]
	last.below = "time since the start of the run"
	last.plot.X.Tick.Marker = clockAxis(g.begin(), g.end(), 0).Tick.Marker
	last.share += bottom
	f.height = max(f.height+bottom, height*2/3)
	return f
}

// headRoom is what title, subtitle and margins of a figure take, in points.
const headRoom vg.Length = 66

// nothing is the sample of a legend that explains no mark.
type nothing struct{}

// drawLayer draws one number of all cells as pictures, the rows and what stands apart, and the
// bar that explains its scale. Where all there is of a grid is the sum of partitions that nobody
// counted, that has a scale of its own.
func (p *panel) drawLayer(b *bands, layer func(*GridRow) []int64, scale shades, bar *colourBar, o *Options) {
	g := b.grid
	scale.log = o.Axis == Logarithmic
	bar.scale = scale
	if len(g.Rows) == 0 && g.Others < 0 {
		most := 0.
		for _, n := range layer(&g.Rest) {
			most = max(most, g.perSecond(n))
		}
		bar = &colourBar{scale: asideShades.upTo(most), from: "0", to: document.Figures(most) + "/s, all together"}
	}
	p.bar = bar
	p.plot = newPlot(unlabelled(clockAxis(g.begin(), g.end(), 0)), b.axis())
	if len(g.Rows) > 0 && g.Columns > 0 {
		cells := newRaster(g.Columns, len(g.Rows), scale)
		for i := range g.Rows {
			for column, n := range layer(&g.Rows[i]) {
				cells.Pix[i*cells.Stride+column] = uint8(scale.step(g.perSecond(n)))
			}
		}
		p.plot.Add(raster{g.begin(), b.bottom, g.end(), b.rows, cells}, b.rules())
	}
	for i := range b.asides {
		a := &b.asides[i]
		own := a.scale(g, layer, scale)
		cells := newRaster(g.Columns, 1, own)
		for column, n := range layer(a.row) {
			// Of several partitions the mean of each is shown.
			cells.Pix[column] = uint8(own.step(g.perSecond(n) / float64(max(a.share, 1))))
		}
		p.plot.Add(raster{g.begin(), a.bottom, g.end(), a.bottom + asideBand, cells})
	}
}

// servedScale is the scale of what partitions served: anchored at their target, so that
// a colour means the same in every picture, or at the most that one served where there
// is no target or none comes near it.
func servedScale(record *results.Record, grids ...*Grid) (shades, *colourBar) {
	most := 0.
	for _, g := range grids {
		most = max(most, g.greatest(layerServed))
	}
	const near = 4
	if target := float64(record.Manifest.Targets.Partition); target > 0 && near*most >= target {
		return servedShades.upTo(target), &colourBar{from: "0", to: document.Figures(target) + "/s: partition target; beyond the line: above", open: true}
	}
	return servedShades.upTo(most), &colourBar{from: "0", to: document.Figures(most) + "/s"}
}

// roundUp returns the next number that is easily read.
func roundUp(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	power := math.Pow10(int(math.Floor(math.Log10(v))))
	for _, digit := range []float64{1, 1.5, 2, 2.5, 3, 4, 5, 6, 8} {
		if v <= digit*power {
			return digit * power
		}
	}
	return 10 * power
}

// HeatRows returns how many partitions the chart of heat tells apart.
func HeatRows(record *results.Record) int {
	g, _ := reportedGrid(record)
	return len(g.Rows)
}
