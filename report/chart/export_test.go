package chart

import "loadgen/results"

// What the tests of the package look at from outside.
var (
	Clean       = clean
	Number      = number
	Duration    = duration
	Percent     = percent
	LinearTicks = linearTicks
	TimeTicks   = timeTicks
)

// The longest texts that Clean leaves, and the most that is drawn one by one.
const (
	LongestKey  = longestKey
	MostBars    = mostBars
	MostSeconds = mostSeconds
	MostSteps   = mostSteps
)

// Classes returns the bounds of the classes that hold these durations.
func Classes(from, to int64) []int64 { return newClasses(from, to) }

// Normalized returns where on a linear and on a logarithmic axis a value lies.
func Normalized(least, greatest, x float64) (onLinear, onLogarithmic float64) {
	return linear{}.Normalize(least, greatest, x), logarithmic{}.Normalize(least, greatest, x)
}

// SVG returns the charts of a record by name, without the PNG that takes most of
// the time of [Draw].
func SVG(record *results.Record) (map[string][]byte, error) {
	files := make(map[string][]byte)
	for _, chart := range charts() {
		file, err := encodeSVG(chart.figure(record))
		if err != nil {
			return nil, err
		}
		files[chart.name] = file
	}
	return files, nil
}

// DayTicks are those of an axis of days.
var DayTicks = dayTicks

// PNG returns the last chart of a record.
func PNG(record *results.Record) ([]byte, error) { return encodePNG(stepsFigure(record)) }
