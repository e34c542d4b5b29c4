package chart

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"loadgen/report/document"
	"loadgen/results"
)

// mostSeconds is how many seconds are drawn one by one.
const mostSeconds = 600

// ThrottleBar is what was served and throttled in one second of a reported phase,
// or in a group of such seconds.
type ThrottleBar struct {
	// From is the first second of the group and To the one after its last,
	// since the start of the run; Seconds is how many the group is of, which is
	// less than To − From where a second between belongs to no reported phase.
	From, To, Seconds int64
	// Counts are sums over the group.
	results.Counts
}

// mean returns a sum of the group per second.
func (b ThrottleBar) mean(sum int64) float64 {
	return float64(sum) / float64(max(b.Seconds, 1))
}

// ThrottleBars returns a bar for each second of the record that begins in a
// reported phase. Of more than 600 seconds, equal groups are merged, the last of
// which may be smaller; sums stay exact.
func ThrottleBars(record *results.Record) []ThrottleBar {
	seconds := reportedSeconds(record)
	size := (len(seconds) + mostSeconds - 1) / mostSeconds
	var bars []ThrottleBar
	for i, second := range seconds {
		if i%size == 0 {
			bars = append(bars, ThrottleBar{From: second.Second})
		}
		bar := &bars[len(bars)-1]
		bar.To = second.End()
		bar.Seconds += second.Seconds()
		bar.Add(&second.Counts)
	}
	return bars
}

// reportedSeconds returns the seconds of a record that begin in a reported phase.
func reportedSeconds(record *results.Record) []*results.Interval {
	reported := make(map[string]bool, len(record.Phases))
	for p := range record.Phases {
		if record.Phases[p].Reported {
			reported[record.Phases[p].Name] = true
		}
	}
	var seconds []*results.Interval
	for i := range record.Intervals {
		if reported[record.Intervals[i].Phase] {
			seconds = append(seconds, &record.Intervals[i])
		}
	}
	return seconds
}

// throttleFigure draws what was served above what was throttled, each second: entities and
// attempts are not to be added up.
func throttleFigure(record *results.Record, _ *Options) *figure {
	f := onePanel(record, "Entities served per second", "no data: no second of a reported phase was recorded")
	bars := ThrottleBars(record)
	if len(bars) == 0 {
		return f
	}
	served, turned := columns{colours: []ink{servedInk}}, columns{colours: []ink{throttledInk, failedInk}}
	var highest, most float64
	var throttled, failed int64
	for _, b := range bars {
		from, to := float64(b.From), float64(b.To)
		served.bars = append(served.bars, column{from, to, []float64{b.mean(b.Served)}})
		turned.bars = append(turned.bars, column{from, to, []float64{b.mean(b.Throttled), b.mean(b.Failed)}})
		highest, most = max(highest, b.mean(b.Served)), max(most, b.mean(b.Throttled)+b.mean(b.Failed))
		throttled, failed = throttled+b.Throttled, failed+b.Failed
	}
	f.panels[0].drawSeconds(record, bars, served, highest)
	f.panels[0].below = "time since the start of the run"
	if throttled+failed == 0 {
		return f
	}
	f.panels[0].share, f.panels[0].below = 13, ""
	const told = 2
	causes, separator, words := ThrottledCauses(record), ": ", "throttled"
	for _, one := range causes[:min(len(causes), told)] {
		words += separator + clean(one.String(), 28) + " " + document.Figures(float64(one.Attempts))
		separator = ", "
	}
	if more := len(causes) - told; more > 0 {
		words += separator + document.Counted(more, "other answer")
	}
	f.panels = append(f.panels, panel{heading: "Attempts throttled per second", share: 9, legend: []entry{{words, swatch(throttledInk)}}})
	if failed > 0 {
		f.panels[1].heading = "Attempts throttled and failed per second"
		f.panels[1].legend = append(f.panels[1].legend, entry{"failed", swatch(failedInk)})
	}
	f.panels[1].drawSeconds(record, bars, turned, most)
	f.panels[1].below = "time since the start of the run"
	f.panels[0].plot.X = unlabelled(f.panels[0].plot.X)
	return f
}

