package chart

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

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
	// Served is in entities, Throttled and Failed are in attempts; all are sums
	// over the group.
	Served, Throttled, Failed int64
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
		bar.To = second.Second + 1
		bar.Seconds++
		bar.Served += second.Served
		bar.Throttled += second.Throttled
		bar.Failed += second.Failed
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

// WaitBars returns how long operations of the reported phases waited before
// retries, in microseconds, in at most 120 bars without the empty ones; their
// counts sum to the waits, exactly.
func WaitBars(record *results.Record) []results.Bar {
	waits := record.RetryWaits.Bars()
	from, to, found := extent(waits)
	if !found {
		return nil
	}
	c := newClasses(from, to)
	var bars []results.Bar
	for i, count := range c.count(waits) {
		if count != 0 {
			bars = append(bars, results.Bar{From: c[i], To: c[i+1] - 1, Count: count})
		}
	}
	return bars
}

// throttleFigure draws served and throttled per second above the waits.
func throttleFigure(record *results.Record, _ *Options) *figure {
	f := &figure{
		title:    "Served and throttled, second by second",
		subtitle: describe(record),
		panels: []panel{
			{heading: "Per second", share: 13, sentence: "no data: no second of a reported phase was recorded"},
			{heading: "Waits before retries", share: 8, sentence: "no operation waited for a retry"},
		},
	}
	if bars := ThrottleBars(record); len(bars) > 0 {
		f.panels[0].drawThrottleBars(record, bars)
	}
	if policy := clean(record.Manifest.Retry, longestName); policy != "" {
		f.panels[1].heading += ", policy " + policy
	}
	switch waits := WaitBars(record); {
	case len(waits) > 0:
		f.panels[1].drawWaits(waits)
		f.panels[1].says = attemptWords(record)
	case record.Manifest.Spread != nil:
		// A load that is not retried leaves all room to its course.
		f.panels = f.panels[:1]
	}
	return f
}

// drawThrottleBars makes the panel one of seconds.
func (p *panel) drawThrottleBars(record *results.Record, bars []ThrottleBar) {
	drawn := columns{colours: []ink{servedInk, throttledInk, failedInk}}
	var highest float64
	var failed int64
	for _, b := range bars {
		parts := []float64{b.mean(b.Served), b.mean(b.Throttled), b.mean(b.Failed)}
		drawn.bars = append(drawn.bars, column{float64(b.From), float64(b.To), parts})
		highest = max(highest, parts[0]+parts[1]+parts[2])
		failed += b.Failed
	}
	if size := bars[0].Seconds; size > 1 {
		p.heading = "Per second, means of " + number(float64(size)) + " s"
	}
	p.legend = []entry{{"entities served", swatch(servedInk)}, {"attempts throttled" + throttledWords(record), swatch(throttledInk)}}
	if failed > 0 {
		p.legend = append(p.legend, entry{"attempts failed", swatch(failedInk)})
	}
	first, last := float64(bars[0].From), float64(bars[len(bars)-1].To)
	target, highest := p.addTarget(record, highest, first, last)
	headroom := 1.2 // for the names of the steps
	if len(Turns(record, first, last, 0)) > 0 {
		headroom = 1.35 // and for what load balancing did
	}
	p.plot = newPlot(linearAxis(first, last), countAxis("entities, attempts per second", highest, headroom))
	p.below = "seconds since the start of the run"
	p.plot.Add(drawn, target)
	p.addSteps(record, first, last)
	p.addTurns(record, first, last)
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
	words := whose + " target " + number(rate) + "/s"
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
			words = number(phase.Rate) + "/s"
			if len(names.list) == 0 {
				words = "offered " + words
			}
		}
		names.list = append(names.list, note{point{begin, top}, vg.Point{X: 4, Y: -1}, draw.XLeft, draw.YTop, words})
	}
	p.plot.Add(names)
}

func (p *panel) drawWaits(waits []results.Bar) {
	drawn := columns{colours: []ink{throttledInk}}
	var highest float64
	var sum int64
	for _, b := range waits {
		drawn.bars = append(drawn.bars, column{float64(b.From), float64(b.To + 1), []float64{float64(b.Count)}})
		highest = max(highest, float64(b.Count))
		sum += b.Count
	}
	p.legend = []entry{{counted(sum, "wait", "waits"), swatch(throttledInk)}}
	time := timeAxis(float64(waits[0].From), float64(waits[len(waits)-1].To+1))
	p.below = "wait before a retry"
	p.plot = newPlot(time, countAxis("waits per bar", highest, 1.06))
	p.plot.Add(drawn)
}
