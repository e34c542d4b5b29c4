package check

import (
	"loadgen/results/figure"

	"fmt"
	"slices"
	"strings"
)

// Metric is a figure by which live runs are compared: it has a better way, and can be
// told of every run. It is a value, and safe for concurrent use.
type Metric struct {
	Figure figure.Reference
	// Unit is what it is told in: a count that is a part of something as its share, so
	// that it does not grow with the run.
	Unit figure.Unit
	// Higher says that more of it is better; else less is.
	Higher bool
	// Floor is the least value that is told apart from nothing, in the unit.
	Floor float64
}

// The floors. A microsecond is what times are kept in; a share of the load of one in
// a thousand is what a peak may lose and is held all the same.
const (
	floorNanoseconds = 1000
	floorShare       = 0.001
	floorPlain       = 0.01
)

// ParseMetric reads a figure by which runs are compared, such as "p99(get)". The
// error is a [*Fault], which wraps [ErrSyntax].
func ParseMetric(text string) (Metric, error) {
	p := &parser{text: text}
	if len(text) > Longest {
		p.fail(0, "the text is longer than %d bytes; expected a figure such as p99(get)", Longest)
		return Metric{}, p.fault
	}
	m := Metric{Figure: p.figure()}
	at := p.here()
	switch {
	case p.fault != nil:
	case p.at < len(p.text):
		p.fail(at, "%s stands after the figure; expected its end, for what is compared is the figure of two builds", p.next())
	case !slices.Contains(Metrics(), m.Figure.Name):
		p.fail(m.Figure.Offset, "%s is better neither when it is higher nor when it is lower, or no live run tells it; expected one of %s",
			m.Figure.Name, strings.Join(Metrics(), ", "))
	case m.Figure.Part != figure.Whole:
		p.fail(m.Figure.Offset, "%s of a single partition or account is not in the record of every run; expected one of operations and phases", m.Figure.Name)
	}
	if p.fault != nil {
		return Metric{}, p.fault
	}
	k, _ := figure.Find(m.Figure.Name)
	m.Unit, m.Higher = k.Unit, k.Better == figure.Higher
	if k.Part {
		m.Unit = figure.Share
	}
	switch m.Unit {
	case figure.Nanoseconds:
		m.Floor = floorNanoseconds
	case figure.Share:
		m.Floor = floorShare
	default:
		m.Floor = floorPlain
	}
	return m, nil
}

// Metrics returns the names of the figures that runs can be compared by, in the order
// of [figure.Names]: one way they are better, and every run tells them. The slice is the
// caller's.
func Metrics() []string {
	var names []string
	for _, d := range figure.Definitions() {
		if d.Better != figure.Neither && (d.Scope != figure.OfRun || d.Times != "") {
			names = append(names, d.Name)
		}
	}
	return names
}

// Of returns the metric of a run, and false where it cannot be told.
func (m Metric) Of(facts Facts) (value float64, told bool) { return facts.Look(m.Figure, m.Unit) }

// String returns the metric in its canonical form.
func (m Metric) String() string { return m.Figure.String() }

// Told prints a value of the metric with its unit.
func (m Metric) Told(value float64) string {
	switch m.Unit {
	case figure.Nanoseconds:
		return fmt.Sprintf("%.3g ms", value/1e6)
	case figure.Share:
		return fmt.Sprintf("%.3g %%", value*100)
	case figure.PerSecond:
		return fmt.Sprintf("%.0f/s", value)
	default:
		return fmt.Sprintf("%.3g", value)
	}
}
