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

// OperationCurve is one kind of operation by percentiles, see [PercentileCurve].
type OperationCurve struct {
	Name string
	// Succeeded is how many operations Response is of, Service is of single attempts
	// that were ok. Either has no percentiles where it rests on fewer than ten.
	Succeeded         int64
	Response, Service []Percentile
}

// mostCurves is how many operations are drawn.
const mostCurves = 6

// OperationCurves returns the curves of those kinds of operation of which ten succeeded
// at least in reported phases, those with the most first, and of equals the first of the
// manifest.
func OperationCurves(record *results.Record) []OperationCurve {
	var curves []OperationCurve
	for k, kind := range record.Manifest.Operations {
		var sum results.KindStats
		for p := range record.Phases {
			if phase := &record.Phases[p]; phase.Reported && k < len(phase.Kinds) {
				sum.Add(&phase.Kinds[k])
			}
		}
		c := OperationCurve{Name: kind.Name, Response: PercentileCurve(sum.Response), Service: PercentileCurve(sum.Service[results.Ok])}
		if len(c.Response) > 0 {
			c.Succeeded = sum.Response.Count()
			curves = append(curves, c)
		}
	}
	slices.SortStableFunc(curves, func(a, b OperationCurve) int { return cmp.Compare(b.Succeeded, a.Succeeded) })
	return curves
}

// percentilesFigure draws a curve for each operation, response and service.
func percentilesFigure(record *results.Record, o *Options) *figure {
	curves := OperationCurves(record)
	f := onePanel(record, "Times of each operation", "no data: percentiles need ten successful operations of a kind at least")
	if len(curves) == 0 {
		return f
	}
	p := &f.panels[0]
	p.heading = ""
	p.legend = []entry{
		{"response time, back-off included", line{style: stroke(2, textInk)}},
		{"service time of one attempt", line{style: stroke(1.4, fadedInk, 2, 2)}},
	}
	p.says = "each curve ends where fewer than ten durations lie beyond it"
	if more := len(curves) - mostCurves; more > 0 {
		curves = curves[:mostCurves]
		p.says += "; the " + document.Figures(mostCurves) + " operations with the most successes, " + document.Figures(float64(more)) + " more not drawn"
	}
	p.below = "share of the operations that took as long or less, %"
	least, most, beyond := math.Inf(1), 0., 1.
	for i := range curves {
		for _, curve := range [][]Percentile{curves[i].Response, curves[i].Service} {
			if len(curve) == 0 {
				continue
			}
			last := curve[len(curve)-1]
			least, most = min(least, float64(curve[0].Micros)), max(most, float64(last.Micros))
			beyond = max(beyond, 1/(1-last.P))
		}
	}
	y := timeAxis(least, most)
	if o.Axis == Linear {
		y = linearAxis(0, most*1.05)
		y.Tick.Marker = relabelled(y.Tick.Marker, document.RoundTime)
	}
	x := percentileAxis("", beyond)
	// To the right of the curves there is room for their names.
	x.Max = max(20, beyond) * math.Pow(max(20, beyond), .3)
	y.Label.Text = "time of an operation"
	p.plot = newPlot(x, y)
	named := endNames{}
	for i := range curves {
		c := &curves[i]
		colours := []ink{servedInk, lostInk, putInk, nightInk, getInk, failedInk}
		colour := colours[i%len(colours)]
		if len(c.Service) > 0 {
			p.plot.Add(line{stroke(1.4, colour, 2, 2), swapped(c.Service)})
		}
		points := swapped(c.Response)
		p.plot.Add(line{stroke(2, colour), points})
		last := points[len(points)-1]
		named.list = append(named.list, endName{last, colour, clean(c.Name, longestName) + ": " + document.Micros(int64(last.y)) + " at " + atPercentile(c.Response[len(c.Response)-1].P)})
	}
	p.plot.Add(named)
	return f
}

func swapped(curve []Percentile) []point {
	points := curvePoints(curve)
	for i := range points {
		points[i].x, points[i].y = points[i].y, points[i].x
	}
	return points
}

// endName names a curve, whose last point is at.
type endName struct {
	at     point
	colour ink
	words  string
}

// endNames stand in a column right of all curves, in the order of their ends.
type endNames struct{ list []endName }

// Plot implements plot.Plotter.
func (n endNames) Plot(c draw.Canvas, p *plot.Plot) {
	const apart, below vg.Length = 14, 12
	x, y := p.Transforms(&c)
	list := slices.Clone(n.list)
	slices.SortStableFunc(list, func(a, b endName) int { return cmp.Compare(b.at.y, a.at.y) })
	column := c.Min.X
	for _, name := range list {
		column = max(column, x(name.at.x)+apart)
		dots{name.colour, 2.8, nil}.dot(&c, vg.Point{X: x(name.at.x), Y: y(name.at.y)})
	}
	style := write(tickSize, textInk)
	style.YAlign = draw.YCenter
	next := c.Max.Y - below/2
	for i, name := range list {
		// Those below need their room, too.
		least := c.Min.Y + below/2 + below*vg.Length(len(list)-1-i)
		at := max(min(y(name.at.y), next), least)
		next = at - below
		dots{name.colour, 2.8, nil}.dot(&c, vg.Point{X: column, Y: at})
		const beside = 7
		c.FillText(style, vg.Point{X: column + beside, Y: at + 1}, fit(style, name.words, c.Max.X-column-beside))
	}
}

// atPercentile writes a share as a percentile, never a higher one than it is.
func atPercentile(p float64) string {
	decimals := max(0, math.Ceil(-math.Log10(1-p)-1e-9)-1)
	unit := math.Pow10(int(decimals))
	return "p" + document.Decimals(math.Floor(100*p*unit+1e-6)/unit, int(decimals))
}
