package chart

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"loadgen/report/document"
	"loadgen/results"
	figures "loadgen/results/figure"
)

// maxSeconds is the maximum number of seconds that are drawn one by one.
const maxSeconds = 600

// throttleBar is what was served and throttled in a second of a reported phase, or in a group of such seconds.
type throttleBar struct {
	// From is the first second of the group and To the one after its last, since the start of the run. Seconds is the
	// number of its seconds, which is less than To − From if some between belong to no reported phase.
	From, To, Seconds int64
	// Counts are sums over the group.
	results.Counts
}

// mean returns a sum of the group per second.
func (b throttleBar) mean(sum int64) float64 {
	return float64(sum) / float64(max(b.Seconds, 1))
}

// throttleBars returns a bar for each second of the record that begins in a reported phase, and their time axis. Of more
// than maxSeconds seconds, it merges equal groups, and a smaller last one; sums stay exact. No bar spans a break of the
// axis.
func throttleBars(record *results.Record) ([]throttleBar, timeline) {
	seconds := reportedSeconds(record)
	if len(seconds) == 0 {
		return nil, nil
	}
	axis := newTimeline(record, float64(seconds[0].Second), float64(seconds[len(seconds)-1].End()), 1)
	seconds = slices.DeleteFunc(seconds, func(second *results.Interval) bool {
		return len(axis) > 1 && axis.find(float64(second.Second)) < 0
	})
	size := (len(seconds) + maxSeconds - 1) / maxSeconds
	var bars []throttleBar
	stretch, count := -1, 0
	for _, second := range seconds {
		at := axis.find(float64(second.Second))
		if at != stretch || count%size == 0 {
			bars = append(bars, throttleBar{From: second.Second})
			stretch, count = at, 0
		}
		count++
		bar := &bars[len(bars)-1]
		bar.To = second.End()
		bar.Seconds += second.Seconds()
		bar.Add(&second.Counts)
	}
	return bars, axis
}

// reportedSeconds returns the seconds of a record that begin in a reported phase.
func reportedSeconds(record *results.Record) []*results.Interval {
	var seconds []*results.Interval
	for i := range record.Intervals {
		second := &record.Intervals[i]
		if slices.ContainsFunc(record.Phases, func(p results.Phase) bool { return p.Reported && p.Name == second.Phase }) {
			seconds = append(seconds, second)
		}
	}
	return seconds
}

// throttleFigure draws entities served, attempts throttled and operations that the generator dropped or sent late, per
// second: three panels, because their units differ.
func throttleFigure(record *results.Record, _ Axis) *figure {
	f := newFigure(describe(record), "Entities served per second", "no second of a reported phase was recorded")
	list, axis := throttleBars(record)
	if len(list) == 0 {
		return f
	}
	means := ""
	if size := list[0].Seconds; size > 1 {
		means = ", means of " + document.Figures(float64(size)) + " s"
	}
	f.panels = nil
	for _, one := range secondPanels(record, list) {
		drawn := bars{colours: one.colours}
		for i := range list {
			stack := bar{from: float64(list[i].From), to: float64(list[i].To)}
			for _, part := range one.parts(&list[i].Counts) {
				stack.parts = append(stack.parts, list[i].mean(part))
			}
			drawn.list = append(drawn.list, stack)
		}
		p := panel{heading: one.heading + means, share: 9}
		if len(f.panels) == 0 {
			p.share = 13
			p.drawServed(record, drawn, axis)
		} else {
			p.plot = newPlot(axis.axis(0), countAxis("", drawn.highest(), 1.06))
			p.addBars(drawn, one.words...)
			p.addTimeLines(record, axis)
		}
		f.panels = append(f.panels, p)
	}
	f.labelLast(sinceStart, 0)
	return f
}

// secondPanel is a panel of bars over the seconds of a record.
type secondPanel struct {
	heading string
	colours []ink
	// parts are the parts of a bar, one for each colour, and words explain them in the legend.
	parts func(*results.Counts) []int64
	words []string
}

