package chart

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"loadgen/report/document"
	"loadgen/results"
)

// maxBars is the maximum number of bars of a histogram.
const maxBars = 120

// durationBars returns at most maxBars bars of microseconds that grow by an even factor, without the empty ones, each
// with a part for each histogram. A bound is as precise as the histograms of a record: three figures.
func durationBars(histograms ...[]results.Bar) []bar {
	all := slices.Concat(histograms...)
	if len(all) == 0 {
		return nil
	}
	bounds := newClasses(extent(all))
	list := make([]bar, len(bounds)-1)
	for i := range list {
		list[i] = bar{float64(bounds[i]), float64(bounds[i+1]), make([]float64, len(histograms))}
	}
	for part, buckets := range histograms {
		for _, b := range buckets {
			// A bucket that exceeds its class, which it does by at most a thousandth, counts where it begins.
			above, _ := slices.BinarySearch(bounds, b.From+1)
			list[min(max(above-1, 0), len(list)-1)].parts[part] += float64(b.Count)
		}
	}
	return slices.DeleteFunc(list, func(b bar) bool { return b.height() == 0 })
}

// newClasses returns the bounds of at most maxBars classes that contain every duration between two, both within the
// hour that a histogram of a record spans. A decade has 10, 20, 50 or 100 classes: as many as the maximum allows, and
// more than 20 only if whole microseconds are fine enough for classes of even width.
func newClasses(from, to int64) (bounds []int64) {
	const evenWidth = 8                                    // µs: rounding moves a bound by at most a sixteenth
	for _, perDecade := range []float64{100, 50, 20, 10} { // of 10 an hour takes 97
		narrowest := float64(from) * (math.Pow(10, 1/perDecade) - 1)
		bounds = decadeClasses(from, to, perDecade)
		if len(bounds)-1 <= maxBars && (perDecade <= 20 || narrowest >= evenWidth) {
			break
		}
	}
	return bounds
}

// decadeClasses returns rising bounds: the last one up to from, or 0, which has no logarithm, and those up to the first
// one above to. Among the first microseconds, two bounds may round to the same number.
func decadeClasses(from, to int64, perDecade float64) []int64 {
	list := []int64{0}
	for i := math.Floor(math.Log10(float64(max(from, 1)))*perDecade) - 1; list[len(list)-1] <= to; i++ {
		switch bound := int64(math.Round(math.Pow(10, i/perDecade))); {
		case bound <= from:
			list[0] = bound
		case bound > list[len(list)-1]:
			list = append(list, bound)
		}
	}
	return list
}

// extent returns the shortest and the longest duration of buckets.
func extent(buckets []results.Bar) (from, to int64) {
	from = math.MaxInt64
	for _, b := range buckets {
		from, to = min(from, b.From), max(to, b.To)
	}
	return from, to
}

// drawDurations draws bars over an axis of time, whose parts have the names and sums of the legend, if they have names.
func (p *panel) drawDurations(drawn bars, time plot.Axis, label string, names ...string) {
	p.plot = newPlot(time, countAxis(drawn.highest(), 1.06), label)
	for part := range names {
		names[part] += ": " + document.Figures(drawn.sum(part))
	}
	p.addBars(drawn, names...)
}

// percentileCurve returns the microseconds x that the share p of durations took at most, as y = 1/(1−p): 2 for p50, 10
// for p90. The points are evenly spaced on a logarithmic scale of y, up to the last one with ten durations above it.
// There are none if the histogram has fewer than ten durations.
func percentileCurve(h *results.Histogram) (curve []point) {
	const perDecade, maxDecades = 20, 17 // above 17, 1−p is 0 in a float64
	odds := []float64{2, max(1, float64(h.Count())/10)}
	for i := range perDecade * maxDecades {
		odds = append(odds, math.Pow(10, float64(i)/perDecade))
	}
	slices.Sort(odds)
	for _, y := range slices.Compact(odds) {
		micros, known := h.Quantile(1 - 1/y)
		if !known {
			break
		}
		curve = append(curve, point{float64(micros), y})
	}
	return curve
}

