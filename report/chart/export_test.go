package chart

import (
	"fmt"
	"image/color"
	"math"

	"loadgen/results"
)

// What the tests of the package look at from outside.
var (
	Clean       = clean
	LinearTicks = linearTicks
	TimeTicks   = timeTicks
	ClockTicks  = clockTicks
	DayTicks    = dayTicks

	ResponseHeat = responseHeat
	Steps        = loadSteps
)

// The maximum length of the texts of Clean, and the maximum numbers that are drawn.
const (
	MaxKey         = maxKey
	MaxBars        = maxBars
	MaxSeconds     = maxSeconds
	MaxSteps       = maxSteps
	MaxRows        = maxRows
	MaxContestRows = maxContestRows
	MaxCurves      = maxCurves
	MaxMoments     = maxMoments
	StepsWithin    = stepsWithin
	AllSteps       = steps
)

// The types of the numbers that are drawn.
type (
	GridRow     = results.HeatRow
	ThrottleBar = throttleBar
)

// ThrottleBars are those without their axis.
func ThrottleBars(record *results.Record) []ThrottleBar {
	list, _ := throttleBars(record)
	return list
}

// DurationBar counts the durations from From to To microseconds, both included, by part.
type DurationBar struct {
	From, To int64
	Counts   [3]int64
}

// LatencyBars and WaitBars are what latency and waits are drawn from.
func LatencyBars(record *results.Record) []DurationBar { return counted(latencyBars(record)) }
func WaitBars(record *results.Record) []DurationBar {
	return counted(durationBars(record.RetryWaits.Bars()))
}

func counted(bars []bar) (list []DurationBar) {
	for _, b := range bars {
		one := DurationBar{From: int64(b.from), To: int64(b.to) - 1}
		for i, part := range b.parts {
			one.Counts[i] = int64(part)
		}
		list = append(list, one)
	}
	return list
}

// HeatGrid is the whole heat of a record, ReportedGrid what heat is drawn from.
func HeatGrid(record *results.Record) grid { return newGrid(record, 0, math.Inf(1)) }
func ReportedGrid(record *results.Record) grid {
	g, _ := reportedGrid(record)
	return g
}

// Columns is the number of columns of a heat map, each of SecondsPerColumn, the first of which begins at Begin.
func (c columns) Columns() int            { return c.count }
func (c columns) SecondsPerColumn() int64 { return c.Length }
func (c columns) Begin() int64            { return int64(c.line.begin()) }

// RowNames are those of rows of heat with these keys.
func RowNames(keys ...string) []string {
	rows := make([]GridRow, len(keys))
	for i, key := range keys {
		rows[i].Key = key
	}
	return rowNames(rows)
}

// Turns returns the times and the words of the load balancing on an axis.
func Turns(record *results.Record, from, to float64) (list []string) {
	marks, _ := turnMarks(record, timeline{{from, to}}, 0)
	for _, m := range marks {
		list = append(list, fmt.Sprint(m.at, " ", m.words))
	}
	return list
}

// Inks returns the colours that drawings of [Inline] take from the page, by property.
func Inks() map[string]string {
	list := make(map[string]string)
	for colour, name := range inks() {
		list["--ink-"+name] = colour.hex()
	}
	return list
}

// Shade returns the step of a value on the scale of what was served against a target, or
// of what was throttled at most, and the colour of each step.
func Shade(v, anchor float64, throttled, log bool) (step int, hex string) {
	s := servedShades.upTo(anchor)
	if throttled {
		s = throttledShades.upTo(anchor)
	}
	s.log = log
	c := rgb(s.colour(s.step(v)))
	return s.step(v), fmt.Sprintf("#%02X%02X%02X", c[0], c[1], c[2])
}

// Scales returns the colours of all scales, from the first step to that of the anchor, and
// those above.
func Scales() (within, beyond map[string][][3]uint8) {
	within, beyond = make(map[string][][3]uint8), make(map[string][][3]uint8)
	for name, s := range map[string]shades{"served": servedShades.upTo(1), "throttled": throttledShades.upTo(1), "aside": asideShades.upTo(1), "response": responseShades.upTo(1)} {
		for step := 1; step <= steps; step++ {
			if step <= stepsWithin {
				within[name] = append(within[name], rgb(s.colour(step)))
			} else if s.beyond != s.tones[0] {
				beyond[name] = append(beyond[name], rgb(s.colour(step)))
			}
		}
	}
	return within, beyond
}

func rgb(c color.Color) [3]uint8 {
	r, g, b, _ := c.RGBA()
	return [3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}
}
