package contest

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"loadgen/report/document"
	"loadgen/results"
)

// The places of sentences in the table; the place of a reason is its kind.
const (
	inClaim   = "claim" // the first that applies
	inBeside  = "beside"
	inAnswer  = "answer"
	inScreen  = "screen" // with those of the answer
	inRemedy  = "remedies"
	inProfile = "profile"
	inUntried = "untried"
	inRuns    = "runs"
	inBasis   = "basis" // with those of the runs
	inLimits  = "limits"
)

//go:embed narrative.tmpl
var narrativeTable string

// table is the table of all sentences, parsed when it is first needed.
var table = sync.OnceValue(func() *document.Narrative { return document.ParseNarrative(narrativeTable) })

// sentences returns the sentences for some places, in the order of the table.
func (n *narrative) sentences(places ...string) []string { return table().Phrases(n, places...) }

// first returns the first sentence for a place, empty for none.
func (n *narrative) first(place string) string {
	for _, says := range n.sentences(place) {
		return says
	}
	return ""
}

// says returns the sentence of a reason.
func (e *evidence) says() string { return strings.Join(table().Phrases(e, e.Kind), "") }

// PartitionName returns the quoted PartitionKey.
func (e *evidence) PartitionName() string { return document.Told(e.Partition, strconv.Quote) }

// InsertsAt returns where all inserts go at a moment.
func (e *evidence) InsertsAt() string { return insertsAt(e.Order) }

// HasHotTail reports whether inserts go to the newest partition of each bucket.
func (e *evidence) HasHotTail() bool { return e.Order == results.HotTail }

// P99 is the value of this design in microseconds, FirstP99 that of the first.
func (e *evidence) P99() int64 { return int64(e.Value) }

// FirstP99 is described with P99.
func (e *evidence) FirstP99() int64 { return int64(e.OfFirst) }

// optional returns a part of a sentence, empty without its condition.
func optional(when bool, template string, values ...any) string {
	if !when {
		return ""
	}
	return fmt.Sprintf(template, values...)
}

func formatMicros(value float64) string { return document.Micros(int64(value)) }

// belowTarget returns why a partition below its limit can be throttled.
func belowTarget(record *results.Record) string {
	const burst, layer = "a burst or a scan exceeded it", "its range shared a server or moved"
	// A warm model has no ranges and servers.
	modelled, cold := record.Manifest.Modelled(), record.Manifest.Start == "cold"
	return optional(!modelled, "%s, or %s", burst, layer) + optional(modelled && cold, "%s, or %s", layer, burst) + optional(modelled && !cold, burst)
}

// insertsAt returns where all inserts go at a moment, empty if they are spread.
func insertsAt(order string) string {
	if tails := results.TailsOf(order); tails > 0 {
		return document.Counted(tails, "place")
	}
	return map[string]string{results.AppendOnly: "the newest partition", results.PrependOnly: "the first partition",
		results.MovingPoint: "one partition", results.OnePartition: "one partition", results.HotTail: "the newest partition of each bucket"}[order]
}

// sentenceOf joins facts and begins with a capital letter.
func sentenceOf(facts ...string) string {
	text := strings.Join(facts, "; ")
	_, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:size]) + text[size:]
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

// The groups of designs.
const (
	groupHolds   = "hold"
	groupUnknown = "cannot tell"
	groupIdle    = "not run"
)

// group returns the group of a design, empty for the best without checks.
func (one *Ranked) group() string {
	switch {
	case len(one.Cannot) > 0:
		return "cannot serve every operation"
	case len(one.Seeds) == 0:
		return groupIdle
	case one.State == "" && one.Rank != nil && *one.Rank > 1:
		return "behind"
	}
	return map[string]string{results.Holds: groupHolds, results.CannotTell: groupUnknown, results.DoesNotHold: "do not hold"}[one.State]
}

// HeldOf is the number of designs that hold.
func (n *narrative) HeldOf() string { return fmt.Sprintf("%d of %d", len(n.Holding()), len(n.Ranking)) }

// Holding are the designs that hold, Idle those without runs.
func (n *narrative) Holding() names { return n.groups[groupHolds] }

// Idle is described with Holding.
func (n *narrative) Idle() names { return n.groups[groupIdle] }

// AllHoldingAreBest reports whether several designs hold, without a difference.
func (n *narrative) AllHoldingAreBest() bool {
	return len(n.Holding()) > 1 && slices.Equal(n.Best, n.Holding())
}

// NoneHolds reports whether there are checks and every design fails one.
func (n *narrative) NoneHolds() bool { return n.noneHolds() }

// Tie reports whether several designs are best.
func (n *narrative) Tie() bool { return n.Winner == nil && !n.noneHolds() && len(n.Best) > 1 }

// Grouped lists the designs of each group, empty if the claim is enough.
func (n *narrative) Grouped() string {
	if n.named == nil || !n.Tie() && (n.noneHolds() || n.Idle() == nil) && len(n.Holding()) < 2 {
		return ""
	}
	var list []string
	for _, group := range n.named {
		list = append(list, group+": "+n.groups[group].String())
	}
	return sentenceOf(list...)
}

