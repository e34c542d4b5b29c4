package contest

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"loadgen/report/compare/statistics"
	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
)

// Rank returns the contest of the arms, whose designs have different names. The order of the
// arms changes nothing. Options with a fault are replaced by the defaults.
func Rank(arms []Arm, o Options) *Contest {
	if len(o.Validate()) > 0 {
		o.Alpha, o.Price = 0, Price{}
	}
	arms = slices.Clone(arms)
	slices.SortStableFunc(arms, func(a, b Arm) int { return strings.Compare(a.Design, b.Design) })
	c, r := rank(arms, o, func(arm *Arm) []Trial { return arm.Trials })
	c.Power = r.power()
	if o.Price != (Price{}) {
		c.Price = &o.Price
	}
	var divided []string
	for _, f := range r.figures {
		c.Tests = append(c.Tests, Test{f.name, f.part * c.Alpha, f.resolution})
		divided = append(divided, f.words+" "+document.PartOf(f.part, 1))
	}
	for at, i := range r.sequence {
		c.Ranking[at].explain(r.evidence(i, &c.Ranking[at], &c.Ranking[0], o.Price))
	}
	c.describe(r)
	n := newNarrative(c)
	n.Divided = divided
	for _, arm := range r.arms {
		for k := range arm.Trials {
			n.Operations = max(n.Operations, arm.Trials[k].Events)
		}
	}
	answer := n.answer(inAnswer)
	c.Verdict = answer.Whole()
	c.RestsOn, c.CannotTell = append(c.RestsOn, n.sentences(inBasis, inRuns)...), append(c.CannotTell, n.sentences(inLimits)...)
	c.survive(n, r, arms, o)
	return c
}

// rank returns the order of the arms by some of their trials, without reasons and sentences.
func rank(arms []Arm, o Options, of func(*Arm) []Trial) (*Contest, *order) {
	c := &Contest{Scenario: o.Scenario, Profile: o.Profile, Other: o.Other, Alpha: cmp.Or(o.Alpha, DefaultAlpha), Repeat: o.Repeat,
		Tests: []Test{}, RestsOn: []string{}, CannotTell: []string{}, Ranking: []Ranked{}}
	var ran []*Arm
	var idle, unable []Ranked
	for i := range arms {
		switch arm := &arms[i]; {
		case len(arm.Cannot) > 0:
			unable = append(unable, newRanked(arm))
		case len(of(arm)) == 0:
			idle = append(idle, newRanked(arm))
		default:
			ran = append(ran, arm)
		}
	}
	r := newOrder(ran, o, of)
	for at, i := range r.sequence {
		c.Ranking = append(c.Ranking, r.ranked(of(ran[i]), at, o.Price))
	}
	c.Ranking = append(c.Ranking, idle...)
	for i := range unable {
		unable[i].Rank = new(len(ran) + 1)
	}
	c.Ranking = append(c.Ranking, unable...)
	c.setWinner(len(ran), len(idle), len(unable))
	return c, r
}

// setWinner sets the winner, the state and ok. Without checks the winner must not lose operations.
func (c *Contest) setWinner(ran, idle, unable int) {
	if c.State = results.CannotTell; c.noneHolds() {
		c.State, c.Ok = results.DoesNotHold, new(false)
		return
	}
	if ran == 0 || ran == 1 && (idle > 0 || unable == 0) || slices.ContainsFunc(c.Ranking[1:ran], func(one Ranked) bool { return one.Behind == "" }) {
		return
	}
	first := &c.Ranking[0]
	c.Winner, c.State, c.Ok = &first.Design, cmp.Or(first.State, results.Holds), first.Ok
	if first.State == "" && first.Lost.value() > 0 {
		c.State = results.DoesNotHold
	}
}