// secondPanels returns the panels that have something to show, and that of entities served.
func secondPanels(record *results.Record, list []throttleBar) []secondPanel {
	var sum results.Counts
	for i := range list {
		sum.Add(&list[i].Counts)
	}
	served := func(c *results.Counts) []int64 { return []int64{c.Served} }
	panels := []secondPanel{{"Entities served per second", []ink{servedInk}, served, nil}}
	if sum.Throttled+sum.Failed > 0 {
		heading, both := "Attempts throttled per second", func(c *results.Counts) []int64 { return []int64{c.Throttled, c.Failed} }
		if sum.Failed > 0 {
			heading = "Attempts throttled and failed per second"
		}
		words := []string{say("throttled", "", throttledCauses(record)), "failed"}
		panels = append(panels, secondPanel{heading, []ink{throttledInk, failedInk}, both, words})
	}
	if sum.Dropped > 0 || float64(sum.Late) > results.MostLate*float64(sum.Sent) {
		late := func(c *results.Counts) []int64 { return []int64{c.Dropped + c.Late} }
		words := []string{"dropped " + document.Count(sum.Dropped) + ", late " + document.Count(sum.Late)}
		panels = append(panels, secondPanel{"Operations dropped or sent late by the generator per second", []ink{generatorInk}, late, words})
	}
	return panels
}

// drawServed makes the panel one of entities served, with the target.
func (p *panel) drawServed(record *results.Record, drawn bars, t timeline) {
	target, highest := p.addTarget(record, drawn.highest(), t.begin(), t.end())
	headroom := 1.2 // for the names of the steps
	if marks, _ := turnMarks(record, t, 1); len(marks) > 0 {
		headroom = 1.35 // and for load balancing
	}
	p.plot = newPlot(t.axis(0), countAxis("", highest, headroom))
	p.plot.Add(drawn, target)
	p.addTime(record, t)
}

// addTarget explains the target of the partition, or of the account if the load is not aimed at one partition, in the
// legend, and returns its line and the highest value to draw. The line has no points if there is no target, or one so
// far above the data that the data would be invisible.
func (p *panel) addTarget(record *results.Record, highest, left, right float64) (series, float64) {
	rate, whose := float64(record.Manifest.Targets.Partition), "partition"
	if record.Manifest.Spread != nil || record.Manifest.PartitionKey == "" {
		rate, whose = float64(record.Manifest.Targets.Account), "account"
		if several := record.Manifest.Accounts; several > 1 {
			rate, whose = rate*float64(several), fmt.Sprintf("%d accounts'", several)
		}
	}
	target := series{line: targetLine()}
	if !(rate > 0) {
		return target, highest
	}
	const maxFactor = 5
	words := whose + " target " + document.Figures(rate) + "/s"
	if rate <= maxFactor*highest || highest <= 0 {
		target.points, highest = []point{{left, rate}, {right, rate}}, max(highest, rate)
	} else {
		words += " (above the scale)"
	}
	p.legend = append(p.legend, entry{words, target})
	return target, highest
}

// throttledCauses returns the throttled attempts of the seconds of reported phases by their answers, the most frequent
// first; none if the record does not have the answers.
func throttledCauses(record *results.Record) results.Causes {
	var sum results.Causes
	for _, second := range reportedSeconds(record) {
		sum.Merge(second.Causes.Only(results.Throttled))
	}
	return sum.Told()
}

// responseGrid is the data of a heat map of response times: the number of successful operations that ended in a
// column of time with a response time of a bucket.
type responseGrid struct {
	columns
	// Counts has a line for each bucket from Lowest on, see results.BucketFrom, with an entry for each column. The
	// first line and the last are not empty.
	Lowest int
	Counts [][]int64
}

// maxMoments is the maximum number of columns of a heat map of response times, but for one more per break.
const maxMoments = 240

// responseHeat returns the response times of the successful operations that ended in the seconds of reported phases.
// Its counts sum to those operations. It is empty if there were none.
func responseHeat(record *results.Record) responseGrid {
	seconds := reportedSeconds(record)
	var g responseGrid
	lowest, highest := results.Buckets, -1
	from, to, longest := math.Inf(1), math.Inf(-1), 1.
	for _, second := range seconds {
		from, to = min(from, float64(second.Second)), max(to, float64(second.End()))
		for bucket, count := range second.ResponseBuckets {
			if count != 0 {
				lowest, highest = min(lowest, bucket), max(highest, bucket)
				longest = max(longest, float64(second.Seconds()))
			}
		}
	}
	if highest < 0 {
		return g
	}
	line := newTimeline(record, from, to, 1)
	g.columns = newColumns(line, int64(max(longest, math.Ceil(line.busy()/maxMoments))))
	g.Lowest, g.Counts = lowest, make([][]int64, highest-lowest+1)
	for i := range g.Counts {
		g.Counts[i] = make([]int64, g.count)
		for _, second := range seconds {
			g.Counts[i][g.index(second.Second)] += second.ResponseBuckets[lowest+i]
		}
	}
	return g
}

