package chart

import (
	"math"
	"slices"

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
	f.panels[1].drawCurves(response, PercentileCurve(service), time, total.Response)
	f.panels[1].below = below
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

func (p *panel) drawCurves(response, service []Percentile, time plot.Axis, all *results.Histogram) {
	beyond := 1 / (1 - response[len(response)-1].P)
	if len(service) > 0 {
		beyond = max(beyond, 1/(1-service[len(service)-1].P))
	}
	p.plot = newPlot(time, percentileAxis("percentile", beyond))
	slow := line{stroke(2.2, textInk), curvePoints(response)}
	quick := line{stroke(1.6, fadedInk, 2, 2), curvePoints(service)}
	p.plot.Add(quick, slow)
	longest := document.Micros(all.Max())
	if all.Over() > 0 {
		longest += " or more"
	}
	p.legend = []entry{{"response time, back-off included (longest " + longest + ")", slow}}
	if len(service) > 0 {
		p.legend = append(p.legend, entry{"service time of one attempt", quick})
	}
	p.addMarks(service, fadedInk, draw.XRight)
	p.addMarks(response, textInk, draw.XLeft)
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