// newRanked returns a design without runs.
func newRanked(arm *Arm) Ranked {
	one := Ranked{Design: arm.Design, PartitionKey: arm.PartitionKey, RowKey: arm.RowKey, Copies: arm.Copies, Order: arm.Order,
		Cannot: slices.Clone(arm.Cannot), Seeds: []uint64{}, Operations: []RankedTiming{}, Expected: []Check{}, Reasons: []Reason{}}
	var reasons []evidence
	for _, o := range arm.Cannot {
		reasons = append(reasons, evidence{Reason: Reason{Kind: CannotServe, Operation: o.Operation}, Cause: o.Why})
	}
	one.explain(reasons)
	return one
}

// explain adds the reasons, the most important first.
func (one *Ranked) explain(reasons []evidence) {
	var says []string
	for i := range reasons {
		reasons[i].Says = reasons[i].says()
		one.Reasons = append(one.Reasons, reasons[i].Reason)
		says = append(says, reasons[i].Says)
	}
	if len(says) > 0 {
		one.Reason = sentenceOf(says...) + "."
	}
}

// describe adds the target, the limits and the provenance of the figures from the first record.
func (c *Contest) describe(r *order) {
	at := slices.IndexFunc(r.sequence, func(i int) bool { return r.arms[i].Record != nil })
	if at < 0 {
		return
	}
	record := r.arms[r.sequence[at]].Record
	c.Target, c.Figures = record.Manifest.Target, "measured"
	if record.Manifest.Modelled() {
		c.Figures = "modelled"
	}
	c.PartitionTarget = int64(record.Manifest.Targets.Partition)
	c.CannotTell = append(c.CannotTell, verdict.KindLimits(record)...)
}

// survive compares the result with that of the other profile: the same best designs, no
// reversed pair, and the checks hold in both or in neither.
func (c *Contest) survive(n *narrative, r *order, arms []Arm, o Options) {
	switch {
	case n.Ran < 2:
		return
	case slices.ContainsFunc(r.arms, func(arm *Arm) bool { return len(arm.Others) == 0 }):
		if o.Other != "" {
			c.SurvivesSays = n.first(inUntried)
		}
		return
	}
	other, s := rank(arms, o, func(arm *Arm) []Trial { return arm.Others })
	m := newNarrative(other)
	m.Reversed = r.reversed(s)
	m.SameHolds = slices.Equal(n.groups[groupHolds], m.groups[groupHolds])
	m.SameResult = c.noneHolds() == other.noneHolds() && m.Reversed == "" && slices.Equal(slices.Sorted(slices.Values(n.Best)), slices.Sorted(slices.Values(m.Best)))
	if claim := m.first(inClaim); claim != n.first(inClaim) {
		beside := m.first(inBeside)
		m.Result = claim + optional(beside != "" && beside != n.first(inBeside), " (%s)", beside)
	}
	c.Survives, c.SurvivesSays = &m.SameResult, strings.Join(m.sentences(inProfile), " ")
}

// ranked returns the design at a place of the sequence by some of its trials, compared with the
// designs before it.
func (r *order) ranked(trials []Trial, at int, p Price) Ranked {
	i := r.sequence[at]
	one := newRanked(r.arms[i])
	one.Rank = new(1)
	for _, before := range r.sequence[:at] {
		if r.behind(before, i) != "" {
			*one.Rank++
		}
	}
	one.measure(trials, p)
	moving := []string{results.AppendOnly, results.PrependOnly, results.MovingPoint, results.HotTail}
	if slices.Contains(moving, one.Order) || results.TailsOf(one.Order) > 0 {
		// Each partition was hot for a while, so that none was cold.
		one.Fairness, one.ColdServed = nil, nil
	}
	if first := r.sequence[0]; at > 0 {
		one.Ratio, one.Behind = r.ratio(first, i), r.behind(first, i)
	}
	return one
}