// bounds returns the range of durations of the buckets.
func (g *responseGrid) bounds() (low, high float64) {
	// The last bucket of all has no end and is drawn as high as others.
	high = float64(results.BucketFrom(results.Buckets-1)) * 4 / 3
	if next := g.Lowest + len(g.Counts); next < results.Buckets {
		high = float64(results.BucketFrom(next))
	}
	return math.Max(.5, float64(results.BucketFrom(g.Lowest))), high
}

// responseFigure draws the number of operations by response time, over time.
func responseFigure(record *results.Record, axis Axis) *figure {
	g := responseHeat(record)
	f := newFigure(describe(record), "Response times", "no operation succeeded in a second of a reported phase")
	if len(g.Counts) == 0 {
		return f
	}
	p := &f.panels[0]
	p.heading = document.Counted(int(sum(g.Counts...)), "operation") + " that succeeded"
	p.says = "by response time, waits before retries included, and by the time at which they ended; each cell is " +
		document.Counted(int(g.length), "second") + " wide"
	highest := float64(slices.Max(slices.Concat(g.Counts...)))
	scale := responseShades.upTo(highest)
	p.legend = []entry{{"1 to " + document.Figures(highest) + " per cell, logarithmic", scaleSample{scale: scale}}}
	// Words need a lane above the data.
	const lane = .17
	low, high := g.bounds()
	y := relabelled(linearAxis(0, max(high, 1)*(1+lane)), document.RoundTime)
	if axis != Linear {
		above := max(high, low*2)
		y = logarithmicAxis(low, above*math.Pow(above/low, lane), timeTicks)
	}
	y.Label.Text = "response time"
	p.plot = newPlot(g.line.axis(0), y)
	top := min(high, y.Max)
	g.addCells(p.plot, y.Min, top, g.cells(y, top, scale))
	p.below = sinceStart
	p.addTime(record, g.line)
	return f
}

// cells returns the picture of the counts. Its lines are even on the axis, which buckets are not.
func (g *responseGrid) cells(y plot.Axis, top float64, scale shades) *image.Paletted {
	const lines = 400
	reach := y.Norm(top)
	cells := newRaster(g.count, lines, scale)
	for at := range lines {
		height := (1 - (float64(at)+.5)/lines) * reach
		bucket := sort.Search(results.Buckets-1, func(i int) bool {
			return y.Norm(float64(results.BucketFrom(i+1))) > height
		}) - g.Lowest
		if bucket < 0 || bucket >= len(g.Counts) {
			continue
		}
		for column, count := range g.Counts[bucket] {
			cells.Pix[at*cells.Stride+column] = uint8(scale.step(float64(count)))
		}
	}
	return cells
}

// turnMarks returns the load balancing on a time axis as marks: one for all decisions that are too close to be drawn
// separately, with the words in up to three rows below skipped rows, so that neighbours stay readable. It also returns
// the number of rows.
func turnMarks(record *results.Record, t timeline, skipped int) (marks []mark, rows int) {
	const minDistance, wordsWidth = 1. / 60, .14 // of the axis
	const rowHeight, maxRows = 11, 3
	kinds := []string{"split", results.RangeMoved, results.RangesMerged}
	row, counts := 0, make([]int, len(kinds))
	for i := range record.Events {
		e := &record.Events[i]
		at := time.Duration(e.At).Seconds()
		if !e.Balanced() || at < t.begin() || at > t.end() {
			continue
		}
		last := len(marks) - 1
		if last < 0 || at-marks[last].at >= t.busy()*minDistance || at < marks[last].at {
			if row = (row + 1) % maxRows; last < 0 || at-marks[last].at >= t.busy()*wordsWidth {
				row = 0
			}
			clear(counts)
			marks = append(marks, mark{at: at, below: 2 + vg.Length(row+skipped)*rowHeight})
			rows, last = max(rows, row+1), last+1
		}
		counts[max(0, slices.Index(kinds, e.What))]++
		var words []string
		for i, count := range counts {
			if count > 0 {
				words = append(words, strings.TrimPrefix(document.Counted(count, kinds[i]), "1 "))
			}
		}
		marks[last].words = strings.Join(words, ", ")
	}
	return marks, rows
}

// addTime marks the steps of the load, load balancing and the breaks in a panel over time, and explains them.
func (p *panel) addTime(record *results.Record, t timeline) {
	p.addSteps(record, t)
	p.addTurns(record, t, 1)
	p.addBreaks(t)
}

// addTimeLines marks load balancing and the breaks without words.
func (p *panel) addTimeLines(record *results.Record, t timeline) {
	marks, _ := turnMarks(record, t, 0)
	for i := range marks {
		marks[i].words = ""
	}
	p.addTurnLines(marks)
	p.plot.Add(breaks(t))
}

