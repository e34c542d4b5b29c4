package contest

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"loadgen/report/document"
	"loadgen/results"
)

//go:embed narrative.tmpl
var narrativeTable string

// table is the table of all sentences, parsed when it is first needed.
var table = sync.OnceValue(func() *document.Narrative { return document.ParseNarrative(narrativeTable) })

// sentences returns the sentences for some places, in the order of the table. The place of a
// reason is its kind. The claim has alternatives: the first one that applies counts.
func (n *narrative) sentences(places ...string) []string { return table().Phrases(n, places...) }

// firstSentence returns the first sentence for a place, empty for none.
func (n *narrative) firstSentence(place string) string {
	for _, says := range n.sentences(place) {
		return says
	}
	return ""
}

// optional returns a part of a sentence, empty without its condition.
func optional(when bool, template string, values ...any) string {
	if !when {
		return ""
	}
	return fmt.Sprintf(template, values...)
}

// keyOrder is how new PartitionKeys arrive, as results names it.
type keyOrder string

// InsertsAt returns where all inserts go at a moment, empty if they are spread.
func (o keyOrder) InsertsAt() string {
	if tails := results.TailsOf(string(o)); tails > 0 {
		return document.Counted(tails, "place")
	}
	return map[keyOrder]string{results.AppendOnly: "the newest partition", results.PrependOnly: "the first partition",
		results.MovingPoint: "one partition", results.OnePartition: "one partition", results.HotTail: "the newest partition of each bucket"}[o]
}

// HasHotTail reports whether inserts go to the newest partition of each bucket.
func (o keyOrder) HasHotTail() bool { return o == results.HotTail }

// sentenceOf joins facts and begins with a capital letter.
func sentenceOf(facts ...string) string {
	text := strings.Join(facts, "; ")
	return strings.ToUpper(text[:1]) + text[1:]
}

// collect returns the texts of a list that are not empty.
func collect[T any](list []T, text func(*T) string) (all names) {
	for i := range list {
		if one := text(&list[i]); one != "" {
			all = append(all, one)
		}
	}
	return all
}

// names are designs in a sentence.
type names []string

// maxNamed is how many designs a sentence names.
const maxNamed = 5

// String returns the names, or their number if there are many.
func (n names) String() string {
	if len(n) > maxNamed {
		return document.Counted(len(n), "design")
	}
	return document.Enumerated(n)
}

// narrative holds the values that the sentences of a contest need.
type narrative struct {
	*Contest
	// Best are the designs that share the first rank, groups those of each group, named the
	// groups, best first.
	Best   names
	groups map[string]names
	named  []string
	// First and Next are empty if there are none.
	First, Next *Ranked
	// Runs counts those of the Ran designs, MinRuns and MaxRuns those of one.
	Ran, Runs, MinRuns, MaxRuns int
	Doubtful, Limited           int
	// Operations is the maximum of a run, Divided the shares of alpha.
	Operations int64
	Divided    []string
	// Of the other profile: a different result, two designs that it reverses, whether the
	// result is the same, and whether the same designs hold.
	Result, Reversed      string
	SameResult, SameHolds bool
}

// newNarrative returns the values of a contest.
func newNarrative(c *Contest) *narrative {
	n := &narrative{Contest: c, groups: make(map[string]names), First: new(Ranked), Next: new(Ranked)}
	for i := range c.Ranking {
		one := &c.Ranking[i]
		group := one.group()
		if n.groups[group] == nil && group != "" {
			n.named = append(n.named, group)
		}
		n.groups[group] = append(n.groups[group], one.Design)
		if one.Rank != nil && *one.Rank == 1 && len(one.Cannot) == 0 {
			n.Best = append(n.Best, one.Design)
		}
		if len(one.Seeds) == 0 {
			continue
		}
		if n.Ran++; n.Ran == 1 {
			n.First, n.MinRuns = one, len(one.Seeds)
		}
		n.Runs, n.MinRuns, n.MaxRuns = n.Runs+len(one.Seeds), min(n.MinRuns, len(one.Seeds)), max(n.MaxRuns, len(one.Seeds))
		n.Doubtful, n.Limited = n.Doubtful+one.Doubtful, n.Limited+one.Limited
		if n.Next.Design == "" && one.Rank != nil && *one.Rank > 1 {
			n.Next = one
		}
	}
	return n
}