// LostByFirst is the share of operations that the first design loses.
func (n *narrative) LostByFirst() float64 { return n.First.Lost.value() }

// OneEnd is the order of the first design's keys, nil if inserts are spread.
func (n *narrative) OneEnd() *evidence {
	if insertsAt(n.First.Order) == "" {
		return nil
	}
	return &evidence{Order: n.First.Order}
}

// Remedies lists what would have to change so that the first design holds its checks.
func (n *narrative) Remedies() string { return strings.Join(n.sentences(inRemedy), ", or ") }

// Highest returns the design with the highest rate.
func (n *narrative) Highest() *Ranked {
	highest := n.First
	for i := range n.Ranking {
		if one := &n.Ranking[i]; one.Rate() > highest.Rate() {
			highest = one
		}
	}
	return highest
}

// Scanned are the operations for which the first design scans.
func (n *narrative) Scanned() (scanned names) {
	for _, reason := range n.First.Reasons {
		if reason.Kind == Scans {
			scanned = append(scanned, reason.Operation)
		}
	}
	return scanned
}

// Missed are the checks that the first design fails, with their values.
func (n *narrative) Missed() (missed names) {
	for i := range n.First.Expected {
		if e := &n.First.Expected[i]; e.fails() && e.Observed != "" {
			missed = append(missed, e.Expr+": "+e.Observed)
		}
	}
	return missed
}

// PowerList lists how often differences are found.
func (n *narrative) PowerList() string {
	var list []string
	for _, one := range n.Power {
		often := optional(one.Found > 99, "more than 99") + optional(one.Found <= 99, "about %s", document.Decimals(one.Found, 0))
		list = append(list, document.Decimals(one.Difference, 1)+" % in "+often)
		if one.Found > 99 {
			break // larger differences too
		}
	}
	return strings.Join(list, ", of ")
}

// minMultiple is the minimum ratio that is written as a multiple, not as a percentage.
const minMultiple = 1.5

// ahead is how far the first design is ahead of the next.
type ahead struct {
	Next *Ranked
	// Alone reports that no other design ran, Checks that checks decide, ByRate that the sustained rate does; otherwise
	// Words names the figure.
	Alone, Checks, ByRate                            bool
	Words                                            string
	Held, HeldByNext, Failed, FailedByNext, Expected int
	// Is and Was are the deciding figure of both.
	Is, Was string
	// Times is the ratio of the sustained rates if these decide, Bounds its interval, RateTimes the ratio if checks
	// decide. Shown reports whether the rates differ.
	Times, RateTimes string
	Bounds           []string
	Shown            bool
}

// Ahead compares the first design with the next.
func (n *narrative) Ahead() *ahead {
	first, next, e, figures := n.First, n.Next, cmp.Or(n.Next.Ratio, new(Effect)), criteria(Price{})
	a := &ahead{Next: next, Alone: next.Behind == "", Checks: next.Behind == byChecks, ByRate: next.Behind == bySustained, Expected: len(first.Expected), Shown: e.Shown}
	a.Held, a.Failed, _ = countChecks(first.Expected)
	a.HeldByNext, a.FailedByNext, _ = countChecks(next.Expected)
	f := &figures[max(sustained, slices.IndexFunc(figures, func(f criterion) bool { return f.name == next.Behind }))]
	a.Is, a.Was = document.Told((*f.field(first)).mean(), f.format), document.Told((*f.field(next)).mean(), f.format)
	if !a.Alone && !a.Checks && !a.ByRate {
		a.Words = f.words
	}
	as := document.Figures
	if 1/e.Ratio < minMultiple {
		as = func(ratio float64) string { return document.Decimals(100*(ratio-1), 1) + " %" }
	}
	switch {
	case a.ByRate && e.Ratio > 0:
		a.Times = as(1/e.Ratio) + optional(1/e.Ratio >= minMultiple, " times")
		if e.Interval != nil && e.Interval[0] > 0 {
			a.Bounds = []string{as(1 / e.Interval[1]), as(1 / e.Interval[0])}
		}
	case a.Checks && e.Shown && e.Ratio > 0 && e.Ratio < 1:
		a.RateTimes = document.Figures(1 / e.Ratio)
	}
	return a
}

// Rate is the mean sustained rate in entities per second.
func (one *Ranked) Rate() float64 { return one.Sustained.value() }

// Unserved reports whether a design leaves a part of the load unserved.
func (one *Ranked) Unserved() bool { return one.Met != nil && one.Met.Mean < servesAll }

// The notes of the tables.
const (
	rankingNote = "means over the runs with 95% intervals; sustained: entities per second served in time; of the first: part of its sustained rate; " +
		"lost: share of due operations; worst p99: response time of the slowest operation; held: in all runs; equal ranks: no difference shown"
	costsNote = "per successful operation, failed ones included (derived); counted: entities by Azure's rule; billed: transactions without throttled requests"
	timesNote = "of successful operations, back-off included; medians over the runs"
	movesNote = "moves: ranges split, moved or merged in all runs; recovery: the maximum of a run, until throttling is back to its earlier share, or 1 %, for 3 s; " +
		"never: moves without recovery; cold: partitions below half of the target, by Jain's index and mean share served; empty if keys move on"
)
