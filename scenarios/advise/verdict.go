package advise

import (
	"fmt"
	"math"

	"loadgen/report/document"
	"loadgen/results"
)

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
	case e.State == results.DoesNotHold && !e.over(hottest, busiest):
		a = document.Claimed(e.State, ": "+document.Enumerated(named(e.Findings, Error)), "", "", "")
	case e.State != results.Holds:
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
	if bound.target > 0 && !e.Targets.documented() {
		a.Says = append(a.Says, fmt.Sprintf("Azure's documented targets are %s and %s.", document.Count(documentedPartition),
			document.Count(documentedAccount)))
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
	return text + "."
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

// bound is what the load meets first if it grows: which rate of which target.
type bound struct {
	Rate
	target int64
	// each is whose target that is.
	each string
}

// bound returns what the load would meet first if it grew.
func (e *Explanation) bound(hottest, busiest *Load) bound {
	if hottest == nil {
		return bound{}
	}
	partition := bound{hottest.Hottest.Rate, e.Targets.Partition, "a partition"}
	account := bound{busiest.Account, e.Targets.Account, "an account"}
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

// room is how many times the load fits, cut off to what is surely there.
func (b bound) room() string {
	times := 1 / b.part()
	if times < 10 {
		return document.Rate(math.Floor(times*10) / 10)
	}
	return document.Rate(math.Floor(times))
}

func (t *Targets) documented() bool {
	return t.Partition == documentedPartition && t.Account == documentedAccount
}