// group returns the group of a design, empty for the best without checks.
func (one *Ranked) group() string {
	switch {
	case len(one.Cannot) > 0:
		return "cannot serve every operation"
	case len(one.Seeds) == 0:
		return "not run"
	case one.State == "" && one.Rank != nil && *one.Rank > 1:
		return "behind"
	}
	return map[string]string{results.Holds: "hold", results.CannotTell: "cannot tell", results.DoesNotHold: "do not hold"}[one.State]
}

// HeldOf is the number of designs that hold.
func (n *narrative) HeldOf() string { return fmt.Sprintf("%d of %d", len(n.Holding()), len(n.Ranking)) }

// Holding are the designs that hold, Idle those without runs.
func (n *narrative) Holding() names { return n.groups["hold"] }

// Idle is described with Holding.
func (n *narrative) Idle() names { return n.groups["not run"] }

// AllHoldingAreBest reports whether several designs hold, without a difference.
func (n *narrative) AllHoldingAreBest() bool {
	return len(n.Holding()) > 1 && slices.Equal(n.Best, n.Holding())
}

// Tie reports whether several designs are best.
func (n *narrative) Tie() bool { return n.Winner == nil && !n.NoneHolds() && len(n.Best) > 1 }

// Grouped lists the designs of each group, empty without groups.
func (n *narrative) Grouped() string {
	list := collect(n.named, func(group *string) string { return *group + ": " + n.groups[*group].String() })
	if list == nil {
		return ""
	}
	return sentenceOf(list...)
}

// Order is the order of the first design's keys.
func (n *narrative) Order() keyOrder { return keyOrder(n.First.Order) }

// Remedies lists what would have to change so that the first design holds its checks.
func (n *narrative) Remedies() string { return strings.Join(n.sentences("remedies"), ", or ") }

// Highest returns the design with the highest rate.
func (n *narrative) Highest() *Ranked {
	return new(slices.MaxFunc(n.Ranking, func(a, b Ranked) int { return cmp.Compare(a.Sustained.Value(), b.Sustained.Value()) }))
}

// Scanned are the operations for which the first design scans.
func (n *narrative) Scanned() names {
	return collect(n.First.Reasons, func(r *Reason) string { return optional(r.Kind == Scans, "%s", r.Operation) })
}

// Missed are the checks that the first design fails, with their values.
func (n *narrative) Missed() names {
	return collect(n.First.Expected, func(e *Check) string { return optional(e.fails() && e.Observed != "", "%s: %s", e.Expr, e.Observed) })
}

// deciding is the place of the figure by which the next design is behind the first.
func (n *narrative) deciding() int {
	return max(sustained, slices.IndexFunc(criteria, func(f criterion) bool { return f.name == n.Next.Behind }))
}

// DecidingFigure is the name of that figure, empty for the sustained rate.
func (n *narrative) DecidingFigure() string {
	return optional(n.deciding() != sustained, "%s", criteria[n.deciding()].words)
}

// DecidingValue is the value of that figure for a design.
func (n *narrative) DecidingValue(one *Ranked) string {
	return document.Optional((*one.figures()[n.deciding()].to).Pointer(), criteria[n.deciding()].format)
}

// minMultiple is the minimum ratio that is written as a multiple, not as a percentage.
const minMultiple = 1.5

// IsMultiple reports whether the ratio of the sustained rates is written as a multiple.
func (n *narrative) IsMultiple() bool { return 1/n.Next.Ratio.Ratio >= minMultiple }

// Times are the ratio of the sustained rates of the first design and the next, and the bounds of
// its interval; empty if these do not decide.
func (n *narrative) Times() []string {
	e := n.Next.Ratio
	if n.Next.Behind != bySustained || e == nil || !(e.Ratio > 0) {
		return nil
	}
	as := document.Figures
	if !n.IsMultiple() {
		as = func(ratio float64) string { return document.Decimals(100*(ratio-1), 1) + "%" }
	}
	list := []string{as(1 / e.Ratio)}
	if e.Interval != nil && e.Interval[0] > 0 {
		list = append(list, as(1/e.Interval[1]), as(1/e.Interval[0]))
	}
	return list
}

// Unserved reports whether a design leaves a part of the load unserved.
func (one *Ranked) Unserved() bool { return one.Met != nil && one.Met.Mean < servesAll }
