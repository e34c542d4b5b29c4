package history

import (
	"fmt"
	"math"
	"time"

	"loadgen/report/compare"
	"loadgen/report/compare/statistics"
	"loadgen/report/document"
)

// FewestNights is how many nights a series takes to show a step: of fewer, too many
// orders fall apart as clearly.
const FewestNights = 12

// calm is the variation from night to night up to which a step of a tenth is found
// within two weeks.
const calm = 0.03

// Trend is what became of one metric over the nights of a series.
type Trend struct {
	Metric Metric
	// Nights is on how many of them the metric can be told.
	Nights int
	Steps  []Step
	// Stretches are the nights before, between and after the steps.
	Stretches []Stretch
	// Variation is the standard deviation of the nights of the last stretch as a part of
	// their mean: not a number of fewer than two nights, or around 0.
	Variation float64
}

// Stretch is the nights without a step between them: when the first and the last were
// begun, and the mean.
type Stretch struct {
	From, To time.Time
	Mean     float64
}

// Step is where a metric steps.
type Step struct {
	// Night is when the first night after it was begun.
	Night time.Time
	// Before and After are the means of the nights that it was judged from. Change is a
	// part of one, +Inf from 0.
	Before, After, Change, P float64
}

func (s *Series) findSteps(metrics []Metric) error {
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

// Sentence says when a metric stepped, from what to what, by how much, and how sure that is.
func (s *Step) Sentence(m Metric) string {
	return fmt.Sprintf("%s steps from %s to %s with the night of %s (%s, p = %s)", m, m.Told(s.Before), m.Told(s.After),
		dated(s.Night), changed(s.Change), document.Chance(s.P))
}

func changed(change float64) string {
	if math.IsInf(change, 0) {
		return "from nothing"
	}
	return document.Change(change)
}

// dated returns when a night began, in UTC.
func dated(at time.Time) string { return at.Format("2006-01-02 15:04") }

// sentences says what became of a metric: a sentence for each step, or that there is none.
func (t *Trend) sentences() []string {
	var list []string
	for i := range t.Steps {
		list = append(list, t.Steps[i].Sentence(t.Metric))
	}
	switch {
	case t.Nights == 0:
		list = append(list, fmt.Sprintf("%s cannot be told on any night", t.Metric))
	case len(list) == 0 && t.Nights < FewestNights:
		list = append(list, fmt.Sprintf("%s: no step in %s, which can hardly show one: that takes %d", t.Metric, nightsIn(t.Nights), FewestNights))
	case len(list) == 0:
		list = append(list, fmt.Sprintf("%s: no step in %s", t.Metric, nightsIn(t.Nights)))
	}
	if t.Variation > calm {
		list[len(list)-1] += fmt.Sprintf("; its nights vary by %s, and up to %s %% a step of 10 %% is found within two weeks: the median of more runs a night varies less",
			document.Share(t.Variation), document.Decimals(100*calm, 0))
	}
	return list
}

func nightsIn(n int) string { return document.Counted(n, "night") }
