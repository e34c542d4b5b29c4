package compare

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"loadgen/engine/nearest"
	"loadgen/report/document"
	"loadgen/results/figure"
)

// Metric is a figure by which runs are compared.
type Metric struct {
	// Name is its canonical form, such as p99(get).
	Name string
	// Unit is us, per_second or share, and empty for counts and plain numbers.
	Unit string
	// Higher means that more is better, as for rates; otherwise less is, as for times.
	Higher bool
	// Floor is the minimum value, in the metric's own unit: smaller values count as the
	// floor, so that a share of 0 has a ratio. If it is 0, every value must be positive.
	Floor float64
	// Threshold is the minimum relevant change, 0 for that of the gate.
	Threshold float64

	figure figure.Reference
	in     figure.Unit
}

// String returns the name.
func (m Metric) String() string { return m.Name }

// microsecond is the unit of times here, in the unit of times in package figure.
const microsecond = 1000

// metricOf returns a figure in a unit as a metric without a threshold.
func metricOf(of figure.Reference, in figure.Unit) Metric {
	d, _ := figure.Find(of.Name)
	m := Metric{Name: of.String(), Higher: d.Better == figure.Higher, Floor: 0.01, figure: of, in: in}
	switch in {
	case figure.Nanoseconds:
		m.Unit, m.Floor = "us", 1
	case figure.PerSecond:
		m.Unit = "per_second"
	case figure.Share:
		// What a peak may lose while it holds.
		m.Unit, m.Floor = "share", 0.001
	}
	return m
}

// MetricOf returns a figure in its own unit as a metric, whether or not it can be better.
func MetricOf(of figure.Reference) Metric { return metricOf(of, of.Unit()) }

// unitNamed returns the unit of figures that a metric's unit names.
func unitNamed(unit string) figure.Unit {
	return map[string]figure.Unit{"us": figure.Nanoseconds, "per_second": figure.PerSecond, "share": figure.Share, "": figure.Ratio}[unit]
}

// ParseMetric parses a figure that can be better or worse, such as p99(get). The error is a
// [*figure.ClaimFault].
func ParseMetric(text string) (Metric, error) {
	claim, err := figure.ParseClaimMetric(text)
	if err != nil {
		return Metric{}, err
	}
	return metricOf(claim.Figure, claim.Unit), nil
}

// ParseMetrics parses metrics. An error is that of [ParseMetric].
func ParseMetrics(texts []string) ([]Metric, error) {
	var list []Metric
	for _, text := range texts {
		m, err := ParseMetric(text)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

var failOn = regexp.MustCompile(`^(.+?)\s*([<>])\s*([+-]?)\s*([0-9]+(?:\.[0-9]+)?)\s*%$`)

// ParseFailOn parses the change of a metric that is a regression: "p99(get) > +10%" or
// "served < -5%". An error says what is expected.
func ParseFailOn(text string) (Metric, error) {
	parts := failOn.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return Metric{}, fmt.Errorf("%q: expected a change, such as p99(get) > +10%% or served < -5%%", text)
	}
	m, err := ParseMetric(parts[1])
	if err != nil {
		return Metric{}, unknownFigure(err, figure.ClaimMetrics())
	}
	percent, _ := strconv.ParseFloat(parts[4], 64)
	worse := map[bool]string{false: "> +", true: "< -"}[m.Higher]
	sign := parts[3]
	if sign == "" {
		sign = worse[2:]
	}
	if parts[2]+" "+sign != worse || percent <= 0 || m.Higher && percent >= 100 || percent > 100*maxThreshold {
		return Metric{}, fmt.Errorf("%q: expected %s %s10%%: %s is worse when it is %s", text, m.Name, worse, m.Name,
			map[bool]string{false: "higher", true: "lower"}[m.Higher])
	}
	if m.Threshold = percent / 100; m.Higher {
		// A threshold is a growth: 1/(1-x) times as much from B to A.
		m.Threshold = 1/(1-m.Threshold) - 1
	}
	return m, nil
}

// unknownFigure returns the error about a figure, with the nearest name if it is unknown.
func unknownFigure(err error, names []string) error {
	if fault := new(figure.ClaimFault); errors.As(err, &fault) && fault.Name != "" {
		return errors.New(nearest.Unknown("figure", fault.Name, names))
	}
	return err
}

// ParseFailOns parses changes of different metrics.
func ParseFailOns(texts []string) ([]Metric, error) {
	var list []Metric
	for _, text := range texts {
		m, err := ParseFailOn(text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(other Metric) bool { return other.Name == m.Name }) {
			return nil, fmt.Errorf("%s is repeated; expected different metrics", m.Name)
		}
		list = append(list, m)
	}
	return list, nil
}

// Value returns the metric of a run in its unit, or NaN and why it is unknown.
func (m *Metric) Value(figures *figure.Figures) (value float64, why string) {
	v := figures.ValueIn(m.figure, m.in)
	switch {
	case !v.Known:
		return math.NaN(), v.Why
	case m.in == figure.Nanoseconds:
		return v.Value / microsecond, ""
	default:
		return v.Value, ""
	}
}

// IsTime reports whether the metric is a time, which the speed of the generator changes.
func (m *Metric) IsTime() bool { return m.in == figure.Nanoseconds }

// Concerns returns the names of operations and phases that the metric is of.
func (m *Metric) Concerns() []string {
	return slices.DeleteFunc([]string{m.figure.Of, m.figure.Operation, m.figure.Phase}, func(name string) bool { return name == "" })
}

// Late returns where the generator was too late for the metric, empty if it was not.
func (m *Metric) Late(figures *figure.Figures, late func(figure.Step) bool) string {
	return figures.Late(m.figure, late)
}

// Column returns the name with its unit, unless the name begins with it.
func (m *Metric) Column() string {
	if m.Unit != "" && !strings.HasPrefix(m.figure.Name, m.Unit) {
		return m.Name + "_" + m.Unit
	}
	return m.Name
}

// Text returns a value for people, to three digits.
func (m *Metric) Text(value float64) string {
	switch {
	case math.IsNaN(value):
		return document.Untold
	case m.in == figure.Nanoseconds:
		return document.Micros(int64(math.Round(value)))
	case m.in == figure.PerSecond:
		return document.Rate(value) + "/s"
	case m.in == figure.Share:
		return document.Share(value)
	default:
		return document.Rate(value)
	}
}
