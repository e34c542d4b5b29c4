package chart

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"loadgen/report/document"
	"loadgen/results"
)

// The groups of operations that results.Kind.Group names.
const (
	groupGet = "GET"
	groupPut = "PUT"
)

// LatencyBar is how many successful operations took From to To microseconds,
// both included, from their intended instant to the end of their last attempt.
type LatencyBar struct {
	From, To int64
	// Get and Put are of the kinds of these groups, Other of all the rest.
	Get, Put, Other int64
}

// LatencyBars returns the response times of the successful operations of the
// reported phases in at most 120 bars that grow by an even factor, without the
// empty ones. Their counts sum to the operations that succeeded, exactly; a bound
// is as precise as the record's histograms, three figures.
func LatencyBars(record *results.Record) []LatencyBar {
	get := responses(record, func(group string) bool { return group == groupGet })
	put := responses(record, func(group string) bool { return group == groupPut })
	other := responses(record, func(group string) bool { return group != groupGet && group != groupPut })
	from, to, found := extent(get, put, other)
	if !found {
		return nil
	}
	c := newClasses(from, to)
	gets, puts, others := c.count(get), c.count(put), c.count(other)
	var bars []LatencyBar
	for i := range gets {
		bar := LatencyBar{From: c[i], To: c[i+1] - 1, Get: gets[i], Put: puts[i], Other: others[i]}
		if bar != (LatencyBar{From: bar.From, To: bar.To}) {
			bars = append(bars, bar)
		}
	}
	return bars
}

// responses returns the buckets of the response times of some groups.
func responses(record *results.Record, want func(group string) bool) []results.Bar {
	sum := results.NewHistogram()
	for p := range record.Phases {
		phase := &record.Phases[p]
		for k := range phase.Kinds {
			if phase.Reported && want(record.Manifest.Operations[k].Group) {
				sum.Merge(phase.Kinds[k].Response)
			}
		}
	}
	return sum.Bars()
}

// Percentile says that the share P of the operations or attempts, 0 to below 1,
// took Micros microseconds or less.
type Percentile struct {
	P      float64
	Micros int64
}

// PercentileCurve returns percentiles that lie evenly on a scale of 1/(1−P),
// among them 50, 90, 99 and so on, up to the last beyond which ten durations lie;
// there are none where the histogram holds fewer than ten.
func PercentileCurve(h *results.Histogram) []Percentile {
	const perDecade, mostDecades = 20, 17 // beyond 17 no float64 tells 1−P from 1
	shares := slices.Clone(marked())
	for i := range perDecade * mostDecades {
		shares = append(shares, 1-math.Pow(10, -float64(i)/perDecade))
	}
	if n := float64(h.Count()); n > 0 {
		shares = append(shares, max(0, 1-10/n))
	}
	slices.Sort(shares)
	var curve []Percentile
	for _, p := range slices.Compact(shares) {
		micros, told := h.Quantile(p)
		if !told {
			break
		}
		curve = append(curve, Percentile{p, micros})
	}
	return curve
}

// marked are the percentiles that a curve names.
func marked() []float64 { return []float64{.5, .9, .99, .999, .9999, .99999, .999999} }

// latencyFigure draws the histogram above the percentiles, on one axis of time.
func latencyFigure(record *results.Record, _ *Options) *figure {
	total := record.Total(results.Reported)
	bars := LatencyBars(record)
	service := total.Service[results.Ok]
	response := PercentileCurve(total.Response)
	f := &figure{
		title:    "Response times",
		subtitle: describe(record),
		panels: []panel{
			{heading: "Histogram", share: 11, sentence: "no data: no operation of a reported phase succeeded"},
			{heading: "Percentiles", share: 10, sentence: "no data: percentiles need ten successful operations at least"},
		},
	}
	if len(bars) == 0 {
		return f
	}
	from, to := float64(bars[0].From), float64(bars[len(bars)-1].To+1)
	if least, greatest, found := extent(service.Bars()); found {
		from, to = min(from, float64(least)), max(to, float64(greatest))
	}
	time := timeAxis(from, to)
	// To the right of the slowest operations there is room for their percentiles.
	time.Max *= math.Pow(time.Max/time.Min, 0.06)
	const below = "time, from the intended instant (response) or from the sending of an attempt (service)"
	if len(response) == 0 {
		f.panels[0].drawLatencyBars(bars, time)
		f.panels[0].below = below
		return f
	}
	f.panels[0].drawLatencyBars(bars, unlabelled(time))
	attempts := PercentileCurve(service)
	beyond := 1 / (1 - response[len(response)-1].P)
	if len(attempts) > 0 {
		beyond = max(beyond, 1/(1-attempts[len(attempts)-1].P))
	}
	p := &f.panels[1]
	p.below = below
	p.plot = newPlot(time, percentileAxis("percentile", beyond))
	slow := line{stroke(2.2, textInk), curvePoints(response)}
	quick := line{stroke(1.6, fadedInk, 2, 2), curvePoints(attempts)}
	p.plot.Add(quick, slow)
	longest := document.Micros(total.Response.Max())
	if total.Response.Over() > 0 {
		longest += " or more"
	}
	p.legend = []entry{{"response time, back-off included (longest " + longest + ")", slow}}
	if len(attempts) > 0 {
		p.legend = append(p.legend, entry{"service time of one attempt", quick})
	}
	p.addMarks(attempts, fadedInk, draw.XRight)
	p.addMarks(response, textInk, draw.XLeft)
	return f
}

