package chart

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"loadgen/report/document"
	"loadgen/results"
	figures "loadgen/results/figure"
)

// Step is what a reported step of the load came to, over the operations that
// were due in its last half.
type Step struct {
	Name string
	// Rate is what was asked for, in operations per second.
	Rate float64
	// Offered and Served are entities per second: due, and counted for successes.
	Offered, Served float64
	// lost is the share of the operations that were lost, where any were due.
	lost figures.Value
}

// Lost returns the share of the operations that was lost, and false where none was due.
func (s Step) Lost() (float64, bool) { return s.lost.Value, s.lost.Told }

// Steps returns the reported phases that have a rate and a length, in the order
// of the record.
func Steps(record *results.Record) []Step {
	var steps []Step
	of := figures.Of(record)
	for _, one := range figures.Steps(record) {
		if one.Settled() {
			steps = append(steps, Step{Name: one.Phase.Name, Rate: one.Phase.Rate, Offered: of.OfStep("offered", one, nil).Value,
				Served: of.OfStep("served", one, nil).Value, lost: of.OfStep("share_lost_settled", one, nil)})
		}
	}
	return steps
}

// mostSteps is how many steps are drawn.
const mostSteps = 200

// stepsFigure draws served over offered, a mark for each step, and what is between that
// and all of it.
func stepsFigure(record *results.Record, _ *Options) *figure {
	steps := Steps(record)
	f := onePanel(record, "Offered against served, step by step", "no data: no step of a given rate was reported")
	p := &f.panels[0]
	p.heading = ""
	if len(steps) == 0 {
		return f
	}
	if len(steps) > mostSteps {
		p.heading = "The first " + document.Figures(mostSteps) + " of " + document.Counted(len(steps), "step")
		steps = steps[:mostSteps]
	}
	slices.SortStableFunc(steps, func(a, b Step) int { return int(math.Copysign(1, a.Offered-b.Offered)) })
	var highest float64
	gap := area{colour: lostInk}
	var marks []point
	for _, s := range steps {
		highest = max(highest, s.Offered, s.Served)
		marks = append(marks, point{s.Offered, s.Served})
		gap.from, gap.to = append(gap.from, point{s.Offered, s.Served}), append(gap.to, point{s.Offered, max(s.Offered, s.Served)})
	}
	// Which share of the greatest step was lost stands between what was served and offered.
	losses := notes{style: writeBold(tickSize, textInk)}
	top := steps[len(steps)-1]
	if lost, some := top.Lost(); some && lost > 0 {
		losses.list = []note{{point{top.Offered, (top.Offered + max(top.Served, 0)) / 2}, vg.Point{X: -5},
			draw.XRight, draw.YCenter, document.Share(lost) + " lost"}}
	}
	right := max(highest, 1) * 1.06
	target, highest := p.addTarget(record, highest, 0, right)
	p.plot = newPlot(linearAxis(0, right), countAxis("entities served per second", highest, 1.12))
	p.below = "entities offered per second, in the last half of each step"
	ideal := line{stroke(1.2, fadedInk), []point{{0, 0}, {min(right, p.plot.Y.Max), min(right, p.plot.Y.Max)}}}
	p.plot.Add(gap, ideal, target, line{stroke(2.4, servedInk), marks}, dots{servedInk, 4.5, marks}, losses)
	legend := []entry{{"served", dots{colour: servedInk, radius: 4.5}}, {"all that was offered", ideal}}
	if slices.ContainsFunc(steps, func(s Step) bool { return s.Served < s.Offered }) {
		legend = append(legend, entry{"not served", gap})
	}
	p.legend = append(legend, p.legend...)
	return f
}

// area is what lies between two lines that have their points at the same places; it is its
// own sample in a legend.
type area struct {
	colour   ink
	from, to []point
}

// Plot implements plot.Plotter.
func (a area) Plot(c draw.Canvas, p *plot.Plot) {
	if len(a.from) < 2 {
		return
	}
	x, y := p.Transforms(&c)
	var path vg.Path
	back := slices.Clone(a.to)
	slices.Reverse(back)
	for i, at := range append(slices.Clone(a.from), back...) {
		if next := (vg.Point{X: x(at.x), Y: y(at.y)}); i == 0 {
			path.Move(next)
		} else {
			path.Line(next)
		}
	}
	path.Close()
	c.SetColor(a.colour)
	c.Fill(path)
}

// Thumbnail implements plot.Thumbnailer.
func (a area) Thumbnail(c *draw.Canvas) { swatch(a.colour).Thumbnail(c) }
