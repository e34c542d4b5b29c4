package chart

import (
	figures "loadgen/results/figure"

	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"loadgen/results"
)

// Load is a rate in entities per second: due, and counted for successes.
type Load struct {
	Offered, Served float64
	// lost is the share of the operations that were lost, where any were due.
	lost figures.Value
}

// Lost returns the share of the operations that was lost, and false where none was due.
func (l Load) Lost() (float64, bool) { return l.lost.Value, l.lost.Told }

// Step is what a reported step of the load came to, over the operations that
// were due in its last half.
type Step struct {
	Name string
	// Rate is what was asked for, in operations per second.
	Rate float64
	// Load is of all operations; Get and Put are of the kinds of these groups
	// and Other of the rest.
	Load
	Get, Put, Other Load
}

// Steps returns the reported phases that have a rate and a length, in the order
// of the record.
func Steps(record *results.Record) []Step {
	var steps []Step
	of := figures.Of(record)
	for _, one := range figures.Steps(record) {
		if !one.Settled() {
			continue
		}
		load := func(want func(results.Kind) bool) Load {
			return Load{of.OfStep("offered", one, want).Value, of.OfStep("served", one, want).Value, of.OfStep("share_lost_settled", one, want)}
		}
		group := func(names ...string) Load {
			return load(func(kind results.Kind) bool { return slices.Contains(names, kind.Group) })
		}
		steps = append(steps, Step{Name: one.Phase.Name, Rate: one.Phase.Rate, Load: load(nil), Get: group(groupGet), Put: group(groupPut),
			Other: load(func(kind results.Kind) bool { return kind.Group != groupGet && kind.Group != groupPut })})
	}
	return steps
}

// mostSteps is how many steps are drawn.
const mostSteps = 200

// stepsFigure draws served over offered, a bar and a point for each step.
func stepsFigure(record *results.Record, _ *Options) *figure {
	steps := Steps(record)
	f := onePanel("Offered against served, step by step", record, "Last half of each step", "no data: no step of a given rate was reported")
	if len(steps) > mostSteps {
		f.panels[0].heading = "Last halves of the first " + number(mostSteps) + " of " + number(float64(len(steps))) + " steps"
		steps = steps[:mostSteps]
	}
	if len(steps) > 0 {
		f.panels[0].drawSteps(record, steps)
	}
	return f
}

func (p *panel) drawSteps(record *results.Record, steps []Step) {
	var widest, highest float64
	for _, s := range steps {
		widest = max(widest, s.Offered)
		highest = max(highest, s.Offered, s.Served)
	}
	if !(widest > 0) {
		widest = 1
	}
	right := widest * 1.12
	drawn, marks := stepBars(steps, right)
	p.addStepLegend(steps)
	target, highest := p.addTarget(record, highest, 0, right)
	p.plot = newPlot(linearAxis(0, right), countAxis("served, entities per second", highest, 1.06))
	p.below = "offered, entities per second"
	end := min(right, p.plot.Y.Max)
	ideal := line{stroke(1.2, fadedInk), []point{{0, 0}, {end, end}}}
	p.plot.Add(drawn, ideal, target)
	p.plot.Add(lossNotes(steps), line{stroke(1.8, servedInk), marks}, dots{servedInk, 4, marks})
	p.legend = append(p.legend, entry{"served = offered", ideal})
}

// stepBars returns a bar for each step, served by group and lost above it, and
// the points that their served loads end at.
func stepBars(steps []Step, right float64) (columns, []point) {
	const widestShare = 0.022
	drawn := columns{colours: []ink{getInk, putInk, otherInk, lostInk}}
	half := right * widestShare / 2
	for i := 1; i < len(steps); i++ {
		if apart := math.Abs(steps[i].Offered - steps[i-1].Offered); apart > 0 {
			half = min(half, max(apart*0.3, right/1000))
		}
	}
	var marks []point
	for _, s := range steps {
		lost := max(0, s.Offered-s.Served)
		drawn.bars = append(drawn.bars, column{s.Offered - half, s.Offered + half,
			[]float64{s.Get.Served, s.Put.Served, s.Other.Served, lost}})
		marks = append(marks, point{s.Offered, s.Served})
	}
	return drawn, marks
}

// addStepLegend explains the parts that some step has.
func (p *panel) addStepLegend(steps []Step) {
	var sum Step
	for _, s := range steps {
		sum.Get.Served += s.Get.Served
		sum.Put.Served += s.Put.Served
		sum.Other.Served += s.Other.Served
	}
	p.legend = []entry{{"served", dots{colour: servedInk, radius: 4}}}
	for _, part := range []struct {
		words  string
		served float64
		colour ink
	}{{"by GET", sum.Get.Served, getInk}, {"by PUT", sum.Put.Served, putInk}, {"by others", sum.Other.Served, otherInk}} {
		if part.served > 0 {
			p.legend = append(p.legend, entry{part.words, swatch(part.colour)})
		}
	}
	if slices.ContainsFunc(steps, func(s Step) bool { return s.Served < s.Offered }) {
		p.legend = append(p.legend, entry{"lost", swatch(lostInk)})
	}
}

// lossNotes writes at each step which share of it was lost, above the diagonal,
// where nothing else is drawn but the target.
func lossNotes(steps []Step) notes {
	beside := notes{style: write(tickSize, textInk), stay: true}
	// The last step comes first, since of notes in one place the first stays.
	for _, s := range slices.Backward(steps) {
		lost, offered := s.Lost()
		if !offered {
			continue
		}
		at := point{s.Offered, max(s.Offered, s.Served)}
		beside.list = append(beside.list, note{at, vg.Point{X: -3, Y: 5}, draw.XRight, draw.YBottom, percent(lost) + " lost"})
	}
	return beside
}
