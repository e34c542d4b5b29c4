package scenarios

import (
	"errors"
	"strconv"

	"loadgen/engine/nearest"
	"loadgen/results/expectation"
)

// Gate says by what live runs of a scenario are compared with those of another build,
// and how great a change matters.
type Gate struct {
	// Metrics are one to three figures, each a text that [expectation.ParseMetric]
	// takes, such as "p99(get)". Each further one makes all of them weaker.
	Metrics []string
	// Threshold is the least change that matters, as a part of one.
	Threshold float64
}

const (
	maxMetrics       = 3
	defaultThreshold = 0.05
)

// newGate is the gate of a scenario that leaves everything out: the response time over
// all, what is served, and the share of the load that is lost.
func newGate() *Gate {
	return &Gate{Metrics: []string{"p99", "served", "share_lost"}, Threshold: defaultThreshold}
}

// Gated returns by what live runs of the scenario are compared: what it declares, or
// the default. It is the caller's.
func (s *Scenario) Gated() Gate {
	gate := *newGate()
	if s.Gate != nil {
		gate = *s.Gate
		gate.Metrics = append([]string{}, gate.Metrics...)
	}
	return gate
}

func (g *Gate) binding() binding {
	return object{what: "a gate", fields: []field{
		{name: "metrics", says: "The figures by which live runs are compared, each such as p99(get): one to three.",
			value: listOf[string]{into: &g.Metrics, least: 1, most: maxMetrics, what: "figures, such as p99(get)",
				bind: func(text *string) binding { return longText(text, longestExpectation) }}},
		{name: "threshold", says: "The least change that matters, in percent.",
			value: shareValue{&g.Threshold}},
	}}
}

// gate checks that each metric can be read, that what it names is there, and that it is
// there once.
func (c *checker) gate() {
	if c.Gate == nil {
		return
	}
	var names []string
	for i, text := range c.Gate.Metrics {
		path := "gate.metrics." + strconv.Itoa(i)
		if !c.sound(path) {
			continue
		}
		metric, err := expectation.ParseMetric(text)
		var fault *expectation.Fault
		switch {
		case errors.As(err, &fault) && fault.Name != "":
			c.addAt(path, fault.Offset, "%s", nearest.Unknown("figure", fault.Name, expectation.Metrics()))
			continue
		case errors.As(err, &fault):
			c.addAt(path, fault.Offset, "%s", fault.What)
			continue
		case !c.before.concern("phases"):
			c.named(&metric.Figure, path)
		}
		for _, name := range names {
			if name == metric.String() {
				c.add(path, "%s is there twice; expected figures that differ", name)
			}
		}
		names = append(names, metric.String())
	}
}
