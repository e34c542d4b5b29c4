package chart

import (
	"cmp"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"loadgen/report/document"
	"loadgen/results"
	figures "loadgen/results/figure"
)

// Step is the outcome of a reported step of the load, over the operations that were due in its last half.
type Step struct {
	// Offered and Served are entities per second: due, and counted for successes.
	Offered, Served float64
	// Dropped is the share of the operations that the generator never sent.
	Dropped float64
	// lost is the share of the operations that were lost, dropped ones included, if any were due.
	lost figures.Value
}

// LostShare returns the share of the operations that were lost, and false if none was due.
func (s Step) LostShare() (float64, bool) { return s.lost.Value, s.lost.Told }

// sentRate returns the entities per second that the generator sent.
func (s Step) sentRate() float64 { return s.Offered * (1 - s.Dropped) }

// Steps returns the reported phases that have a rate and a length, in the order of the record.
func Steps(record *results.Record) []Step {
	var steps []Step
	of := figures.Of(record)
	for _, one := range figures.Steps(record) {
		if one.Settled() {
			steps = append(steps, Step{of.OfStep("offered", one, nil).Value, of.OfStep("served", one, nil).Value,
				droppedShare(one.Phase), of.OfStep("share_lost_settled", one, nil)})
		}
	}
	return steps
}

// droppedShare returns the share of the operations due in the last half of a phase that were dropped.
func droppedShare(phase *results.Phase) float64 {
	var half, all results.Counts
	for k := range phase.Kinds {
		half.Add(&phase.Kinds[k].LastHalf.Counts)
		all.Add(&phase.Kinds[k].Counts)
	}
	unsent := min(half.Scheduled-half.Sent, all.Dropped)
	return clampToUnit(float64(unsent) / float64(max(half.Scheduled, 1)))
}

// maxSteps is the maximum number of steps that are drawn.
const maxSteps = 200

// stepsFigure draws served over offered with a dot for each step, and the losses of the target and of the generator as
// areas between the two.
func stepsFigure(record *results.Record, _ Axis) *figure {
	list := Steps(record)
	f := newFigure(describe(record), "", "no step of a given rate was reported")
	p := &f.panels[0]
	if len(list) == 0 {
		return f
	}
	if len(list) > maxSteps {
		p.heading = "The first " + document.Figures(maxSteps) + " of " + document.Counted(len(list), "step")
		list = list[:maxSteps]
	}
	slices.SortStableFunc(list, func(a, b Step) int { return cmp.Compare(a.Offered, b.Offered) })
	var highest float64
	var offered, sent, served []point
	for _, s := range list {
		highest = max(highest, s.Offered, s.Served)
		served = append(served, point{s.Offered, s.Served})
		sent = append(sent, point{s.Offered, max(s.sentRate(), s.Served)})
		offered = append(offered, point{s.Offered, max(s.Offered, s.Served)})
	}
	right := max(highest, 1) * 1.06
	target, highest := p.addTarget(record, highest, 0, right)
	p.plot = newPlot(linearAxis(0, right), countAxis("entities served per second", highest, 1.12))
	p.below = "entities offered per second, in the last half of each step"
	end := min(right, p.plot.Y.Max)
	ideal := series{line: stroke(1.2, fadedInk), points: []point{{0, 0}, {end, end}}}
	curve := series{stroke(2.4, servedInk), served, dot{servedInk, 4.5}}
	lost, dropped := area{swatch(lostInk), served, sent}, area{swatch(generatorInk), sent, offered}
	legend := []entry{{"served", curve}, {"everything offered", ideal}}
	if slices.ContainsFunc(list, func(s Step) bool { return s.Served < s.sentRate() }) {
		legend = append(legend, entry{"not served", lost})
	}
	p.plot.Add(lost)
	if slices.ContainsFunc(list, func(s Step) bool { return s.Dropped > 0 }) {
		p.plot.Add(dropped)
		legend = append(legend, entry{"dropped by the generator", dropped})
	}
	p.plot.Add(ideal, target, curve)
	p.legend = append(legend, p.legend...)
	p.addLosses(list[len(list)-1])
	return f
}

// addLosses writes the shares of the highest step that the target and the generator lost into their areas.
func (p *panel) addLosses(top Step) {
	style := align(writeBold(tickSize, textInk), draw.XRight, draw.YCenter)
	add := func(share, from, to float64, words string) {
		if share > 0 {
			p.notes = append(p.notes, note{style, point{top.Offered, (from + to) / 2}, vg.Point{X: -5}, document.Share(share) + words})
		}
	}
	lost, _ := top.LostShare()
	add(lost-top.Dropped, max(top.Served, 0), top.sentRate(), " lost")
	add(top.Dropped, top.sentRate(), top.Offered, " dropped")
}

// stepsTitle names the rate at which the served load stops following the offered load, and the share lost of the
// highest step.
func stepsTitle(record *results.Record) string {
	list := Steps(record)
	if len(list) == 0 {
		return ""
	}
	top := slices.MaxFunc(list, func(a, b Step) int { return cmp.Compare(a.Offered, b.Offered) })
	offered := document.Figures(top.Offered) + "/s"
	var parts []string
	if bend := figures.Of(record).Named("saturation"); bend.Told {
		parts = append(parts, "Saturation at "+document.Figures(bend.Value)+" entities/s")
	}
	lost, _ := top.LostShare()
	if share := lost - top.Dropped; share > 0 {
		parts = append(parts, document.Share(share)+" of "+offered+" lost")
	}
	if top.Dropped > 0 {
		parts = append(parts, document.Share(top.Dropped)+" of "+offered+" dropped by the generator")
	}
	if len(parts) == 0 {
		return "Everything offered is served, up to " + offered
	}
	return strings.Join(parts, ", ")
}
