package chart

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/plot"

	"loadgen/report/document"
	"loadgen/results"
)

// ResponseGrid is what a heat map of response times is drawn from: how many successful
// operations ended in a stretch of time with a response time of a bucket.
type ResponseGrid struct {
	// From is the first second, SecondsPerColumn how much time each of the Columns spans.
	From, SecondsPerColumn int64
	Columns                int
	// Counts has a line for each bucket from Lowest on, see results.BucketFrom, with an
	// entry for each column. There is at least one in the first line and in the last.
	Lowest int
	Counts [][]int64
}

// mostMoments is how many columns a heat map of response times has at most.
const mostMoments = 240

// ResponseHeat returns the response times of the successful operations that ended in the
// seconds of reported phases. Its counts sum to those operations, exactly. It is empty
// where there were none.
func ResponseHeat(record *results.Record) ResponseGrid {
	seconds := reportedSeconds(record)
	var g ResponseGrid
	lowest, highest := results.Buckets, -1
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for _, second := range seconds {
		first, last = min(first, second.Second), max(last, second.End()-1)
		for bucket, count := range second.ResponseBuckets {
			if count != 0 {
				lowest, highest = min(lowest, bucket), max(highest, bucket)
			}
		}
	}
	if highest < 0 {
		return g
	}
	// Of seconds that lie further apart than a run lasts, all fall into the first column.
	const longest = math.MaxInt64 / 4
	span := int64(1)
	if first > -longest && last < longest {
		span = last - first + 1
	}
	g.From, g.Lowest = first, lowest
	g.SecondsPerColumn = (span + mostMoments - 1) / mostMoments
	g.Columns = int((span + g.SecondsPerColumn - 1) / g.SecondsPerColumn)
	g.Counts = make([][]int64, highest-lowest+1)
	for i := range g.Counts {
		g.Counts[i] = make([]int64, g.Columns)
	}
	for _, second := range seconds {
		column := 0
		if span > 1 {
			column = int((second.Second - first) / g.SecondsPerColumn)
		}
		for i := range g.Counts {
			g.Counts[i][column] += second.ResponseBuckets[lowest+i]
		}
	}
	return g
}

// most returns the greatest count of a cell.
func (g *ResponseGrid) most() float64 {
	return float64(slices.Max(slices.Concat(g.Counts...)))
}

// responseFigure draws how many operations took how long, over time.
func responseFigure(record *results.Record, o *Options) *figure {
	g := ResponseHeat(record)
	f := onePanel(record, "Response times", "no data: no operation succeeded in a second of a reported phase")
	if g.Columns == 0 {
		return f
	}
	p := &f.panels[0]
	p.heading = document.Counted(int(sum(g.Counts...)), "operation") + " that succeeded"
	p.says = "the operations that ended in a second of a reported phase, each cell " + document.Counted(int(g.SecondsPerColumn), "second") + ", and by how long they took, back-off included"
	scale := responseShades.upTo(g.most())
	p.bar = &colourBar{scale: scale, from: "1", to: document.Figures(g.most()) + " in a cell, logarithmic"}
	from, to := float64(g.From), float64(g.From)+float64(g.Columns)*float64(g.SecondsPerColumn)
	x := linearAxis(from, to)
	x.Tick.Marker = plot.TickerFunc(clockTicks)
	// Above the data there is a lane for words.
	const lane = .17
	low := math.Max(.5, float64(results.BucketFrom(g.Lowest)))
	// The last bucket that there is has no end and is drawn as high as others.
	high := float64(results.BucketFrom(results.Buckets-1)) * 4 / 3
	if next := g.Lowest + len(g.Counts); next < results.Buckets {
		high = float64(results.BucketFrom(next))
	}
	y := linearAxis(0, max(high, 1)*(1+lane))
	if o.Axis == Linear {
		y.Tick.Marker = relabelled(y.Tick.Marker, document.RoundTime)
	} else {
		above := max(high, low*2)
		y = plot.Axis{Min: low, Max: above * math.Pow(above/low, lane), Scale: logarithmic{}}
		y.Tick.Marker = plot.TickerFunc(timeTicks)
	}
	y.Label.Text = "response time"
	p.plot = newPlot(x, y)
	// The lines of the picture are even on the axis, which buckets are not.
	const lines = 400
	top := min(high, y.Max)
	reach := y.Scale.Normalize(y.Min, y.Max, top)
	cells := newRaster(g.Columns, lines, scale)
	for at := range lines {
		height := (1 - (float64(at)+.5)/lines) * reach
		bucket := sort.Search(results.Buckets-1, func(i int) bool {
			return y.Scale.Normalize(y.Min, y.Max, float64(results.BucketFrom(i+1))) > height
		}) - g.Lowest
		if bucket < 0 || bucket >= len(g.Counts) {
			continue
		}
		for column, count := range g.Counts[bucket] {
			cells.Pix[at*cells.Stride+column] = uint8(scale.step(float64(count)))
		}
	}
	p.plot.Add(raster{from, y.Min, to, top, cells})
	p.below = "time since the start of the run"
	p.addSteps(record, from, to)
	p.addTurns(record, from, to)
	return f
}