// latencyBars returns the response times of the successful operations of the reported phases, from their intended
// instant to the end of their last attempt, as bars with three counts: of GET, of PUT and of other operations. Their
// counts sum to the operations that succeeded.
func latencyBars(record *results.Record) []bar {
	var histograms [][]results.Bar
	for _, group := range []int{0, 1, -1} {
		histograms = append(histograms, record.Total(func(p *results.Phase, kind results.Kind) bool {
			return p.Reported && slices.Index([]string{"GET", "PUT"}, kind.Group) == group
		}).Response.Bars())
	}
	return durationBars(histograms...)
}

// kindSum is the sum of the reported phases for a kind of operation.
type kindSum struct {
	Name string
	results.KindStats
}

// reportedKinds returns the sums of the kinds that have operations in reported phases.
func reportedKinds(record *results.Record) (sums []kindSum) {
	for _, kind := range record.Manifest.Operations {
		sum := record.Total(func(p *results.Phase, other results.Kind) bool { return p.Reported && other.Name == kind.Name })
		if sum.Operations > 0 {
			sums = append(sums, kindSum{kind.Name, sum})
		}
	}
	return sums
}

// latencyFigure draws the histogram above the percentiles, on one axis of time.
func latencyFigure(record *results.Record, _ Axis) *Figure {
	total := record.Total(results.Reported)
	list := latencyBars(record)
	service := total.Service[results.Ok]
	response := percentileCurve(total.Response)
	if len(list) == 0 {
		return nil
	}
	histogram, percentiles := panel{heading: "Histogram", share: 11}, noData("Percentiles", "percentiles need at least ten successful operations")
	low, high := extent(slices.Concat(total.Response.Bars(), service.Bars()))
	time := timeAxis(min(list[0].from, float64(low)), max(list[len(list)-1].to, float64(high)))
	// The percentiles of the slowest operations need room on the right.
	time.Max *= math.Pow(time.Max/time.Min, 0.06)
	histogram.drawDurations(bars{[]ink{getInk, putInk, otherInk}, list}, time, "operations per bar", "GET", "PUT", "other")
	if len(response) > 0 {
		percentiles.share = 10
		percentiles.drawPercentiles(time, response, percentileCurve(service), total.Response)
	}
	f := newFigure(histogram, percentiles)
	f.labelLast("response time since due, service time since sent", 0)
	return f
}

// drawPercentiles draws the percentiles of the response time of operations and of the service time of attempts.
func (p *panel) drawPercentiles(time plot.Axis, response, service []point, responses *results.Histogram) {
	longest := document.Micros(responses.Max())
	if responses.Overlong() > 0 {
		longest += " or more"
	}
	slow := series{LineStyle: stroke(2.2, textInk), points: response}
	quick := series{LineStyle: stroke(1.6, fadedInk, 2, 2), points: service}
	_, high := bounds(response, service)
	p.plot = newPlot(time, percentileAxis(high.y), "percentile")
	p.legend = []entry{{"response time with waits before retries (max " + longest + ")", slow}}
	if len(service) > 0 {
		p.legend = append(p.legend, entry{serviceTime, quick})
	}
	p.plot.Add(quick, slow)
	p.addPercentileDots(service, fadedInk, draw.XRight)
	p.addPercentileDots(response, textInk, draw.XLeft)
}

// serviceTime is the legend of the percentiles of attempts.
const serviceTime = "service time of one attempt"

// addPercentileDots puts dots onto the named percentiles of a curve and writes their values below right or above left,
// where a rising curve does not pass.
func (p *panel) addPercentileDots(curve []point, colour ink, side draw.XAlignment) {
	const distance = 6
	off := vg.Point{X: distance, Y: -distance}
	if side == draw.XRight {
		off = vg.Point{X: -distance, Y: distance}
	}
	style := align(write(tickSize, colour), side, draw.YCenter)
	named := series{LineStyle: stroke(0, colour), radius: 2.8}
	for _, at := range curve {
		if slices.Contains([]float64{2, 10, 100, 1e3, 1e4, 1e5, 1e6}, at.y) {
			named.points = append(named.points, at)
			p.notes = append(p.notes, note{style, at, off, document.Micros(int64(at.x))})
		}
	}
	p.plot.Add(named)
}

