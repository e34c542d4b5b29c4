package figure

import (
	"fmt"
	"slices"
	"strings"
)

// Claim is something that is expected of a run. It is a value, and safe for
// concurrent use.
type Claim struct {
	left, right  Reference
	second       Reference
	joint        joint
	comparison   string
	number       ClaimNumber
	againstOther bool
	// factor multiplies right where it is not plain.
	factor ClaimNumber
	unit   Unit
}

// joint is how two figures on the left belong together.
type joint uint8

const (
	alone joint = iota
	divided
	reduced
)

// ClaimFacts are the figures of a run.
type ClaimFacts interface {
	// Look returns a figure in a unit, times in nanoseconds, and false where it
	// cannot be told: it rests on too little, or is not part of the record.
	Look(f Reference, in Unit) (value float64, told bool)
}

// ClaimJudgement is what a claim came to.
type ClaimJudgement struct {
	// Left is what was observed, Right what it is compared with, both in Unit.
	Left, Right float64
	Unit        Unit
	// Told says that every figure could be told; where one could not, Left and Right
	// say nothing and Pass is false.
	Told bool
	// Computed says that Right is a figure's rather than a number of the claim.
	Computed bool
	Pass     bool
}

// Judge holds the claim against the figures of a run.
func (c *Claim) Judge(facts ClaimFacts) ClaimJudgement {
	judged := ClaimJudgement{Unit: c.unit, Computed: c.againstOther}
	left, told := c.observed(facts)
	if !told {
		return judged
	}
	right := 0.0
	if c.againstOther {
		if right, told = facts.Look(c.right, c.right.Unit()); !told {
			return judged
		}
		if c.factor != (ClaimNumber{}) {
			right *= c.factor.Value()
		}
	} else {
		right = c.number.Value()
	}
	if c.unit == Nanoseconds && min(left, right) >= OverHour && (left == OverHour || right == OverHour) {
		// One of them is some time over an hour, and so may be either side of the other.
		return judged
	}
	judged.Left, judged.Right, judged.Told = left, right, true
	switch c.comparison {
	case "<":
		judged.Pass = left < right
	case "<=":
		judged.Pass = left <= right
	case ">":
		judged.Pass = left > right
	case ">=":
		judged.Pass = left >= right
	case "==":
		judged.Pass = left == right
	default:
		judged.Pass = left != right
	}
	return judged
}

func (c *Claim) observed(facts ClaimFacts) (float64, bool) {
	if c.joint == alone {
		return facts.Look(c.left, c.unit)
	}
	first, told := facts.Look(c.left, c.left.Unit())
	second, both := facts.Look(c.second, c.second.Unit())
	switch {
	case !told || !both:
		return 0, false
	case c.joint == reduced:
		return first - second, true
	case second == 0:
		return 0, false
	default:
		return first / second, true
	}
}

// Figures returns the figures that the claim rests on, in the order in which they
// are written. The slice is the caller's.
func (c *Claim) Figures() []Reference {
	list := []Reference{c.left}
	if c.joint != alone {
		list = append(list, c.second)
	}
	if c.againstOther {
		list = append(list, c.right)
	}
	return list
}

// Bound returns the figure that the claim keeps below a number, and that number in the
// figure's own unit, times in nanoseconds; false where it claims something else.
func (c *Claim) Bound() (of Reference, below float64, some bool) {
	if c.joint != alone || c.againstOther || c.comparison != "<" && c.comparison != "<=" {
		return Reference{}, 0, false
	}
	return c.left, c.number.Value(), c.unit == c.left.Unit()
}

// Capped returns the figures that the claim holds only because they are not greater, where
// it holds. The slice is the caller's.
func (c *Claim) Capped() []Reference {
	var list []Reference
	if c.comparison == "<" || c.comparison == "<=" || c.comparison == "==" {
		list = append(list, c.left)
	}
	if c.comparison != ">" && c.comparison != ">=" && c.comparison != "==" {
		return list
	}
	if c.joint != alone {
		list = append(list, c.second)
	}
	if c.againstOther {
		list = append(list, c.right)
	}
	return list
}

// String returns the claim in its one canonical form, which parses to the same.
func (c *Claim) String() string {
	text := c.left.String()
	switch c.joint {
	case divided:
		text += " / " + c.second.String()
	case reduced:
		text += " - " + c.second.String()
	}
	text += " " + c.comparison + " "
	switch {
	case !c.againstOther:
		return text + c.number.String()
	case c.factor == (ClaimNumber{}):
		return text + c.right.String()
	default:
		return text + c.factor.String() + " * " + c.right.String()
	}
}

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
