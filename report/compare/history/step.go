package history

import (
	"fmt"
	"math"
	"time"

	"loadgen/report/compare"
	"loadgen/report/compare/statistics"
	"loadgen/report/document"
)

// minNights is the number of nights that a step takes: with fewer, too many permutations are as
// clearly split.
const minNights = 12

// maxVariation is the maximum variation between nights with which a step of 10% is found
// within two weeks.
const maxVariation = 0.03

// Trend is a metric over the nights of a series.
type Trend struct {
	Metric compare.Metric
	// Nights is the number of nights with a value.
	Nights int
	Steps  []Step
	// Stretches are the nights before, between and after the steps.
	Stretches []Stretch
	// Variation is the relative standard deviation of the last stretch, NaN for fewer than two
	// nights or a mean of 0.
	Variation float64
}

// Stretch is a range of nights without a step, and their mean.
type Stretch struct {
	From, To time.Time
	Mean     float64
}

// Step is a step of a metric.
type Step struct {
	// Night is the start of the first night after it.
	Night time.Time
	// Before and After are means of the nights around it. Change is relative, +Inf from 0.
	Before, After, Change, P float64
}

func (s *Series) findSteps(metrics []compare.Metric) error {
	for m, metric := range metrics {
		var values []float64
		var begun []time.Time
		for _, night := range s.Nights {
			if value := night.Values[m]; !math.IsNaN(value) {
				values, begun = append(values, value), append(begun, night.Begun)
			}
		}
		points, err := compare.ChangePoints(values)
		if err != nil {
			return fmt.Errorf("%s: %w", metric, err)
		}
		trend, since := Trend{Metric: metric, Nights: len(values)}, 0
		for _, p := range points {
			trend.Steps = append(trend.Steps, Step{Night: begun[p.Index], Before: p.Before, After: p.After, Change: p.Change, P: p.P})
			trend.stretch(begun[since:p.Index], values[since:p.Index])
			since = p.Index
		}
		trend.stretch(begun[since:], values[since:])
		s.Trends = append(s.Trends, trend)
	}
	return nil
}

// stretch adds the nights up to a step, or to the end.
func (t *Trend) stretch(begun []time.Time, values []float64) {
	t.Variation = math.NaN()
	if len(values) == 0 {
		return
	}
	mean := statistics.Mean(values)
	t.Stretches = append(t.Stretches, Stretch{From: begun[0], To: begun[len(begun)-1], Mean: mean})
	if len(values) >= 2 && mean != 0 {
		t.Variation = math.Sqrt(statistics.Squares(values)/float64(len(values)-1)) / math.Abs(mean)
	}
}

// Sentence describes a step of a metric.
func (s *Step) Sentence(m compare.Metric) string {
	return fmt.Sprintf("%s steps from %s to %s on %s (%s, p = %s)", m, m.Text(s.Before), m.Text(s.After),
		dated(s.Night), changed(s.Change), document.Chance(s.P))
}

func changed(change float64) string {
	if math.IsInf(change, 0) {
		return "from 0"
	}
	return document.Change(change)
}

func dated(at time.Time) string { return at.Format("2006-01-02 15:04") }

// sentences describes each step, or that there is none.
func (t *Trend) sentences() []string {
	var list []string
	for i := range t.Steps {
		list = append(list, t.Steps[i].Sentence(t.Metric))
	}
	switch {
	case t.Nights == 0:
		list = append(list, fmt.Sprintf("%s: no night has a value", t.Metric))
	case len(list) == 0 && t.Nights < minNights:
		list = append(list, fmt.Sprintf("%s: no step in %s; finding one takes %d", t.Metric, nightsIn(t.Nights), minNights))
	case len(list) == 0:
		list = append(list, fmt.Sprintf("%s: no step in %s", t.Metric, nightsIn(t.Nights)))
	}
	if t.Variation > maxVariation {
		list[len(list)-1] += fmt.Sprintf("; nights vary by %s (above %s%%, a step of 10%% takes over two weeks)",
			document.Share(t.Variation), document.Decimals(100*maxVariation, 0))
	}
	return list
}

func nightsIn(n int) string { return document.Counted(n, "night") }