// addTurns marks the load balancing in a panel over time, with words below skipped rows of other words.
func (p *panel) addTurns(record *results.Record, t timeline, skipped int) {
	if marks, _ := turnMarks(record, t, skipped); len(marks) > 0 {
		p.addTurnLines(marks)
		p.legend = append(p.legend, entry{"load balancing", series{line: turnLine()}})
	}
}

// addTurnLines draws the lines of load balancing, on paper, because bars and cells can be as dark as the dashes.
func (p *panel) addTurnLines(marks []mark) {
	p.addMarks(marks, write(tickSize, eventInk), stroke(1.6, paperInk), turnLine())
}

// turnLine is the style of a moment of load balancing.
func turnLine() draw.LineStyle { return stroke(1, eventInk, 4, 2) }

// addSteps marks the begin of each reported phase, with the rate that it offers.
func (p *panel) addSteps(record *results.Record, t timeline) {
	var names, bounds []mark
	last := math.Inf(-1)
	for i := range record.Phases {
		phase := &record.Phases[i]
		begin := phase.Begin.Seconds()
		if !phase.Reported || begin < t.begin()-1 || begin >= t.end() {
			continue
		}
		// Lines closer than a hundredth of the axis would hide the bars.
		if begin-last >= t.busy()/100 {
			bounds = append(bounds, mark{at: begin})
			last = begin
		}
		words := clean(phase.Name, maxName)
		if phase.Rate > 0 {
			words = document.Figures(phase.Rate) + "/s"
			if len(names) == 0 {
				words = "offered " + words
			}
		}
		names = append(names, mark{begin, words, 1})
	}
	p.addMarks(bounds, write(tickSize, textInk), stroke(0.7, axisInk, 1.5, 2.5))
	p.addMarks(names, write(tickSize, textInk))
}

// loadStep is the outcome of a reported step of the load, over the operations that were due in its last half.
type loadStep struct {
	// Offered and Served are entities per second: due, and counted for successes.
	Offered, Served float64
	// Dropped is the share of the operations that the generator never sent.
	Dropped float64
	// lost is the share of the operations that were lost, dropped ones included, if any were due.
	lost figures.Value
}

// LostByTarget returns the share of the operations that were lost, but not dropped.
func (s loadStep) LostByTarget() float64 { return s.lost.Value - s.Dropped }

// sentRate returns the entities per second that the generator sent.
func (s loadStep) sentRate() float64 { return s.Offered * (1 - s.Dropped) }

// Steps returns the reported phases that have a rate and a length, in the order of the record.
func loadSteps(record *results.Record) []loadStep {
	var steps []loadStep
	of := figures.Of(record)
	for _, one := range figures.Steps(record) {
		if one.Settled() {
			steps = append(steps, loadStep{of.OfStep("offered", one, nil).Value, of.OfStep("served", one, nil).Value,
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
	list := loadSteps(record)
	f := newFigure(describe(record), "", "no step of a given rate was reported")
	p := &f.panels[0]
	if len(list) == 0 {
		return f
	}
	if len(list) > maxSteps {
		p.heading = "The first " + document.Figures(maxSteps) + " of " + document.Counted(len(list), "step")
		list = list[:maxSteps]
	}
	slices.SortStableFunc(list, func(a, b loadStep) int { return cmp.Compare(a.Offered, b.Offered) })
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
	if slices.ContainsFunc(list, func(s loadStep) bool { return s.Served < s.sentRate() }) {
		legend = append(legend, entry{"not served", lost})
	}
	p.plot.Add(lost)
	if slices.ContainsFunc(list, func(s loadStep) bool { return s.Dropped > 0 }) {
		p.plot.Add(dropped)
		legend = append(legend, entry{"dropped by the generator", dropped})
	}
	p.plot.Add(ideal, target, curve)
	p.legend = append(legend, p.legend...)
	p.addLosses(list[len(list)-1])
	return f
}

// addLosses writes the shares of the highest step that the target and the generator lost into their areas.
func (p *panel) addLosses(top loadStep) {
	style := align(writeBold(tickSize, textInk), draw.XRight, draw.YCenter)
	add := func(share, from, to float64, words string) {
		if share > 0 {
			p.notes = append(p.notes, note{style, point{top.Offered, (from + to) / 2}, vg.Point{X: -5}, document.Share(share) + words})
		}
	}
	add(top.LostByTarget(), max(top.Served, 0), top.sentRate(), " lost")
	add(top.Dropped, top.sentRate(), top.Offered, " dropped")
}
