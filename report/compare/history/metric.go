package history

import (
	"errors"
	"fmt"
	"slices"

	"loadgen/engine/nearest"
	"loadgen/report/compare"
	"loadgen/results/figure"
)

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
func ParseMetrics(texts []string) ([]compare.Metric, error) {
	switch {
	case len(texts) > maxMetrics:
		return nil, &Fault{"metric", fmt.Errorf("%d are more than %d", len(texts), maxMetrics)}
	case len(texts) == 0:
		return Default(), nil
	}
	var metrics []compare.Metric
	for _, text := range texts {
		reference, err := figure.ParseFigure(text)
		metric := compare.MetricOf(reference)
		var fault *figure.ClaimFault
		switch {
		case errors.As(err, &fault) && fault.Name != "":
			return nil, &Fault{"metric", errors.New(nearest.Unknown("figure", fault.Name, figure.Names()))}
		case err != nil:
			return nil, &Fault{fmt.Sprintf("metric %q", text), err}
		case slices.ContainsFunc(metrics, func(other compare.Metric) bool { return other.Name == metric.Name }):
			return nil, &Fault{"metric", fmt.Errorf("%s is repeated; expected different metrics", metric.Name)}
		}
		metrics = append(metrics, metric)
	}
	return metrics, nil
}

// Default returns p99, served and share_lost.
func Default() []compare.Metric {
	var list []compare.Metric
	for _, name := range []string{"p99", "served", "share_lost"} {
		list = append(list, compare.MetricOf(figure.Reference{Name: name}))
	}
	return list
}
