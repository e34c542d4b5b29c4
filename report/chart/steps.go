package chart

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"loadgen/report/document"
	"loadgen/results"
	figures "loadgen/results/figure"
)

// Step is the outcome of a reported step of the load, over the operations that were due in its last half.
type Step struct {
	Name string
	// Rate is the offered rate in operations per second.
	Rate float64
	// Offered and Served are entities per second: due, and counted for successes.
	Offered, Served float64
	// Dropped is the share of the operations that the generator never sent.
	Dropped float64
	// lost is the share of the operations that were lost, dropped ones included, if any were due.
	lost figures.Value
}

// Lost returns the share of the operations that were lost, and false if none was due.
func (s Step) Lost() (float64, bool) { return s.lost.Value, s.lost.Told }

// sent returns the entities per second that the generator sent.
func (s Step) sent() float64 { return s.Offered * (1 - s.Dropped) }

// Steps returns the reported phases that have a rate and a length, in the order of the record.
func Steps(record *results.Record) []Step {
	var steps []Step
	of := figures.Of(record)
	for _, one := range figures.Steps(record) {
		if one.Settled() {
			steps = append(steps, Step{Name: one.Phase.Name, Rate: one.Phase.Rate, Offered: of.OfStep("offered", one, nil).Value,
				Served: of.OfStep("served", one, nil).Value, Dropped: droppedShare(one.Phase), lost: of.OfStep("share_lost_settled", one, nil)})
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
func stepsFigure(record *results.Record, _ *Options) *figure {
	list := Steps(record)
	f := onePanel(record, "", "no step of a given rate was reported")
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
		sent = append(sent, point{s.Offered, max(s.sent(), s.Served)})
		offered = append(offered, point{s.Offered, max(s.Offered, s.Served)})
	}
	right := max(highest, 1) * 1.06
	target, highest := p.addTarget(record, highest, 0, right)
	p.plot = newPlot(linearAxis(0, right), countAxis("entities served per second", highest, 1.12))
	p.below = "entities offered per second, in the last half of each step"
	end := min(right, p.plot.Y.Max)
	ideal := line{stroke(1.2, fadedInk), []point{{0, 0}, {end, end}}}
	lost, dropped := area{lostInk, served, sent}, area{generatorInk, sent, offered}
	isDropped := func(s Step) bool { return s.Dropped > 0 }
	p.plot.Add(lost)
	if slices.ContainsFunc(list, isDropped) {
		p.plot.Add(dropped)
	}
	p.plot.Add(ideal, target, line{stroke(2.4, servedInk), served}, dots{servedInk, 4.5, served}, lossNotes(list[len(list)-1]))
	legend := []entry{{"served", dots{colour: servedInk, radius: 4.5}}, {"everything offered", ideal}}
	if slices.ContainsFunc(list, func(s Step) bool { return s.Served < s.sent() }) {
		legend = append(legend, entry{"not served", lost})
	}
	if slices.ContainsFunc(list, isDropped) {
		legend = append(legend, entry{"dropped by the generator", dropped})
	}
	p.legend = append(legend, p.legend...)
	return f
}

// lossNotes writes the shares of the highest step that the target and the generator lost into their areas.
func lossNotes(top Step) notes {
	losses := notes{style: writeBold(tickSize, textInk)}
	add := func(share, from, to float64, words string) {
		if share > 0 {
			middle := point{top.Offered, (from + to) / 2}
			losses.list = append(losses.list, note{middle, vg.Point{X: -5}, draw.XRight, draw.YCenter, document.Share(share) + words})
		}
	}
	lost, _ := top.Lost()
	add(lost-top.Dropped, max(top.Served, 0), top.sent(), " lost")
	add(top.Dropped, top.sent(), top.Offered, " dropped")
	return losses
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
	loss := ""
	lost, _ := top.Lost()
	if share := lost - top.Dropped; share > 0 {
		loss = document.Share(share) + " of " + offered + " lost"
	}
	if top.Dropped > 0 {
		loss = document.Join(", ", loss, document.Share(top.Dropped)+" of "+offered+" dropped by the generator")
	}
	bend := figures.Of(record).Named("saturation")
	switch {
	case bend.Told:
		return document.Join(": ", "Saturation at "+document.Figures(bend.Value)+" entities/s", loss)
	case loss != "":
		return "Offered and served: " + loss
	default:
		return "Everything offered is served, up to " + offered
	}
}