// waitsFigure draws the waits before retries, and names the attempts per operation.
func waitsFigure(record *results.Record, _ Axis) *Figure {
	waits := durationBars(record.RetryWaits.Bars())
	if len(waits) == 0 {
		return nil
	}
	p := panel{heading: "Waits before retries", share: 1, below: "wait before a retry", says: joinPhrases("waits", "", evidence{record})}
	if policy := clean(record.Manifest.Retry, maxName); policy != "" {
		p.heading = "Policy " + policy
	}
	p.drawDurations(bars{[]ink{throttledInk}, waits}, timeAxis(waits[0].from, waits[len(waits)-1].to), "waits")
	return newFigure(p)
}

// operationCurve has the percentiles of a kind of operation, see [percentileCurve].
type operationCurve struct {
	kindSum
	// response is of operations that succeeded, service of single attempts that were ok. Either has no percentiles if it
	// has fewer than ten durations.
	response, service []point
}

// maxCurves is the maximum number of operations that are drawn.
const maxCurves = 6

// operationCurves returns the curves of the kinds of operation with at least ten successes in reported phases,
// those with the most successes first, and of equals in the order of the manifest.
func operationCurves(record *results.Record) []operationCurve {
	var curves []operationCurve
	for _, sum := range reportedKinds(record) {
		if curve := percentileCurve(sum.Response); len(curve) > 0 {
			curves = append(curves, operationCurve{sum, curve, percentileCurve(sum.Service[results.Ok])})
		}
	}
	slices.SortStableFunc(curves, func(a, b operationCurve) int { return cmp.Compare(b.Response.Count(), a.Response.Count()) })
	return curves
}

// percentilesFigure draws a curve of the response time and one of the service time for each operation.
func percentilesFigure(record *results.Record, axis Axis) *Figure {
	curves := operationCurves(record)
	if len(curves) == 0 {
		return nil
	}
	p := panel{share: 1, below: "percentile of the operations, %", says: joinPhrases("percentiles", "; ", struct{ All, Drawn int }{len(curves), maxCurves}),
		legend: []entry{
			{"response time with waits before retries", series{LineStyle: stroke(2, textInk)}},
			{serviceTime, series{LineStyle: stroke(1.4, fadedInk, 2, 2)}},
		}}
	curves = curves[:min(len(curves), maxCurves)]
	var all [][]point
	for _, curve := range curves {
		for _, points := range [][]point{curve.response, curve.service} {
			for i, at := range points {
				points[i] = point{at.y, at.x}
			}
			all = append(all, points)
		}
	}
	low, high := bounds(all...)
	y := timeAxis(low.y, high.y)
	if axis == Linear {
		y = relabelled(linearAxis(0, high.y*1.05), document.RoundTime)
	}
	p.plot = newPlot(percentileAxis(high.x), y, "time")
	for i := range curves {
		c := &curves[i]
		colour := []ink{servedInk, lostInk, putInk, nightInk, getInk, failedInk}[i]
		p.plot.Add(series{LineStyle: stroke(1.4, colour, 2, 2), points: c.service}, series{LineStyle: stroke(2, colour), points: c.response})
		last := c.response[len(c.response)-1:]
		words := clean(c.Name, maxName) + ": " + document.Micros(int64(last[0].y)) + " at " + percentileName(last[0].x)
		end := series{LineStyle: stroke(0, colour), points: last, radius: 2.8}
		p.plot.Add(end)
		p.legend = append(p.legend, entry{words, end})
	}
	return newFigure(p)
}

// percentileName returns the name of the percentile at 1/(1−p), rounded down.
func percentileName(odds float64) string {
	decimals := max(0, math.Ceil(math.Log10(odds)-1e-9)-1)
	unit := math.Pow10(int(decimals))
	return "p" + document.Decimals(math.Floor(100*(1-1/odds)*unit+1e-6)/unit, int(decimals))
}
