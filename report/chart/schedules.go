package chart

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"loadgen/report/document"
	"loadgen/results"
)

// maxPolicies is the maximum number of policies in one chart.
const maxPolicies = 24

// Schedules returns a fan chart of retry schedules. Each policy has a row, with a band from the earliest to the latest time of every retry after the first failure.
func Schedules(schedules []results.RetrySchedule) *Figure {
	schedules = schedules[:min(len(schedules), maxPolicies)]
	f := newFigure(noData("Retries", "no policy retries"))
	f.Name, f.Title = "schedules", "Time of each retry, by policy"
	f.subtitle = "an operation whose attempts all fail immediately; bands from the earliest to the latest time, dots at the mean"
	f.height = 130 + 34*vg.Length(max(4, len(schedules)))
	var names []plot.Tick
	latest, earliest := 0.0, math.Inf(1)
	for i, schedule := range schedules {
		names = append(names, plot.Tick{Value: -float64(i), Label: clean(schedule.Policy, maxName)})
		for _, wait := range schedule.Waits {
			latest = max(latest, wait.SumGreatestS)
			if wait.SumMeanS > 0 {
				earliest = min(earliest, wait.SumMeanS)
			}
		}
	}
	if latest > 0 {
		p := &f.panels[0]
		const second, minTime = 1e6, 1e3
		from := max(min(earliest/3, latest/20)*second, latest/1e5*second, minTime)
		p.plot = newPlot(newAxis(from, latest*1.15*second, logarithmic{}, timeTicks),
			newAxis(.5-float64(len(schedules)), .5, linear{}, plot.ConstantTicks(names).Ticks), "")
		// Bands may overlap: the means are above all of them.
		means := series{LineStyle: stroke(0, servedInk), radius: 2.5}
		for i, schedule := range schedules {
			for _, wait := range schedule.Waits {
				mean := point{second * wait.SumMeanS, -float64(i)}
				if p.addRetry(mean, second*wait.SumLeastS, second*wait.SumGreatestS, strconv.Itoa(wait.Retry)) {
					means.points = append(means.points, mean)
				}
			}
		}
		p.plot.Add(means)
		p.below = "time since the first failure"
		p.legend = []entry{{"retry, by its number", getInk}, {"no spread: all clients retry together", throttledInk}}
	}
	return f
}

// addRetry draws the band of a retry around its mean, in microseconds, and reports whether it has a spread. A retry
// without any spread is drawn as a line.
func (p *panel) addRetry(mean point, low, high float64, words string) bool {
	const half = 0.22
	colour, flat := getInk, high-low <= 1e-6*high
	if flat {
		colour = throttledInk
	}
	// A narrow band is a line, a five hundredth of the axis wide.
	widen := math.Pow(p.plot.X.Max/p.plot.X.Min, .001)
	low, high = min(low, mean.x/widen), max(high, mean.x*widen)
	bottom, top := mean.y-half, mean.y+half
	p.plot.Add(area{colour, []point{{low, bottom}, {high, bottom}, {high, top}, {low, top}}})
	style := align(write(tickSize, textInk), draw.XCenter, draw.YBottom)
	p.notes = append(p.notes, note{style, point{mean.x, top}, vg.Point{Y: 3}, words})
	return !flat
}

// Retries returns the retries over time of each policy of a contest. Each policy has a strip with the retries sent in each tenth of a second since the trouble began, on one scale of
// time and a vertical scale of its own.
func Retries(contest *results.PolicyContest) *Figure {
	f := newFigure()
	f.Name, f.Title = "retries", "Retries over time, by policy"
	f.subtitle = fmt.Sprintf("%s · %s clients · retries sent per 100 ms since the trouble began",
		clean(contest.Trouble, 80), document.Figures(float64(contest.Clients)))
	trials := contest.Policies[:min(len(contest.Policies), maxPolicies)]
	tenths := 0
	for i := range trials {
		tenths = max(tenths, len(trials[i].RetriesPer100ms))
	}
	x := linearAxis(0, max(float64(tenths)/10, contest.TroubleS)*1.02)
	for i := range trials {
		f.panels = append(f.panels, retriesPanel(&trials[i], x, contest.TroubleS))
	}
	f.labelLast("seconds since the trouble began", 0.35)
	f.stackStrips(74, 3, noData("Retries", "no policy was tried"))
	return f
}

func retriesPanel(trial *results.PolicyTrial, x plot.Axis, trouble float64) panel {
	words := fmt.Sprintf("%s%% lost, %s attempts per operation, at most %s retries in 100 ms", document.Figures(trial.LostPercent),
		document.Figures(trial.AttemptsPerOperation), document.Figures(float64(trial.PeakRetries)))
	p := panel{heading: clean(trial.Policy, maxName), share: 1, legend: []entry{{words, throttledInk}}}
	drawn := bars{colours: []ink{throttledInk}}
	for tenth, count := range trial.RetriesPer100ms {
		if count > 0 {
			drawn.list = append(drawn.list, bar{float64(tenth) / 10, float64(tenth+1) / 10, []float64{float64(count)}})
		}
	}
	top := max(drawn.highest(), 1)
	p.plot = newPlot(x, newAxis(0, 1.15*top, linear{}, plot.ConstantTicks{{Label: "0"}, {Value: top, Label: document.Figures(top)}}.Ticks), "")
	p.plot.Add(drawn)
	p.addMark(mark{at: trouble}, write(tickSize, textInk), stroke(1.2, targetInk, 4, 3))
	return p
}
