package advise

import (
	"fmt"
	"math"
	"strings"

	"loadgen/report/document"
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
	switch {
	case e.over(hottest, busiest):
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
			document.Key(h.PartitionKey, keyWidth), h.text(), document.Count(e.Targets.Partition)))
	}
	if e.Targets.Account > 0 {
		parts = append(parts, fmt.Sprintf("%s %s of %s", e.account(), a.text(), document.Count(e.Targets.Account)))
	}
	text.WriteString(strings.Join(parts, ", ") + ". " + e.bound(hottest, busiest).sentence())
	if !e.Targets.documented() {
		fmt.Fprintf(&text, " Azure's documented targets are %s and %s.", document.Count(documentedPartition),
			document.Count(documentedAccount))
	}
	return text.String()
}

func (e *Explanation) account() string {
	if e.Targets.Accounts > 1 {
		return "the busiest account"
	}
	return "the account"
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

// claim is the answer in a few words.
func (e *Explanation) claim() document.Answer {
	hottest, busiest := e.Used().peaks()
	if hottest == nil && !faulty(e.Findings) {
		return document.Answer{Claim: "No phase offers load: there is no peak to hold"}
	}
	bound, a := e.bound(hottest, busiest), document.Answer{}
	rate := document.Rate(bound.Value)
	switch {
	case e.over(hottest, busiest):
		a = document.Claimed(e.State, " at", rate, "entities/s", "")
	case e.State == results.DoesNotHold:
		a = document.Claimed(e.State, ": "+document.Enumerated(named(e.Findings, Error)), "", "", "")
	case e.State == results.CannotTell:
		a = document.Claimed(e.State, " at", rate, "entities/s", "")
	case bound.part() == 0:
		a = document.Claimed(e.State, ": nothing bounds this load", "", "", "")
	default:
		a = document.Claimed(e.State, ":", bound.room(), "times the peak", "fits")
	}
	if bound.target > 0 {
		a.Beside = fmt.Sprintf("%s of %s/s %s", rate, document.Count(bound.target), bound.each)
	}
	a.Says = append(a.Says, e.Used().headline(hottest))
	if change := firstChange(e.Findings); change != "" && e.State != results.Holds {
		a.Says = append(a.Says, change)
	}
	return a
}

// headline says what the answer is about.
func (d *Design) headline(hottest *Load) string {
	text := "PartitionKey " + d.PartitionKey
	if d.Name != "" {
		text = "Design " + d.Name + ", " + text
	}
	if hottest != nil && hottest.placed() {
		text += ": the hottest is " + document.Key(hottest.Hottest.PartitionKey, keyWidth)
	}
	return text
}

// tooNear reports whether the peak may lie on either side of a target.
func (e *Explanation) tooNear(hottest, busiest *Load) bool {
	h, a := &hottest.Hottest, &busiest.Account
	return h.against(e.Targets.Partition) == Warning && h.Value > float64(e.Targets.Partition) ||
		a.against(e.Targets.Account) == Warning && a.Value > float64(e.Targets.Account)
}

// over reports whether the peak surely lies above a target.
func (e *Explanation) over(hottest, busiest *Load) bool {
	return hottest != nil && (hottest.Hottest.against(e.Targets.Partition) == Error || busiest.Account.against(e.Targets.Account) == Error)
}

// bound is what the load meets first if it grows: what counts which rate of which target.
type bound struct {
	Rate
	what   string
	target int64
	// each is whose target that is.
	each string
}

// bound returns what the load would meet first if it grew.
func (e *Explanation) bound(hottest, busiest *Load) bound {
	if hottest == nil {
		return bound{}
	}
	partition := bound{hottest.Hottest.Rate, "that partition", e.Targets.Partition, "a partition"}
	account := bound{busiest.Account, e.account(), e.Targets.Account, "an account"}
	if account.part() > partition.part() {
		return account
	}
	return partition
}

func (b bound) part() float64 {
	if b.target == 0 {
		return 0
	}
	return b.Value / float64(b.target)
}

func (b bound) sentence() string {
	switch part := b.part(); {
	case part <= 0:
		return "Nothing bounds it."
	case part > 1:
		return fmt.Sprintf("What bounds it is %s, at %s of this load.", b.what, document.Share(1/part))
	default:
		return fmt.Sprintf("What bounds it is %s, at %s times this load.", b.what, b.room())
	}
}

// room is how many times the load fits, cut off to what is surely there.
func (b bound) room() string {
	times := 1 / b.part()
	if times < 10 {
		return document.Rate(math.Floor(times*10) / 10)
	}
	return document.Rate(math.Floor(times))
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
