package advise

import (
	"fmt"
	"math"
	"strings"

	"loadgen/results"
)

// verdict says whether the design in use holds the peak of its load, and by what.
func (e *Explanation) verdict() string {
	hottest, busiest := e.Used().peaks()
	if hottest == nil {
		return "The scenario offers no load: there is no peak to hold."
	}
	if e.Targets.Partition == 0 && e.Targets.Account == 0 {
		return "The model sets no limit, so that any design holds."
	}
	var text strings.Builder
	h, a := &hottest.Hottest, busiest.Account
	subject := "The design"
	if name := e.Used().Name; name != "" {
		subject = "The design " + name
	}
	partition, account := h.against(e.Targets.Partition), a.against(e.Targets.Account)
	switch {
	case partition == Error || account == Error:
		fmt.Fprintf(&text, "%s does not hold its peak by the targets", subject)
	case e.failing("insert-order"):
		fmt.Fprintf(&text, "%s will hardly hold its peak: at any moment its inserts fall on one place, which one "+
			"server serves", subject)
	case e.tooNear(hottest, busiest):
		fmt.Fprintf(&text, "%s is too near to a target to say that it holds its peak", subject)
	default:
		fmt.Fprintf(&text, "%s holds its peak by the targets", subject)
	}
	text.WriteString(": ")
	var parts []string
	if e.Targets.Partition > 0 && hottest.placed() {
		parts = append(parts, fmt.Sprintf("its hottest partition, %s, counts %s entities/s of %s",
			quoted(h.PartitionKey), h.text(), count(float64(e.Targets.Partition))))
	}
	if e.Targets.Account > 0 {
		which := "the account"
		if e.Targets.Accounts > 1 {
			which = "the busiest account"
		}
		parts = append(parts, fmt.Sprintf("%s %s of %s", which, a.text(), count(float64(e.Targets.Account))))
	}
	text.WriteString(strings.Join(parts, ", ") + ". ")
	text.WriteString(e.bound(hottest, busiest))
	if !e.Targets.documented() {
		fmt.Fprintf(&text, " The documents' own targets are %s and %s.", count(documentedPartition),
			count(documentedAccount))
	}
	return text.String()
}

// answer returns what the verdict says, for scripts.
func (e *Explanation) answer() (state string, ok *bool) {
	hottest, busiest := e.Used().peaks()
	switch {
	case faulty(e.Findings):
		return results.DoesNotHold, new(false)
	case hottest == nil:
		return results.Holds, nil
	case e.tooNear(hottest, busiest):
		return results.CannotTell, nil
	default:
		return results.Holds, new(true)
	}
}

// tooNear reports whether the peak may lie on either side of a target.
func (e *Explanation) tooNear(hottest, busiest *Load) bool {
	h, a := &hottest.Hottest, &busiest.Account
	return h.against(e.Targets.Partition) == Warning && h.Value > float64(e.Targets.Partition) ||
		a.against(e.Targets.Account) == Warning && a.Value > float64(e.Targets.Account)
}

// bound says what the load would meet first if it grew.
func (e *Explanation) bound(hottest, busiest *Load) string {
	partition, account := 0.0, 0.0
	if e.Targets.Partition > 0 {
		partition = hottest.Hottest.Value / float64(e.Targets.Partition)
	}
	if e.Targets.Account > 0 {
		account = busiest.Account.Value / float64(e.Targets.Account)
	}
	what, most := "that partition", partition
	if account > partition {
		what, most = "the account", account
	}
	if most <= 0 {
		return "Nothing bounds it."
	}
	if most > 1 {
		return fmt.Sprintf("What bounds it is %s, at %s of this load.", what, percent(1/most))
	}
	return fmt.Sprintf("What bounds it is %s, at %s times this load.", what, ratio(1/most))
}

func ratio(times float64) string {
	if times < 10 {
		return fmt.Sprintf("%.1f", math.Floor(times*10)/10)
	}
	return count(math.Floor(times))
}

// failing reports whether a point of the checklist is an error.
func (e *Explanation) failing(id string) bool {
	for i := range e.Findings {
		if e.Findings[i].ID == id && e.Findings[i].Verdict == Error {
			return true
		}
	}
	return false
}

func (t *Targets) documented() bool {
	return t.Partition == documentedPartition && t.Account == documentedAccount
}
