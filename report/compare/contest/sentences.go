package contest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"loadgen/report/document"
	"loadgen/results"
)

// row is a sentence: if a condition is true, it appears at some places. Values that a condition
// excludes are empty, so that arguments never fail.
type row struct {
	where    string
	when     bool
	template string
	args     []any
}

// sentences returns the sentences for a place.
func sentences(rows []row, where string) []string {
	var list []string
	for _, one := range rows {
		if one.when && slices.Contains(strings.Split(one.where, " "), where) {
			list = append(list, fmt.Sprintf(one.template, one.args...))
		}
	}
	return list
}

// The places of sentences. A row may have several places; the place of a reason is its kind.
const (
	inClaim   = "claim" // the first that applies
	inBeside  = "beside"
	inVerdict = "verdict"
	inScreen  = "screen"
	inRemedy  = "remedy"
	inLead    = "lead"
	inAgainst = "against"
	inProfile = "profile"
	inUntried = "untried"
	inRuns    = "runs"
	inBasis   = "basis"
	inLimits  = "limits"
	inAnswer  = inVerdict + " " + inScreen
)

// args are the arguments of a template.
type args = []any

// optional returns a part of a sentence, empty without its condition.
func optional(when bool, template string, values ...any) string {
	return strings.Join(sentences([]row{{"", when, template, values}}, ""), "")
}

// rows are the sentences of a contest.
func (n *narrative) rows() []row {
	won, none := n.Winner != nil, n.noneHolds()
	against, rates := n.lead(inAgainst), n.lead(inVerdict)
	var grouped []string
	for _, group := range n.named {
		grouped = append(grouped, group+": "+n.groups[group].String())
	}
	tie, holding, idle := !won && !none && len(n.best) > 1, n.groups[groupHolds], n.groups[groupIdle]
	return []row{
		{inClaim, n.ran == 0 && idle == nil && len(n.Ranking) > 0, "NO DESIGN CAN SERVE every operation", nil},
		{inClaim, n.ran == 0, "CANNOT TELL which design is best: none was run", nil},
		{inClaim, none, "NONE OF %d DESIGNS holds your checks", args{len(n.Ranking)}},
		{inClaim, won && n.State == results.CannotTell, "CANNOT TELL whether %s holds; it WINS %s", args{n.best, n.lead(inLead)}},
		{inClaim, won && n.first.State == results.DoesNotHold, "%s DOES NOT HOLD its checks, but WINS %s", args{n.best, n.lead(inLead)}},
		{inClaim, won, "%s WINS %s", args{n.best, n.lead(inLead)}},
		{inClaim, n.ran == 1, "CANNOT TELL which design is best: only %s was run", args{n.best}},
		{inClaim, len(holding) > 1 && slices.Equal(n.best, holding), "%s HOLD; no difference between them", args{n.heldOf()}},
		{inClaim, holding != nil && n.minRuns < 2, "%s HOLD in one run of each", args{n.heldOf()}},
		{inClaim, holding != nil, "%s HOLD; no difference between %s", args{n.heldOf(), n.best}},
		{inClaim, true, "NO DIFFERENCE between %s", args{n.best}},

		{inBeside, won && against != "", "%s", args{against}},
		{inBeside, tie && n.minRuns < 2, "a difference needs 2 runs or more of each design", nil},
		{inBeside, tie && len(n.Power) > 0, "such contests would show a rate difference of %s of 100", args{n.power()}},

		{inAnswer, none && len(n.best) > 1, "No difference between the best: %s.", args{n.best}},
		{inAnswer, none && len(n.best) == 1 && against == "", "The best is %s.", args{n.best}},
		{inAnswer, none && len(n.best) == 1 && against != "", "The best is %s, ahead %s (%s).", args{n.best, n.lead(inLead), against}},
		{inAnswer, none && n.remedies() != "", "To hold the checks: %s.", args{n.remedies()}},
		{inAnswer, won && rates != "", "%s", args{rates}},
		{inAnswer, grouped != nil && (tie || !none && idle != nil || len(holding) > 1), "%s.", args{sentenceOf(grouped...)}},
		{inAnswer, won && n.first.State == "" && n.first.Lost.value() > 0, "It loses %s of the operations.", args{document.Share(n.first.Lost.value())}},
		{inScreen, won && insertsAt(n.first.Order) != "", "%s%s.", args{sentenceOf(oneEnd(n.first.Order)),
			optional(n.PartitionTarget > 0, "; a partition sustains %s/s", document.Count(n.PartitionTarget))}},
		{inScreen, won, "%s", args{n.first.template()}},
		{inScreen, n.SurvivesSays != "", "%s", args{n.SurvivesSays}},
		{inAnswer, n.doubtful > 0, "Not valid: %d of %s.", args{n.doubtful, document.Counted(n.runs, "run")}},
		{inAnswer, n.limited > 0, "Client-limited: %d of %s; the generator may limit their rates and times.", args{n.limited, document.Counted(n.runs, "run")}},

		{inUntried, true, "Profile %s was not tried with all designs.", args{n.Other}},
		{inProfile, n.survives && !n.sameHolds, "Same best, but not the same designs hold under the %s profile%s.", args{cmp.Or(n.Other, "other"), n.result}},
		{inProfile, n.survives && n.sameHolds, "Same result under the %s profile%s.", args{cmp.Or(n.Other, "other"), n.result}},
		{inProfile, !n.survives, "Different result under the %s profile%s.", args{cmp.Or(n.Other, "other"), n.result}},
		{inProfile, n.reversed != "", "It reverses %s.", args{n.reversed}},

		{inBasis, n.ran > 0 && n.Scenario != "", "scenario %s", args{n.Scenario}},
		{inRuns + " " + inBasis, n.minRuns > 0 && n.minRuns == n.maxRuns, "%s of each design, each with its own seed", args{document.Counted(n.minRuns, "run")}},
		{inRuns + " " + inBasis, n.minRuns != n.maxRuns, "%d to %d runs of each design, each with its own seed", args{n.minRuns, n.maxRuns}},
		{inBasis, n.ran > 0, "the same load for every design: up to %s operations per run; copies, retries and scanned entities do not count as served",
			args{document.Count(n.operations)}},
		{inBasis, n.Figures != "", "rates, times and shares: %s%s; entities, transactions and bytes: Azure's documented rules",
			args{n.Figures, optional(n.Figures == "modelled", ", profile %s", n.Profile)}},
		{inBasis, n.ran > 0, "most checks held ranks first, then Welch's test of each pair: equal designs differ by chance in %s of contests (alpha: %s)",
			args{document.Share(n.Alpha), document.Enumerated(n.divided)}},
		{inLimits, n.ran > 0, "Another rate or mix of operations may have another winner.", nil},
		{inLimits, n.ran > 1 && !won, "No difference shown does not prove that there is none.", nil},
	}
}

