package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

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

// PerSecond returns a sum of the group as a rate.
func (b *throttleBar) PerSecond(sum int64) float64 { return figures.ShareOf(sum, b.Seconds) }

// throttleBars returns a bar for each second of the record that begins in a reported phase, or for each column of more
// than maxSeconds seconds, and their time axis. Sums stay exact. No bar spans a break of the axis.
func throttleBars(record *results.Record) (bars []throttleBar, axis timeline) {
	seconds, c := reportedColumns(record, maxSeconds)
	bars = make([]throttleBar, c.count)
	for _, second := range seconds {
		at := float64(second.Second)
		bar := &bars[min(c.index(at), c.count-1)]
		if len(c.line) > 1 && !slices.ContainsFunc(c.line, func(s stretch) bool { return s.from <= at && at < s.to }) {
			continue
		}
		if bar.Seconds == 0 {
			bar.From = second.Second
		}
		bar.To = second.End()
		bar.Seconds += second.Seconds()
		bar.Add(&second.Counts)
	}
	return slices.DeleteFunc(bars, func(b throttleBar) bool { return b.Seconds == 0 }), c.line
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

// reportedColumns returns the seconds that begin in a reported phase, and at most limit columns of equal length for
// them, but for one more per break. No second is longer than a column. There are no columns if there are no seconds.
func reportedColumns(record *results.Record, limit float64) ([]*results.Interval, columns) {
	seconds := reportedSeconds(record)
	if len(seconds) == 0 {
		return nil, columns{}
	}
	from, to, longest := math.Inf(1), math.Inf(-1), 1.
	for _, second := range seconds {
		from, to = min(from, float64(second.Second)), max(to, float64(second.End()))
		longest = max(longest, float64(second.Seconds()))
	}
	line := newTimeline(record, from, to, 1)
	return seconds, newColumns(line, int64(longest*max(1, math.Ceil(line.busy()/longest/limit))))
}

// throttleFigure draws entities served, attempts throttled and operations that the generator dropped or sent late, per
// second: three panels, because their units differ.
func throttleFigure(record *results.Record, _ Axis) *Figure {
	list, axis := throttleBars(record)
	if len(list) == 0 {
		return nil
	}
	means := ""
	if size := list[0].Seconds; size > 1 {
		means = ", means of " + document.Figures(float64(size)) + " s"
	}
	served := panel{heading: "Entities served per second" + means, share: 13}
	served.drawServed(record, secondBars(list, func(c *results.Counts) []int64 { return []int64{c.Served} }, servedInk), axis)
	f := newFigure(served)
	add := func(heading string, drawn bars, words ...string) {
		p := panel{heading: heading + means, share: 9, plot: newPlot(axis.axis(0), countAxis(drawn.highest(), 1.06), "")}
		p.addBars(drawn, words...)
		wordless := panel{plot: p.plot}
		wordless.addTurns(record, axis, 0)
		wordless.addBreaks(axis)
		f.panels = append(f.panels, p)
	}
	var sum results.Counts
	for i := range list {
		sum.Add(&list[i].Counts)
	}
	if sum.Throttled+sum.Failed > 0 {
		heading := "Attempts throttled per second"
		if sum.Failed > 0 {
			heading = "Attempts throttled and failed per second"
		}
		both := func(c *results.Counts) []int64 { return []int64{c.Throttled, c.Failed} }
		add(heading, secondBars(list, both, throttledInk, failedInk), joinPhrases("throttled", "", throttledCauses(record)), "failed")
	}
	if sum.Dropped > 0 || float64(sum.Late) > results.MaxLateShare*float64(sum.Sent) {
		late := func(c *results.Counts) []int64 { return []int64{c.Dropped + c.Late} }
		add("Operations dropped or sent late by the generator per second", secondBars(list, late, generatorInk),
			"dropped "+document.Count(sum.Dropped)+", late "+document.Count(sum.Late))
	}
	f.labelLast(sinceStart, 0)
	return f
}

// secondBars returns bars of means per second, with a part for each colour.
func secondBars(list []throttleBar, parts func(*results.Counts) []int64, colours ...ink) bars {
	drawn := bars{colours: colours}
	for i := range list {
		stack := bar{from: float64(list[i].From), to: float64(list[i].To)}
		for _, part := range parts(&list[i].Counts) {
			stack.parts = append(stack.parts, list[i].PerSecond(part))
		}
		drawn.list = append(drawn.list, stack)
	}
	return drawn
}

// drawServed makes the panel one of entities served, with the target.
func (p *panel) drawServed(record *results.Record, drawn bars, t timeline) {
	target, highest := p.addTarget(record, drawn.highest(), t.begin(), t.end())
	headroom := 1.2 // for the names of the steps
	if marks, _ := turnMarks(record, t, 1); len(marks) > 0 {
		headroom = 1.35 // and for load balancing
	}
	p.plot = newPlot(t.axis(0), countAxis(highest, headroom), "")
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
	target := series{LineStyle: stroke(1.5, targetInk, 7, 4)}
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
	return sum.Frequent()
}

// responseGrid is the data of a heat map of response times: the number of successful operations that ended in a
// column of time with a response time of a bucket.
type responseGrid struct {
	columns
	// Counts has a line for each bucket, see results.BucketFrom, with an entry for each column.
	Counts [results.Buckets][]int64
	// Lowest and Highest are the first and the last bucket with operations, All the number of operations.
	Lowest, Highest int
	All             int64
}

// maxMoments is the maximum number of columns of a heat map of response times, but for one more per break.
const maxMoments = 240

// responseHeat returns the response times of the successful operations that ended in the seconds of reported phases.
// Its counts sum to those operations. Its highest bucket is below the lowest if there were none.
func responseHeat(record *results.Record) *responseGrid {
	seconds, c := reportedColumns(record, maxMoments)
	g := responseGrid{columns: c, Lowest: results.Buckets, Highest: -1}
	for bucket := range g.Counts {
		g.Counts[bucket] = make([]int64, g.count)
		for _, second := range seconds {
			if count := second.ResponseBuckets[bucket]; count != 0 {
				g.Counts[bucket][min(g.index(float64(second.Second)), g.count-1)] += count
				g.Lowest, g.Highest, g.All = min(g.Lowest, bucket), bucket, g.All+count
			}
		}
	}
	return &g
}

// bucketEdge returns the lowest duration of a bucket in microseconds. The last bucket has no end and is drawn as high as
// others.
func bucketEdge(bucket int) float64 {
	if bucket == results.Buckets {
		return float64(results.BucketFrom(results.Buckets-1)) * 4 / 3
	}
	return max(.5, float64(results.BucketFrom(bucket)))
}

// responseFigure draws the number of operations by response time, over time.
func responseFigure(record *results.Record, axis Axis) *Figure {
	g := responseHeat(record)
	if g.count < 2 || g.Highest < 0 {
		return nil
	}
	highest := float64(slices.Max(slices.Concat(g.Counts[g.Lowest : g.Highest+1]...)))
	scale := responseShades.upTo(highest)
	p := panel{share: 1, heading: document.Counted(int(g.All), "operation") + " that succeeded",
		says: "by response time, waits before retries included, and by the time at which they ended; each cell is " +
			document.Counted(int(g.Length), "second") + " wide",
		legend: []entry{{"1 to " + document.Figures(highest) + " per cell, logarithmic", scale}}, below: sinceStart}
	// Words need a lane above the data.
	const lane = .17
	low, high := bucketEdge(g.Lowest), bucketEdge(g.Highest+1)
	y := relabelled(linearAxis(0, max(high, 1)*(1+lane)), document.RoundTime)
	if axis != Linear {
		above := max(high, low*2)
		y = newAxis(low, above*math.Pow(above/low, lane), logarithmic{}, timeTicks)
	}
	p.plot = newPlot(g.line.axis(0), y, "response time")
	for bucket := g.Lowest; bucket <= g.Highest; bucket++ {
		cells := newRaster(g.count, 1, scale)
		for column, count := range g.Counts[bucket] {
			cells.Pix[column] = uint8(scale.step(float64(count)))
		}
		g.addCells(p.plot, bucketEdge(bucket), bucketEdge(bucket+1), cells)
	}
	p.addTime(record, g.line)
	return newFigure(p)
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

// addTurns marks the load balancing in a panel over time, with words below skipped rows of other words. Its lines are
// on paper, because bars and cells can be as dark as the dashes.
func (p *panel) addTurns(record *results.Record, t timeline, skipped int) {
	marks, _ := turnMarks(record, t, skipped)
	line := stroke(1, eventInk, 4, 2)
	for _, m := range marks {
		p.addMark(m, write(tickSize, eventInk), stroke(1.6, paperInk), line)
	}
	if len(marks) > 0 {
		p.legend = append(p.legend, entry{"load balancing", series{LineStyle: line}})
	}
}

// addSteps marks the begin of each reported phase, with the rate that it offers.
func (p *panel) addSteps(record *results.Record, t timeline) {
	style, last := write(tickSize, textInk), math.Inf(-1)
	for i := range record.Phases {
		phase := &record.Phases[i]
		begin := phase.Begin.Seconds()
		if !phase.Reported || begin < t.begin()-1 || begin >= t.end() {
			continue
		}
		words := clean(phase.Name, maxName)
		if phase.Rate > 0 {
			words = document.Figures(phase.Rate) + "/s"
			if math.IsInf(last, -1) {
				words = "offered " + words
			}
		}
		p.addMark(mark{begin, words, 1}, style)
		// Lines closer than a hundredth of the axis would hide the bars.
		if begin-last >= t.busy()/100 {
			p.addMark(mark{at: begin}, style, stroke(0.7, axisInk, 1.5, 2.5))
			last = begin
		}
	}
}

// loadStep is the outcome of a reported step of the load, over the operations that were due in its last half.
type loadStep struct {
	// Offered and Served are entities per second: due, and counted for successes.
	Offered, Served float64
	// Dropped is the share of the operations that the generator never sent, and LostByTarget the share of those that
	// were sent and lost.
	Dropped, LostByTarget float64
}

// sentRate returns the entities per second that the generator sent.
func (s loadStep) sentRate() float64 { return s.Offered * (1 - s.Dropped) }

// loadSteps returns the reported phases that have a rate and a length, in the order of the record.
func loadSteps(record *results.Record) (steps []loadStep) {
	of := figures.NewFigures(record)
	for _, one := range figures.Steps(record) {
		if !one.IsSettled() {
			continue
		}
		sum := one.Sum(nil)
		unsent := min(sum.LastHalf.Scheduled-sum.LastHalf.Sent, sum.Dropped)
		dropped := clampToUnit(float64(unsent) / float64(max(sum.LastHalf.Scheduled, 1)))
		steps = append(steps, loadStep{of.OfStep("offered", one, nil).Value, of.OfStep("served", one, nil).Value,
			dropped, of.OfStep("share_lost_settled", one, nil).Value - dropped})
	}
	return steps
}

// maxSteps is the maximum number of steps that are drawn.
const maxSteps = 200

// stepsFigure draws served over offered with a dot for each step, and the losses of the target and of the generator as
// areas between the two.
func stepsFigure(record *results.Record, _ Axis) *Figure {
	list := loadSteps(record)
	if len(list) < 2 {
		return nil
	}
	p := panel{share: 1, below: "entities offered per second, in the last half of each step"}
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
	p.plot = newPlot(linearAxis(0, right), countAxis(highest, 1.12), "entities served per second")
	end := min(right, p.plot.Y.Max)
	ideal := series{LineStyle: stroke(1.2, fadedInk), points: []point{{0, 0}, {end, end}}}
	curve := series{stroke(2.4, servedInk), served, 4.5}
	lost, dropped := between(lostInk, served, sent), between(generatorInk, sent, offered)
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
	return newFigure(p)
}

// addLosses writes the shares of the highest step that the target and the generator lost into their areas.
func (p *panel) addLosses(top loadStep) {
	style := align(writeBold(tickSize, textInk), draw.XRight, draw.YCenter)
	add := func(share, from, to float64, words string) {
		if share > 0 {
			p.notes = append(p.notes, note{style, point{top.Offered, (from + to) / 2}, vg.Point{X: -5}, document.Share(share) + words})
		}
	}
	add(top.LostByTarget, max(top.Served, 0), top.sentRate(), " lost")
	add(top.Dropped, top.sentRate(), top.Offered, " dropped")
}
