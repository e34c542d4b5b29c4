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

// Metric is a figure in the unit of its [Metric.Column].
type Metric struct{ figure figure.Reference }

const maxMetrics = 24

// Fault is an error in the requested metrics. Field is "metric", with the invalid text if there
// is one.
type Fault struct {
	Field string
	Err   error
}

func (f *Fault) Error() string { return f.Field + ": " + f.Err.Error() }

func (f *Fault) Unwrap() error { return f.Err }

// ParseMetrics parses metrics, and returns [Default] for none. Its error is a [Fault].
func ParseMetrics(texts []string) ([]Metric, error) {
	switch {
	case len(texts) > maxMetrics:
		return nil, &Fault{"metric", fmt.Errorf("%d are more than %d", len(texts), maxMetrics)}
	case len(texts) == 0:
		return Default(), nil
	}
	var metrics []Metric
	for _, text := range texts {
		reference, err := figure.ParseFigure(text)
		metric := Metric{reference}
		var fault *figure.ClaimFault
		switch {
		case errors.As(err, &fault) && fault.Name != "":
			return nil, &Fault{"metric", errors.New(nearest.Unknown("figure", fault.Name, figure.Names()))}
		case err != nil:
			return nil, &Fault{fmt.Sprintf("metric %q", text), err}
		case slices.ContainsFunc(metrics, func(other Metric) bool { return other.String() == metric.String() }):
			return nil, &Fault{"metric", fmt.Errorf("%s is repeated; expected different metrics", metric)}
		}
		metrics = append(metrics, metric)
	}
	return metrics, nil
}

// Default returns p99, served and share_lost.
func Default() []Metric {
	return []Metric{{figure.Reference{Name: "p99"}}, {figure.Reference{Name: "served"}}, {figure.Reference{Name: "share_lost"}}}
}

// String returns the metric in its canonical form.
func (m Metric) String() string { return m.figure.String() }

// Unit returns us, per_second or share, and "" for counts and plain numbers.
func (m Metric) Unit() string {
	switch m.figure.Unit() {
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

// Column returns the name of the metric with its unit, unless the name begins with it.
func (m Metric) Column() string {
	if unit := m.Unit(); unit != "" && !strings.HasPrefix(m.figure.Name, unit) {
		return m.String() + "_" + unit
	}
	return m.String()
}

// Text returns a value of the metric for people, to three digits.
func (m Metric) Text(value float64) string {
	switch {
	case math.IsNaN(value):
		return document.Untold
	case m.figure.Unit() == figure.Nanoseconds:
		return document.Micros(int64(math.Round(value)))
	case m.figure.Unit() == figure.PerSecond:
		return document.Rate(value) + "/s"
	case m.figure.Unit() == figure.Share:
		return document.Share(value)
	default:
		return document.Rate(value)
	}
}
