package contest

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/report/compare/statistics"
	"loadgen/report/document"

	"loadgen/report/verdict"
	"loadgen/results"
)

// Rank makes a contest of the arms, whose designs have names of their own. Their order
// changes nothing. Of options with a fault it takes the defaults.
func Rank(arms []Arm, o Options) *Contest {
	if len(o.Validate()) > 0 {
		o.Alpha, o.Price = 0, Price{}
	}
	arms = slices.Clone(arms)
	slices.SortStableFunc(arms, func(a, b Arm) int { return strings.Compare(a.Design, b.Design) })
	var ran, idle, unable []*Arm
	for i := range arms {
		switch arm := &arms[i]; {
		case len(arm.Cannot) > 0:
			unable = append(unable, arm)
		case len(arm.Trials) == 0:
			idle = append(idle, arm)
		default:
			ran = append(ran, arm)
		}
	}
	r := newOrder(ran, o, func(arm *Arm) []Trial { return arm.Trials })
	c := &Contest{Scenario: o.Scenario, Profile: o.Profile, Other: o.Other, Alpha: o.alpha(), Repeat: o.Repeat,
		Tests: []Test{}, Power: r.power(), RestsOn: []string{}, CannotTell: []string{}, Ranking: []Ranked{}}
	if o.Price != (Price{}) {
		c.Price = &o.Price
	}
	for _, f := range r.figures {
		c.Tests = append(c.Tests, Test{f.name, f.part * c.Alpha, f.resolution})
	}
	if c.Power == nil {
		c.Power = []Power{}
	}
	c.place(r, ran, o)
	var notRun []string
	for _, arm := range idle {
		notRun = append(notRun, arm.Design)
		c.Ranking = append(c.Ranking, named(arm))
	}
	last := len(ran) + 1
	for _, arm := range unable {
		one := named(arm)
		one.Rank = &last
		one.Cannot = slices.Clone(arm.Cannot)
		var reasons []Reason
		for _, o := range arm.Cannot {
			reasons = append(reasons, Reason{Kind: CannotServe, Operation: o.Operation, Says: fmt.Sprintf("it cannot serve %s: %s", o.Operation, o.Why)})
		}
		one.because(reasons)
		c.Ranking = append(c.Ranking, one)
	}
	c.judge(r, ran, unable, notRun)
	c.tellState()
	c.survive(r, ran, o)
	c.rest(r, ran)
	return c
}

// tellState says whether one design is the best and its checks hold, or none holds them. Where
// there are no checks the best has to sustain the load: none of it is lost.
func (c *Contest) tellState() {
	switch {
	case c.noneHolds():
		c.State, c.Ok = results.DoesNotHold, new(false)
	case c.Winner == nil:
		c.State = results.CannotTell
	case c.Ranking[0].State != "":
		c.State, c.Ok = c.Ranking[0].State, c.Ranking[0].Ok
	case c.Ranking[0].Lost != nil && c.Ranking[0].Lost.Mean > 0:
		c.State = results.DoesNotHold
	default:
		c.State = results.Holds
	}
}

// named is a design before anything of its runs is told.
func named(arm *Arm) Ranked {
	return Ranked{Design: arm.Design, PartitionKey: arm.PartitionKey, RowKey: arm.RowKey, Copies: arm.Copies, Order: arm.Order,
		Seeds: []uint64{}, Operations: []RankedTiming{}, Expected: []Check{}, Reasons: []Reason{}}
}

// place adds the designs that ran.
func (c *Contest) place(r *order, ran []*Arm, o Options) {
	for _, i := range r.sequence {
		first := ran[r.sequence[0]]
		one := r.ranked(ran[i], ran[i].Trials, i, o.Price)
		one.Rank = new(r.ranks[i])
		moving := []string{results.AppendOnly, results.PrependOnly, results.MovingPoint, results.HotTail}
		if slices.Contains(moving, ran[i].Order) || results.TailsOf(ran[i].Order) > 0 {
			// Each partition was hot in its turn: what is cold on the average was not.
			one.Fairness, one.ColdServed = nil, nil
		}
		loses := one.Lost != nil && one.Lost.Mean >= lostToSpeakOf
		if r.ranks[i] > 1 || loses || slices.ContainsFunc(one.Expected, func(e Check) bool { return e.Held < e.Runs }) {
			// Without a record there is nothing but the figures to tell.
			var why []Reason
			arm, behind := ran[i], r.behindFirst(i)
			if arm.Record != nil {
				why = append(refusals(arm), counts(arm, first, behind)...)
			}
			if behind == byBilled {
				of := func(a *Arm) string {
					return document.Finely(statistics.Mean(figureOfSome(a.Trials, criteria(o.Price)[byBilled].of)))
				}
				why = append(why, Reason{Kind: BillsMore, Says: fmt.Sprintf("an event takes %s billed transactions (%s: %s)", of(arm), first.Design, of(first))})
			}
			one.because(append(why, slowness(arm, first, behind, len(why) > 0)...))
		}
		c.Ranking = append(c.Ranking, one)
	}
	for _, i := range r.sequence {
		record := ran[i].Record
		if record == nil {
			continue
		}
		c.Target, c.Figures = record.Manifest.Target, "measured"
		if record.Manifest.Modelled() {
			c.Figures = "modelled"
		}
		c.PartitionTarget = int64(record.Manifest.Targets.Partition)
		c.CannotTell = append(c.CannotTell, verdict.KindLimits(record)...)
		break
	}
}

