package figure

import (
	"fmt"
	"slices"
	"strings"
)

// ClaimMetric is a figure by which live runs are compared: it has a better way, and can be
// told of every run. It is a value, and safe for concurrent use.
type ClaimMetric struct {
	Figure Reference
	// Unit is what it is told in: a count that is a part of something as its share, so
	// that it does not grow with the run.
	Unit Unit
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

// ParseClaimMetric reads a figure by which runs are compared, such as "p99(get)". The
// error is a [*ClaimFault], which wraps [ErrClaimSyntax].
func ParseClaimMetric(text string) (ClaimMetric, error) {
	of, err := ParseFigure(text)
	if err != nil {
		return ClaimMetric{}, err
	}
	p, m := &parser{text: text}, ClaimMetric{Figure: of}
	switch {
	case !slices.Contains(ClaimMetrics(), of.Name):
		p.fail(of.Offset, "%s cannot be compared in live runs; expected one of %s", of.Name, strings.Join(ClaimMetrics(), ", "))
	case of.Part != Whole:
		p.fail(of.Offset, "%s of a partition or account is not always recorded; expected an operation or phase", of.Name)
	}
	if p.fault != nil {
		return ClaimMetric{}, p.fault
	}
	k, _ := Find(m.Figure.Name)
	m.Unit, m.Higher = k.Unit, k.Better == Higher
	if k.Part {
		m.Unit = Share
	}
	switch m.Unit {
	case Nanoseconds:
		m.Floor = floorNanoseconds
	case Share:
		m.Floor = floorShare
	default:
		m.Floor = floorPlain
	}
	return m, nil
}

// ClaimMetrics returns the names of the figures that runs can be compared by, in the order
// of [Names]: one way they are better, and every run tells them. The slice is the
// caller's.
func ClaimMetrics() []string {
	var names []string
	for _, d := range registry {
		if d.Better != Neither && (d.Scope != OfRun || d.Times != "") {
			names = append(names, d.Name)
		}
	}
	return names
}

// String returns the metric in its canonical form.
func (m ClaimMetric) String() string { return m.Figure.String() }

// Told prints a value of the metric with its unit.
func (m ClaimMetric) Told(value float64) string {
	switch m.Unit {
	case Nanoseconds:
		return fmt.Sprintf("%.3g ms", value/1e6)
	case Share:
		return fmt.Sprintf("%.3g %%", value*100)
	case PerSecond:
		return fmt.Sprintf("%.0f/s", value)
	default:
		return fmt.Sprintf("%.3g", value)
	}
}