// drawSeconds makes the panel one of seconds.
func (p *panel) drawSeconds(record *results.Record, bars []ThrottleBar, drawn columns, highest float64) {
	if size := bars[0].Seconds; size > 1 {
		p.heading += ", means of " + document.Figures(float64(size)) + " s"
	}
	first, last := float64(bars[0].From), float64(bars[len(bars)-1].To)
	target, headroom := line{style: targetLine()}, 1.06
	if drawn.colours[0] == servedInk {
		headroom = 1.2 // for the names of the steps
		target, highest = p.addTarget(record, highest, first, last)
		if len(Turns(record, first, last, 0)) > 0 {
			headroom = 1.35 // and for what load balancing did
		}
	}
	x := linearAxis(first, last)
	x.Tick.Marker = plot.TickerFunc(clockTicks)
	p.plot = newPlot(x, countAxis("", highest, headroom))
	p.plot.Add(drawn, target)
	if headroom > 1.1 {
		p.addSteps(record, first, last)
		p.addTurns(record, first, last)
		return
	}
	p.addTurnLines(record, first, last)
}

// addTarget explains the line of the target of the partition, or of the account where the
// load is not aimed at one, in the legend, and returns it and the highest that is drawn then.
// The line has no points where there is none to draw: no target, or one so far above the data
// that they would shrink to nothing below it.
func (p *panel) addTarget(record *results.Record, highest, left, right float64) (line, float64) {
	rate, whose := float64(record.Manifest.Targets.Partition), "partition"
	if record.Manifest.Spread != nil || record.Manifest.PartitionKey == "" {
		// A partition's would say nothing of what several are served together.
		rate, whose = float64(record.Manifest.Targets.Account), "account"
		if several := record.Manifest.Accounts; several > 1 {
			rate, whose = rate*float64(several), fmt.Sprintf("%d accounts'", several)
		}
	}
	target := line{style: targetLine()}
	if !(rate > 0) {
		return target, highest
	}
	const tooFar = 5
	words := whose + " target " + document.Figures(rate) + "/s"
	if rate <= tooFar*highest || highest <= 0 {
		target.points, highest = []point{{left, rate}, {right, rate}}, max(highest, rate)
	} else {
		words += " (above the scale)"
	}
	p.legend = append(p.legend, entry{words, target})
	return target, highest
}

// addSteps marks where the reported phases begin and what each was offered.
func (p *panel) addSteps(record *results.Record, first, last float64) {
	top := p.plot.Y.Max
	bounds := stroke(0.7, axisInk, 1.5, 2.5)
	names := notes{style: write(tickSize, textInk)}
	marked := math.Inf(-1)
	for i := range record.Phases {
		phase := &record.Phases[i]
		begin := phase.Begin.Seconds()
		if !phase.Reported || begin < first-1 || begin >= last {
			continue
		}
		// Bounds closer than a hundredth of the axis would hide the bars.
		if begin-marked >= (last-first)/100 {
			p.plot.Add(line{bounds, []point{{begin, 0}, {begin, top}}})
			marked = begin
		}
		words := clean(phase.Name, longestName)
		if phase.Rate > 0 {
			words = document.Figures(phase.Rate) + "/s"
			if len(names.list) == 0 {
				words = "offered " + words
			}
		}
		names.list = append(names.list, note{point{begin, top}, vg.Point{X: 4, Y: -1}, draw.XLeft, draw.YTop, words})
	}
	p.plot.Add(names)
}

// ThrottledCauses returns the throttled attempts of the seconds of reported phases by what
// they were answered, most first; none where the record does not tell them apart.
func ThrottledCauses(record *results.Record) results.Causes {
	var sum results.Causes
	for _, second := range reportedSeconds(record) {
		sum.Merge(second.Causes.Only(results.Throttled))
	}
	return sum.Told()
}