// ranked is the i-th design by some trials of it, held against the first.
func (r *order) ranked(arm *Arm, trials []Trial, i int, p Price) Ranked {
	one := named(arm)
	one.measured(trials, p)
	// That its checks hold takes every run.
	held, failed := counted(one.Expected)
	switch {
	case len(one.Expected) == 0:
	case failed > 0:
		one.State, one.Ok = results.DoesNotHold, new(false)
	case held == len(one.Expected) && !slices.ContainsFunc(one.Expected, func(e Check) bool { return e.Untold > 0 }):
		one.State, one.Ok = results.Holds, new(true)
	default:
		one.State = results.CannotTell
	}
	if first := r.sequence[0]; i != first {
		one.Ratio = r.ratio(bySustained, first, i)
	}
	switch behind := r.behindFirst(i); behind {
	case notBehind:
	case byChecks:
		one.Behind = byChecksName
	default:
		one.Behind = r.figures[behind].name
	}
	return one
}

// measured adds what the runs of a design came to.
func (one *Ranked) measured(trials []Trial, p Price) {
	for i := range trials {
		one.Seeds = append(one.Seeds, trials[i].Seed)
		if trials[i].Validity != results.Valid {
			one.Doubtful++
		}
		if trials[i].Validity == results.Invalid {
			one.Invalid++
		}
		if trials[i].Late {
			one.Limited++
		}
		one.Moves += trials[i].Moves
		one.Unrecovered += trials[i].Unrecovered
	}
	slices.Sort(one.Seeds)
	events := func(of func(t *Trial) float64) func(t *Trial) (float64, bool) {
		return func(t *Trial) (float64, bool) { return of(t), t.Served > 0 }
	}
	perhaps := func(of func(t *Trial) *float64) func(t *Trial) (float64, bool) {
		return func(t *Trial) (float64, bool) {
			if v := of(t); v != nil {
				return *v, true
			}
			return 0, false
		}
	}
	figures := criteria(p)
	one.Sustained = estimate(figureOfAll(trials, figures[bySustained].of), most)
	one.Lost = estimate(figureOfAll(trials, figures[byLost].of), 1)
	one.Met = estimate(figureOfAll(trials, perhaps(func(t *Trial) *float64 { return t.Met })), 1)
	one.WorstP99 = estimate(figureOfAll(trials, figures[byWorst].of), most)
	one.Counted = estimate(figureOfAll(trials, figures[byCounted].of), most)
	one.Billed = estimate(figureOfAll(trials, events(func(t *Trial) float64 { return t.Billed })), most)
	one.Throttled = estimate(figureOfAll(trials, events(func(t *Trial) float64 { return t.ThrottledRequests })), most)
	one.Stored = estimate(figureOfAll(trials, events(func(t *Trial) float64 { return t.Stored })), most)
	one.Recovery = estimate(figureOfSome(trials, perhaps(func(t *Trial) *float64 { return t.Recovery })), most)
	one.Fairness = estimate(figureOfSome(trials, perhaps(func(t *Trial) *float64 { return t.Fairness })), 1)
	one.ColdServed = estimate(figureOfSome(trials, perhaps(func(t *Trial) *float64 { return t.ColdServed })), 1)
	if billed := figureOfAll(trials, figures[byBilled].of); len(billed) > 0 && p.PerMillion > 0 {
		// A million events at so many transactions each, at so much per million.
		one.Cost = document.Finite(statistics.Mean(billed) * p.PerMillion)
	}
	if one.Stored != nil && p.PerGiBMonth > 0 {
		one.Keeping = document.Finite(one.Stored.Mean * 1e6 / (1 << 30) * p.PerGiBMonth)
	}
	one.Operations, one.Expected = timings(trials), expected(trials)
}

// because takes reasons, the heaviest first.
func (one *Ranked) because(reasons []Reason) {
	one.Reasons = append(one.Reasons, reasons...)
	var says []string
	for i := range reasons {
		says = append(says, reasons[i].Says)
	}
	if len(says) > 0 {
		one.Reason = sentence(strings.Join(says, "; "))
	}
}
