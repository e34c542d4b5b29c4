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

// mostFans is how many policies are drawn below one another.
const mostFans = 24

// DrawSchedules writes a fan chart of retry schedules, as schedules.png and
// schedules.svg, and returns the names of the files. Its error wraps
// results.ErrWrite.
//
// There is a row for each policy with a band for every retry: from the earliest to the latest
// time after the first failure at which it is sent.
func DrawSchedules(folder results.Folder, schedules []results.RetrySchedule) ([]string, error) {
	schedules = schedules[:min(len(schedules), mostFans)]
	f := &figure{
		title:    "When each policy tries again",
		subtitle: "an operation that fails each time at once; bands from the earliest to the latest time, dots at the mean",
		panels:   []panel{{heading: "Retries", share: 1, sentence: "no data: no policy retries"}},
	}
	var bands fans
	latest, earliest := 0.0, math.Inf(1)
	for row, schedule := range schedules {
		bands.names = append(bands.names, clean(schedule.Policy, longestName))
		for _, wait := range schedule.Waits {
			band := fan{row: row, number: wait.Retry, from: wait.SumLeastS, mean: wait.SumMeanS, to: wait.SumGreatestS}
			bands.list = append(bands.list, band)
			latest = max(latest, band.to)
			if band.mean > 0 {
				earliest = min(earliest, band.mean)
			}
		}
	}
	f.height = 130 + 34*vg.Length(max(4, len(schedules)))
	drawn := []drawing{{"schedules", f}}
	if len(bands.list) == 0 || !(latest > 0) {
		return save(folder, drawn, "")
	}
	least := max(min(earliest/3, latest/20), latest/1e5, 0.001)
	x := plot.Axis{Min: least, Max: latest * 1.15, Scale: logarithmic{}}
	x.Tick.Marker = plot.TickerFunc(func(least, greatest float64) []plot.Tick {
		ticks := timeTicks(least*1e6, greatest*1e6)
		for i := range ticks {
			ticks[i].Value /= 1e6
		}
		return ticks
	})
	y := plot.Axis{Min: -0.5, Max: float64(len(schedules)) - 0.5, Scale: linear{}}
	y.Tick.Marker = plot.TickerFunc(func(float64, float64) []plot.Tick {
		var ticks []plot.Tick
		for row, name := range bands.names {
			// The first policy stands at the top.
			ticks = append(ticks, plot.Tick{Value: float64(len(bands.names) - 1 - row), Label: name})
		}
		return ticks
	})
	f.panels[0].plot = newPlot(x, y)
	f.panels[0].plot.Add(bands)
	f.panels[0].below = "time since the first failure"
	f.panels[0].legend = []entry{{"retry, by its number", swatch(getInk)}, {"no spread: all clients at once", swatch(throttledInk)}}
	return save(folder, drawn, "")
}

// fan is the band of one retry of one policy, in seconds.
type fan struct {
	row, number    int
	from, mean, to float64
}

// fans are the bands of policies, whose names are by row.
type fans struct {
	names []string
	list  []fan
}

// Plot implements plot.Plotter. A retry without any spread is drawn as a line.
func (fs fans) Plot(c draw.Canvas, p *plot.Plot) {
	const half = 0.22
	x, y := p.Transforms(&c)
	means := dots{colour: servedInk, radius: 2.5}
	numbers := notes{style: write(tickSize, textInk)}
	for _, band := range fs.list {
		at := float64(len(fs.names) - 1 - band.row)
		colour, left, right := getInk, x(band.from), x(band.to)
		if band.to-band.from <= 1e-6*band.to {
			colour = throttledInk
		}
		if right-left < 3*grain {
			left, right = x(band.mean)-1.5*grain, x(band.mean)+1.5*grain
		}
		fill(&c, colour, left, y(at-half), right, y(at+half))
		if colour == getInk {
			means.points = append(means.points, point{band.mean, at})
		}
		numbers.list = append(numbers.list, note{point{band.mean, at + half}, vg.Point{Y: 3}, draw.XCenter, draw.YBottom, strconv.Itoa(band.number)})
	}
	means.Plot(c, p)
	numbers.Plot(c, p)
}

// DrawRetries writes the retries over time of each policy of a contest, as
// retries.png and retries.svg, and returns the names of the files. Its error wraps
// results.ErrWrite.
//
// There is a strip for each policy: retries sent in each tenth of a second since the trouble
// began, all strips to the same scale from left to right and each to its own from bottom to
// top.
func DrawRetries(folder results.Folder, contest *results.PolicyContest) ([]string, error) {
	f := &figure{title: "Retries over time, by policy",
		subtitle: fmt.Sprintf("%s · %s clients · retries sent per 100 ms since the trouble began",
			clean(contest.Trouble, 80), document.Figures(float64(contest.Clients)))}
	trials := contest.Policies[:min(len(contest.Policies), mostFans)]
	longest := 0
	for i := range trials {
		longest = max(longest, len(trials[i].RetriesPer100ms))
	}
	end := max(float64(longest)/10, contest.TroubleS) * 1.02
	for i := range trials {
		trial := &trials[i]
		words := fmt.Sprintf("%s %% lost, %s attempts an operation, at most %s retries in 100 ms", document.Figures(trial.LostPercent),
			document.Figures(trial.AttemptsPerOperation), document.Figures(float64(trial.PeakRetries)))
		p := panel{heading: clean(trial.Policy, longestName), share: 1, legend: []entry{{words, swatch(throttledInk)}}}
		bars := columns{colours: []ink{throttledInk}}
		var highest int64
		for tenth, count := range trial.RetriesPer100ms {
			highest = max(highest, count)
			if count > 0 {
				bars.bars = append(bars.bars, column{float64(tenth) / 10, float64(tenth+1) / 10, []float64{float64(count)}})
			}
		}
		x := linearAxis(0, end)
		if i == len(trials)-1 {
			p.below, p.share = "seconds since the trouble began", 1.35
		} else {
			x = unlabelled(x)
		}
		top := float64(max(highest, 1))
		y := countAxis("", float64(highest), 1.15)
		y.Tick.Marker = plot.TickerFunc(func(float64, float64) []plot.Tick {
			return []plot.Tick{{Value: 0, Label: "0"}, {Value: top, Label: document.Figures(top)}}
		})
		p.plot = newPlot(x, y)
		p.plot.Add(bars, line{stroke(1.2, targetInk, 4, 3), []point{{contest.TroubleS, 0}, {contest.TroubleS, top * 1.15}}})
		f.panels = append(f.panels, p)
	}
	if len(trials) == 0 {
		f.panels = []panel{{heading: "Retries", share: 1, sentence: "no data: no policy was tried"}}
	}
	f.height = 90 + 74*vg.Length(max(3, len(f.panels)))
	return save(folder, []drawing{{"retries", f}}, "")
}