// rows are the sentences of a reason.
func (e *evidence) rows() []row {
	demand, target := document.Rate(e.Demand), document.Rate(e.Target)
	counted, returned := document.Rate(e.Counted), document.Rate(e.Returned)
	partition := "the partition " + document.Told(e.Partition, strconv.Quote) + optional(e.Table != "", " of table …%q", e.Table)
	from := optional(e.FromSecond != nil, " from second %s", document.Told(e.FromSecond, document.Count))
	share := optional(e.Share > 0, ", %s of all demand", document.Share(e.Share))
	throttled := optional(e.throttled > 0, "%s of its requests were throttled; ", document.Share(e.throttled))
	copies := optional(e.copies > 0, ", %s included", document.Counted(e.copies, "copy", "copies"))
	first := func(format func(float64) string) string {
		return optional(e.first != "", " (%s: %s)", e.first, format(e.ofFirst))
	}
	return []row{
		{HotPartition, e.Target <= 0, "%s was throttled most: it received up to %s entities/s%s%s", args{partition, demand, from, share}},
		{HotPartition, e.Demand < e.Target, "%s was throttled most: it received up to %s entities/s%s, limit %s%s; %s",
			args{partition, demand, from, target, share, e.cause}},
		{HotPartition, e.Demand >= e.Target && e.Target > 0, "%s received up to %s entities/s%s, limit %s%s", args{partition, demand, from, target, share}},
		{OneEnd, true, "%s%s", args{throttled, oneEnd(e.order)}},
		{AccountLimit, true, "the account reached its limit: demand %s entities/s, limit %s", args{demand, target}},
		{Unserved, e.cause == "", "%s of its requests were throttled; the record does not show where", args{document.Share(e.throttled)}},
		{Unserved, e.cause != "", "%s of its requests were throttled over many partitions, none above its limit; %s", args{document.Share(e.throttled), e.cause}},
		{Scans, true, "the operation %s scans %s entities to return %s%s", args{e.Operation, counted, returned, first(document.Rate)}},
		{CountsMore, true, "the operation %s counts %s entities%s%s", args{e.Operation, counted, copies, first(document.Rate)}},
		{BillsMore, true, "an event takes %s billed transactions%s", args{document.Finely(e.value), first(document.Finely)}},
		{Slow, true, "the p99 of %s is %s%s", args{e.Operation, formatMicros(e.value), first(formatMicros)}},
		{CannotServe, true, "it cannot serve %s: %s", args{e.Operation, e.cause}},
	}
}