// measure adds the results of the runs of a design.
func (one *Ranked) measure(trials []Trial, p Price) {
	count := func(n *int, is bool) {
		if is {
			*n++
		}
	}
	for i := range trials {
		t := &trials[i]
		one.Seeds = append(one.Seeds, t.Seed)
		count(&one.Doubtful, t.Validity != results.Valid)
		count(&one.Invalid, t.Validity == results.Invalid)
		count(&one.Limited, t.Late)
		one.Moves += t.Moves
		one.Unrecovered += t.Unrecovered
	}
	slices.Sort(one.Seeds)
	all := func(of func(*Trial) *float64, limit float64) *Estimate {
		return estimate(valuesOfAll(trials, of), limit)
	}
	some := func(of func(*Trial) *float64, limit float64) *Estimate { return estimate(valuesOf(trials, of), limit) }
	figures := criteria(p)
	for _, f := range figures {
		limit := maxFigure
		if f.absolute {
			limit = 1
		}
		*f.field(one) = all(f.of, limit)
	}
	if one.Billed != nil && p.PerMillion > 0 {
		// Transactions per event are millions of transactions per million events.
		one.Cost = document.Finite(one.Billed.Mean * p.PerMillion)
	}
	one.Billed = all(perEvent(func(t *Trial) float64 { return t.Billed }), maxFigure)
	one.Throttled = all(perEvent(func(t *Trial) float64 { return t.ThrottledRequests }), maxFigure)
	one.Stored = all(perEvent(func(t *Trial) float64 { return t.Stored }), maxFigure)
	one.Met = all(func(t *Trial) *float64 { return t.Met }, 1)
	one.Recovery = some(func(t *Trial) *float64 { return t.Recovery }, maxFigure)
	one.Fairness = some(func(t *Trial) *float64 { return t.Fairness }, 1)
	one.ColdServed = some(func(t *Trial) *float64 { return t.ColdServed }, 1)
	if one.Stored != nil && p.PerGiBMonth > 0 {
		one.Keeping = document.Finite(one.Stored.Mean * 1e6 / (1 << 30) * p.PerGiBMonth)
	}
	one.Operations, one.Expected = timings(trials), mergeChecks(trials)
	one.State, one.Ok = checkState(one.Expected)
}

// doubt is the share of intervals that may miss their value.
const doubt = 0.05

// estimate returns the mean of a figure from 0 to a limit, nil without values.
func estimate(values []float64, limit float64) *Estimate {
	if len(values) == 0 {
		return nil
	}
	middle, low, high, ok := statistics.MeanInterval(values, doubt)
	e := &Estimate{Mean: middle, Least: slices.Min(values), Greatest: slices.Max(values), Runs: len(values)}
	if ok {
		e.Interval = finiteBounds(math.Max(0, low), math.Min(limit, high))
	}
	return e
}

// finiteBounds returns an interval, nil if a bound cannot be written as JSON.
func finiteBounds(low, high float64) *[2]float64 {
	if document.Finite(low) == nil || document.Finite(high) == nil {
		return nil
	}
	return &[2]float64{low, high}
}

// timings returns the response times of each operation, in the order of the first run. A
// quantile that one run does not have is nil: a median of the others would be too good.
func timings(trials []Trial) []RankedTiming {
	list, values := []RankedTiming{}, make(map[string]*[2][]int64)
	for i := range trials {
		for _, one := range trials[i].Operations {
			if values[one.Name] == nil {
				values[one.Name], list = new([2][]int64), append(list, RankedTiming{Operation: one.Name})
			}
			for k, quantile := range []*int64{one.P50, one.P99} {
				if quantile != nil {
					values[one.Name][k] = append(values[one.Name][k], *quantile)
				}
			}
		}
	}
	for i := range list {
		one := &list[i]
		p50, p99 := slices.Sorted(slices.Values(values[one.Operation][0])), slices.Sorted(slices.Values(values[one.Operation][1]))
		if len(p50) == len(trials) {
			one.P50 = &p50[(len(p50)-1)/2]
		}
		if len(p99) == len(trials) {
			one.P99, one.P99Range = &p99[(len(p99)-1)/2], &[2]int64{p99[0], p99[len(p99)-1]}
		}
	}
	return list
}
