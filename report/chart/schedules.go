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

// interval is a range with a middle in a row of a plot.
type interval struct {
	row, low, middle, high float64
	words                  string
}

// maxPolicies is the maximum number of policies in one chart.
const maxPolicies = 24

// DrawSchedules writes a fan chart of retry schedules, as schedules.png and schedules.svg, and returns the names of the
// files. Its error wraps results.ErrWrite.
//
// Each policy has a row, with a band from the earliest to the latest time of every retry after the first failure.
func DrawSchedules(folder results.Folder, schedules []results.RetrySchedule) ([]string, error) {
	schedules = schedules[:min(len(schedules), maxPolicies)]
	f := &figure{
		title:    "Time of each retry, by policy",
		subtitle: "an operation whose attempts all fail immediately; bands from the earliest to the latest time, dots at the mean",
		height:   130 + 34*vg.Length(max(4, len(schedules))),
		panels:   []panel{noData("Retries", "no policy retries")},
	}
	var names []string
	var bands fans
	latest, earliest := 0.0, math.Inf(1)
	for i, schedule := range schedules {
		names = append(names, clean(schedule.Policy, maxName))
		for _, wait := range schedule.Waits {
			band := interval{row: float64(len(schedules) - 1 - i), words: strconv.Itoa(wait.Retry),
				low: 1e6 * wait.SumLeastS, middle: 1e6 * wait.SumMeanS, high: 1e6 * wait.SumGreatestS}
			bands = append(bands, band)
			latest = max(latest, band.high)
			if band.middle > 0 {
				earliest = min(earliest, band.middle)
			}
		}
	}
	if len(bands) > 0 && latest > 0 {
		p := &f.panels[0]
		const minTime = 1e3
		from := max(min(earliest/3, latest/20), latest/1e5, minTime)
		p.plot = newPlot(logarithmicAxis(from, latest*1.15, timeTicks), nameAxis(names))
		p.plot.Add(bands)
		p.below = "time since the first failure"
		p.legend = []entry{{"retry, by its number", swatch(getInk)}, {"no spread: all clients retry together", swatch(throttledInk)}}
	}
	return save(folder, []drawing{{"schedules", f}}, "")
}

// fans are the bands of the retries of policies, in microseconds.
type fans []interval

// Plot implements plot.Plotter. A retry without any spread is drawn as a line.
func (fs fans) Plot(c draw.Canvas, p *plot.Plot) {
	const half = 0.22
	x, y := p.Transforms(&c)
	means := dots{colour: servedInk, radius: 2.5}
	numbers := notes{style: write(tickSize, textInk)}
	for _, band := range fs {
		colour, left, right := getInk, x(band.low), x(band.high)
		if band.high-band.low <= 1e-6*band.high {
			colour = throttledInk
		}
		if right-left < 3*grain {
			left, right = x(band.middle)-1.5*grain, x(band.middle)+1.5*grain
		}
		fill(&c, colour, left, y(band.row-half), right, y(band.row+half))
		if colour == getInk {
			means.points = append(means.points, point{band.middle, band.row})
		}
		numbers.list = append(numbers.list, note{point{band.middle, band.row + half}, vg.Point{Y: 3}, draw.XCenter, draw.YBottom, band.words})
	}
	means.Plot(c, p)
	numbers.Plot(c, p)
}

// DrawRetries writes the retries over time of each policy of a contest, as retries.png and retries.svg, and returns the
// names of the files. Its error wraps results.ErrWrite.
//
// Each policy has a strip with the retries sent in each tenth of a second since the trouble began, on one scale of
// time and a vertical scale of its own.
func DrawRetries(folder results.Folder, contest *results.PolicyContest) ([]string, error) {
	f := &figure{title: "Retries over time, by policy",
		subtitle: fmt.Sprintf("%s · %s clients · retries sent per 100 ms since the trouble began",
			clean(contest.Trouble, 80), document.Figures(float64(contest.Clients)))}
	trials := contest.Policies[:min(len(contest.Policies), maxPolicies)]
	tenths := 0
	for i := range trials {
		tenths = max(tenths, len(trials[i].RetriesPer100ms))
	}
	x := linearAxis(0, max(float64(tenths)/10, contest.TroubleS)*1.02)
	for i := range trials {
		f.panels = append(f.panels, retriesPanel(&trials[i], x, contest.TroubleS))
	}
	if len(trials) == 0 {
		f.panels = []panel{noData("Retries", "no policy was tried")}
	}
	f.labelLast("seconds since the trouble began", 0.35)
	f.height = 90 + 74*vg.Length(max(3, len(f.panels)))
	return save(folder, []drawing{{"retries", f}}, "")
}

func retriesPanel(trial *results.PolicyTrial, x plot.Axis, trouble float64) panel {
	words := fmt.Sprintf("%s %% lost, %s attempts per operation, at most %s retries in 100 ms", document.Figures(trial.LostPercent),
		document.Figures(trial.AttemptsPerOperation), document.Figures(float64(trial.PeakRetries)))
	p := panel{heading: clean(trial.Policy, maxName), share: 1, legend: []entry{{words, swatch(throttledInk)}}}
	drawn := bars{colours: []ink{throttledInk}}
	for tenth, count := range trial.RetriesPer100ms {
		if count > 0 {
			drawn.list = append(drawn.list, bar{float64(tenth) / 10, float64(tenth+1) / 10, []float64{float64(count)}})
		}
	}
	top := max(drawn.highest(), 1)
	y := countAxis("", top, 1.15)
	y.Tick.Marker = plot.ConstantTicks{{Value: 0, Label: "0"}, {Value: top, Label: document.Figures(top)}}
	p.plot = newPlot(x, y)
	p.plot.Add(drawn)
	p.addMarks([]mark{{at: trouble}}, write(tickSize, textInk), stroke(1.2, targetInk, 4, 3))
	return p
}