// remedies returns what would have to change so that the first design holds its checks.
func (n *narrative) remedies() string {
	highest := n.first
	var scanned, missed names
	for i := range n.Ranking {
		if one := &n.Ranking[i]; one.Sustained.value() > highest.Sustained.value() {
			highest = one
		}
	}
	for _, reason := range n.first.Reasons {
		if reason.Kind == Scans {
			scanned = append(scanned, reason.Operation)
		}
	}
	for i := range n.first.Expected {
		if e := &n.first.Expected[i]; e.fails() && e.Observed != "" {
			missed = append(missed, e.Expr+": "+e.Observed)
		}
	}
	return strings.Join(sentences([]row{
		{inRemedy, n.first.unserved(), "a lower rate (the maximum is %s/s, by %s)", args{document.Rate(highest.Sustained.value()), highest.Design}},
		{inRemedy, scanned != nil, "another key for %s, which scans", args{scanned}},
		{inRemedy, !n.first.unserved() && scanned == nil && missed != nil, "another limit (%s)", args{missed}},
	}, inRemedy), ", or ")
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

// oneEnd returns why more partitions do not help an order of keys.
func oneEnd(order string) string {
	helps := "more partitions do not help"
	if order == results.HotTail {
		helps = "only more buckets help"
	}
	return fmt.Sprintf("its keys are %s: inserts go to %s, so %s", order, insertsAt(order), helps)
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
	// best are the designs that share the first rank, groups those of each group, named the
	// groups, best first.
	best   names
	groups map[string]names
	named  []string
	// first and next are empty if there are none.
	first, next *Ranked
	// runs counts those of the ran designs, minRuns and maxRuns those of one.
	ran, runs, minRuns, maxRuns int
	doubtful, limited           int
	// operations is the maximum of a run, divided the shares of alpha.
	operations int64
	divided    []string
	// Of the other profile: a different result, two designs that it reverses, whether the
	// result is the same, and whether the same designs hold.
	result, reversed    string
	survives, sameHolds bool
}

// newNarrative returns the values of a contest.
func newNarrative(c *Contest) *narrative {
	n := &narrative{Contest: c, groups: make(map[string]names), first: new(Ranked), next: new(Ranked)}
	for i := range c.Ranking {
		one := &c.Ranking[i]
		group := one.group()
		if n.groups[group] == nil && group != "" {
			n.named = append(n.named, group)
		}
		n.groups[group] = append(n.groups[group], one.Design)
		if one.Rank != nil && *one.Rank == 1 && len(one.Cannot) == 0 {
			n.best = append(n.best, one.Design)
		}
		if len(one.Seeds) == 0 {
			continue
		}
		if n.ran++; n.ran == 1 {
			n.first, n.minRuns = one, len(one.Seeds)
		}
		n.runs, n.minRuns, n.maxRuns = n.runs+len(one.Seeds), min(n.minRuns, len(one.Seeds)), max(n.maxRuns, len(one.Seeds))
		n.doubtful, n.limited = n.doubtful+one.Doubtful, n.limited+one.Limited
		if n.next.Design == "" && one.Rank != nil && *one.Rank > 1 {
			n.next = one
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

// firstSentence returns the first sentence for a place, empty for none.
func firstSentence(rows []row, where string) string {
	for _, says := range sentences(rows, where) {
		return says
	}
	return ""
}

// heldOf is the number of designs that hold.
func (n *narrative) heldOf() string {
	return fmt.Sprintf("%d of %d", len(n.groups[groupHolds]), len(n.Ranking))
}

// power lists how often differences are found.
func (n *narrative) power() string {
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

// lead returns the sentence for a place of how far the first design is ahead of the next.
func (n *narrative) lead(where string) string {
	first, next, e, figures := n.first, n.next, cmp.Or(n.next.Ratio, new(Effect)), criteria(Price{})
	held, failed, _ := countChecks(first.Expected)
	less, more, _ := countChecks(next.Expected)
	f := &figures[max(sustained, slices.IndexFunc(figures, func(f criterion) bool { return f.name == next.Behind }))]
	is, was := document.Told((*f.field(first)).mean(), f.format), document.Told((*f.field(next)).mean(), f.format)
	alone, checks, rate := next.Behind == "", next.Behind == byChecks, next.Behind == bySustained
	ratio, other := rate && e.Ratio > 0, !alone && !checks && !rate
	as := document.Figures
	if 1/e.Ratio < minMultiple {
		as = func(ratio float64) string { return document.Decimals(100*(ratio-1), 1) + " %" }
	}
	low, high := 1., 1.
	if e.Interval != nil {
		low, high = e.Interval[0], e.Interval[1]
	}
	return strings.Join(sentences([]row{
		{inLead, alone, "as the only design that can serve every operation", nil},
		{inLead, checks && held != less, "by checks held: %d of %d", args{held, len(first.Expected)}},
		{inLead, checks && held == less, "by checks failed: %d of %d", args{failed, len(first.Expected)}},
		{inLead, ratio, "by %s%s", args{as(1 / e.Ratio), optional(1/e.Ratio >= minMultiple, " times")}},
		{inLead, rate && !ratio, "by %s entities/s", args{is}},
		{inLead, other, "by %s: %s", args{f.words, is}},
		{inAgainst, checks && held != less, "against %d of %s", args{less, next.Design}},
		{inAgainst, checks && held == less, "against %d of %s", args{more, next.Design}},
		{inAgainst, checks && e.Shown && e.Ratio > 0 && e.Ratio < 1, ", and %s times its sustained rate", args{document.Figures(1 / e.Ratio)}},
		{inAgainst, ratio, "over %s%s", args{next.Design, optional(e.Interval != nil && low > 0, "; 95 %%: %s to %s", as(1/high), as(1/low))}},
		{inAgainst, !alone && !checks && !ratio, "against %s of %s", args{was, next.Design}},
		{inAnswer, other && !e.Shown, "No difference in the sustained rate.", nil},
		{inAnswer, other && e.Shown && next.unserved(), "%s sustains more, but does not serve the whole load.", args{next.Design}},
		{inAnswer, other && e.Shown && !next.unserved(), "Both serve the whole load.", nil},
	}, where), "")
}

// unserved reports whether a design leaves a part of the load unserved.
func (one *Ranked) unserved() bool { return one.Met != nil && one.Met.Mean < servesAll }

// The notes of the tables.
const (
	rankingNote = "means over the runs with 95% intervals; sustained: entities per second served in time; of the first: part of its sustained rate; " +
		"lost: share of due operations; worst p99: response time of the slowest operation; held: in all runs; equal ranks: no difference shown"
	costsNote = "per successful operation, failed ones included (derived); counted: entities by Azure's rule; billed: transactions without throttled requests"
	timesNote = "of successful operations, back-off included; medians over the runs"
	movesNote = "moves: ranges split, moved or merged in all runs; recovery: the maximum of a run, until throttling is back to its earlier share, or 1 %, for 3 s; " +
		"never: moves without recovery; cold: partitions below half of the target, by Jain's index and mean share served; empty if keys move on"
)
