package figure

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
