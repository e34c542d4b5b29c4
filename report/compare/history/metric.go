package history

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"loadgen/engine/nearest"
	"loadgen/report/document"
	"loadgen/results/figure"
)

// Metric is what runs are compared by: a figure in the unit of its [Metric.Column].
type Metric struct{ of figure.Reference }

// mostMetrics bounds how many metrics are followed at once.
const mostMetrics = 24

// Fault is what is wrong with the metrics that are asked for.
type Fault struct {
	// Field is "metric", with the text that is none where that is what is wrong.
	Field string
	// Err says what is wrong in one line.
	Err error
}

// Error returns the field and what is wrong with it.
func (f *Fault) Error() string { return f.Field + ": " + f.Err.Error() }

// Unwrap returns what is wrong.
func (f *Fault) Unwrap() error { return f.Err }

// ParseMetrics reads the metrics of a history, those of [Default] for none. Its error is a
// [Fault].
func ParseMetrics(texts []string) ([]Metric, error) {
	switch {
	case len(texts) > mostMetrics:
		return nil, &Fault{"metric", fmt.Errorf("%d are more than %d", len(texts), mostMetrics)}
	case len(texts) == 0:
		return Default(), nil
	}
	var metrics []Metric
	for _, text := range texts {
		of, err := figure.ParseFigure(text)
		metric := Metric{of}
		var fault *figure.ClaimFault
		switch {
		case errors.As(err, &fault) && fault.Name != "":
			return nil, &Fault{"metric", errors.New(nearest.Unknown("figure", fault.Name, figure.Names()))}
		case err != nil:
			return nil, &Fault{fmt.Sprintf("metric %q", text), err}
		case slices.ContainsFunc(metrics, func(other Metric) bool { return other.String() == metric.String() }):
			return nil, &Fault{"metric", fmt.Errorf("%s is named twice; expected others", metric)}
		}
		metrics = append(metrics, metric)
	}
	return metrics, nil
}

// Default returns the metrics of a history that names none: the response time that one
// operation of a hundred exceeds, what is served, and what is lost.
func Default() []Metric {
	return []Metric{{figure.Reference{Name: "p99"}}, {figure.Reference{Name: "served"}}, {figure.Reference{Name: "share_lost"}}}
}

// String returns the metric in its canonical form.
func (m Metric) String() string { return m.of.String() }

// Unit is us, per_second or share, and empty for counts and plain numbers.
func (m Metric) Unit() string {
	switch m.of.Unit() {
	case figure.Nanoseconds:
		return "us"
	case figure.PerSecond:
		return "per_second"
	case figure.Share:
		return "share"
	default:
		return ""
	}
}

// Column returns the name of the metric where figures stand alone: with its unit, unless
// the name says it.
func (m Metric) Column() string {
	if unit := m.Unit(); unit != "" && !strings.HasPrefix(m.of.Name, unit) {
		return m.String() + "_" + unit
	}
	return m.String()
}

// Told returns a value of the metric for people, to three figures.
func (m Metric) Told(value float64) string {
	switch {
	case math.IsNaN(value):
		return document.Untold
	case m.of.Unit() == figure.Nanoseconds:
		return document.Micros(int64(math.Round(value)))
	case m.of.Unit() == figure.PerSecond:
		return document.Rate(value) + "/s"
	case m.of.Unit() == figure.Share:
		return document.Share(value)
	default:
		return document.Rate(value)
	}
}