func (p *panel) drawLatencyBars(bars []LatencyBar, time plot.Axis) {
	drawn := columns{colours: []ink{getInk, putInk, otherInk}}
	var sum LatencyBar
	var highest float64
	for _, b := range bars {
		parts := []float64{float64(b.Get), float64(b.Put), float64(b.Other)}
		drawn.bars = append(drawn.bars, column{float64(b.From), float64(b.To + 1), parts})
		highest = max(highest, parts[0]+parts[1]+parts[2])
		sum.Get, sum.Put, sum.Other = sum.Get+b.Get, sum.Put+b.Put, sum.Other+b.Other
	}
	for _, group := range []struct {
		name   string
		count  int64
		colour ink
	}{{"GET", sum.Get, getInk}, {"PUT", sum.Put, putInk}, {"other", sum.Other, otherInk}} {
		if group.count > 0 {
			p.legend = append(p.legend, entry{group.name + ": " + document.Figures(float64(group.count)), swatch(group.colour)})
		}
	}
	p.plot = newPlot(time, countAxis("operations per bar", highest, 1.06))
	p.plot.Add(drawn)
}

func curvePoints(curve []Percentile) []point {
	points := make([]point, len(curve))
	for i, at := range curve {
		points[i] = point{float64(at.Micros), 1 / (1 - at.P)}
	}
	return points
}

// addMarks puts dots onto the named percentiles of a curve and writes their
// values beside it: below to the right or above to the left, where a curve that
// rises from left to right does not pass.
func (p *panel) addMarks(curve []Percentile, colour ink, side draw.XAlignment) {
	const apart = 6
	off := vg.Point{X: apart, Y: -apart}
	if side == draw.XRight {
		off = vg.Point{X: -apart, Y: apart}
	}
	named := notes{style: write(tickSize, colour)}
	spots := dots{colour: colour, radius: 2.8}
	for _, at := range curve {
		if !slices.Contains(marked(), at.P) {
			continue
		}
		spot := point{float64(at.Micros), 1 / (1 - at.P)}
		spots.points = append(spots.points, spot)
		named.list = append(named.list, note{spot, off, side, draw.YCenter, document.Micros(int64(spot.x))})
	}
	p.plot.Add(spots, named)
}

// mostBars is how many bars of a histogram are drawn at most.
const mostBars = 120

// classes are the lower bounds, in microseconds, of ranges of durations that
// grow by the same factor; the last bound is the upper end of the last range.
type classes []int64

// newClasses returns at most mostBars classes that hold every duration from one
// to another, both within the hour that a histogram of the record spans. There
// are 10, 20, 50 or 100 to a decade: as many as that bound allows, and more than
// 20 only where whole microseconds are fine enough for classes of even width.
func newClasses(from, to int64) classes {
	const evenWidth = 8 // µs: to round a bound moves it by a sixteenth at most
	for _, perDecade := range []int{100, 50, 20} {
		narrowest := float64(from) * (math.Pow(10, 1/float64(perDecade)) - 1)
		if perDecade > 20 && narrowest < evenWidth {
			continue
		}
		if c := classesOf(from, to, perDecade); len(c)-1 <= mostBars {
			return c
		}
	}
	return classesOf(from, to, 10) // an hour takes 97
}

func classesOf(from, to int64, perDecade int) classes {
	bound := func(i int) int64 {
		return int64(math.Round(math.Pow(10, float64(i)/float64(perDecade))))
	}
	from = max(from, 0)
	if from == 0 {
		// 0 has no logarithm and its own class, below 1.
		if to <= 0 {
			return classes{0, 1}
		}
		return append(classes{0}, classesOf(1, to, perDecade)...)
	}
	i := int(math.Floor(math.Log10(float64(from)) * float64(perDecade)))
	for bound(i) > from {
		i--
	}
	for bound(i+1) <= from {
		i++
	}
	c := classes{bound(i)}
	for c[len(c)-1] <= to {
		i++
		// Among the first microseconds two bounds may round to the same one.
		if b := bound(i); b > c[len(c)-1] {
			c = append(c, b)
		}
	}
	return c
}

// count sums the buckets of a histogram by class. A bucket that reaches beyond
// its class, which it does by a thousandth at most, counts whole where it begins.
func (c classes) count(buckets []results.Bar) []int64 {
	counts := make([]int64, len(c)-1)
	for _, b := range buckets {
		above := sort.Search(len(c), func(i int) bool { return c[i] > b.From })
		// What lies outside counts in the nearest class.
		counts[min(max(above-1, 0), len(counts)-1)] += b.Count
	}
	return counts
}

// extent returns the least and the greatest duration of several histograms, and
// false where all are empty.
func extent(histograms ...[]results.Bar) (from, to int64, found bool) {
	for _, buckets := range histograms {
		if len(buckets) == 0 {
			continue
		}
		least, greatest := buckets[0].From, buckets[len(buckets)-1].To
		if !found {
			from, to, found = least, greatest, true
		}
		from, to = min(from, least), max(to, greatest)
	}
	return from, to, found
}
