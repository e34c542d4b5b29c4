package contest

import (
	"cmp"
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
		o.Alpha, o.Price = 0, results.Price{}
	}
	arms = slices.Clone(arms)
	slices.SortStableFunc(arms, func(a, b Arm) int { return strings.Compare(a.Design, b.Design) })
	c, r := rank(arms, o, func(arm *Arm) []Trial { return arm.Trials })
	c.Power = r.power()
	if o.Price != (results.Price{}) {
		c.Price = &o.Price
	}
	for at, i := range r.sequence {
		c.Ranking[at].explain(r.evidence(i, &c.Ranking[at], &c.Ranking[0], o.Price))
	}
	c.addProvenance(r)
	n := newNarrative(c)
	for _, f := range criteria {
		c.Tests = append(c.Tests, Test{f.name, f.part * c.Alpha, f.resolution})
		n.Divided = append(n.Divided, f.words+" "+document.PartOf(f.part, 1))
	}
	for _, arm := range r.arms {
		for k := range arm.Trials {
			n.Operations = max(n.Operations, arm.Trials[k].Events)
		}
	}
	answer := n.answer("answer")
	c.Verdict = answer.Sentences()
	c.RestsOn, c.CannotTell = append(c.RestsOn, n.sentences("basis", "runs")...), append(c.CannotTell, n.sentences("limits")...)
	c.compareProfiles(n, r, arms, o)
	return c
}

// rank returns the order of the arms by some of their trials, without reasons and sentences.
func rank(arms []Arm, o Options, of func(*Arm) []Trial) (*Contest, *order) {
	c := &Contest{Scenario: o.Scenario, Profile: o.Profile, Other: o.Other, Alpha: cmp.Or(o.Alpha, DefaultAlpha), Repeat: o.Repeat, Warnings: slices.Clone(o.Warnings),
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
	for i := range unable {
		unable[i].Rank = new(len(ran) + 1)
	}
	c.Ranking = slices.Concat(c.Ranking, idle, unable)
	c.setWinner(len(ran), len(idle), len(unable))
	return c, r
}

// setWinner sets the winner, the state and ok. Without checks the winner must not lose operations.
func (c *Contest) setWinner(ran, idle, unable int) {
	if c.State = results.CannotTell; c.NoneHolds() {
		c.State, c.Ok = results.DoesNotHold, new(false)
		return
	}
	if ran == 0 || ran == 1 && (idle > 0 || unable == 0) || slices.ContainsFunc(c.Ranking[1:ran], func(one Ranked) bool { return one.Behind == "" }) {
		return
	}
	first := &c.Ranking[0]
	c.Winner, c.State, c.Ok = &first.Design, cmp.Or(first.State, results.Holds), first.Ok
	if first.State == "" && first.Lost.Value() > 0 {
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
		e := &reasons[i]
		e.Says = strings.Join(table().Phrases(e, e.Kind), "")
		one.Reasons, says = append(one.Reasons, e.Reason), append(says, e.Says)
	}
	if len(says) > 0 {
		one.Reason = sentenceOf(says...) + "."
	}
}

// addProvenance adds the target, the limits and the provenance of the figures from the first record.
func (c *Contest) addProvenance(r *order) {
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

// compareProfiles compares the result with that of the other profile: the same best designs, no
// reversed pair, and the checks hold in both or in neither.
func (c *Contest) compareProfiles(n *narrative, r *order, arms []Arm, o Options) {
	switch {
	case n.Ran < 2:
		return
	case slices.ContainsFunc(r.arms, func(arm *Arm) bool { return len(arm.Others) == 0 }):
		if o.Other != "" {
			c.SurvivesSays = n.firstSentence("untried")
		}
		return
	}
	other, s := rank(arms, o, func(arm *Arm) []Trial { return arm.Others })
	m := newNarrative(other)
	m.Reversed = r.reversedPair(s)
	m.SameHolds = slices.Equal(n.Holding(), m.Holding())
	m.SameResult = c.NoneHolds() == other.NoneHolds() && m.Reversed == "" && slices.Equal(slices.Sorted(slices.Values(n.Best)), slices.Sorted(slices.Values(m.Best)))
	if claim := m.firstSentence("claim"); claim != n.firstSentence("claim") {
		beside := m.firstSentence("beside")
		m.Result = claim + optional(beside != "" && beside != n.firstSentence("beside"), " (%s)", beside)
	}
	c.Survives, c.SurvivesSays = &m.SameResult, strings.Join(m.sentences("profile"), " ")
}

// ranked returns the design at a place of the sequence by some of its trials, compared with the
// designs before it.
func (r *order) ranked(trials []Trial, at int, p results.Price) Ranked {
	i := r.sequence[at]
	one := newRanked(r.arms[i])
	one.Rank = new(1)
	for _, before := range r.sequence[:at] {
		if r.decidingFigure(before, i) != "" {
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
		one.Ratio, one.Behind = r.ratio(first, i), r.decidingFigure(first, i)
	}
	return one
}

// measure adds the results of the runs of a design.
func (one *Ranked) measure(trials []Trial, p results.Price) {
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
		one.Moves, one.Unrecovered = one.Moves+t.Moves, one.Unrecovered+t.Unrecovered
	}
	slices.Sort(one.Seeds)
	values := figureValues(trials, results.Price{})
	for f, figure := range one.figures() {
		if figure.partial || len(values[f]) == len(trials) {
			*figure.to = statistics.NewEstimate(values[f], cmp.Or(figure.maximum, maxFigure))
		}
	}
	if one.Billed != nil && p.PerMillion > 0 {
		// Transactions per event are millions of transactions per million events.
		one.Cost = document.Finite(one.chargedTransactions(p) * p.PerMillion)
	}
	if one.Stored != nil && p.PerGiBMonth > 0 {
		one.Keeping = document.Finite(one.Stored.Mean * 1e6 / (1 << 30) * p.PerGiBMonth)
	}
	one.Operations, one.Expected = timings(trials), mergeChecks(trials)
	one.setState()
}

// chargedTransactions returns the mean number of transactions per event that have the price.
func (one *Ranked) chargedTransactions(p results.Price) float64 {
	if p.BillRefused {
		return one.Billed.Value() + one.Throttled.Value()
	}
	return one.Billed.Value()
}

// timings returns the response times of each operation, in the order of the first run. A
// quantile that one run does not have is nil: a median of the others would be too good.
func timings(trials []Trial) []RankedTiming {
	list, p50, p99 := []RankedTiming{}, make(map[string][]int64), make(map[string][]int64)
	add := func(to map[string][]int64, name string, quantile *int64) {
		if quantile != nil {
			to[name] = append(to[name], *quantile)
		}
	}
	for i := range trials {
		for _, one := range trials[i].Operations {
			if !slices.ContainsFunc(list, func(other RankedTiming) bool { return other.Operation == one.Name }) {
				list = append(list, RankedTiming{Operation: one.Name})
			}
			add(p50, one.Name, one.P50)
			add(p99, one.Name, one.P99)
		}
	}
	for i := range list {
		one := &list[i]
		if values := slices.Sorted(slices.Values(p50[one.Operation])); len(values) == len(trials) {
			one.P50 = &values[(len(values)-1)/2]
		}
		if values := slices.Sorted(slices.Values(p99[one.Operation])); len(values) == len(trials) {
			one.P99, one.P99Range = &values[(len(values)-1)/2], &[2]int64{values[0], values[len(values)-1]}
		}
	}
	return list
}
