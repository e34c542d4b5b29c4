package figure

import (
	"fmt"
	"slices"
	"strings"
)

// Claim is a condition on the figures of a run. It is immutable and safe for concurrent use.
type Claim struct {
	left Reference
	// joint is "/" or "-" between left and second, "" without second.
	joint      string
	second     *Reference
	comparison string
	// The right side is number, or right, which factor multiplies if it is not empty.
	number, factor number
	right          *Reference
	unit           Unit
}

// ClaimFacts are the figures of a run.
type ClaimFacts interface {
	// Look returns a figure in a unit, times in nanoseconds, and false if it is unknown.
	Look(f Reference, in Unit) (value float64, told bool)
}

// ClaimJudgement is the result of a claim.
type ClaimJudgement struct {
	// Left is what was observed, Right what it is compared with, both in Unit.
	Left, Right float64
	Unit        Unit
	// Told reports that every figure is known; otherwise Left and Right are 0 and Pass is false.
	Told bool
	// Computed reports that Right is a figure's rather than a number of the claim.
	Computed bool
	Pass     bool
}

// Judge compares the figures of a run.
func (c *Claim) Judge(facts ClaimFacts) ClaimJudgement {
	judged := ClaimJudgement{Unit: c.unit, Computed: c.right != nil}
	left, told := c.observed(facts)
	right := c.number
	limit := 1.0
	if c.right != nil {
		var known bool
		limit, known = facts.Look(*c.right, c.right.Unit())
		told, right = told && known, c.factor
	}
	if right.digits != "" {
		limit *= right.value()
	}
	if !told || c.unit == Nanoseconds && min(left, limit) >= OverHour && (left == OverHour || limit == OverHour) {
		// A time over an hour is only a lower bound.
		return judged
	}
	judged.Left, judged.Right, judged.Told = left, limit, true
	judged.Pass = map[string]bool{
		"<": left < limit, "<=": left <= limit, ">": left > limit, ">=": left >= limit, "==": left == limit, "!=": left != limit,
	}[c.comparison]
	return judged
}

func (c *Claim) observed(facts ClaimFacts) (float64, bool) {
	if c.second == nil {
		return facts.Look(c.left, c.unit)
	}
	first, known := facts.Look(c.left, c.left.Unit())
	second, both := facts.Look(*c.second, c.second.Unit())
	if c.joint == "-" {
		return first - second, known && both
	}
	return first / second, known && both && second != 0
}

// Figures returns the figures of the claim in the order in which they are written.
func (c *Claim) Figures() []Reference {
	list := []Reference{c.left}
	for _, other := range []*Reference{c.second, c.right} {
		if other != nil {
			list = append(list, *other)
		}
	}
	return list
}

// Bound returns the figure that the claim keeps below a number, and that number in the figure's own unit, times in
// nanoseconds; false if it claims something else.
func (c *Claim) Bound() (of Reference, below float64, some bool) {
	if c.second != nil || c.right != nil || c.comparison != "<" && c.comparison != "<=" {
		return Reference{}, 0, false
	}
	return c.left, c.number.value(), c.unit == c.left.Unit()
}

// Capped returns the figures that break the claim if they are greater.
func (c *Claim) Capped() (list []Reference) {
	figures := c.Figures()
	if slices.Contains([]string{"<", "<=", "=="}, c.comparison) {
		list = append(list, figures[0])
	}
	if slices.Contains([]string{">", ">=", "=="}, c.comparison) {
		list = append(list, figures[1:]...)
	}
	return list
}

// String returns the claim in its canonical form, which parses to the same claim.
func (c *Claim) String() string {
	parts := []string{c.left.String()}
	if c.second != nil {
		parts = append(parts, c.joint, c.second.String())
	}
	parts = append(parts, c.comparison)
	switch {
	case c.right == nil:
		parts = append(parts, c.number.String())
	case c.factor.digits != "":
		parts = append(parts, c.factor.String(), "*", c.right.String())
	default:
		parts = append(parts, c.right.String())
	}
	return strings.Join(parts, " ")
}

// ClaimMetric is a figure by which live runs are compared. It is immutable and safe for concurrent use.
type ClaimMetric struct {
	Figure Reference
	// Unit is that of its values: a count that is a part of something is compared as its share, which does not grow
	// with the run.
	Unit Unit
	// Higher says that higher values are better; otherwise lower ones are.
	Higher bool
	// Floor is the least value, in the unit, that differs from nothing.
	Floor float64
}

// ParseClaimMetric reads a figure by which runs are compared, such as "p99(get)". The
// error is a [*ClaimFault], which wraps [ErrClaimSyntax].
func ParseClaimMetric(text string) (ClaimMetric, error) {
	return parse(text, exampleFigure, func(p *parser) ClaimMetric {
		of := p.onlyFigure()
		switch {
		case !slices.Contains(ClaimMetrics(), of.Name):
			p.fail(of.Offset, "%s cannot be compared in live runs; expected one of %s", of.Name, strings.Join(ClaimMetrics(), ", "))
		case of.Part != Whole:
			p.fail(of.Offset, "%s of a partition or account is not always recorded; expected an operation or phase", of.Name)
		}
		d, _ := Find(of.Name)
		m := ClaimMetric{Figure: of, Unit: d.Unit, Higher: d.Better == Higher, Floor: 0.01}
		if d.Part {
			m.Unit = Share
		}
		switch m.Unit {
		case Nanoseconds:
			m.Floor = 1000 // a microsecond, the resolution of times
		case Share:
			m.Floor = 0.001 // a peak that loses less is sustained
		}
		return m
	})
}

// ClaimMetrics returns the names of the figures by which runs can be compared, in the order of [Names]: every run has
// them, and they have a better direction.
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
