package contest

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
)

// survive says whether the other profile gives the same best designs, and turns the order
// of none.
func (c *Contest) survive(r *order, ran []*Arm, o Options) {
	if len(ran) < 2 || slices.ContainsFunc(ran, func(arm *Arm) bool { return len(arm.Others) == 0 }) {
		if o.Other != "" && len(ran) > 1 {
			c.SurvivesSays = fmt.Sprintf("Whether it survives the profile %s was not tried with all designs.", o.Other)
		}
		return
	}
	other := newOrder(ran, o, func(arm *Arm) []Trial { return arm.Others })
	turned := r.turned(other)
	mine, theirs := r.best(), other.best()
	slices.Sort(mine)
	slices.Sort(theirs)
	same := slices.Equal(mine, theirs)
	c.Survives = new(same && turned == "" && c.noneHolds() == other.noneHolds(ran, o))
	under := "under the other profile"
	if o.Other != "" {
		under = "under the profile " + o.Other
	}
	c.SurvivesSays = c.underOther(under, same, other, ran, o)
	if same && turned != "" {
		c.SurvivesSays += " It turns the order of " + turned + "."
	}
}

// underOther says what comes of it under the other profile.
func (c *Contest) underOther(under string, same bool, other *order, ran []*Arm, o Options) string {
	wins := func() string {
		first := other.ranked(ran[other.sequence[0]], ran[other.sequence[0]].Others, other.sequence[0], o.Price)
		at := other.sequence[1]
		next := other.ranked(ran[at], ran[at].Others, at, o.Price)
		return leadOf(&first, &next).sentence(first.Design)
	}
	capital := strings.ToUpper(under[:1]) + under[1:]
	switch none, winner := other.noneHolds(ran, o), other.winner(); {
	case none && c.noneHolds() && same:
		return capital + " none holds them, either."
	case none && c.noneHolds():
		return fmt.Sprintf("%s none holds them, either; the best of them is %s.", capital, document.Enumerated(other.best()))
	case none:
		return fmt.Sprintf("It does not survive: %s no design holds the checks.", under)
	case c.noneHolds() && winner < 0:
		return fmt.Sprintf("It does not survive: %s not all fail; no difference is shown between %s.", under, document.Enumerated(other.best()))
	case same && !c.noneHolds() && winner >= 0:
		return capital + ", too, " + wins()
	case same && winner < 0:
		return capital + " no difference is shown between them, either."
	case winner >= 0:
		return "It does not survive: " + under + " " + wins()
	default:
		return fmt.Sprintf("It does not survive: %s no difference is shown between %s.", under, document.Enumerated(other.best()))
	}
}

// turned names two designs of which each order shows another to be better, empty where there
// are none.
func (r *order) turned(other *order) string {
	for at, a := range r.sequence {
		for _, b := range r.sequence[at+1:] {
			if r.behind(a, b) != notBehind && compare(&other.standings[b], &other.standings[a]) < 0 && other.behind(b, a) != notBehind {
				return r.names[a] + " and " + r.names[b]
			}
		}
	}
	return ""
}

// noneHolds reports whether every design that ran fails a check by the trials of this order.
func (r *order) noneHolds(ran []*Arm, o Options) bool {
	for i := range ran {
		if one := r.ranked(ran[i], ran[i].Others, i, o.Price); one.State != results.DoesNotHold {
			return false
		}
	}
	return true
}
