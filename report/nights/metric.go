package nights

import (
	"math"
	"strconv"
	"strings"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/expectation"
)

// Metric is what runs are compared by: a figure in the unit of its [Metric.Column].
type Metric struct{ figure expectation.Figure }

// ParseMetric reads a metric such as p99(get). Its error is that of
// expectation.ParseFigure.
func ParseMetric(text string) (Metric, error) {
	f, err := expectation.ParseFigure(text)
	return Metric{f}, err
}

// Default returns the metrics of a history that names none: the response time that one
// operation of a hundred exceeds, what is served, and what is lost.
func Default() []Metric {
	return []Metric{{expectation.Figure{Name: "p99"}}, {expectation.Figure{Name: "served"}}, {expectation.Figure{Name: "share_lost"}}}
}

// String returns the metric in its canonical form.
func (m Metric) String() string { return m.figure.String() }

// Unit is us, per_second or share, and empty for counts and plain numbers.
func (m Metric) Unit() string {
	switch m.figure.Unit() {
	case expectation.Nanoseconds:
		return "us"
	case expectation.PerSecond:
		return "per_second"
	case expectation.Share:
		return "share"
	default:
		return ""
	}
}

// Column returns the name of the metric where figures stand alone: with its unit, unless
// the name says it.
func (m Metric) Column() string {
	if unit := m.Unit(); unit != "" && !strings.HasPrefix(m.figure.Name, unit) {
		return m.String() + "_" + unit
	}
	return m.String()
}

// of returns what the metric is of a judged record, not a number where it cannot be told.
func (m Metric) of(record *results.Record) float64 {
	value, told := verdict.FigureOf(record, m.figure, m.figure.Unit())
	if !told || math.IsInf(value, 0) {
		return math.NaN()
	}
	if m.figure.Unit() == expectation.Nanoseconds {
		value /= 1000
	}
	return value
}

// names returns the operations and phases that the metric is of.
func (m Metric) names() []string {
	var list []string
	for _, name := range []string{m.figure.Of, m.figure.Operation, m.figure.Phase} {
		if name != "" {
			list = append(list, name)
		}
	}
	return list
}

// Told returns a value of the metric for people, to three figures.
func (m Metric) Told(value float64) string {
	switch {
	case math.IsNaN(value):
		return "–"
	case m.figure.Unit() == expectation.Nanoseconds:
		return duration(value)
	case m.figure.Unit() == expectation.PerSecond:
		return verdict.Rate(value) + "/s"
	case m.figure.Unit() == expectation.Share:
		return verdict.Share(value)
	default:
		return verdict.Rate(value)
	}
}

// duration returns microseconds to three figures, with the unit that suits them.
func duration(micros float64) string {
	// What rounds up to a thousand of a unit is one of the next.
	const next = 999.5
	switch {
	case micros < next:
		return threeFigures(micros) + " µs"
	case micros < next*1e3:
		return threeFigures(micros/1e3) + " ms"
	default:
		return threeFigures(micros/1e6) + " s"
	}
}

// threeFigures returns a number to three figures, or whole where that takes more.
func threeFigures(value float64) string {
	decimals := 0
	switch size := math.Abs(value); {
	case size < 9.995:
		decimals = 2
	case size < 99.95:
		decimals = 1
	}
	return strconv.FormatFloat(value, 'f', decimals, 64)
}
